"""The only package that changes anything in Kafka: it deletes groups, and commits offsets of deleted groups."""
