"""One suite, two clusters: the emulator answers as real Kafka 4.3.1 does."""
