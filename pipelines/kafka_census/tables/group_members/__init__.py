"""The table `group_members`: columns, transform, rules and view."""
