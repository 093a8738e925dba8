"""Keys of links stay out of the logs: whoever reads a log must not be able to use what it names."""

from __future__ import annotations

import logging
import re

# Signed keys and random ones: longer than any word of an address, and than the key of an order.
_KEY = re.compile(r"(?<=[/=])[-\w:.~%]{40,}")
_HIDDEN = "[key]"


class HideKeys(logging.Filter):
    """Replaces in a message whatever stands in an address where keys do."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        hidden = _KEY.sub(_HIDDEN, message)
        if hidden != message:
            record.msg, record.args = hidden, None
        return True
