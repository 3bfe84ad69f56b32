"""Predicts in seconds, without Spark, whether a census can run and why it would fail; writes nothing to Kafka.

`machine.look` and `cluster.look` collect facts (`facts`), with a deadline for each question and all brokers at the same
time. The checks (`checks.MACHINE`, `checks.CLUSTER`) are pure and judge these facts; `text` shows their findings.
The configuration, the clock and the walks of a census are passed in as values.
"""
