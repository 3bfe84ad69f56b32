"""pygal, without the import hook that it adds to `sys.meta_path`, for maps, which are not used here.

Tried on pygal 3.1.3. Python 3.11 warns of such a hook with a later import, which is an error under `-W error`; later
releases of Python pass over it. Where pygal has no such class, nothing is removed.
"""

import sys

import pygal

__all__ = ["pygal"]

_HOOK = getattr(pygal, "PluginImportFixer", ())

sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _HOOK)]
