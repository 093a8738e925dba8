"""The beat's own memory of when it last ticked."""

from typing import Any

from celery.beat import PersistentScheduler


class BeatScheduler(PersistentScheduler):
    """Celery's, which after a clock that was ahead would be silent until the wrong date, also when it is restarted."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        for entry in self.schedule.values():
            now = entry.default_now()
            if (entry.last_run_at or now) > now:
                entry.last_run_at = now
                # In it stands when an entry is next looked at.
                self._heap = None
        return super().tick(*args, **kwargs)
