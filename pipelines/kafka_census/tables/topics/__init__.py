"""The table `topics`: columns, transform, rules and view."""
