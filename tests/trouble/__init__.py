"""Every published table of a real cluster in trouble, held against Kafka's own answers."""
