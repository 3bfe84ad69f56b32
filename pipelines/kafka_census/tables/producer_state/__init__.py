"""The table `producer_state`: columns, transform, rules and view."""
