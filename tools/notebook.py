"""A notebook on this machine: `.venv/bin/python -m tools.notebook notebooks/01_first_look.py lake=build/demo/lake`.

The notebook runs unchanged, with the names that Databricks defines: `spark`, `dbutils.widgets` with the values of the
command line, `display`. Its text and its frames are printed, its plots are files in build/notebooks. Nothing is
installed (`%pip`): the packages are those of this environment.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
from pyspark.sql import DataFrame, SparkSession

PLOTS = Path("build/notebooks")
_CELL, _MAGIC = "# COMMAND ----------", re.compile(r"^# MAGIC ?(%md)? ?", re.MULTILINE)
_WIDGET = re.compile(r'^dbutils\.widgets\.text\("(\w+)"', re.MULTILINE)


@dataclass
class Widgets:
    """`dbutils.widgets` of text: the given values by name, or else the defaults."""

    given: Mapping[str, str]
    values: dict[str, str] = field(default_factory=dict, init=False)

    def text(self, name: str, default: str, _label: str = "") -> None:
        """Declare a widget."""
        self.values[name] = self.given.get(name, default)

    def get(self, name: str) -> str:
        """The value of a declared widget. Raises KeyError for any other name."""
        return self.values[name]


def run(
    path: Path,
    spark: SparkSession,
    given: Mapping[str, str],
    display: Callable[[DataFrame], None],
    text: Callable[[str], None] = lambda _: None,
) -> Path:
    """Run the cells of a notebook, one after the other; returns the folder of its plots, 1.png, 2.png, ...

    display, text  receive each displayed frame, and each cell of text
    """
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    library = SimpleNamespace(restartPython=lambda: None)
    names = {"spark": spark, "dbutils": SimpleNamespace(widgets=Widgets(given), library=library), "display": display}
    line = 0
    for cell in path.read_text(encoding="utf-8").split(_CELL):
        if "# MAGIC %md" in cell:
            text(_MAGIC.sub("", cell.removeprefix("# Databricks notebook source\n")).strip())
        elif "# MAGIC %pip" not in cell:
            # Preceded by empty lines, so that errors name the line of the file.
            exec(compile("\n" * line + cell, str(path), "exec"), names)  # noqa: S102 - this is how a notebook runs
        line += cell.count("\n")
    folder = PLOTS / path.stem
    folder.mkdir(parents=True, exist_ok=True)
    for number in plt.get_fignums():
        plt.figure(number).savefig(folder / f"{number}.png", bbox_inches="tight")
    plt.close("all")
    return folder


def main(arguments: list[str] | None = None) -> None:
    """Run the notebook of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebook", description="Run a notebook on this machine.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("values", nargs="*", metavar="widget=value", help="such as lake=build/demo/lake")
    given_words = parser.parse_args(arguments)
    if not given_words.notebook.is_file():
        parser.error(f"there is no notebook {given_words.notebook}")
    widgets = _WIDGET.findall(given_words.notebook.read_text(encoding="utf-8"))
    if wrong := [value for value in given_words.values if "=" not in value or value.partition("=")[0] not in widgets]:
        parser.error(f"'{wrong[0]}': a value is given as widget=value; widgets are {', '.join(widgets)}")
    from kafka_census.reading.sql.output import write_table
    from kafka_census.reading.sql.session import Rows
    from kafka_census.spark.session import session

    def show(frame: DataFrame) -> None:
        """Print a frame like `kafka-census sql`, with control characters escaped."""
        write_table(Rows(frame.columns, map(tuple, frame.collect())), sys.stdout)

    given = dict(value.split("=", 1) for value in given_words.values)
    plots = run(given_words.notebook, session("notebook"), given, show, lambda text: print(f"\n{text}\n"))  # noqa: T201
    print(f"plots: {plots}/*.png")  # noqa: T201


if __name__ == "__main__":
    main()
