"""Text as XML may hold it."""

import re

# However they are written: XML 1.0, section 2.2.
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """Return the text without the control characters that make a whole document unreadable. A line pasted from a text
    processor holds some."""
    return _REFUSED.sub("", text)
