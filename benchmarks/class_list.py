"""`classes.txt.gz`: the classes that a census of all tables loads, with its report, for the archive of classes.

`make class-list` surveys the emulated scenario `calm` under spark-submit, and lets the JVM list its classes. Classes
that a JVM makes as it runs (lambdas, proxies, accessors) have no name of their own, and are left out.
"""

import gzip
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

import yaml

from benchmarks.common import ROOT
from benchmarks.emulator import emulated
from benchmarks.fixed_cost import SCENARIO, census
from kafka_census.jars.class_archive import CLASSES

_MADE = re.compile(r"\$Proxy\d+$|\$\$Lambda|/Generated\w+Accessor\d+$|LambdaForm\$|\$Species_")


def main() -> None:
    """Write the file anew."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "classes.lst")
        with emulated(yaml.safe_load(SCENARIO.read_text(encoding="utf-8"))) as (servers, _, _):
            census(ROOT, servers, (), "--driver-java-options", f"-Xshare:off -XX:DumpLoadedClassList={listed}")
        names = named(listed.read_text(encoding="utf-8").splitlines())
    CLASSES.write_bytes(gzip.compress("\n".join(names).encode("ascii"), mtime=0))


def named(lines: Iterable[str]) -> list[str]:
    """The names in a list of classes that a JVM wrote, sorted; lines of lambdas and other loaders have none."""
    words = (line.split() for line in lines if not line.startswith(("#", "@")))
    return sorted({word[0].replace("/", ".") for word in words if len(word) == 1 and not _MADE.search(word[0])})


if __name__ == "__main__":
    main()
