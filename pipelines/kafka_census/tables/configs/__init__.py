"""The table `configs`: columns, transform, rules and view."""
