"""The gate before publishing: is the census complete, were all items visible, are the tables right?"""

import os

# Great Expectations sends usage statistics unless this variable is set before its import.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
