"""What a table, walk, rule, view, job and census ARE, and the walks and audit tables.

Both halves import this room: collecting writes landed pages and audit tables, computing reads them.
"""
