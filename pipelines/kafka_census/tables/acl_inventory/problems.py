"""No row of acl_inventory is a problem: whether a grant is right is for its operator to say."""

from kafka_census.declarations.problem import Problems

ACL_INVENTORY_PROBLEMS = Problems("ACL", "ACLs")
