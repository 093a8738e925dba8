"""What a picture file says of itself, read without decoding it: its size, and how much work it asks a decoder for.

A few kilobytes can keep a decoder busy for minutes: one scan repeated thousands of times, a picture cut into empty
slices. The parts of a file are walked here first, in time linear in its length and with a bounded number of steps, and
a file with more of them than cameras and image programs write is refused.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Segments, chunks and stretches of picture data in one file. Image programs write some thirty scans at most, each
# with its tables, and long descriptions in pieces of 64 KB.
MAX_JPEG_PARTS = 400
MAX_JPEG_SCANS = 60
# A progressive picture is gone through as a whole for every scan: 25 million pixels in 20 scans.
MAX_SCANNED_PIXELS = 500_000_000
# Fill bytes and bytes between segments that belong to none.
MAX_JPEG_STRAY_BYTES = 4096
# Chunks of picture data are 8 KB and more where a program writes them.
MIN_PNG_CHUNK_BYTES = 1024
MAX_SMALL_PNG_CHUNKS = 100
MAX_PNG_TEXTS = 100
MAX_WEBP_CHUNKS = 1000
MAX_WEBP_FRAMES = 300

SIGNATURES = {"JPEG": b"\xff\xd8\xff", "PNG": b"\x89PNG\r\n\x1a\n", "WEBP": b"RIFF"}

_SOI, _EOI, _SOS, _COM = 0xD8, 0xD9, 0xDA, 0xFE
# Markers without a length: restarts, and one for temporary use.
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
# Baseline, extended and progressive; no camera writes the others.
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
_OTHER_FRAMES = frozenset({0xC3, 0xC5, 0xC6, 0xC7, *range(0xC9, 0xCC), 0xCD, 0xCE, 0xCF})
_MARKER = re.compile(rb"\xff([^\x00\xff])")
_MARKER_AFTER_DATA = re.compile(rb"\xff([^\x00\xff\xd0-\xd7])")
# All but JFIF (how dense) and Adobe (which colours).
_JPEG_METADATA = frozenset({*range(0xE1, 0xEE), 0xEF, _COM})
_DATA = -1

_PNG_PICTURE = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_PNG_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_WEBP_PICTURE = frozenset({b"VP8X", b"VP8 ", b"VP8L", b"ALPH"})
# In the header of an extended file: profile, Exif and XMP follow, and it is animated.
_WEBP_METADATA_FLAGS = 0x20 | 0x08 | 0x04


class MalformedImage(ValueError):
    """The file is no picture of this kind, or asks a decoder for more than a picture does."""


@dataclass(frozen=True, slots=True)
class ImageSize:
    """Pixels, as the file says."""

    width: int
    height: int


def image_size(content: bytes, kind: str) -> ImageSize:
    """Return the size of a JPEG, PNG or WEBP (`kind`) whose parts are those of a picture.

    Raises `MalformedImage`.
    """
    if not content.startswith(SIGNATURES[kind]):
        raise MalformedImage("another signature")
    width, height = _SIZES[kind](content)
    if not (width and height):
        raise MalformedImage("no size")
    return ImageSize(width, height)


def without_metadata(content: bytes, kind: str) -> bytes:
    """Return the same picture, not decoded: without camera data, profiles, texts, comments and what follows its end.

    Raises `MalformedImage`, also for an animation.
    """
    image_size(content, kind)
    return _STRIPPERS[kind](content)


def _jpeg_parts(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker (`_DATA` for what follows the header of a scan), start and end of each part up to the end of the picture,
    as the decoder finds them."""
    at, stray, after_scan_header = 2, 0, False
    for _step in range(MAX_JPEG_PARTS):
        found = (_MARKER_AFTER_DATA if after_scan_header else _MARKER).search(content, at)
        start = found.start() if found else len(content)
        if after_scan_header:
            yield _DATA, at, start
        else:
            stray += start - at
            if stray > MAX_JPEG_STRAY_BYTES:
                raise MalformedImage("bytes of no segment")
        if found is None:
            # Cut short: how much of it can be shown is for the decoder to say.
            return
        marker, at = found[1][0], found.end()
        if marker == _EOI:
            yield marker, start, at
            return
        if marker == _SOI:
            raise MalformedImage("a picture within the picture")
        if marker not in _BARE:
            length = int.from_bytes(content[at : at + 2], "big")
            at += length
            if length < 2 or at > len(content):
                raise MalformedImage("a segment without end")
        yield marker, start, at
        after_scan_header = marker == _SOS
    raise MalformedImage("too many segments")


