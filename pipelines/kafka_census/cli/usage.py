"""Command lines: bad usage is an error in one line; options that several command lines share."""

import argparse
import re
from typing import NoReturn

from kafka_census.declarations.given import Given
from kafka_census.defaults import CONFIG, LAKE
from kafka_census.errors import ConfigError

_CONF = "a setting of the Spark that is started, such as spark.driver.memory=4g; may be repeated"
_SETTING = re.compile(r"spark\.[^=\s]+=.*", re.DOTALL)


class Once(argparse.Action):
    """Stores the value of an option that has one: given twice, one of the two would be ignored silently."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option_string: str | None = None,
    ) -> None:
        """Store the value. Raises ArgumentError where the option has been given before."""
        if getattr(namespace, self.dest, self.default) is not self.default:
            raise argparse.ArgumentError(self, "is given twice")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that raises ConfigError where argparse would print its usage and exit; no option is abbreviated.

    An option without an action is given once. Every parser accepts `--debug`, which `kafka_census.cli.ending` reads;
    the namespace has `debug` only if it is given.
    """

    def __init__(self, **options: object) -> None:
        """Options of argparse's parser, by keyword."""
        super().__init__(**{"allow_abbrev": False, **options})  # type: ignore[arg-type]
        self.register("action", None, Once)
        text = "show the traceback of an error"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=text)

    def error(self, message: str) -> NoReturn:
        """Raise ConfigError with the message."""
        raise ConfigError(f"{message}; see --help")


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the options that lead to the configuration, or to the lake of what asks no broker."""
    parser.add_argument("--config", metavar="PATH", help=f"the configuration; default: {CONFIG}, if it is there")
    add_brokers(parser)


def add_brokers(parser: argparse.ArgumentParser) -> None:
    """Add the options that stand for a configuration file."""
    text = "some brokers, separated by commas; no configuration file is read"
    parser.add_argument("--bootstrap-server", metavar="HOST:PORT", help=text)
    text = "with --bootstrap-server: client.properties, as Kafka's own tools take it"
    parser.add_argument("--command-config", metavar="FILE", help=text)
    text = f"the lake, a folder or a URI; no configuration file is read; default without one: {LAKE}"
    parser.add_argument("--lake", metavar="PATH", help=text)


def add_spark_conf(parser: argparse.ArgumentParser) -> None:
    """Add the option of what may start a Spark."""
    parser.add_argument("--spark-conf", action="append", default=[], type=_setting, metavar="NAME=VALUE", help=_CONF)


def _setting(text: str) -> str:
    """A setting in the form of spark-submit's --conf, which ignores other forms with a warning."""
    if not _SETTING.fullmatch(text):
        # Without its value, which may be the key of an object store.
        name, has_value, _ = text.partition("=")
        raise argparse.ArgumentTypeError(f"must be spark.NAME=VALUE{f', not {name!r}=...' if has_value else ''}")
    return text


def given(args: argparse.Namespace) -> Given:
    """The options that lead to the configuration. Raises ConfigError where they contradict each other."""
    named = getattr(args, "cluster", None) or ()
    clusters = (named,) if isinstance(named, str) else tuple(dict.fromkeys(named))
    if args.bootstrap_server is not None and len(clusters) > 1:
        raise ConfigError(
            "--bootstrap-server leads to one cluster: give one --cluster, the name that it has in the lake"
        )
    return Given(
        config=getattr(args, "config", None),
        bootstrap_server=args.bootstrap_server,
        command_config=args.command_config,
        lake=args.lake,
        cluster=clusters[0] if len(clusters) == 1 else None,
    )
