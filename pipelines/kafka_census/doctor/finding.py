"""What a check says: a state, one line, and what is wrong in detail."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum


class State(StrEnum):
    """How it is.

    OK           nothing is to be done
    WARNING      a census runs, but lacks something or will fail one day
    FAILED       a census would fail of it, or be refused
    NOT_CHECKED  what it depends on has failed, or nobody can look from here
    """

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True)
class Detail:
    """One thing that is to be known: where, what is so, and what to do about it; None for nothing.

    tables  those that a census computes without something, because of it
    """

    where: str
    what: str
    remedy: str | None = None
    tables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What one check says.

    summary   half a line
    commands  command lines that mend it, each as its words
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
    """What all checks of this machine say (`cluster` None), or those of one cluster, by name and in order."""

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
    """What is so at several places, once, with all of them."""
    found: dict[Detail, list[str]] = {}
    for detail in details:
        found.setdefault(replace(detail, where=""), []).append(detail.where)
    return tuple(replace(detail, where=", ".join(where)) for detail, where in found.items())
