"""The table `acl_inventory`: columns, transform, rules and view."""
