"""What the jobs do, from their command line to their exit code: a census and its steps, upkeep, the deletion of groups.

The only package that reads the configuration and puts layers together; every step is imported where it runs.
"""
