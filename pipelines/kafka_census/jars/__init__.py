"""The jars of Spark, Delta and Kafka: their sets, checksums and cache, and the configuration of a Spark we start."""
