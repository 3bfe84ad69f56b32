"""One suite, two clusters: what real Kafka 4.3.1 answers, the emulator answers."""
