"""Plan who is asked for what, land the pages in Delta, resume from what is landed."""
