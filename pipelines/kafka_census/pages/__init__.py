"""What a landed page means: which try counts, where a chain restarts, and how the pages of a census are read.

Landing plans from these modules; transforms and the gate read through them. The rule is coded once, in `header`.
"""
