"""Files that are no configuration: every mistake is a line with its location, and nothing else comes out of `load`."""

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_census.config import load, model
from kafka_census.errors import ConfigError
from kafka_census.files import yaml_file
from kafka_census.files.yaml_file import MOST
from unit.configuring import MINIMAL, refusals

pytestmark = pytest.mark.usefixtures("conf")

ALIASES = "anchors and aliases are refused; a value that begins with & or * must be in quotes"
TAGS = "tags are refused; a value that begins with ! must be in quotes"
FORMER = "'a' is a former name of 'local', and already a name of 'a'"
NAME = "letters and digits joined by single - . or _"
BOMB = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [{'*' + a + ', ' * 8}]\n" for a, b in ("ab", "bc", "cd", "de", "ef", "fg")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("lake: {}\na: !!bool foo\n", f"2: {TAGS}"), ("lake: {}\n!!python/name:os.system : 1\n", f"2: {TAGS}")),
        *((BOMB, f"1: {ALIASES}"), ("lake: {}\nclusters: *lake\n", f"2: {ALIASES}")),
        (f"lake: {{}}\na: {'[' * 5000}{']' * 5000}\n", "2: nested deeper than 32 levels"),
        ("".join(f"{' ' * depth}a:\n" for depth in range(500)) + f"{' ' * 500}x", "32: nested deeper than 32 levels"),
        ("lake: {}\na: \0\n", "2: not valid YAML: it holds a character that YAML does not allow"),
        ("lake: {}\na: \x1b\n", "2: not valid YAML: it holds a character that YAML does not allow"),
        (b"lake: {}\na: \xff\xfe\n", "2: cannot be read: it is not UTF-8 text"),
        (MINIMAL.replace("]}", "], former_names: [a]}, a: {bootstrap_servers: [b:1]}"), f"2: clusters: {FORMER}"),
        ("clusters:\n  a: {former_names: [/]}\n", f"2: clusters.a.former_names: cluster name '/' must be {NAME}"),
        (f"lake: {{}}\ncollect: {'1:' * 300}1.5\n", "2: not a value that exists; put it in quotes"),
        ("lake:\n  =: 5\n", "2: a key must be text; put it in quotes"),
        ('lake:\n  "a\\nb": 5\n', "2: a key must not hold control characters"),
        ('lake:\n  root: "a\\0b"\n', "2: lake.root: must not hold control characters, not 'a\\x00b'"),
        ("retention:\n  daily: 999999999d9d\n", "2: retention.daily: must be at most 36500d, not '999999999d9d'"),
    ],
)
def test_a_file_that_no_reader_should_choke_on_is_reported_with_its_line(text: str | bytes, expected: str) -> None:
    assert f"census.yaml:{expected}" in refusals(text)


_SCALARS = st.sampled_from(
    [
        *("1", "-5", "0x", "0b_", "1:60", "1:1:1.5", "1.5", ".nan", ".inf", "1e400", "~", "true", "=", "<<", "''"),
        *("2026-99-99", "2026-01-01 0:0:0 +99:99", "1h", "9999999999999d", "999999999d", "1ms1ms", "file:x", "s3:/x"),
        *('"\\0"', '"\\ud800"', "\t", "\0", "!!bool x", "&a x", "*a", "? x", "x: y", "- x", ">\n  x", "%TAG"),
        *("root", "[127.0.0.1:9092]", "{env: X}", "{root: x}", "{[a]: b}"),
    ]
)
_SECTIONS = [
    getattr(model, f"{name}Section") for name in ("Collect", "Gate", "Retention", "Cluster", "Lake", "Deletion")
]
_KEYS = st.sampled_from([*model.File.model_fields, "1"])
_NAMES = st.sampled_from([*(name for section in _SECTIONS for name in section.model_fields), "local", "5", "*a"])
_LINES = st.tuples(_KEYS, st.lists(st.tuples(_NAMES, _SCALARS), max_size=3)).map(
    lambda section: f"{section[0]}:\n" + "".join(f"  {name}: {value}\n" for name, value in section[1])
)
_DOCUMENTS = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(str.encode),
    st.lists(_LINES, max_size=4).map(lambda lines: "".join(lines).encode()),
    st.tuples(_LINES, st.binary(max_size=4)).map(lambda parts: MINIMAL.encode() + parts[0].encode() + parts[1]),
)


