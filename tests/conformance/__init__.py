"""One suite, two clusters: the emulator answers as real Kafka 4.4.0 does."""
