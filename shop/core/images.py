"""Pictures: taken in safely, stored under random names, made smaller in three formats, described to templates.

What is stored was always drawn again from the decoded pixels: no metadata, no second content hidden behind the
picture, no name chosen by the sender. The stored JPEG (at most `MASTER_SIDE` wide or high) serves until the
smaller files exist.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage
from django.utils.translation import gettext as _
from PIL import ExifTags, Image, ImageCms

from shop.core.problems import Problem
from shop.core.subject import subject_span

MAX_BYTES = 5 * 1024 * 1024
MAX_NAME_LENGTH = 100
# What one worker can decode in about a second and 200 MB: a JPEG is decoded at a part of its size, the others whole.
MAX_MEGAPIXELS = {"JPEG": 25, "PNG": 12, "WEBP": 10}
MAX_SIDE = 12_000
MASTER_SIDE = 2400
WIDTHS = (360, 768, 1024, 1440)

_FORMATS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "webp": "WEBP"}
_SIGNATURES = {"JPEG": (b"\xff\xd8\xff",), "PNG": (b"\x89PNG\r\n\x1a\n",), "WEBP": (b"RIFF",)}
# Format, file extension, media type and encoder options, best compression first.
_ENCODERS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("AVIF", "avif", "image/avif", {"quality": 55, "speed": 8}),
    ("WEBP", "webp", "image/webp", {"quality": 78, "method": 4}),
    ("JPEG", "jpg", "image/jpeg", {"quality": 80, "optimize": True, "progressive": True}),
)
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
class StoredImage:
    """A picture that was taken in: its name in the media storage, its size and average colour (`#rrggbb`)."""

    name: str
    width: int
    height: int
    colour: str


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """What a page needs to show a picture.

    `url` is the stored JPEG, `width` and `height` its size; `sources` are `(media type, srcset)`, best
    compression first and JPEG last, empty until the smaller files exist: every srcset is the JPEG itself then.
    `subject` is where the piece stands, as shares of the height, None where that is not sure.
    """

    url: str
    width: int
    height: int
    alt: str
    colour: str
    sources: tuple[tuple[str, str], ...] = ()
    subject: tuple[float, float] | None = None

    @property
    def srcset(self) -> str:
        """The JPEG candidates, which every browser reads."""
        return self._candidates("image/jpeg")

    @property
    def webp_srcset(self) -> str:
        """The WebP candidates, for who wants one small format that all current browsers read."""
        return self._candidates("image/webp")

    @property
    def small_jpeg_url(self) -> str:
        """The narrowest JPEG file, for mails: some mail programs show no other format."""
        return self.srcset.split(" ", 1)[0]

    @property
    def smallest_url(self) -> str:
        """The narrowest WebP file, for thumbnails."""
        return self.webp_srcset.split(" ", 1)[0]

    def _candidates(self, wanted: str) -> str:
        own = f"{self.url} {self.width}w"
        return next((srcset for media_type, srcset in self.sources if media_type == wanted), own)


def store_image(
    *, file: IO[bytes], name: str, folder: str, storage: Storage = default_storage
) -> StoredImage:
    """Check an uploaded picture, draw it again as an sRGB JPEG and store it in `folder` under a random name.

    `name` is the sender's file name: it tells the declared type and is then forgotten. `storage` is the public
    media storage unless another is given.
    Raises `Problem` (400, code `invalid_image`) for a name above 100 characters, a file above 5 MB, another type
    than JPEG, PNG or WebP, content that is not of the declared type, too many pixels, or broken data.
    """
    content = _read(file=file, name=name)
    picture = _decode(content, _FORMATS[name.rpartition(".")[2].lower()])
    stored = storage.save(
        f"{folder}/{secrets.token_hex(16)}.jpg", ContentFile(_encode(picture, "JPEG", _MASTER_OPTIONS))
    )
    return StoredImage(
        name=stored, width=picture.width, height=picture.height, colour=_average_colour(picture)
    )


def check_image(*, file: IO[bytes], name: str) -> None:
    """Refuse what `store_image` would refuse, and store nothing: for forms, which answer before they save.

    Raises `Problem` as it does. The file is read: go back to its beginning before storing it.
    """
    _decode(_read(file=file, name=name), _FORMATS[name.rpartition(".")[2].lower()])


def derive_files(name: str) -> dict[str, Any]:
    """Make the smaller files of a stored picture and return their description: `widths`, and `subject` where
    the piece was found in the picture (see `shop.core.subject`).

    Safe to repeat: files of an earlier run are replaced. Raises `FileNotFoundError` when the picture is gone.
    """
    with default_storage.open(name) as stored:
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


def delete_files(name: str, derivatives: Mapping[str, Any]) -> None:
    """Remove a stored picture and its smaller files; one that is already gone is no error."""
    for width in derivatives.get("widths", ()):
        for _kind, extension, _media_type, _options in _ENCODERS:
            default_storage.delete(_derived_name(name, width, extension))
    default_storage.delete(name)


def describe(
    *, name: str, width: int, height: int, alt: str, colour: str, derivatives: Mapping[str, Any]
) -> ImageInfo:
    """How to show a stored picture, with or without its smaller files. No query, no file access."""
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
    )


def refuse_type() -> Problem:
    """The refusal of a type that pictures of this kind may not have."""
    return _refuse(_("Type de fichier non supporté"))


def _refuse(detail: str) -> Problem:
    return Problem("invalid_image", detail, errors={"file": [detail]})


def _read(*, file: IO[bytes], name: str) -> bytes:
    if len(name) > MAX_NAME_LENGTH:
        raise _refuse(_("Nom de fichier trop long"))
    declared = _FORMATS.get(name.rpartition(".")[2].lower()) if "." in name else None
    if declared is None:
        raise refuse_type()
    # One byte more than allowed is read, whatever length the sender declared.
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise _refuse(_("Fichier trop volumineux"))
    if not content.startswith(_SIGNATURES[declared]) or (declared == "WEBP" and content[8:12] != b"WEBP"):
        raise _refuse(_("Fichier invalide"))
    return content


def _decode(content: bytes, kind: str) -> Image.Image:
    try:
        picture = Image.open(BytesIO(content), formats=[kind])
        most = MAX_MEGAPIXELS[kind]
        if picture.width * picture.height > most * 1_000_000 or max(picture.size) > MAX_SIDE:
            raise _refuse(_("Image trop grande : %(count)d millions de pixels au plus.") % {"count": most})
        # A JPEG is decoded at the size needed; of an animation only the first frame is.
        picture.draft("RGB", (MASTER_SIDE, MASTER_SIDE))
        picture.load()
        profile = picture.info.get("icc_profile")
        turn = _TURNS.get(picture.getexif().get(ExifTags.Base.Orientation, 1))
        drawn = _eight_bits(picture)
        drawn.thumbnail((MASTER_SIDE, MASTER_SIDE), Image.Resampling.LANCZOS)
        drawn = _flat_srgb(drawn, profile)
        return _clean(drawn if turn is None else drawn.transpose(turn))
    except Problem:
        raise
    except Exception as error:  # decoders fail in many ways; every one means that the file is no good
        raise _refuse(_("Fichier invalide")) from error


def _eight_bits(picture: Image.Image) -> Image.Image:
    """The picture in a mode that can be resized: grey, RGB, RGBA or CMYK."""
    if picture.mode.startswith("I"):
        return picture.convert("I").point(lambda value: value / 256).convert("L")
    if picture.mode in ("L", "RGB", "RGBA", "CMYK"):
        return picture
    return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


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
    """The pixels alone: a new picture that carries no information of the old one."""
    clean = Image.new("RGB", picture.size)
    clean.paste(picture)
    return clean


def _encode(picture: Image.Image, kind: str, options: Mapping[str, Any]) -> bytes:
    written = BytesIO()
    picture.save(written, kind, **options)
    return written.getvalue()


def _average_colour(picture: Image.Image) -> str:
    pixel = picture.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    red, green, blue = pixel if isinstance(pixel, tuple) else (0, 0, 0)
    return f"#{int(red):02x}{int(green):02x}{int(blue):02x}"


def _widths(width: int) -> list[int]:
    """The widths to make: never above the picture's own, whose width (up to the largest) is one of them."""
    largest = min(width, WIDTHS[-1])
    return [*(step for step in WIDTHS if step < largest), largest]


def _height_for(picture: Image.Image, width: int) -> int:
    return max(1, round(picture.height * width / picture.width))


def _derived_name(name: str, width: int, extension: str) -> str:
    return f"{name.rpartition('.')[0]}-{width}.{extension}"
