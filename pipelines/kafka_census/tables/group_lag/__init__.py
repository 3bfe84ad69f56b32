"""The table `group_lag`: columns, transform, rules and view."""
