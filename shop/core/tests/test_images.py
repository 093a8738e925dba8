"""Pictures taken in: what is refused, what is stored."""

import errno
import struct
import zlib
from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.storage.handler import StorageHandler
from image_bombs import png_chunk
from PIL import Image, ImageCms, PngImagePlugin

from shop.core import images
from shop.core.problems import Problem
from shop.core.tests.pictures import encoded, opened, raw, store, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


def refused(content: bytes, name: str = "photo.jpg") -> str:
    with pytest.raises(Problem) as refusal:
        store(content, name)
    assert (refusal.value.code, refusal.value.status) == ("invalid_image", 400)
    assert refusal.value.errors == {"file": [refusal.value.detail]}
    assert stored_files() == []
    return refusal.value.detail


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("JPEG", "a.jpg"),
        ("JPEG", "a.JPEG"),
        ("PNG", "a.png"),
        ("WEBP", "a.webp"),
        ("PNG", "a.php.png"),
        ("PNG", "CON.png"),
    ],
)
def test_a_picture_is_stored_as_jpeg_under_a_random_name(kind, name):
    stored = store(encoded(kind), name)
    assert stored.name.startswith("products/")
    assert len(stored.name) == len("products/") + 32 + len(".jpg")
    assert (stored.width, stored.height) == (60, 40)
    picture = opened(stored.name)
    assert (picture.format, picture.mode, picture.size) == (None, "RGB", (60, 40))
    assert raw(stored.name)[:3] == b"\xff\xd8\xff"
    assert store(encoded(kind), name).name != stored.name


def test_the_average_colour():
    assert store(encoded("PNG", colour=(16, 32, 255)), "a.png").colour == "#1020ff"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a" * 97 + ".jpg", "Nom de fichier trop long"),
        ("photo.svg", "Type de fichier non supporté"),
        ("photo.gif", "Type de fichier non supporté"),
        ("photo.php", "Type de fichier non supporté"),
        ("photo", "Type de fichier non supporté"),
        ("", "Type de fichier non supporté"),
        (".htaccess", "Type de fichier non supporté"),
        ("photo.jpg\x00.exe", "Type de fichier non supporté"),
        ("photo.png", "Fichier invalide"),
        ("photo.webp", "Fichier invalide"),
    ],
)
def test_the_name_must_tell_a_supported_type_and_the_content_agree(name, message):
    assert refused(encoded("JPEG"), name) == message


