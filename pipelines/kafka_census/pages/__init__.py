"""What a landed page means: which try counts, where a chain starts over, and how the pages of a census are read.

Landing plans from it, transforms and the gate read through it. The rule is coded once, in `header`.
"""
