"""A folder with PySpark as `pip install pyspark-client` installs it, without the parts that only a JVM needs.

pyspark-client is PySpark of the same release without its core, its classic session, its jars and scripts; all other
files are equal (4.1.1 was compared). So it is copied from the installed PySpark. It does not need py4j.
"""

from pathlib import Path

import pyspark

CLASSIC = ("core", "jars", "bin", "sbin", "examples", "data", "licenses", "python", "sql")
"""The folders of the package that the client does not have; of `sql` only the folder `classic`."""

NO_PY4J = "raise ModuleNotFoundError(\"No module named 'py4j'\", name='py4j')\n"


def client_alone(folder: Path) -> Path:
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
