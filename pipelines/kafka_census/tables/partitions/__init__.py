"""The table `partitions`: columns, transform, rules and view."""