def _jpeg_size(content: bytes) -> tuple[int, int]:
    frames, scans = [], 0
    for marker, start, end in _jpeg_parts(content):
        if marker in _OTHER_FRAMES:
            raise MalformedImage("a coding that no camera writes")
        if marker in _FRAMES:
            frames.append(content[start:end])
        scans += marker == _SOS
    if len(frames) != 1 or len(frames[0]) < 10 or not 0 < scans <= MAX_JPEG_SCANS:
        raise MalformedImage("one frame and some scans are a picture")
    height, width = struct.unpack_from(">HH", frames[0], 5)
    if width * height * scans > MAX_SCANNED_PIXELS:
        raise MalformedImage("too many scans of too many pixels")
    return width, height


def _jpeg_without_metadata(content: bytes) -> bytes:
    kept = [content[start:end] for marker, start, end in _jpeg_parts(content) if marker not in _JPEG_METADATA]
    return b"".join([content[:2], *kept])


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Kind, start and end of each chunk."""
    at = len(SIGNATURES["PNG"])
    for _step in range(MAX_SMALL_PNG_CHUNKS + len(content) // MIN_PNG_CHUNK_BYTES):
        if at + 12 > len(content):
            raise MalformedImage("no last chunk")
        length, kind = struct.unpack_from(">I4s", content, at)
        start, at = at, at + 12 + length
        if at > len(content):
            raise MalformedImage("a chunk without end")
        yield kind, start, at
        if kind == b"IEND":
            return
    raise MalformedImage("too many chunks")


def _png_size(content: bytes) -> tuple[int, int]:
    chunks = list(_png_chunks(content))
    counted = Counter(kind for kind, _start, _end in chunks)
    kind, start, end = chunks[0]
    if kind != b"IHDR" or end - start != 25 or counted[b"IHDR"] != 1 or not counted[b"IDAT"]:
        raise MalformedImage("no header or no picture")
    # Each profile is unpacked to a megabyte, however small it is.
    if counted[b"iCCP"] > 1 or sum(counted[text] for text in _PNG_TEXTS) > MAX_PNG_TEXTS:
        raise MalformedImage("too many texts or profiles")
    width, height = struct.unpack_from(">II", content, start + 8)
    return width, height


def _png_without_metadata(content: bytes) -> bytes:
    kept = [content[start:end] for kind, start, end in _png_chunks(content) if kind in _PNG_PICTURE]
    return b"".join([SIGNATURES["PNG"], *kept])


def _webp_chunks(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Kind, start and end (with the byte that makes it even) of each chunk."""
    if content[8:12] != b"WEBP":
        raise MalformedImage("another container")
    at, end = 12, min(len(content), 8 + int.from_bytes(content[4:8], "little"))
    for _step in range(MAX_WEBP_CHUNKS):
        if at + 8 > end:
            return
        kind, length = struct.unpack_from("<4sI", content, at)
        start, at = at, at + 8 + length
        if at > end:
            raise MalformedImage("a chunk without end")
        at += length % 2
        yield kind, start, at
    raise MalformedImage("too many chunks")


def _webp_size(content: bytes) -> tuple[int, int]:
    chunks = list(_webp_chunks(content))
    if sum(kind == b"ANMF" for kind, _start, _end in chunks) > MAX_WEBP_FRAMES:
        raise MalformedImage("too many frames")
    kind, start, _end = chunks[0] if chunks else (b"", 0, 0)
    head = content[start + 8 : start + 18]
    if len(head) < 10:
        raise MalformedImage("no header")
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[4:7], "little"), 1 + int.from_bytes(head[7:10], "little")
    if kind == b"VP8L" and head[0] == 0x2F:
        bits = int.from_bytes(head[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and head[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", head, 6)
        return width & 0x3FFF, height & 0x3FFF
    raise MalformedImage("no picture")


def _webp_without_metadata(content: bytes) -> bytes:
    kept = b""
    for kind, start, end in _webp_chunks(content):
        chunk = content[start:end]
        if kind == b"ANMF":
            raise MalformedImage("an animation")
        if kind == b"VP8X":
            chunk = chunk[:8] + bytes([chunk[8] & ~_WEBP_METADATA_FLAGS]) + chunk[9:]
        if kind in _WEBP_PICTURE:
            kept += chunk
    return b"RIFF" + struct.pack("<I", len(kept) + 4) + b"WEBP" + kept


_SIZES: dict[str, Callable[[bytes], tuple[int, int]]] = {
    "JPEG": _jpeg_size,
    "PNG": _png_size,
    "WEBP": _webp_size,
}
_STRIPPERS: dict[str, Callable[[bytes], bytes]] = {
    "JPEG": _jpeg_without_metadata,
    "PNG": _png_without_metadata,
    "WEBP": _webp_without_metadata,
}
