"""What the two wheels hold, what is packed for a Spark cluster, and what mutants and benchmarks are made of."""

from pathlib import Path

import pytest
from setuptools import Distribution

from benchmarks.rates import walked
from benchmarks.replay import SHAPES, Replayer, answers, ways, window_of
from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_emulator.scenario_file import names
from tools import dist, mutants

ROOT = Path(__file__).parents[2]


def declared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Distribution:
    """A distribution as setuptools reads its setup.cfg, which it does from its folder."""
    monkeypatch.chdir(folder)
    distribution = Distribution()
    distribution.parse_config_files(["setup.cfg"])
    return distribution


def test_production_installs_no_emulator_which_is_shipped_with_its_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    """requirements.lock is made from the root's setup.cfg: what the emulator needs is there too, in the same ranges."""
    emulator, census = (declared(folder, monkeypatch) for folder in (ROOT / "emulator", ROOT))
    assert {package.partition(".")[0] for package in census.packages} == {"kafka_census", "kafka_messages"}
    assert [package for package in (*census.packages, *census.extras_require) if "emulator" in package] == []
    assert not any(need.startswith("google-re2") for need in census.install_requires)
    assert {package.partition(".")[0] for package in emulator.packages} == {"kafka_emulator"}
    assert emulator.entry_points == {"console_scripts": ["kafka-emulator = kafka_emulator.__main__:main"]}
    needs = {need for need in emulator.install_requires if not need.startswith("kafka-census")}
    assert needs <= {*census.install_requires, *census.extras_require["test"]}
    assert emulator.metadata.version == census.metadata.version
    monkeypatch.chdir(ROOT / "emulator")
    build = emulator.get_command_obj("build_py")
    build.ensure_finalized()
    assert {file for *_, found in build.data_files for file in found} == {f"scenarios/{name}.yaml" for name in names()}


def test_packed_is_what_the_census_and_a_named_extra_need_and_neither_spark_nor_what_tests_need() -> None:
    needed = dist.needed(["great-expectations[spark]", "rich"])
    names = [its.metadata["Name"].lower().replace("_", "-") for its in needed]
    assert {"great-expectations", "rich", "pandas", "numpy"} <= {*names}
    assert {"pyspark", "py4j", "delta-spark", "pytest"} & {*names} == set()
    assert len(names) == len({*names})
    assert not any("botocore" in text or "gssapi" in text for text in dist.required(()))
    both = dist.required(("aws", "kerberos"))
    assert [text.partition(">")[0] for text in both[-2:]] == ["botocore", "gssapi"]
    assert {"botocore", "jmespath", "kafka-python"} <= {its.metadata["Name"] for its in dist.needed(both[:-1])}


def test_an_unknown_extra_and_a_package_that_is_not_installed_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dist.main([str(tmp_path / "cluster"), "kerberos", "awss"]) == 2
    line = "kafka-census: dist: there is no extra awss; for clusters there are aws and kerberos\n"
    assert (capsys.readouterr().err, (tmp_path / "cluster").exists()) == (line, False)
    line = "dist: the package not-there is not installed; run: make install, or for an extra: "
    with pytest.raises(ConfigError, match=f"^{line}.*python.* -m pip install 'not-there>=1'$"):
        dist.needed(["not-there>=1"])


SOURCE = "total = 0 if (a.é < b) and not c else d + 1 | ~e\nready = True\nkinds: int | None\n"


def test_each_operator_and_value_is_another_one_where_it_stands() -> None:
    source = SOURCE.encode()
    applied = {
        (source[:start] + new.encode() + source[end:]).decode() for start, end, new in mutants.mutants_of(source)
    }
    changes = (("<", "<="), ("and", "or"), ("not ", ""), ("+", "-"), (" | ", " & "), ("~", ""), ("0", "1"), ("1", "2"))
    assert applied == {SOURCE.replace(old, new, 1) for old, new in (*changes, ("True", "False"))}


ITEMS = 14_000
"""Seven pages, or windows that are full."""


@pytest.mark.parametrize(("name", "paging"), [(name, ways(name)[-1]) for name in SHAPES])
def test_every_replayed_item_is_read(name: str, paging: str) -> None:
    with Replayer(answers(name, paging, ITEMS, window_of(name))) as server:
        pages, items = walked(name, paging, Endpoint(1, "127.0.0.1", server.port), ITEMS)
    assert items == ITEMS
    assert pages > 1
