"""What processes count: requests and tasks, in files that any process of the machine can add up.

Each process has files of its own in `METRICS_DIR`, mapped into memory: to count is to write some bytes. Files of
processes that ended are added up in one, so that counters never go back.
"""

from __future__ import annotations

import fcntl
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from threading import Lock

from django.conf import settings

# Read when the library is imported, and whenever a file is made.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(settings.METRICS_DIR)

from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

# Of a file of counters: more than a process fills.
RESERVED_BYTES = 1 << 20


class ReservedDict(MmapedDict):
    """The library's file of counters, with its blocks taken from the disk when it is made: on a full disk, writing to
    a block that the file does not have yet kills the process (SIGBUS). Raises OSError where there is no room."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        if not read_mode:
            with open(filename, "ab") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVED_BYTES)
        super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]


values.MmapedDict = ReservedDict  # type: ignore[attr-defined,unused-ignore]
# Machines may share the folder, and containers have the same process ids.
HOST = re.sub(r"[^\w.]", "", socket.gethostname()) or "host"
ENDED = "ended"
REQUEST_BUCKETS = (0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 12.0)
TASK_BUCKETS = (0.1, 1.0, 10.0, 60.0, 300.0)

values.ValueClass = values.MultiProcessValue(lambda: f"{HOST}-{os.getpid()}")  # type: ignore[no-untyped-call]
_registry = CollectorRegistry()
_requests = Histogram(
    "shop_request_seconds",
    "Requests by route, method and status",
    ("route", "method", "status"),
    buckets=REQUEST_BUCKETS,
    registry=_registry,
)
_tasks = Histogram(
    "shop_task_seconds",
    "Tasks by name and how they ended",
    ("task", "state"),
    buckets=TASK_BUCKETS,
    registry=_registry,
)

_cached_pages = Counter("shop_cached_pages", "Pages answered from the cache", ("kind",), registry=_registry)

# Taking the next number of a counter is one step for all threads.
_hits = count(1)
_hits_lock = Lock()
_hits_written = 0
_hits_written_at = 0.0
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def request_seconds(route: str, method: str, status: int) -> Histogram:
    """Return what takes the durations of such requests. `route` must be one of few: a name, never an address."""
    return _known_requests(route, method if method in _METHODS else "other", status)


@cache
def _known_requests(route: str, method: str, status: int) -> Histogram:
    """Everything here is one of few: what a visitor chooses would stay in memory."""
    return _requests.labels(route, method, str(status))


def count_cached_page(moment: float) -> None:
    """Count a page that came from the cache; written once a second, `moment` being `perf_counter`'s.

    What the last second before a process ends counted is lost.
    """
    global _hits_written, _hits_written_at
    hits = next(_hits)
    if moment - _hits_written_at > 1.0 and _hits_lock.acquire(blocking=False):
        try:
            _hits_written_at = moment
            _cached_pages.labels("page").inc(max(0, hits - _hits_written))
            _hits_written = max(hits, _hits_written)
        finally:
            _hits_lock.release()


@cache
def task_seconds(task: str, state: str) -> Histogram:
    """Return what takes the durations of a task that ended so."""
    return _tasks.labels(task, state)


def counted_files() -> CollectorRegistry:
    """Return a registry of what all processes of this machine counted, those that ended included."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))  # type: ignore[no-untyped-call]
    return registry


@contextmanager
def alone() -> Iterator[None]:
    """While this goes on no other process adds files up."""
    with (settings.METRICS_DIR / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def add_up_ended(folder: Path) -> None:
    """Move what processes of this machine counted before they ended into one file a kind. The caller is `alone`."""
    for path in sorted(folder.glob(f"*_{HOST}-*.db")):
        kind, _, rest = path.stem.partition("_")
        process = rest.rpartition("-")[2]
        if process.isdecimal() and not _is_alive(int(process)):
            _add(path, folder / f"{kind}_{HOST}-{ENDED}.db")
            path.unlink()


def _add(path: Path, total_path: Path) -> None:
    total = ReservedDict(str(total_path))
    try:
        for key, value, _moment, _position in MmapedDict.read_all_values_from_file(str(path)):  # type: ignore[no-untyped-call]
            total.write_value(key, total.read_value(key)[0] + value, 0.0)  # type: ignore[no-untyped-call]
    finally:
        total.close()  # type: ignore[no-untyped-call]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
