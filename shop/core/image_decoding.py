"""Pictures that somebody sent, decoded in a process of their own: one at a time on this machine, and not for long.

A decoder is the largest piece of foreign code that a stranger can feed. Whatever a file makes it do, it costs one
process with bounded time and memory; the thread that asked waits a bounded time, and most threads of a web process
never wait for it at all.
"""

from __future__ import annotations

import fcntl
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from django.conf import settings
from django.utils.translation import gettext as _

from shop.core import image_drawing
from shop.core.image_drawing import DrawnImage
from shop.core.problems import Problem

logger = logging.getLogger(__name__)

PROGRAM = image_drawing.__file__
# All pictures of one request together, from the moment that it is their turn.
TIME_LIMIT = 8.0
WAIT_LIMIT = 4.0
LOCK_NAME = "image-decoding.lock"
# Threads of one process that may wait for their turn or have it: half of those of a web process.
_places = threading.BoundedSemaphore(2)
_POLL_SECONDS = 0.02


class UndecodableImage(Exception):
    """The decoder refused the file, or ended by the limits set to it."""


def draw_all(pictures: Sequence[tuple[bytes, str, int]]) -> list[DrawnImage]:
    """Draw pictures (content, JPEG, PNG or WEBP, most pixels) again, in the decoder's process.

    Raises `UndecodableImage` for the first that is none, `Problem` (503, code `busy`) while the decoder works for
    others for longer than `WAIT_LIMIT`, or when it has no time enough on this machine.
    """
    with _turn():
        ends = monotonic() + TIME_LIMIT
        return [_draw(content, kind, most, ends) for content, kind, most in pictures]


@contextmanager
def _turn() -> Iterator[None]:
    """The only place at the decoder, shared by all processes of this data folder. The lock goes with its holder,
    however that ends."""
    if not _places.acquire(blocking=False):
        raise _busy()
    try:
        with (Path(settings.DATA_DIR) / LOCK_NAME).open("a") as lock:
            given_up = monotonic() + WAIT_LIMIT
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if monotonic() > given_up:
                        raise _busy() from None
                    sleep(_POLL_SECONDS)
            yield
    finally:
        _places.release()


def _draw(content: bytes, kind: str, most_pixels: int, ends: float) -> DrawnImage:
    left = max(0.0, ends - monotonic())
    try:
        # Started without a copy of this process, which has threads; nothing of its environment is handed on.
        ended = subprocess.run(  # noqa: S603 - our own program; what the sender wrote is on its standard input
            [sys.executable, "-I", "-B", PROGRAM, kind, str(most_pixels), str(int(left) + 2)],
            input=content,
            capture_output=True,
            timeout=left,
            env={},
            check=False,
        )
    except subprocess.TimeoutExpired:
        # Its share of the processor is bounded as well and was not used up: the machine is at its limit.
        logger.warning("A picture of %d bytes was not drawn in time", len(content))
        raise _busy() from None
    if ended.returncode == image_drawing.NO_PICTURE:
        raise UndecodableImage
    if ended.returncode < 0:
        logger.warning(
            "A picture of %d bytes ended the decoder by signal %d", len(content), -ended.returncode
        )
        raise UndecodableImage
    if ended.returncode:
        raise RuntimeError(f"The decoder of pictures does not start: {ended.stderr.decode(errors='replace')}")
    said, _separator, drawn = ended.stdout.partition(b"\n")
    width, height, colour, source_width, source_height = json.loads(said)
    return DrawnImage(drawn, width, height, colour, source_width, source_height)


def _busy() -> Problem:
    return Problem("busy", _("Trop de demandes. Réessayez dans un instant."), 503, retry_after=2)
