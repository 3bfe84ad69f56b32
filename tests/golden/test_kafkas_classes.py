"""Kafka's own classes, of the jars: they read and write the kept frames, and have the codes of errors that we have.

They read client.properties as we do, too, and have the options that remedies name.
"""

import itertools
import json
import random
import re
import shlex
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from golden import regenerate
from golden.kept import load
from harness import oracle
from harness.broker import LATEST, class_path, java_command
from kafka_census.config.jaas import BadJaas, login_module
from kafka_census.errors import ConfigError
from kafka_census.files.properties_file import properties_in
from kafka_census.kafka.error_codes import KAFKA_RETRIABLE, KAFKAS, OURS, RETRIABLE, ErrorCode, error_name
from kafka_census.tables.problems import REMEDY

_ERRORS = Path(oracle.__file__).with_name("ErrorsOracle.java")


def test_kafka_writes_the_kept_frames() -> None:
    assert list(load()) == regenerate.frames()


def test_names_and_retriable_codes_are_kafkas_and_our_own_never_meet_them() -> None:
    said = [line.split() for line in oracle.output_of(oracle.java_program(_ERRORS)).splitlines()]
    kafkas = {int(code): (name, retriable == "true") for code, name, retriable in said}
    assert kafkas.pop(ErrorCode.NONE) == ("NONE", False)
    assert {code: name for code, (name, _) in kafkas.items()} == KAFKAS
    assert {code for code, (_, retriable) in kafkas.items() if retriable} == KAFKA_RETRIABLE
    # Kafka's are an int16's, from -1 on.
    assert min(KAFKAS) == -1
    assert max(OURS) < -99
    assert set(OURS) >= RETRIABLE - KAFKA_RETRIABLE
    named = {0: None, 6: "NOT_LEADER_OR_FOLLOWER", -107: "INCONSISTENT_PAGES", 999: "ERROR_999"}
    assert {code: error_name(code) for code in named} == named


_TOOLS = {
    "kafka-acls": "org.apache.kafka.tools.AclCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-configs": "org.apache.kafka.tools.ConfigCommand",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-streams-groups": "org.apache.kafka.tools.streams.StreamsGroupCommand",
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-transactions": "org.apache.kafka.tools.TransactionsCommand",
}
"""The class behind each script of Kafka that a remedy names with options."""


def test_the_commands_of_remedies_have_options_that_kafkas_tools_have() -> None:
    named = [remedy.command for remedy in REMEDY.values()]
    named += [code for remedy in REMEDY.values() for code in re.findall("`(kafka-[^`]*)`", remedy.more)]
    named = [command.replace("--RESOURCE_TYPE", option) for command in named for option in ("--topic", "--broker")]
    commands = [words for words in map(shlex.split, sorted(set(named))) if words[0].endswith(".sh") and words[1:]]
    asked = {each for words in commands for each in (_tool(words)[:1], _tool(words))}
    with ThreadPoolExecutor(2) as pool:
        help_of = dict(zip(asked, pool.map(_help, asked), strict=True))
    for words in commands:
        printed = help_of[_tool(words)[:1]] + help_of[_tool(words)]
        known = set(re.findall(r"--[a-zA-Z][a-zA-Z.-]+", printed))
        assert {word for word in words if word.startswith("--")} <= known, words


def _tool(words: Sequence[str]) -> tuple[str, ...]:
    """The name of a tool, and its step, such as `abort`: a word that is neither an option nor the value of one."""
    steps = [word for before, word in itertools.pairwise(words) if not f"{before} {word}".count("--")]
    return words[0].removesuffix(".sh"), *steps


def _help(tool: tuple[str, ...]) -> str:
    name, *steps = tool
    path = class_path(f"kafka-tools-{LATEST}", f"kafka-{LATEST}")
    command = java_command(path, _TOOLS[name], *steps, "--help", heap="128m", logs="error", keep_classes=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


_ESCAPED = ("u00e9", "uD83D\\uDE00", "u12", "\n ", "\\", " ", "z", "t")
_PROPERTIES = (*"ab=: \t\f#!'\"é", *(f"\\{each}" for each in _ESCAPED), "\na", "\r\n#", "\rb", "\n \f!", "key")
_OPTIONS = ('u="p"', r'v = "a\"b"', r"w='c\101\n'", 'x="//"', "y=';'", "z=é", r'u="\\"', "a.B required ")
_JAAS = (*"a=; \t\"'\\/*.-$_0#é\n", "//", "/*", "*/", r"\101", *(f" {option}" for option in _OPTIONS * 3))


def _read(content: bytes) -> dict[str, object]:
    """What the oracle says of a file, by our reader."""
    try:
        found = {key: each.value for key, each in properties_in(content, "f").items()}
    except ConfigError:
        return {"kind": "properties", "error": "IllegalArgumentException"}
    read: dict[str, object] = {"kind": "properties", "found": found}
    if "sasl.jaas.config" not in found:
        return read
    try:
        module = login_module(found["sasl.jaas.config"])
    except BadJaas:
        return {**read, "module": None}
    return {**read, "module": module.name, "options": module.options}


def test_properties_and_jaas_are_read_as_java_and_kafka_read_them(tmp_path: Path) -> None:
    made = random.Random(5)
    plain = ["".join(["a", *made.choices(_PROPERTIES, k=made.randrange(1, 30)), "b"]) for _ in range(2000)]
    modules = ["".join(["a.B required ", *made.choices(_JAAS, k=made.randrange(1, 12)), ";"]) for _ in range(3000)]
    jaas = ["sasl.jaas.config=" + "".join(f"\\u{ord(letter):04x}" for letter in text) for text in modules]
    files = [text.encode("latin-1") for text in (*plain, *jaas)]
    kept = tmp_path / "files"
    kept.write_text("".join(f"{content.hex()}\n" for content in files), encoding="ascii")
    program = oracle.java_program(Path(oracle.__file__).with_name("PropertiesOracle.java"), str(kept))
    said = [json.loads(line) for line in oracle.output_of(program).splitlines()]
    for content, one in zip(files, said, strict=True):
        one.pop("refused", None)
        assert _read(content) == one, content
    assert sum("error" in one for one in said) > 50
    assert sum(bool(one.get("options")) for one in said) > 100
