"""Small files that cost a decoder much: for tests and for the measurement of what they cost the shop."""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO

from PIL import Image

_SCAN = re.compile(rb"\xff\xda")


def jpeg(size: tuple[int, int], *, scans: int = 0) -> bytes:
    """Return a progressive JPEG of one grey, of `scans` scans (0: as many as the encoder makes)."""
    written = BytesIO()
    Image.new("RGB", size, (120, 120, 120)).save(written, "JPEG", progressive=True)
    content = written.getvalue()
    starts = [found.start() for found in _SCAN.finditer(content)]
    # The last scan refines every block of the brightness; a decoder takes it as often as it is there.
    last = content[starts[-1] : -2]
    return content[:-2] + last * max(0, scans - len(starts)) + content[-2:]


def jpeg_segments(kind: int, data: bytes, *, count: int) -> bytes:
    """Return a JPEG with this segment (a comment is 0xFE) so many times before its picture."""
    written = BytesIO()
    Image.new("RGB", (60, 40), (200, 30, 30)).save(written, "JPEG")
    content = written.getvalue()
    segment = b"\xff" + bytes([kind]) + struct.pack(">H", len(data) + 2) + data
    return content[:2] + segment * count + content[2:]


def png_chunk(kind: bytes, data: bytes = b"") -> bytes:
    """Return a chunk with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(size: tuple[int, int] = (60, 40), *, before: bytes = b"", after: bytes = b"") -> bytes:
    """Return a PNG of one grey with these chunks before and after its picture."""
    width, height = size
    rows = zlib.compress((b"\x00" + b"\x78" * width * 3) * height)
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + before + png_chunk(b"IDAT", rows) + after + png_chunk(b"IEND")


def webp(*chunks: bytes) -> bytes:
    """Return a WebP container of these chunks."""
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_chunk(kind: bytes, data: bytes = b"") -> bytes:
    """Return a chunk with its length, padded to an even number of bytes."""
    return kind + struct.pack("<I", len(data)) + data + b"\x00" * (len(data) % 2)
