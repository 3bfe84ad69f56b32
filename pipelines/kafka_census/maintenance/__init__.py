"""A lake that is used for years: what goes when it is old, and what an older release wrote."""
