"""A folder with PySpark as `pip install pyspark-client` brings it, and nothing that only a JVM needs.

pyspark-client is PySpark of the same release without its core, its classic session, its jars and scripts, file by file
the same (4.1.1 was compared). So it is made of what is installed, without a package registry. py4j it does not need.
"""

from pathlib import Path

import pyspark

CLASSIC = ("core", "jars", "bin", "sbin", "examples", "data", "licenses", "python", "sql")
"""What of the package is not the client's; of `sql` its folder `classic`."""

NO_PY4J = "raise ModuleNotFoundError(\"No module named 'py4j'\", name='py4j')\n"


def client_alone(folder: Path) -> Path:
    """Fill the folder, which comes first on a path of modules."""
    (installed,) = pyspark.__path__
    _link(Path(installed), folder / "pyspark", CLASSIC)
    _link(Path(installed, "sql"), folder / "pyspark" / "sql", ("classic",))
    (folder / "py4j").mkdir()
    (folder / "py4j" / "__init__.py").write_text(NO_PY4J)
    return folder


def _link(source: Path, target: Path, without: tuple[str, ...]) -> None:
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name not in without:
            (target / path.name).symlink_to(path)
