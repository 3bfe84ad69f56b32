"""The table `config_drift`: columns, transform, rules and view."""
