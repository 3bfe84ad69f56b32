"""The message to a webhook: one POST of JSON for all states that changed in a census.

A status of 2xx accepts the message. After any other result the message is sent once more and then given up: the next
census sends the changes again. Redirects are not followed, because a redirect turns the POST into a GET.
A whole try, including the resolution of the name and a receiver that answers byte by byte, takes at most `timeout`.
TLS is verified against the system's authorities, or those of SSL_CERT_FILE; HTTPS_PROXY names the proxy.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from kafka_census.alerts.facts import Facts
from kafka_census.alerts.states import Change
from kafka_census.errors import CensusError
from kafka_census.kafka.protocol.any_answer import AnyAnswer, without_users
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.threads import within

Format = Literal["json", "slack"]
"""The shape of a message: ours, or that of Slack's incoming webhooks, which Mattermost takes, too."""

TRIES = 2
_MOST_OWNERS = 5
"""The number of owners that a message for people names."""
_MOST_BLOCKS, _LONGEST_BLOCK = 50, 3000
"""Slack's limits: blocks of a message, and characters of a text."""
_ACCEPTED = range(200, 300)


class NotAccepted(CensusError):
    """The receiver did not accept a message; this error ends no process."""


@dataclass(frozen=True)
class Webhook:
    """The receiver of messages. The URL is a secret, because everybody who knows it can send messages.

    format            the shape of a message
    runbook_base_url  what stands before the page of a runbook: the address of a copy of the documentation
    """

    url: Secret
    timeout: timedelta
    format: Format = "json"
    runbook_base_url: str = ""

    @property
    def secrets(self) -> frozenset[str]:
        """The secret texts: the URL, and its parts that an error may quote."""
        parts = urlsplit(self.url.reveal())
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        return frozenset({self.url.reveal(), target, parts.path, parts.query})


def is_url(secret: Secret) -> bool:
    """Whether messages can be posted to it: http or https, a host, a valid port, no user, no character to escape."""
    text = secret.reveal()
    try:
        parts = urlsplit(text)
        named = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
        )
    except ValueError:
        return False
    return named and text.isascii() and text.isprintable() and " " not in text


def message(facts: Facts, changed: Sequence[Change], webhook: Webhook) -> dict[str, object]:
    """The message as plain data, in the webhook's format; docs/alerts.md has examples. Times are ISO 8601 in UTC."""
    base = f"{webhook.runbook_base_url.rstrip('/')}/" if webhook.runbook_base_url else ""
    of = {"json": _json, "slack": _slack}
    return of[webhook.format](facts, changed, base)


def _json(facts: Facts, changed: Sequence[Change], base: str) -> dict[str, object]:
    return {
        "text": _text(facts, changed),
        "cluster": facts.cluster,
        "cluster_id": facts.census.cluster_id if facts.census else None,
        "census_id": facts.census.census_id if facts.census else None,
        "outcome": facts.outcome,
        "at": _iso(facts.ended_at),
        "changes": [
            {
                "state": change.state.name,
                "event": change.event,
                "count": change.count,
                "owners": [{"owner": owner or None, "count": count} for owner, count in change.owners],
                "since": _iso(change.since),
                "alert": change.state.alert,
                "runbook": f"{base}{change.state.runbook}",
            }
            for change in changed
        ],
    }


def _slack(facts: Facts, changed: Sequence[Change], base: str) -> dict[str, object]:
    """A header, and a section per change with a link to its runbook where that has an address; the rest is counted."""
    shown = changed[: _MOST_BLOCKS - 2]
    lines = [f"*{_mrkdwn(facts.cluster)}*: census {facts.outcome} at {_iso(facts.ended_at)}"]
    for change in shown:
        runbook = f" <{base}{change.state.runbook}|runbook>" if base else ""
        since = f" since {_iso(change.since)}" if change.event == "closed" else ""
        lines.append(
            f"*{change.state.name}* {change.event}{_of(change)}{since}: {change.state.description}"
            f"{_mrkdwn(_owners(change))}{runbook}"
        )
    if len(changed) > len(shown):
        lines.append(f"and {len(changed) - len(shown)} more")
    sections = [{"type": "section", "text": {"type": "mrkdwn", "text": line[:_LONGEST_BLOCK]}} for line in lines]
    return {"text": _mrkdwn(_text(facts, changed)), "blocks": sections}


def _text(facts: Facts, changed: Sequence[Change]) -> str:
    return f"Kafka cluster {facts.cluster}: " + ", ".join(
        f"{change.state.name} {change.event}{_of(change)}" for change in changed
    )


def _owners(change: Change) -> str:
    """Whose the things are, the most first."""
    named = [f"{owner or 'nobody'} {count:,}" for owner, count in change.owners[:_MOST_OWNERS]]
    more = [f"{len(change.owners) - _MOST_OWNERS} more"] if len(change.owners) > _MOST_OWNERS else []
    return f" Owners: {', '.join([*named, *more])}." if named else ""


def _of(change: Change) -> str:
    return f" ({change.count:,.0f})" if change.count else ""


def _mrkdwn(text: str) -> str:
    """Text that Slack shows as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def send(webhook: Webhook, text: dict[str, object]) -> None:
    """Post a message until it is accepted, at most `TRIES` times. Raises NotAccepted with the last reason."""
    body = json.dumps(text).encode()
    for left in reversed(range(TRIES)):
        try:
            _post(webhook, body)
        except NotAccepted:
            if not left:
                raise
        else:
            return


def _post(webhook: Webhook, body: bytes) -> None:
    """Post in a separate thread, which is abandoned at the deadline: name resolution and reads have no time limit."""
    seconds = webhook.timeout.total_seconds()
    try:
        status = within(seconds, lambda: _status(webhook.url.reveal(), body, seconds))
    except TimeoutError:
        raise NotAccepted(f"the webhook did not answer within {seconds:g} s") from None
    except (OSError, HTTPException, ValueError) as error:
        # Not as a cause: `causes.py` would explain such a cause as an error of Spark.
        raise NotAccepted(f"the webhook cannot be reached: {without_users(str(error))}") from None
    if status not in _ACCEPTED:
        raise NotAccepted(f"the webhook answered with status {status}")


def _status(url: str, body: bytes, seconds: float) -> int:
    headers = {"Content-Type": "application/json", "User-Agent": "kafka-census"}
    request = Request(url, body, headers, method="POST")  # noqa: S310 - the configuration takes http and https only
    with build_opener(AnyAnswer).open(request, timeout=seconds) as answer:
        status: int = answer.status
    return status


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
