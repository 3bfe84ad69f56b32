"""Is the census whole, did we see everything, are the tables right: the gate before publishing."""

import os

# Great Expectations sends usage statistics unless this variable is set before its import.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
