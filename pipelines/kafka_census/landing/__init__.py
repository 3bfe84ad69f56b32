"""Plan the requests of a census, land the pages in Delta, and resume from the landed pages."""
