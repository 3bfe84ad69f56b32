"""How fast, on real brokers, side by side with the Java AdminClient in the same run.

`make bench` runs all and prints tables; `python -m benchmarks rpcs` runs one. Figures are
ratios and rates on this machine in this run; nothing here is a test.
"""
