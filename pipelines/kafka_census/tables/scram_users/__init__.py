"""The table `scram_users`: columns, transform, rules and view."""
