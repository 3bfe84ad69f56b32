"""What a census tells those who are not looking: figures for Prometheus, and a message when a state changes.

`facts` says what is known of a census that ended, `metrics` which figures are made of it and `states` which of these
mean trouble; all three are pure. `counting` asks Spark, `textfile` writes the file of a cluster, `webhook` sends the
message, `memory` keeps in the lake what was sent. `kafka_census.workflows.telling` puts them together.
"""
