"""Room on the disk of DATA_DIR: told while there is still some, as on a full one no alert is written.

With several machines it is the disk of the one whose worker looked last.
"""

import logging
import shutil

from django.conf import settings

from shop.core.jobs import note_pulse

logger = logging.getLogger(__name__)

ROOM_PULSE = "disk"
# A tenth of a small disk, and of a large one what a night's backup and a year of pictures need.
LEAST_SHARE = 0.1
LEAST_BYTES = 2_000_000_000


def look_at_disk() -> None:
    """Note that the disk has room now; without, log it and leave the last note grow old."""
    disk = shutil.disk_usage(settings.DATA_DIR)
    if disk.free >= min(disk.total * LEAST_SHARE, LEAST_BYTES):
        note_pulse(ROOM_PULSE)
    else:
        logger.warning("The disk of DATA_DIR is nearly full: %d MB are free.", disk.free // 1_000_000)
