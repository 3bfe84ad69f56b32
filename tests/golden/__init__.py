"""Golden frames: every request and response that a census may send or read, as Kafka's own classes write it."""
