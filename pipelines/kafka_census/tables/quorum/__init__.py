"""The table `quorum`: columns, transform, rules and view."""
