"""Which groups may be deleted, and the outcomes of deletions.

Only `deletion.writing` sends requests to brokers, and only it changes anything in Kafka.
"""
