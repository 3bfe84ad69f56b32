"""The table `log_dir_usage`: columns, transform, rules and view."""
