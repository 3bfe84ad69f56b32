"""The table `coordinator_load`: columns, transform, rules and view."""
