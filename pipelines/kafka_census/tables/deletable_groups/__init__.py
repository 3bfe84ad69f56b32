"""The table `deletable_groups`: columns, transform, rules and view."""
