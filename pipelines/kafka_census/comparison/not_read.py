"""What a census did not read of a subject: reasons why a thing that the census lacks may still exist."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kafka_census.comparison.subject import Subject
from kafka_census.declarations.visibility_rules import NOT_VISIBLE
from kafka_census.pages.missing_read import MissingRead


@dataclass(frozen=True)
class NotRead:
    """The reason why things of a subject may exist although the census lacks them.

    line     one line of letters, digits and plain punctuation, so that it needs no escaping in SQL
    column   the reason holds for things that have the broker `broker_id` in that column; None: for all things
    """

    line: str
    column: str | None = None
    broker_id: int | None = None


def not_read(subject: Subject, missing: Iterable[MissingRead]) -> Sequence[NotRead]:
    """What was not read of a subject, from the missing reads of its table; a reason for all things comes first."""
    by_answer = {(one.rpc, -1 if one.broker_id is None else one.broker_id, one.error): one for one in missing}
    missed = [by_answer[answer] for answer in sorted(by_answer)]
    found = []
    for listing in subject.listings:
        mine = [one for one in missed if one.rpc == listing.rpc]
        if listing.node is None:
            found += [NotRead(_line(mine[0], len(mine) - 1))] if mine else []
        else:
            known = {one.broker_id: one for one in mine if one.broker_id is not None}
            found += [NotRead(_line(one), listing.node, node) for node, one in known.items()]
            found += [NotRead(_line(one)) for one in mine if one.broker_id is None][:1]
    return sorted(found, key=lambda one: one.column is not None)


def _line(one: MissingRead, more: int = 0) -> str:
    rpc, error = (re.sub(r"[^\w.-]", "?", text, flags=re.ASCII) for text in (one.rpc, one.error))
    if error == NOT_VISIBLE:
        return f"{rpc} may not show all: rights are not proven"
    broker = "" if one.broker_id is None else f" from broker {one.broker_id}"
    others = f" and {more} more" if more else ""
    return f"{rpc} was not read{broker}{others} ({error})"
