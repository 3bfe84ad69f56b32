"""What is used of other libraries that they do not promise: private names, internal settings, registries of a process.

One module for each library. Its docstring says which names, on which releases they were tried, and what happens with
another release; its test, in `tests/unit/private` or `tests/spark/private`, fails where a release has changed them.
ruff allows private names here alone. The modules import their library and the errors of the census, and nothing else of
it: they are imported from both halves.
"""
