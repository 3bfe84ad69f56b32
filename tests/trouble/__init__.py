"""Every published table of a real cluster in trouble, compared with Kafka's own answers."""
