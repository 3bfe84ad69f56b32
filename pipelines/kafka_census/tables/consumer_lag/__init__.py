"""The table `consumer_lag`: columns, transform, rules and view."""
