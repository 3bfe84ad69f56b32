"""Which groups may be deleted, and what became of those that were: everything about it that asks nobody."""
