"""The table `usage_by_owner`: columns, transform, rules and view."""
