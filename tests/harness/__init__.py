"""Real Kafka for tests, the demo and `make kafka`: brokers, workload, proxy, oracles."""