@given(_DOCUMENTS, st.dictionaries(_NAMES.map(lambda name: f"KAFKA_CENSUS__COLLECT__{name.upper()}"), _SCALARS))
@settings(suppress_health_check=list(HealthCheck))
def test_nothing_but_a_configuration_or_its_mistakes_comes_out_of_any_file(
    conf: Path, document: bytes, environ: dict[str, str]
) -> None:
    conf.write_bytes(document)
    try:
        load(conf.name, environ)
    except ConfigError as error:
        mistakes = str(error).split("\n")
        assert all(mistake.startswith(("census.yaml:", "KAFKA_CENSUS__")) for mistake in mistakes), mistakes


def test_alternatives_that_both_come_from_the_environment_are_refused() -> None:
    """Both replace what the file says, and neither the other: which of them counts is not guessed."""
    found = refusals(MINIMAL, KAFKA_CENSUS__LAKE__CATALOG="main.census", KAFKA_CENSUS__LAKE__ROOT="/lake")
    assert found == ["census.yaml:1: lake: give exactly one of root (a path or URI) and catalog (name.schema)"]


def test_all_mistakes_are_reported_at_once_each_with_its_line() -> None:
    text = """lake: {root: 2026-99-99, rot: x}
collect:
  page_limt: 5
  tasks: 1
  tasks: 2
  1: 2
clusters:
  local:
    bootstrap_servers:
      - localhost:9092
      - [a]
    sasl: {}
    ssl: {check_hostname: perhaps}
"""
    assert refusals(text, KAFKA_CENSUS__COLECT__TASKS="5", KAFKA_CENSUS__COLLECT__PAGE_LIMIT="x") == [
        "KAFKA_CENSUS__COLECT__TASKS: unknown key 'COLECT' in the configuration; did you mean 'KAFKA_CENSUS__COLLECT'?",
        "KAFKA_CENSUS__COLLECT__PAGE_LIMIT: collect.page_limit: must be an integer, not 'x'",
        "census.yaml:1: not a value that exists; put it in quotes",
        "census.yaml:1: unknown key 'rot' in lake; did you mean 'root'?",
        "census.yaml:3: unknown key 'page_limt' in collect; did you mean 'page_limit'?",
        "census.yaml:5: 'tasks' is given twice; first at census.yaml:4",
        "census.yaml:6: a key must be text; put it in quotes",
        "census.yaml:11: clusters.local.bootstrap_servers must be a valid string",
        "census.yaml:12: 'mechanism' is missing in clusters.local.sasl",
        "census.yaml:13: clusters.local.ssl.check_hostname: must be true or false",
    ]
    assert refusals("") == ["census.yaml: 'lake' is missing", "census.yaml: 'clusters' is missing"]
    many = refusals(MINIMAL + "".join(f"key{number}: 5\n" for number in range(30)))
    assert (len(many), many[-1]) == (21, "census.yaml: 10 more mistakes")


LARGE = {
    "unknown keys": MINIMAL + "".join(f"colect{number}: 1\n" for number in range(MOST // 2 - 10)),
    "one text": MINIMAL + f"tabels: '{'x ' * 250_000}{chr(10) * 500_000}'",
    "escapes": MINIMAL + f'tabels: "{chr(92)}x41{(chr(92) + "x41") * 200_000}"',
}


def test_a_file_of_too_many_values_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_file, "MOST", 50)
    for text in ("".join(f"k{number}: 1\n" for number in range(26)), f"lake: [{'1,' * 50}]"):
        (line,) = refusals(text)
        assert line.endswith(": more than 50 keys and values; is it the right file?")


@pytest.mark.parametrize("name", LARGE)
def test_the_largest_file_takes_seconds(name: str) -> None:
    """Seconds of CPU time, with all its mistakes."""
    began = time.process_time()
    assert "unknown key" in refusals(LARGE[name])[0]
    assert time.process_time() - began < 10
