"""The table `under_min_isr_partitions`: columns, transform, rules and view."""
