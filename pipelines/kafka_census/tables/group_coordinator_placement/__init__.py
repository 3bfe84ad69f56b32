"""The table `group_coordinator_placement`: columns, transform, rules and view."""
