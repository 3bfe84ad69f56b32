"""Is the census whole, did we see everything, are the tables right: the gate before publishing."""

import os

# Great Expectations reports its use to its makers unless told not to before its import; a census is nobody's business.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
