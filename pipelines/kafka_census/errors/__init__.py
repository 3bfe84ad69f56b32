"""Expected errors, as exceptions with a message of one line.

Every expected error ends as one `CensusError`: its message
says what is wrong, where, and what to do; its `exit_code` is that of the process
(0 done, 1 nothing could be surveyed, 2 bad usage or configuration, 3 surveyed
but refused, or not all groups deleted, 4 done, and a problem that `--fail-on` names was found; of `impact` 3 and 4 are
answers: not known, and not safe).
A message never contains a secret.
"""


class CensusError(Exception):
    """Base of all errors that are reported to the user in one line."""

    exit_code = 1


class ConfigError(CensusError):
    """Bad usage or configuration; nothing was sent to Kafka. Each argument is one mistake, printed as one line."""

    exit_code = 2

    def __str__(self) -> str:
        """One line per mistake."""
        return "\n".join(map(str, self.args))


class BadQuery(CensusError):
    """A statement that DuckDB refuses; the message contains the position."""

    exit_code = 2


class Unreachable(CensusError):
    """No bootstrap server answered."""


class AuthenticationFailed(CensusError):
    """A broker was reached but refused TLS or SASL."""


class WrongCluster(CensusError):
    """Another cluster answers behind the configured name."""


class ClockBehind(CensusError):
    """A census of the lake is ahead of the clock of this machine, and a new one would stay hidden behind it."""


class LockHeld(CensusError):
    """Another process surveys this cluster now; the message names it."""


class LockUnusable(CensusError):
    """The file of a lock cannot be created or opened, or is not a regular file."""


class Contended(CensusError):
    """Every attempt to write a table conflicted with another writer."""


class CorruptLake(CensusError):
    """A table of the lake cannot be read or has an unexpected schema."""


class OutOfResources(CensusError):
    """The machine lacks a resource of the job: disk, memory, a living JVM."""


class SparkUnfit(CensusError):
    """Spark's configuration does not allow the job or the access to the lake, which appeared only while the job ran."""


class Interrupted(CensusError):
    """Ctrl-C was pressed; the message says how to continue."""


class Refused(CensusError):
    """The census was surveyed, and a gate refused to publish it."""

    exit_code = 3


class TroubleFound(CensusError):
    """The job is done, and the census shows a problem that `--fail-on` names."""

    exit_code = 4


class Stale(CensusError):
    """What is published is older than the reader allows."""

    exit_code = 4


class NotAllDone(CensusError):
    """Groups were deleted or restored, but not all: brokers refused some, or did not answer."""

    exit_code = 3


class NotAllSurveyed(CensusError):
    """At least one of several clusters was refused or could not be surveyed; each failure is reported already."""
