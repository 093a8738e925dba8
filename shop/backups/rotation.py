"""Which backups stay: all of the last days, and the newest of each of the last days, weeks and months that have one.

A restored shop makes one at once, of the same day as that which it was brought back from: neither takes the other's
place while somebody may find that it was the wrong one. What a clock dated in the future stays until then."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Rotation:
    """How many days, ISO weeks and months have a backup; the newest backup always stays."""

    days: int
    weeks: int
    months: int

    def stays(self, made_at: Iterable[datetime], *, now: datetime) -> set[datetime]:
        """Return the moments of the backups that stay."""
        moments = set(made_at)
        newest_first = sorted((moment for moment in moments if moment <= now), reverse=True)
        periods: tuple[tuple[int, Callable[[datetime], Hashable]], ...] = (
            (self.days, datetime.date),
            (self.weeks, lambda moment: moment.isocalendar()[:2]),
            (self.months, lambda moment: (moment.year, moment.month)),
        )
        staying = moments.difference(newest_first) | set(newest_first[:1])
        staying.update(moment for moment in newest_first if now - moment < timedelta(days=self.days))
        for count, period in periods:
            newest: dict[Hashable, datetime] = {}
            for moment in newest_first:
                newest.setdefault(period(moment), moment)
            staying.update(list(newest.values())[:count])
        return staying