def test_a_name_of_a_hundred_characters_is_accepted():
    assert store(encoded(), "a" * 96 + ".jpg").width == 60


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "empty.jpg"),
        (b"\xff\xd8\xff", "magic-only.jpg"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 200, "magic-and-zeros.jpg"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg.png"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "eps.jpg"),
        (b"GIF89a/*<script>*/", "gif.jpg"),
        (b"RIFF\x00\x00\x00\x00WAVE", "sound.webp"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "cut.webp"),
        (b"\x89PNG\r\n\x1a\n", "cut.png"),
        (encoded("PNG", (400, 300))[:-200], "truncated.png"),
        (encoded("JPEG", (400, 300))[:400], "truncated.jpg"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_broken_and_disguised_files(content, name):
    assert refused(content, name) == "Fichier invalide"


def test_five_megabytes_and_not_a_byte_more(monkeypatch):
    content = encoded()
    padded = content + b"\x00" * (images.MAX_BYTES - len(content))
    assert store(padded).width == 60
    default_storage.delete(f"products/{stored_files()[0]}")
    assert refused(padded + b"\x00") == "Fichier trop volumineux"


def test_what_is_hidden_behind_a_picture_is_not_stored():
    html = b"<script>alert(1)</script>"
    stored = store(encoded() + html + b"PK\x03\x04")
    assert html not in raw(stored.name)
    assert b"PK\x03\x04" not in raw(stored.name)


def test_metadata_is_not_stored():
    exif = Image.Exif()
    exif[0x010E] = "secret words"
    exif[0x8825] = {1: "N", 2: (48.0, 51.0, 24.0)}
    content = encoded(exif=exif, comment=b"secret words", icc_profile=profile("sRGB"))
    assert b"secret words" in content
    stored = raw(store(content).name)
    assert b"secret words" not in stored
    picture = Image.open(BytesIO(stored))
    assert not picture.getexif()
    assert set(picture.info) <= {
        "jfif",
        "jfif_version",
        "jfif_unit",
        "jfif_density",
        "progressive",
        "progression",
    }


def test_png_texts_are_not_stored():
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Author", "secret words")
    assert b"secret words" not in raw(store(encoded("PNG", pnginfo=texts), "a.png").name)


@pytest.mark.parametrize(
    ("orientation", "corner"),
    [(1, (0, 0)), (2, (1, 0)), (3, (1, 1)), (4, (0, 1)), (5, (0, 0)), (6, (1, 0)), (7, (1, 1)), (8, (0, 1))],
)
def test_a_photo_taken_sideways_is_turned_upright(orientation, corner):
    """A white corner at the top left of the sensor comes to stand where the camera meant it."""
    picture = Image.new("RGB", (64, 32))
    picture.paste((255, 255, 255), (0, 0, 16, 16))
    exif = Image.Exif()
    exif[0x0112] = orientation
    written = BytesIO()
    picture.save(written, "JPEG", quality=95, exif=exif)
    stored = store(written.getvalue())
    assert (stored.width, stored.height) == ((64, 32) if orientation <= 4 else (32, 64))
    upright = opened(stored.name)
    column, row = corner
    assert min(upright.getpixel((column * (stored.width - 1), row * (stored.height - 1)))) > 240
    assert max(upright.getpixel(((1 - column) * (stored.width - 1), (1 - row) * (stored.height - 1)))) < 15


def profile(name: str) -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile(name)).tobytes()


def test_a_broken_colour_profile_costs_only_exact_colours():
    assert store(encoded("PNG", icc_profile=b"no profile at all"), "a.png").width == 60


@pytest.mark.parametrize(
    ("mode", "colour"),
    [("L", 128), ("LA", (128, 255)), ("RGBA", (10, 20, 30, 255)), ("P", 3), ("1", 1), ("I;16", 40_000)],
)
def test_every_mode_of_png(mode, colour):
    stored = store(encoded("PNG", mode=mode, colour=colour), "a.png")
    assert opened(stored.name).mode == "RGB"


def test_sixteen_bits_of_grey_keep_their_brightness():
    assert store(encoded("PNG", mode="I;16", colour=0x8000), "a.png").colour == "#808080"


def test_cmyk_photos():
    stored = store(encoded("JPEG", mode="CMYK", colour=(0, 255, 255, 0)))
    red, green, blue = opened(stored.name).getpixel((5, 5))
    assert red > 200 > 60 > max(green, blue) - 40


@pytest.mark.parametrize(("mode", "colour"), [("RGB", (0, 0, 0)), ("L", 0)])
def test_a_colour_that_stands_for_transparency_becomes_white(mode, colour):
    content = encoded("PNG", mode=mode, colour=colour, transparency=colour)
    assert store(content, "a.png").colour == "#ffffff"
    assert store(encoded("PNG", mode=mode, colour=colour), "a.png").colour == "#000000"


def test_transparency_becomes_white():
    stored = store(encoded("PNG", mode="RGBA", colour=(255, 0, 0, 0)), "a.png")
    assert opened(stored.name).getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_of_an_animation_the_first_picture_is_kept(kind):
    frames = [Image.new("RGB", (40, 40), colour) for colour in ("red", "blue", "green")]
    written = BytesIO()
    frames[0].save(written, kind, save_all=True, append_images=frames[1:], duration=50, lossless=True)
    red, _green, blue = opened(store(written.getvalue(), f"a.{kind.lower()}").name).getpixel((5, 5))
    assert red > 240 > 20 > blue


def test_a_large_photo_is_made_smaller():
    stored = store(encoded("JPEG", (4800, 3200)))
    assert (stored.width, stored.height) == (2400, 1600)


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG that says it is of this size, with hardly any data."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", header)
        + png_chunk(b"IDAT", zlib.compress(b"\x00"))
        + png_chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("size", "most"),
    [
        ((4001, 3000), "12 millions de pixels"),
        *(
            (size, "12\u00a0000 pixels de côté")
            for size in ((12_001, 10), (10, 12_001), (60_000, 60_000), (100_000, 1))
        ),
    ],
)
def test_too_many_pixels_are_refused_before_they_are_decoded(monkeypatch, size, most):
    def never(*_):
        raise AssertionError("decoded")

    monkeypatch.setattr(images, "draw_all", never)
    assert refused(png_header(*size), "a.png") == f"Image trop grande\u00a0: {most} au plus."


@pytest.mark.parametrize("kind", [b"zTXt", b"iCCP"])
def test_compressed_bombs_beside_the_pixels(kind):
    """50 MB of text or colour profile in a few kilobytes."""
    bomb = zlib.compress(b"\x00" * 50_000_000, 9)
    data = b"name\x00\x00" + bomb
    chunk = struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    whole = encoded("PNG")
    content = whole[:33] + chunk + whole[33:]
    assert refused(content, "a.png") == "Fichier invalide"


class FullDisk(ContentFile):
    """Content of which the disk takes the first half."""

    def chunks(self, chunk_size=None):
        yield self.read(self.size // 2)
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("storage", ["default", "private"])
def test_half_of_a_file_that_a_full_disk_took_is_not_kept(settings, tmp_path, storage):
    kind = settings.FOLDER_STORAGES[storage]
    folder = StorageHandler({storage: {**kind, "OPTIONS": {"location": tmp_path}}})[storage]
    with pytest.raises(OSError, match="No space left"):
        folder.save("contact/half.jpg", FullDisk(b"half of it is lost"))
    assert folder.listdir("contact") == ([], [])
