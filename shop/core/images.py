"""Pictures: taken in safely, stored under random names, made smaller in three formats, described to templates.

What is stored was always drawn again from the decoded pixels: no metadata, no second content hidden behind the
picture, no name chosen by the sender. The stored JPEG (at most `MASTER_SIDE` wide or high) serves until the
smaller files exist.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from PIL import Image

from shop.core.clocks import moment_is_due
from shop.core.errors import is_outage
from shop.core.file_storage import StorageName, store_file
from shop.core.image_decoding import UndecodableImage, draw_all
from shop.core.image_drawing import DrawnImage, cut, draw
from shop.core.image_structure import MalformedImage, image_size
from shop.core.problems import Problem
from shop.core.subject import subject_span

logger = logging.getLogger(__name__)

MAX_BYTES = 5 * 1024 * 1024
MAX_NAME_LENGTH = 100
# What one worker can decode in about a second and 200 MB: a JPEG is decoded at a part of its size, the others whole.
MAX_MEGAPIXELS = {"JPEG": 25, "PNG": 12, "WEBP": 10}
MAX_SIDE = 12_000
WIDTHS = (360, 768, 1024, 1440)
MAX_TRIES = 5
UNDERIVED = Q(derivatives={}) | Q(derivatives__tries__gt=0)
"""Rows of pictures whose smaller files are still to be made. `tries` says how often that was begun, `until` (seconds)
how long the last try may go on."""
TRY_TAKES = timedelta(minutes=6)
"""Longer than CELERY_TASK_TIME_LIMIT lets any task go on."""

_FORMATS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "webp": "WEBP"}
# Format, file extension, media type and encoder options, best compression first.
_ENCODERS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("AVIF", "avif", "image/avif", {"quality": 50, "speed": 8}),
    ("WEBP", "webp", "image/webp", {"quality": 78, "method": 4}),
    ("JPEG", "jpg", "image/jpeg", {"quality": 80, "optimize": True, "progressive": True}),
)


@dataclass(frozen=True, slots=True)
class StoredImage:
    """A picture that was taken in: its name in the media storage, its size and average colour (`#rrggbb`)."""

    name: str
    width: int
    height: int
    colour: str

    @property
    def columns(self) -> dict[str, Any]:
        """What the row of a picture says of its file."""
        return {"file": self.name, "width": self.width, "height": self.height, "colour": self.colour}


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """What a page needs to show a picture.

    `url` is the stored JPEG, `width` and `height` its size; `sources` are `(media type, srcset)`, best
    compression first and JPEG last, empty until the smaller files exist: every srcset is the JPEG itself then.
    `subject` is where the piece stands, as shares of the height, None where that is not sure. `small_jpeg` is the name
    of the narrowest JPEG file in the media storage, for mails: some mail programs show no other format. `focus` is the
    point that stays in sight where a box cuts the picture, in percent from the left and the top; None is the middle.
    """

    url: str
    width: int
    height: int
    alt: str
    colour: str
    sources: tuple[tuple[str, str], ...] = ()
    subject: tuple[float, float] | None = None
    small_jpeg: str = ""
    focus: tuple[int, int] | None = None

    @property
    def focus_class(self) -> str:
        """The classes that keep `focus` in sight, in steps of a quarter; "" for the middle."""
        if self.focus is None:
            return ""
        across, down = (min(4, (percent + 12) // 25) for percent in self.focus)
        return "" if (across, down) == (2, 2) else f"focus-x{across} focus-y{down}"

    @property
    def srcset(self) -> str:
        """The JPEG candidates, which every browser reads."""
        return self._candidates("image/jpeg")

    @property
    def webp_srcset(self) -> str:
        """The WebP candidates, for who wants one small format that all current browsers read."""
        return self._candidates("image/webp")

    @property
    def smallest_url(self) -> str:
        """The narrowest WebP file, for thumbnails."""
        return self.webp_srcset.split(" ", 1)[0]

    def _candidates(self, wanted: str) -> str:
        own = f"{self.url} {self.width}w"
        return next((srcset for media_type, srcset in self.sources if media_type == wanted), own)


def check_image(*, file: IO[bytes], name: str) -> None:
    """Refuse what can be told from the name, the size and the structure of a file; nothing is decoded.

    For forms that anybody sends: what passes may still turn out to be broken. The file is at its beginning after.
    Raises `Problem` (400, code `invalid_image`) for a name above 100 characters, a file above 5 MB, another type
    than JPEG, PNG or WebP, content that is not of the declared type, too many pixels or too much work to decode.
    """
    _read(file=file, name=name)
    file.seek(0)


def draw_images(uploads: Sequence[tuple[IO[bytes], str]]) -> list[DrawnImage]:
    """Draw uploaded pictures (file, the sender's name for it) again as sRGB JPEGs, in the decoder's own process.

    Raises `Problem`: as `check_image` does, also for broken data, and 503 with code `busy` (see
    `shop.core.image_decoding`). For strangers count the try first: this is the dear part of a request.
    """
    pictures = []
    for file, name in uploads:
        content, kind = _read(file=file, name=name)
        pictures.append((content, kind, MAX_MEGAPIXELS[kind] * 1_000_000))
    try:
        return draw_all(pictures)
    except UndecodableImage as error:
        raise _refuse(_("Fichier invalide")) from error


def draw_image(*, file: IO[bytes], name: str) -> DrawnImage:
    """One picture, as `draw_images` does."""
    return draw_images([(file, name)])[0]


def store_shipped_image(path: Path, folder: str) -> StoredImage:
    """Store a picture that came with the shop's code: as trustworthy as the code, and so decoded right here. The
    demonstration has many of them, and must not start a process for each."""
    return store_image(image=draw(path.read_bytes(), _FORMATS[path.suffix[1:]]), folder=folder)


def store_image(*, image: DrawnImage, folder: str, storage: StorageName = "default") -> StoredImage:
    """Store a drawn picture in `folder` under a random name, as `store_file` does; `storage` is the public one unless
    another is given."""
    name = f"{folder}/{secrets.token_hex(16)}.jpg"
    store_file(name, image.content, storage)
    return StoredImage(name=name, width=image.width, height=image.height, colour=image.colour)


def cut_image(*, name: str, box: tuple[int, int, int, int], folder: str) -> StoredImage:
    """Store a part of a stored picture (left, top, right, bottom edge in pixels) as a picture of its own, as
    `store_image` does.

    Raises `FileNotFoundError` when the picture is gone.
    """
    with default_storage.open(name) as stored:
        return store_image(image=cut(stored.read(), box), folder=folder)


def derive_files(name: str) -> dict[str, Any]:
    """Make the smaller files of a stored picture and return their description: `widths`, and `subject` where
    the piece was found in the picture (see `shop.core.subject`).

    Safe to repeat: files of an earlier run are replaced. Raises `FileNotFoundError` when the picture is gone.
    """
    with default_storage.open(name) as stored:
        # Drawn by the shop itself: decoded without the care that a sender's file needs.
        picture = Image.open(BytesIO(stored.read()), formats=["JPEG"]).convert("RGB")
    widths = _widths(picture.width)
    smaller = picture
    for width in reversed(widths):
        # From large to small: each is drawn from the one before, which is quicker and no worse.
        smaller = smaller.resize((width, _height_for(picture, width)), Image.Resampling.LANCZOS)
        for kind, extension, _media_type, options in _ENCODERS:
            target = _derived_name(name, width, extension)
            default_storage.delete(target)
            default_storage.save(target, ContentFile(_encode(smaller, kind, options)))
    span = subject_span(picture)
    return {"widths": widths} | ({"subject": span} if span else {})


def derive_for(rows: QuerySet[Any], name: str, derivatives: Mapping[str, Any]) -> dict[str, Any] | None:
    """Make the smaller files of a picture that `rows`, a row with `derivatives`, shows; return their description, or
    None where another worker is at it: both would write the same files.

    A try is counted in the row before it is made: a picture that kills its worker is given up like one that fails
    `MAX_TRIES` times or is gone. `widths` is empty then, and the stored picture is shown. An outage is no try.
    Raises what stopped this try.
    """
    now, tries = timezone.now(), derivatives.get("tries", 0)
    last = datetime.fromtimestamp(derivatives.get("until", 0), UTC)
    if not moment_is_due(last, now, within=TRY_TAKES):
        return None
    if tries >= MAX_TRIES:
        logger.error("The picture %s stays without smaller files after %d tries", name, tries)
        return {"widths": []}
    until = int((now + TRY_TAKES).timestamp())
    if not rows.filter(derivatives=derivatives).update(derivatives={"tries": tries + 1, "until": until}):
        return None
    try:
        return derive_files(name)
    except FileNotFoundError:
        logger.exception("The picture %s is lost", name)
        return {"widths": []}
    except Exception as error:
        rows.update(derivatives=derivatives if is_outage(error) else {"tries": tries + 1})
        raise


def file_names(name: str, derivatives: Mapping[str, Any]) -> list[str]:
    """The names of a stored picture's smaller files and, last, its own."""
    return [
        *(
            _derived_name(name, width, extension)
            for width in derivatives.get("widths", ())
            for _kind, extension, _media_type, _options in _ENCODERS
        ),
        name,
    ]


def delete_files(name: str, derivatives: Mapping[str, Any]) -> None:
    """Remove a stored picture and its smaller files; one that is already gone is no error."""
    for file_name in file_names(name, derivatives):
        default_storage.delete(file_name)


def describe(
    *,
    name: str,
    width: int,
    height: int,
    alt: str,
    colour: str,
    derivatives: Mapping[str, Any],
    focus: tuple[int, int] | None = None,
) -> ImageInfo:
    """Return how to show a stored picture, with or without its smaller files. No query, no file access."""
    widths = derivatives.get("widths", ())
    address = default_storage.url(name)
    # Most storages give files that stand side by side addresses that stand side by side. One that signs them or
    # renames files is asked for each.
    beside = address.endswith(f"/{name.rpartition('/')[2]}")

    def derived(width: int, extension: str) -> str:
        if beside:
            return _derived_name(address, width, extension)
        return default_storage.url(_derived_name(name, width, extension))

    sources = tuple(
        (media_type, ", ".join(f"{derived(width, extension)} {width}w" for width in widths))
        for _kind, extension, media_type, _options in _ENCODERS
        if widths
    )
    span = derivatives.get("subject")
    return ImageInfo(
        url=address,
        width=width,
        height=height,
        alt=alt,
        colour=colour,
        sources=sources,
        subject=(span[0], span[1]) if span else None,
        small_jpeg=_derived_name(name, widths[0], "jpg") if widths else name,
        focus=focus,
    )


def refuse_type() -> Problem:
    """Return the refusal of a type that pictures of this kind may not have."""
    return _refuse(_("Type de fichier non supporté"))


def _refuse(detail: str) -> Problem:
    return Problem("invalid_image", detail, errors={"file": [detail]})


def _read(*, file: IO[bytes], name: str) -> tuple[bytes, str]:
    """Return the content of a file that is a picture by name, size and structure, and its format."""
    if len(name) > MAX_NAME_LENGTH:
        raise _refuse(_("Nom de fichier trop long"))
    declared = _FORMATS.get(name.rpartition(".")[2].lower()) if "." in name else None
    if declared is None:
        raise refuse_type()
    # One byte more than allowed is read, whatever length the sender declared.
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise _refuse(_("Fichier trop volumineux"))
    try:
        size = image_size(content, declared)
    except MalformedImage as error:
        raise _refuse(_("Fichier invalide")) from error
    most = MAX_MEGAPIXELS[declared]
    if max(size.width, size.height) > MAX_SIDE:
        side = number_format(MAX_SIDE, force_grouping=True)
        raise _refuse(_("Image trop grande\u00a0: %(side)s pixels de côté au plus.") % {"side": side})
    if size.width * size.height > most * 1_000_000:
        raise _refuse(_("Image trop grande : %(count)d millions de pixels au plus.") % {"count": most})
    return content, declared


def _encode(picture: Image.Image, kind: str, options: Mapping[str, Any]) -> bytes:
    written = BytesIO()
    picture.save(written, kind, **options)
    return written.getvalue()


def _widths(width: int) -> list[int]:
    """Return the widths to make: never above the picture's own, whose width (up to the largest) is one of them."""
    largest = min(width, WIDTHS[-1])
    return [*(step for step in WIDTHS if step < largest), largest]


def _height_for(picture: Image.Image, width: int) -> int:
    return max(1, round(picture.height * width / picture.width))


def _derived_name(name: str, width: int, extension: str) -> str:
    return f"{name.rpartition('.')[0]}-{width}.{extension}"
