"""pygal: the import hook that it adds to `sys.meta_path`, for its maps, which this package does not use.

Tried on pygal 3.1.3. The hook has no `find_spec`: Python 3.11 warns of it, and whoever asks every finder fails.
With another release that has no such hook, nothing is taken away.
"""

import sys

import pygal


def remove_import_hook() -> None:
    """Leave the hook out of the process' finders."""
    hook = getattr(pygal, "PluginImportFixer", ())
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, hook)]
