"""The table `hanging_transactions`: columns, transform, rules and view."""
