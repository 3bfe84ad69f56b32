"""The releases of Kafka that a broker's API ranges can prove at least: the values of every `release_at_least`."""

RELEASES = ("2.8", "3.0", "3.1", "3.2", "3.3", "3.5", "3.7", "3.8", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4")
"""In order of release. `protocol.releases` says which API range proves which release."""


def from_release(release: str) -> tuple[str, ...]:
    """The release and all later ones."""
    return RELEASES[RELEASES.index(release) :]
