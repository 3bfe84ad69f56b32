"""`kafka-census init`: write a first configuration, in which every key is explained.

With `--bootstrap-server` (and Kafka's client.properties) the file is filled in. A secret becomes a reference to its
property in that file, never its text.
"""

import argparse
import json
import os
import re
import shlex
import sys
import textwrap
from pathlib import Path

from kafka_census.cli.usage import add_brokers, given
from kafka_census.declarations.given import Given, is_override
from kafka_census.defaults import CENSUS, CONFIG, LAKE
from kafka_census.errors import ConfigError
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor

HELP = "Write a first configuration, with every key explained. Overwrites nothing."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`PATH`, and the options of brokers."""
    parser.add_argument("path", nargs="?", default=CONFIG, metavar="PATH", help=f"default: {CONFIG}")
    add_brokers(parser)
    parser.add_argument(
        "--cluster", metavar="NAME", help="with --bootstrap-server: the name of the cluster in the lake"
    )


def run(args: argparse.Namespace, _redactor: Redactor) -> int:
    """Write the file, and its folder where that is missing. Raises ConfigError where the file already exists."""
    path, options = Path(args.path), given(args)
    text = CENSUS.read_text(encoding="utf-8")
    if options.bootstrap_server is not None:
        text = _filled_in(text, options)
    elif options != Given():
        raise ConfigError("--command-config, --lake and --cluster go with --bootstrap-server HOST:PORT")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise ConfigError(f"{error.filename} already exists and stays as it is; name another PATH") from None
    except OSError as error:
        raise ConfigError(f"{args.path} cannot be written: {error.strerror}; name another PATH") from None
    named = "" if os.path.normpath(path) == CONFIG else f" --config {shlex.quote(args.path)}"
    first = "Name your brokers in it, under clusters, then" if options.bootstrap_server is None else "Next"
    write_lines([f"{args.path} is written. {first}: kafka-census run{named}"], sys.stdout)
    return 0


def _filled_in(text: str, options: Given) -> str:
    """The text of the file with the lake, the cluster, and how to sign in to it. Raises ConfigError."""
    import yaml

    from kafka_census.config import load_given

    file = Path(options.command_config or "")
    if options.command_config is not None and file.exists() and not file.is_file():
        raise ConfigError(f"{file} is no regular file, and the configuration would refer to the secrets in it")
    config = load_given(options, {name: value for name, value in os.environ.items() if not is_override(name)})
    write_lines([f"note: {line}" for line in config.notes], sys.stderr)
    section = config.clusters[options.name].model_dump(mode="json", exclude_unset=True)
    nested = {key: section.pop(key) for key in ("ssl", "sasl") if section.get(key)}
    for key, value in {"root": options.lake or LAKE, **section}.items():
        text = _set(text, key, value)
    text = text.replace("\n  local:\n", f"\n  {options.name}:\n")
    block = textwrap.indent(yaml.safe_dump(nested, sort_keys=False), "    ") if nested else ""
    return re.sub(r"^    security_protocol: .*\n", lambda match: match[0] + block, text, flags=re.MULTILINE)


def _set(text: str, key: str, value: object) -> str:
    """The text with another value of a key, in the notation of JSON, which YAML has too."""
    written = json.dumps(value, ensure_ascii=False)
    return re.sub(rf"^( +{key}: ).*$", lambda match: match[1] + written, text, count=1, flags=re.MULTILINE)
