"""Notifications at the end of a census: figures for Prometheus, and a message when a state changes.

`facts` describes the census that ended, `metrics` computes figures from these facts, and `states` derives from the
figures which states are open; all three are pure. `counting` queries Spark, `textfile` writes the file of a cluster,
`webhook` sends the message, `notifications` stores accepted messages in the lake.
`kafka_census.census.notification` combines them.
"""
