"""Adding an RPC or a table touches a small, fixed set of files that bear its name; this says which is missing."""

import re
from pathlib import Path

import pytest

from kafka_census.declarations.table import CLUSTER, OWNER, Table
from kafka_census.declarations.transform import Transform
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.lookup import KeyLookup
from kafka_census.kafka.rpc import RPCS
from kafka_census.tables.all_tables import AUDIT_TABLES, TABLES
from kafka_census.tables.suites import SUITES
from kafka_census.tables.transforms import TRANSFORMS
from kafka_census.tables.views import VIEWS
from tools.dictionary import dictionary
from tools.example_rows import example_rows
from tools.tables import page

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pipelines" / "kafka_census"
REFUSED_LINES = 500


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("name", sorted({rpc.name for rpc in RPCS}))
def test_an_rpc_has_its_files(name: str) -> None:
    file = PACKAGE / "kafka" / "rpc" / f"{snake(name)}.py"
    assert file.is_file()
    assert file.read_text(encoding="utf-8").startswith(f'"""{name} (API')
    assert any(f'"{name}"' in tests.read_text("utf-8") for tests in (ROOT / "tests" / "unit" / "rpc").glob("test_*.py"))
    assert (ROOT / "emulator" / "kafka_emulator" / "handlers" / f"{snake(name)}.py").is_file()


def test_rpcs_and_walks_are_the_same() -> None:
    assert sorted((rpc.name, rpc.scope) for rpc in RPCS) == sorted((walk.rpc, walk.scope) for walk in WALKS)
    assert len({(rpc.name, rpc.scope) for rpc in RPCS}) == len(RPCS)


def test_keys_come_from_columns_that_exist() -> None:
    columns = {(rpc.name, rpc.scope): {field.name for field in rpc.item} for rpc in RPCS}
    for walk in WALKS:
        sources = [keys for keys in (walk.keys, walk.fallback, walk.located and walk.located.keys) if keys]
        for keys in sources:
            named = {*keys.columns} | ({keys.only.column} if keys.only else set())
            assert named <= columns[keys.rpc, keys.scope]
        if walk.located:
            assert walk.located.node in columns[walk.located.keys.rpc, walk.located.keys.scope]
        assert set(walk.answered_by) <= columns[walk.rpc, walk.scope]
        assert bool(walk.answered_by) == bool(walk.keys)
        # A walk whose keys have brokers of their own reads which.
        assert bool(walk.located) == isinstance(walk.lookup, KeyLookup)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_has_its_files(table: Table) -> None:
    files = [PACKAGE / "tables" / table.name / name for name in ("columns.py", "transform.py", "rules.py", "view.py")]
    files += [ROOT / "tests" / "tables" / table.name / name for name in (f"test_{table.name}.py", "faults.py")]
    assert [str(file.relative_to(ROOT)) for file in files if not file.is_file()] == []
    assert [transform.table.name for transform in TRANSFORMS].count(table.name) == 1
    assert TRANSFORMS[TABLES.index(table)].table is table, "what a table is made of is staged before it"
    assert [suite.table.name for suite in SUITES].count(table.name) == 1
    assert [view.table.name for view in VIEWS].count(table.name) == 1
    assert table.questions
    reads = {(read.rpc, read.scope) for read in table.reads}
    assert reads <= {(walk.rpc, walk.scope) for walk in WALKS}
    assert len(reads) == len(table.reads), "the rule of completeness of a walk would have two verdicts"


@pytest.mark.parametrize("table", [*TABLES, *AUDIT_TABLES], ids=lambda table: table.name)
def test_every_column_has_a_comment(table: Table) -> None:
    assert [field.name for field in table.schema.fields if not field.metadata.get("comment")] == []
    assert table.comment
    assert set(table.key) <= set(table.columns)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_published_row_tells_its_census_and_its_cluster(table: Table) -> None:
    assert table.columns[:4] == ["census_id", "cluster_id", "cluster", "observed_at"]
    assert table.schema[2] == CLUSTER
    added = {"cluster", "owner"} if table.owned_by else {"cluster"}
    assert table.computed.names == [name for name in table.columns if name not in added]
    assert not table.owned_by or table.schema[-1] == OWNER


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda transform: transform.table.name)
def test_a_table_reads_what_its_transform_is_given(transform: Transform) -> None:
    """So that completeness is judged by all of it; what a table is made of comes before it."""
    table = transform.table
    tables = [source for source in transform.inputs.values() if isinstance(source, Table)]
    assert set(tables) == {*table.made_of, *table.if_there}
    walks = {source for source in transform.inputs.values() if not isinstance(source, Table)}
    reads = {(read.rpc, read.scope) for read in table.reads}
    assert walks <= reads
    for other in table.made_of:
        assert {(read.rpc, read.scope) for read in other.reads} <= reads
        assert TABLES.index(other) < TABLES.index(table)


def test_the_data_dictionary_is_what_the_tables_say() -> None:
    """`make docs` has been run since the last change of a schema."""
    files = (ROOT / "docs" / "data-dictionary").iterdir()
    assert {file.name: file.read_text(encoding="utf-8") for file in files} == dictionary()


def test_the_tables_at_a_glance_are_what_the_tables_say() -> None:
    """An example may lack a new column, until a later lake gives examples, and has none that its table lacks."""
    examples = example_rows()
    assert (ROOT / "docs" / "tables.md").read_text(encoding="utf-8") == page(examples)
    columns = {table.name: set(table.columns) for table in TABLES}
    assert {name for name, row in examples.items() if not row.keys() <= columns.get(name, set())} == set()


def test_no_file_has_swallowed_the_rest() -> None:
    """Files read best near 100 lines; none has more than 500."""
    folders = ("pipelines", "emulator", "jobs", "tests", "tools")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    lengths = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert {name: lines for name, lines in lengths.items() if lines > REFUSED_LINES} == {}
