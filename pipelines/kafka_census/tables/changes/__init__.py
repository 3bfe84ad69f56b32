"""The table `changes`: columns, transform, rules and view."""
