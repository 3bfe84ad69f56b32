"""The table `topic_readiness`: columns, transform, rules and view."""
