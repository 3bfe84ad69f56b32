"""Can a census run here, and of what would it fail? Looked at in seconds, without Spark; nothing is written to Kafka.

`machine.look` and `cluster.look` find out what is so (`facts`), with a deadline for each question and brokers side by
side. The checks (`checks.MACHINE`, `checks.CLUSTER`) judge these values, and touch nothing; `text` shows what they
found. Everything is handed in as values: the configuration, the clock, and which walks a census takes.
"""
