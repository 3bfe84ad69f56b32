"""What can go wrong, as exceptions whose text is one line for a person.

Every error that a user can cause or meet ends as one `CensusError`: its message
says what, where and what to do; its `exit_code` is what the process returns
(0 done, 1 nothing could be surveyed, 2 bad usage or configuration, 3 surveyed
but refused, or deleted but not all, 4 done, and what `--fail-on` names was found).
A message never holds a secret.
"""


class CensusError(Exception):
    """Base of all errors that are reported to the user in one line."""

    exit_code = 1


class ConfigError(CensusError):
    """Bad usage or configuration; nothing was sent to Kafka. Each argument is a mistake with a line of its own."""

    exit_code = 2

    def __str__(self) -> str:
        """A mistake a line."""
        return "\n".join(map(str, self.args))


class BadQuery(CensusError):
    """A statement that DuckDB refuses; the message says where in it."""

    exit_code = 2


class Unreachable(CensusError):
    """No bootstrap server could be talked to."""


class AuthenticationFailed(CensusError):
    """A broker was reached but refused TLS or SASL."""


class WrongCluster(CensusError):
    """Another cluster answers behind the configured name."""


class ClockBehind(CensusError):
    """A census of the lake is ahead of the clock of this machine, and a new one would stay hidden behind it."""


class LockHeld(CensusError):
    """Another process surveys this cluster now; the message names it."""


class LockUnusable(CensusError):
    """The file of a lock cannot be made or opened, or is something else than a file."""


class Contended(CensusError):
    """Other writers changed a table each time that it was written."""


class CorruptLake(CensusError):
    """A table of the lake cannot be read or has an unexpected schema."""


class OutOfResources(CensusError):
    """The machine lacks what the job needs: disk, memory, a living JVM."""


class SparkUnfit(CensusError):
    """Spark, as it was set up, cannot run the job or reach the lake, which only showed while the job ran."""


class Interrupted(CensusError):
    """Somebody pressed Ctrl-C; the message says how to go on."""


class Refused(CensusError):
    """The census was surveyed, and a gate refused to publish it."""

    exit_code = 3


class TroubleFound(CensusError):
    """All was done, and a census shows what `--fail-on` names."""

    exit_code = 4


class NotAllDone(CensusError):
    """Groups were deleted or restored, but not all: brokers refused some, or did not answer."""

    exit_code = 3


class NotAllSurveyed(CensusError):
    """Of several clusters one was refused or could not be surveyed; what of each, was reported by then."""
