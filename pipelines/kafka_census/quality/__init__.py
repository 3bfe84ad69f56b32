"""Is the census whole, did we see everything, are the tables right: the gate before publishing."""
