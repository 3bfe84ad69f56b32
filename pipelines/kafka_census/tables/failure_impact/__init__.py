"""The table `failure_impact`: columns, transform, rules and view."""
