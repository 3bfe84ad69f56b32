"""The table `reassignment_backlog`: columns, transform, rules and view."""
