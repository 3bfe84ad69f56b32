"""The table `risks`: columns, transform, rules, view and problems."""
