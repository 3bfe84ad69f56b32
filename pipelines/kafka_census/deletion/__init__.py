"""Which groups may be deleted, and what became of those that were.

All of it asks nobody, but for `deletion.writing`, which alone changes anything in Kafka.
"""
