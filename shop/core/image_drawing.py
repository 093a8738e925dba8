"""One picture decoded and drawn again: small, upright, in the colours of the web, nothing else in the file.

Run as a program it does so for a picture that somebody sent: bytes on standard input, the drawn JPEG on standard
output, under limits of its own. It imports Pillow alone and is started by its path, because the package's name would
load Django; `shop.core.image_decoding` starts it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from PIL import ExifTags, Image, ImageCms, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

MASTER_SIDE = 2400
# What the program ends with when the bytes are no picture.
NO_PICTURE = 3
CPU_SECONDS = 6
MEMORY_BYTES = 1024 * 1024 * 1024

_PLUGINS = (JpegImagePlugin, PngImagePlugin, WebPImagePlugin)
# What a camera held sideways writes beside the pixels, and how to turn them upright.
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_MASTER_OPTIONS: dict[str, Any] = {"quality": 92, "optimize": True, "progressive": True}


@dataclass(frozen=True, slots=True)
class DrawnImage:
    """A picture drawn again: the JPEG (at most `MASTER_SIDE` wide or high), its size and average colour
    (`#rrggbb`), and the size of the file that it was drawn from."""

    content: bytes
    width: int
    height: int
    colour: str
    source_width: int
    source_height: int


def draw(content: bytes, kind: str) -> DrawnImage:
    """Decode a JPEG, PNG or WEBP (`kind`), of an animation the first frame, and draw it as an sRGB JPEG.

    Raises whatever the decoder raises. Its time and memory are the caller's: a file from outside is drawn by
    `shop.core.image_decoding`.
    """
    picture: Image.Image = Image.open(BytesIO(content), formats=[kind])
    source_width, source_height = picture.size
    # A JPEG is decoded at the size needed.
    picture.draft("RGB", (MASTER_SIDE, MASTER_SIDE))
    picture.load()
    profile = picture.info.get("icc_profile")
    turn = _TURNS.get(picture.getexif().get(ExifTags.Base.Orientation, 1))
    drawn = _eight_bits(picture)
    drawn.thumbnail((MASTER_SIDE, MASTER_SIDE), Image.Resampling.LANCZOS)
    drawn = _flat_srgb(drawn, profile)
    drawn = _clean(drawn if turn is None else drawn.transpose(turn))
    return _drawn(drawn, source_width, source_height)


def cut(content: bytes, box: tuple[int, int, int, int]) -> DrawnImage:
    """A part of a JPEG that the shop drew itself: left, top, right and bottom edge in pixels."""
    picture = Image.open(BytesIO(content), formats=["JPEG"]).convert("RGB")
    return _drawn(picture.crop(box), picture.width, picture.height)


def main() -> int:
    """`image_drawing.py KIND MOST_PIXELS SECONDS`: one line of JSON, then the JPEG; `NO_PICTURE` for what is none."""
    kind, most_pixels, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    limit_itself(seconds)
    Image.MAX_IMAGE_PIXELS = most_pixels
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    content = sys.stdin.buffer.read()
    try:
        drawn = draw(content, kind)
    except Exception:  # decoders fail in many ways; every one means that the file is no good
        return NO_PICTURE
    said = (drawn.width, drawn.height, drawn.colour, drawn.source_width, drawn.source_height)
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n" + drawn.content)
    return 0


def limit_itself(seconds: int) -> None:
    """Bound this process: its time, its memory, no file to write; visitors' pages come first."""
    # Whoever started it kills it earlier; when that one is gone, it ends by itself.
    signal.alarm(seconds)
    os.nice(5)
    for name, most in (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # Not every system has every limit.
        with suppress(OSError, ValueError):
            resource.setrlimit(name, (most, most))


def _drawn(picture: Image.Image, source_width: int, source_height: int) -> DrawnImage:
    written = BytesIO()
    picture.save(written, "JPEG", **_MASTER_OPTIONS)
    return DrawnImage(
        content=written.getvalue(),
        width=picture.width,
        height=picture.height,
        colour=_average_colour(picture),
        source_width=source_width,
        source_height=source_height,
    )


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Return the picture in a mode that can be resized: grey, RGB, RGBA or CMYK."""
    if picture.mode.startswith("I"):
        return picture.convert("I").point(lambda value: value / 256).convert("L")
    if picture.mode != "RGBA" and picture.has_transparency_data:
        # Programs that make files smaller name one colour of an RGB or grey picture as what can't be seen.
        return picture.convert("RGBA")
    return picture if picture.mode in ("L", "RGB", "RGBA", "CMYK") else picture.convert("RGB")


def _flat_srgb(picture: Image.Image, profile: Any) -> Image.Image:
    """On white, in the colour space of the web."""
    if picture.mode == "RGBA":
        ground = Image.new("RGB", picture.size, "white")
        ground.paste(picture, mask=picture.getchannel("A"))
        picture = ground
    if isinstance(profile, bytes):
        try:
            source = ImageCms.ImageCmsProfile(BytesIO(profile))
            converted = ImageCms.profileToProfile(
                picture, source, ImageCms.createProfile("sRGB"), outputMode="RGB"
            )
        except (ImageCms.PyCMSError, OSError, ValueError):
            # A broken profile only costs exact colours.
            converted = None
        if converted is not None:
            return converted
    return picture.convert("RGB")


def _clean(picture: Image.Image) -> Image.Image:
    """Return the pixels alone: a new picture that carries no information of the old one."""
    clean = Image.new("RGB", picture.size)
    clean.paste(picture)
    return clean


def _average_colour(picture: Image.Image) -> str:
    pixel = picture.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    red, green, blue = pixel if isinstance(pixel, tuple) else (0, 0, 0)
    return f"#{int(red):02x}{int(green):02x}{int(blue):02x}"


if __name__ == "__main__":
    sys.exit(main())
