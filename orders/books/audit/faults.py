"""What an audit finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it must be. `check` is a stable English word, `subject` a number or reference, `detail`
    a sentence in the active language."""

    check: str
    subject: str
    detail: str
