"""How large a census is, by its number of landed items: each size is computed in the way that costs it least."""

ONE_TASK = 100_000
"""With fewer items, each query is computed by one task."""

SMALL = 300_000
"""With fewer items, to generate and compile code takes longer than to run a query without it."""

LARGE = 2_000_000
"""With fewer items, pages and rows stay in memory between the steps of a job: to list the files of their tables takes
longer than to read them. From here on, Spark plans queries again while they run, and the JVM's second compiler is worth
its time (ADR 12)."""
