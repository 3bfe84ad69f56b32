"""The table `transaction_coordinator_placement`: columns, transform, rules and view."""
