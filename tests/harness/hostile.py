"""Names and messages of a broker that attacks the terminals on which they are read."""

import unicodedata

HOSTILE = (
    "\x1b[2J\x1b[31mpwned",
    "\x1b]0;pwned\x07",
    "\x1b]8;;http://pwned\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]52;c;cHduZWQ=\x07pwned",
    "\r\x1b[Kerror: pwned\b\b",
    "\x9b2Jpwned\x9c\x85",
    "\u202egnp.pwned\u2066\u2069\u200b",
    "pwned\nerror: forged\u2028forged\u2029\tpwned\x0b\x0c",
    "\x00pwned\x7f\xad\ufeff",
)
"""Clear the screen, set its title, make a link, write the clipboard, overwrite the line, C1's CSI, turn the reading
direction, forge lines, and invisible characters."""

CLUSTER_ID = "".join(HOSTILE)


def assert_harmless(text: str) -> None:
    """Assert that a printed text has no control or format character, and no line break other than a line feed."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = {each for each in text if unicodedata.category(each) in kinds and each != "\n"}
    assert found == set(), f"{found!r} in {text!r}"
    assert "pwned" in text
