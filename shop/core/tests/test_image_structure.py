"""What is refused before anything is decoded, and which honest files are not."""

import contextlib
import random
from io import BytesIO

import pytest
from image_bombs import jpeg, jpeg_segments, png, png_chunk, webp, webp_chunk
from PIL import Image, PngImagePlugin

from shop.core import images
from shop.core.image_structure import MalformedImage, image_size, without_metadata
from shop.core.problems import Problem

FRAME = webp_chunk(b"ANMF", bytes(16))
HEADER = webp_chunk(b"VP8X", bytes([2, 0, 0, 0]) + b"\x3b\x00\x00\x27\x00\x00")
PROFILE = png_chunk(b"iCCP", b"a\x00\x00x")

BOMBS = {
    "one scan again and again": (jpeg((60, 40), scans=3000), "jpg"),
    "859 scans of four million pixels": (jpeg((2000, 2000), scans=859), "jpg"),
    "forty scans of sixteen million pixels": (jpeg((4000, 4000), scans=40), "jpg"),
    "empty comments": (jpeg_segments(0xFE, b"", count=750_000), "jpg"),
    "empty application segments": (jpeg_segments(0xE1, b"", count=500), "jpg"),
    "beginnings of pictures": (b"\xff\xd8" * 1_000_000, "jpg"),
    "fill bytes": (b"\xff\xd8" + b"\xff" * 3_000_000, "jpg"),
    "bytes of no segment": (b"\xff\xd8\xff" + bytes(3_000_000), "jpg"),
    "temporary markers between scans": (jpeg((60, 40))[:-2] + b"\xff\x01" * 500, "jpg"),
    "arithmetic coding": (jpeg((60, 40)).replace(b"\xff\xc2", b"\xff\xca"), "jpg"),
    "two frames": (jpeg((60, 40))[:-2] + jpeg((60, 40))[2:], "jpg"),
    "no scan": (jpeg((60, 40))[:200] + b"\xff\xd9", "jpg"),
    "empty slices": (png(before=png_chunk(b"IDAT") * 130_000), "png"),
    "slices of one byte": (png(after=png_chunk(b"IDAT", b"\x00") * 120_000), "png"),
    "frames of an animation": (png(after=png_chunk(b"fcTL", bytes(26)) * 10_000), "png"),
    "texts": (png(before=png_chunk(b"zTXt", b"a\x00\x00" + bytes(20)) * 101), "png"),
    "two profiles": (png(before=PROFILE * 2), "png"),
    "two headers": (png(before=png()[8:33]), "png"),
    "no picture": (png()[:33] + png_chunk(b"IEND"), "png"),
    "a chunk that goes beyond the end": (png()[:33] + b"\x7f\xff\xff\xffIDAT", "png"),
    "empty chunks": (webp(HEADER, webp_chunk(b"JUNK") * 500_000), "webp"),
    "frames": (webp(HEADER, FRAME * 301), "webp"),
    "a chunk without an end": (webp(HEADER, b"VP8 \xff\xff\xff\x7f"), "webp"),
    "no picture at all": (webp(webp_chunk(b"JUNK", bytes(20))), "webp"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_file_that_asks_for_too_much_is_refused_undecoded(monkeypatch, bomb):
    def never(*_):
        raise AssertionError("decoded")

    monkeypatch.setattr(images, "draw_all", never)
    content, extension = BOMBS[bomb]
    assert len(content) <= images.MAX_BYTES
    for refuse in (images.check_image, images.draw_image):
        with pytest.raises(Problem, match=r"^Fichier invalide$") as refusal:
            refuse(file=BytesIO(content), name=f"a.{extension}")
        assert (refusal.value.code, refusal.value.status) == ("invalid_image", 400)


def encoded(kind: str, picture: Image.Image | None = None, **options) -> bytes:
    written = BytesIO()
    (picture or noise((320, 200))).save(written, kind, **options)
    return written.getvalue()


def noise(size: tuple[int, int]) -> Image.Image:
    width, height = size
    return Image.frombytes("RGB", size, random.Random(7).randbytes(width * height * 3))


def texts() -> PngImagePlugin.PngInfo:
    found = PngImagePlugin.PngInfo()
    for number in range(20):
        found.add_itxt(f"key {number}", "words " * 100, zip=True)
    return found


FRAMES = [Image.new("RGB", (320, 200), (number * 4, 0, 0)) for number in range(60)]
DESCRIPTION = b"http://ns.adobe.com/xmp/extension/\x00" + bytes(65_000)
HONEST = {
    "a progressive photograph of twelve million pixels in twenty scans": jpeg((4000, 3000), scans=20),
    "the most pixels in as many scans as an encoder makes": jpeg((5000, 5000)),
    "a photograph with much detail": encoded("JPEG", quality=95, subsampling=0),
    "the same, progressive": encoded("JPEG", quality=95, progressive=True),
    "restart markers": encoded("JPEG", restart_marker_blocks=1),
    "camera data": encoded("JPEG", exif=b"Exif\x00\x00" + bytes(60_000), comment=b"Atelier"),
    "a depth map in seventy pieces": jpeg_segments(0xE1, DESCRIPTION, count=70),
    "a second picture behind the first": encoded("MPO", save_all=True, append_images=FRAMES[:1]),
    "a film behind the picture": jpeg((60, 40)) + random.Random(7).randbytes(500_000),
    "a PNG with texts": encoded("PNG", pnginfo=texts(), dpi=(300, 300)),
    "a PNG in slices of eight kilobytes": png(before=png_chunk(b"IDAT", bytes(8192)) * 500),
    "an animated PNG": encoded("PNG", FRAMES[0], save_all=True, append_images=FRAMES[1:]),
    "a small PNG": encoded("PNG", Image.new("1", (1, 1))),
    "a lossy WebP": encoded("WEBP"),
    "a WebP without loss": encoded("WEBP", lossless=True),
    "an extended WebP": encoded("WEBP", exif=b"Exif\x00\x00words", xmp=b"words"),
    "an animated WebP": encoded("WEBP", FRAMES[0], save_all=True, append_images=FRAMES[1:]),
}


@pytest.mark.parametrize("honest", HONEST)
def test_an_honest_file_passes_with_the_size_that_the_decoder_finds(honest):
    content = HONEST[honest]
    with Image.open(BytesIO(content)) as picture:
        kind = "JPEG" if picture.format == "MPO" else picture.format
        size = image_size(content, kind)
        assert (size.width, size.height) == picture.size
    images.check_image(file=BytesIO(content), name=f"a.{kind.lower()}")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("keep", [0.999, 0.5, 0.1, 0.01])
def test_a_file_that_is_cut_short_is_judged_without_a_failure(kind, keep):
    content = encoded(kind)
    with contextlib.suppress(MalformedImage):
        assert image_size(content[: int(len(content) * keep)], kind).width == 320


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_any_bytes_are_judged_without_a_failure(kind):
    chance = random.Random(11)
    for _ in range(300):
        content = bytearray(encoded(kind, Image.new("RGB", (8, 8))))
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(3, len(content))] = chance.randrange(256)
        try:
            assert image_size(bytes(content), kind).width > 0
            without_metadata(bytes(content), kind)
        except MalformedImage:
            pass


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("JPEG", {"exif": b"Exif\x00\x00secret", "comment": b"secret", "icc_profile": b"secret" * 9}),
        ("PNG", {"exif": b"Exif\x00\x00secret", "pnginfo": texts(), "icc_profile": b"secret" * 9}),
        ("WEBP", {"exif": b"Exif\x00\x00secret", "xmp": b"secret", "icc_profile": b"secret" * 9}),
    ],
)
def test_a_picture_without_its_metadata_has_the_same_pixels(kind, options):
    content = encoded(kind, **options)
    clean = without_metadata(content + b"secret behind", kind)
    assert len(clean) < len(content)
    assert b"secret" not in clean
    assert b"key 1" not in clean
    with Image.open(BytesIO(content)) as before, Image.open(BytesIO(clean)) as after:
        assert after.tobytes() == before.tobytes()
        assert not {"exif", "xmp", "icc_profile", "comment"} & set(after.info)


def test_an_animation_has_no_form_without_metadata():
    with pytest.raises(MalformedImage):
        without_metadata(encoded("WEBP", FRAMES[0], save_all=True, append_images=FRAMES[1:3]), "WEBP")
