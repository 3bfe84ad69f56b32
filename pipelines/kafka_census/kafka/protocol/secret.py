"""A secret prints as `***`: its text is only ever read where a connection needs it."""


class Secret:
    """A password that does not print, log or format itself."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Keep the text out of every representation."""
        self._text = text

    def reveal(self) -> str:
        """The secret itself; only a connection calls this."""
        return self._text

    def __repr__(self) -> str:
        """Never the text."""
        return "***"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        """Equal when the texts are."""
        return isinstance(other, Secret) and other.reveal() == self._text

    def __hash__(self) -> int:
        """Hash of the text, so that settings stay hashable."""
        return hash(self._text)
