"""Logs: one line per event on stderr; stdout is for results (spark-submit joins the two in its stdout).

On a terminal, progress is a line that is rewritten (`kafka_census.terminal.live`), and log lines above it are
coloured text. Elsewhere log lines are JSON, one object per line
with `timestamp`, `level`, `event` and the bound fields (`census_id`, `cluster`). Warnings of
libraries pass through the same formatter. A `Redactor` sees every event before it is text: values
under secret-looking keys, and every known secret in any known spelling, become `***`.
Texts of brokers cannot control the terminal: JSON escapes everything but printable ASCII, coloured text is `printable`.
"""

import logging
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import structlog
from structlog.typing import EventDict, Processor

from kafka_census.kafka.protocol.redaction import HIDDEN, redacted, secrets_of
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.spark.started_by import under_spark_submit
from kafka_census.terminal.display import printable, printable_lines
from kafka_census.terminal.log_progress import LogProgress

if TYPE_CHECKING:
    from rich.console import Console

NAME = "kafka_census"
FORMATS = ("auto", "json", "console")
_KEYS = ("password", "secret", "token", "jaas", "credential")
_QUIET = ("kafka", "py4j", "DataFrameQueryContextLogger", "SQLQueryContextLogger", "pyspark.sql.connect.logging")
"""Libraries that log errors which this project reports itself, or expects."""


class Redactor:
    """Hides secrets in text (`protocol.redaction`) and in log fields; very short ones are only hidden by key."""

    def __init__(self) -> None:
        """A redactor without secrets."""
        self._clusters: set[ClusterSettings] = set()
        self._texts: set[str] = set()

    def learn(self, cluster: ClusterSettings) -> None:
        """Hide this cluster's secrets from now on."""
        self._clusters.add(cluster)

    def learn_texts(self, texts: Iterable[str]) -> None:
        """Hide these texts from now on."""
        self._texts.update(texts)

    def hide(self, text: str) -> str:
        """The text without any known secret."""
        # Secrets are collected for each text, because a token that was issued after `learn` is a secret, too.
        return redacted(text, self._texts.union(*map(secrets_of, self._clusters)))

    def __call__(self, _logger: object, _method: str, event: EventDict) -> EventDict:
        """Redact one log event; a structlog processor."""
        return {key: self._value(key, value) for key, value in event.items()}

    def _value(self, key: object, value: object) -> object:
        if any(word in str(key).lower() for word in _KEYS):
            return HIDDEN
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            return {inner: self._value(inner, each) for inner, each in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._value("", each) for each in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        return self.hide(str(value))


def bind(**fields: object) -> None:
    """Add these fields (census_id, cluster) to every following line."""
    structlog.contextvars.bind_contextvars(**fields)


def bind_only(**fields: object) -> None:
    """Like `bind`, but without the fields bound so far: the following lines are of another cluster."""
    structlog.contextvars.clear_contextvars()
    bind(**fields)


def configure(style: str, redactor: Redactor, stream: TextIO | None = None) -> LogProgress:
    """Send the log to stderr (or `stream`) in a style of `FORMATS`; "auto" is live on a terminal, and else JSON.

    A job calls this once; a second call replaces the settings of the first. The live line is closed at the end.
    """
    structlog.contextvars.clear_contextvars()
    out = sys.stderr if stream is None else stream
    terminal = _is_terminal(out)
    console = style == "console" or (style == "auto" and terminal)
    drawn = _drawn(out) if style == "auto" else None
    handler = logging.StreamHandler(out) if drawn is None else _above(drawn)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_shared(console=console),
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redactor,
                *_renderers(console, colors=terminal),
            ],
        )
    )
    handler.addFilter(_is_heard)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(NAME).setLevel(logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger(NAME),
        processors=[*_shared(console=console), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    if drawn is None:
        return LogProgress(logger)
    from kafka_census.terminal.live import LiveProgress

    return LiveProgress(logger, drawn)


def _drawn(out: TextIO) -> "Console | None":
    """A console whose lines can be rewritten; None without a terminal, on a dumb terminal, or behind spark-submit."""
    if not out.isatty():
        return None
    from rich.console import Console

    console = Console(file=out, highlight=False)
    return None if console.is_dumb_terminal else console


def _above(console: "Console") -> "logging.StreamHandler[Any]":
    from kafka_census.terminal.live import Above

    return logging.StreamHandler(Above(console))


def _is_heard(record: logging.LogRecord) -> bool:
    """Keep warnings and errors of libraries; drop py4j's gateway, which logs its exceptions by the root logger."""
    return record.name == NAME or (record.levelno >= logging.WARNING and record.module != "java_gateway")


def _is_terminal(stream: TextIO) -> bool:
    """Whether the stream is a terminal.

    spark-submit runs Python behind a pipe and copies both streams to its own stdout;
    then that stdout counts. A stream that cannot be examined does not count as a terminal.
    """
    if stream.isatty() or not under_spark_submit() or stream is not sys.stderr:
        return stream.isatty()
    try:
        target = Path(f"/proc/{os.getppid()}/fd/1").readlink()
    except OSError:
        return False
    return str(target).startswith(("/dev/pts/", "/dev/tty"))


def _shared(*, console: bool) -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%SZ" if console else "iso", utc=True),
    ]


def _renderers(console: bool, *, colors: bool) -> list[Processor]:
    if not console:
        return [structlog.processors.JSONRenderer(ensure_ascii=True)]
    text = structlog.dev.ConsoleRenderer(
        colors=colors, pad_event_to=10, sort_keys=False, exception_formatter=structlog.dev.plain_traceback
    )
    return [_printable, text]


def _printable(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Make one redacted event printable; the lines of a traceback stay lines."""
    return {
        printable(key): printable_lines(value) if key == "exception" else _shown(value) for key, value in event.items()
    }


def _shown(value: object) -> object:
    """A value in printable form; the renderer shows lists and mappings by their `repr`, which escapes."""
    return printable(value) if isinstance(value, str) else value
