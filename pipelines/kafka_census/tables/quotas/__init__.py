"""The table `quotas`: columns, transform, rules and view."""
