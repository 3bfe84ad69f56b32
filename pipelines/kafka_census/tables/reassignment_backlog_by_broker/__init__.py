"""The table `reassignment_backlog_by_broker`: columns, transform, rules and view."""
