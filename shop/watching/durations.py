"""How long, in French words."""

from __future__ import annotations

from datetime import timedelta


def in_words(duration: timedelta) -> str:
    """Return a duration as people say it: 45 s, 3 min, 2 h 10, 4 jours."""
    seconds = max(0, int(duration.total_seconds()))
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 60:
        return f"{seconds}\u00a0s"
    if minutes < 60:
        return f"{minutes}\u00a0min"
    if hours < 48:
        rest = minutes % 60
        return f"{hours}\u00a0h\u00a0{rest:02}" if rest else f"{hours}\u00a0h"
    return f"{days}\u00a0jours"
