"""The jobs, from their command line to their exit code: a census and its steps, upkeep, the deletion of groups.

Only this package reads the configuration and combines the layers; every step is imported where it runs.
"""
