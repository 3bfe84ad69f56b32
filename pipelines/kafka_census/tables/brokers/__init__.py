"""The table `brokers`: columns, transform, rules and view."""
