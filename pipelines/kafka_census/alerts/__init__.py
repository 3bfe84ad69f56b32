"""What others are notified of when a census ends: figures for Prometheus, and a message when a state changes.

`facts` says what is known of a census that ended, `metrics` which figures are made of it and `states` which of these
mean trouble; all three are pure. `counting` asks Spark, `textfile` writes the file of a cluster, `webhook` sends the
message, `notifications` keeps in the lake what was accepted. `kafka_census.workflows.notification` puts them together.
"""
