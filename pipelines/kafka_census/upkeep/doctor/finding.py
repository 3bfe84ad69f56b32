"""The finding of a check: a state, a summary, and details."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum


class State(StrEnum):
    """The state of a check.

    OK           no action is needed
    WARNING      a census runs, but lacks something or will fail later
    FAILED       a census would fail or be refused
    NOT_CHECKED  a check that this check depends on failed, or the check is impossible from here
    """

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True)
class Detail:
    """One detail: where it is, what it is, and what to do about it; None for nothing.

    tables  the tables that lack data because of it
    """

    where: str
    what: str
    remedy: str | None = None
    tables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """The finding of one check.

    summary   a text of half a line
    commands  command lines that solve the problem, each as a tuple of words
    """

    state: State
    summary: str
    details: tuple[Detail, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()

    def shown(self, by: Callable[[str], str]) -> "Finding":
        """The same, each text as `by` shows it."""
        details = tuple(
            replace(one, where=by(one.where), what=by(one.what), remedy=one.remedy and by(one.remedy))
            for one in self.details
        )
        commands = tuple(tuple(map(by, words)) for words in self.commands)
        return replace(self, summary=by(self.summary), details=details, commands=commands)


@dataclass(frozen=True)
class Part:
    """The findings about this machine (`cluster` is None) or about one cluster, by check and in order."""

    cluster: str | None
    title: str
    findings: Mapping[str, Finding]

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return tuple(name for name, finding in self.findings.items() if finding.state is State.FAILED)

    def shown(self, by: Callable[[str], str]) -> "Part":
        """The same, each text as `by` shows it."""
        findings = {name: finding.shown(by) for name, finding in self.findings.items()}
        return replace(self, title=by(self.title), findings=findings)


def together(details: Iterable[Detail]) -> tuple[Detail, ...]:
    """Details that differ only in `where`, merged into one detail that names all places."""
    found: dict[Detail, list[str]] = {}
    for detail in details:
        found.setdefault(replace(detail, where=""), []).append(detail.where)
    return tuple(replace(detail, where=", ".join(where)) for detail, where in found.items())
