"""The smaller files of a picture, and what templates make of them."""

import pytest
from django.core.files.storage import default_storage
from django.template import Context, Template
from PIL import Image, features

from shop.core.images import ImageInfo, delete_files, derive_files, describe
from shop.core.tests.pictures import encoded, store, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


def test_smaller_files_in_three_formats():
    stored = store(encoded("JPEG", (1200, 900)))
    assert derive_files(stored.name) == {"widths": [360, 768, 1024, 1200]}
    stem = stored.name.removesuffix(".jpg")
    for width, height in ((360, 270), (768, 576), (1024, 768), (1200, 900)):
        for ending, kind in (("avif", "AVIF"), ("webp", "WEBP"), ("jpg", "JPEG")):
            with default_storage.open(f"{stem}-{width}.{ending}") as file:
                picture = Image.open(file)
                assert (picture.format, picture.size) == (kind, (width, height))


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (1, [1]),
        (300, [300]),
        (360, [360]),
        (361, [360, 361]),
        (1440, [360, 768, 1024, 1440]),
        (2400, [360, 768, 1024, 1440]),
    ],
)
def test_no_file_is_wider_than_the_picture(width, expected):
    stored = store(encoded("PNG", (width, 20)), "a.png")
    assert derive_files(stored.name) == {"widths": expected}


def test_making_them_again_leaves_no_other_files():
    stored = store(encoded("JPEG", (400, 300)))
    derive_files(stored.name)
    before = sorted(stored_files())
    derive_files(stored.name)
    assert sorted(stored_files()) == before
    assert len(before) == 1 + 2 * 3


def test_a_picture_that_is_gone():
    with pytest.raises(FileNotFoundError):
        derive_files("products/gone.jpg")


def test_deleting_takes_every_file():
    stored = store(encoded("JPEG", (400, 300)))
    derivatives = derive_files(stored.name)
    delete_files(stored.name, derivatives)
    assert stored_files() == []
    delete_files(stored.name, derivatives)


def info(**derivatives) -> ImageInfo:
    return describe(
        name="products/a.jpg",
        width=1200,
        height=900,
        alt='Un "ours"',
        colour="#112233",
        derivatives=derivatives,
    )


def test_a_picture_without_smaller_files_serves_itself():
    found = info()
    assert found.sources == ()
    assert (found.srcset, found.webp_srcset, found.smallest_url) == (
        "/media/products/a.jpg 1200w",
        "/media/products/a.jpg 1200w",
        "/media/products/a.jpg",
    )


def test_sources_are_named_best_first():
    found = info(widths=[360, 768])
    assert found.sources == (
        ("image/avif", "/media/products/a-360.avif 360w, /media/products/a-768.avif 768w"),
        ("image/webp", "/media/products/a-360.webp 360w, /media/products/a-768.webp 768w"),
        ("image/jpeg", "/media/products/a-360.jpg 360w, /media/products/a-768.jpg 768w"),
    )
    assert found.smallest_url == "/media/products/a-360.webp"


def drawn(tag: str, image: ImageInfo | None) -> str:
    return Template("{% load images %}" + tag).render(Context({"image": image}))


def test_the_tag_before_there_are_smaller_files():
    assert drawn("{% picture image %}", info()) == (
        '<picture><img src="/media/products/a.jpg" width="1200" height="900" alt="Un &quot;ours&quot;"'
        ' loading="lazy" fetchpriority="low" decoding="async"></picture>'
    )


def test_the_tag_with_everything():
    tag = '{% picture image sizes="46vw" priority=True css="card__first" shared="piece-12" alt="" %}'
    assert drawn(tag, info(widths=[360])) == (
        '<picture class="card__first" data-shared="piece-12">'
        '<source type="image/avif" srcset="/media/products/a-360.avif 360w" sizes="46vw">'
        '<source type="image/webp" srcset="/media/products/a-360.webp 360w" sizes="46vw">'
        '<img src="/media/products/a.jpg" srcset="/media/products/a-360.jpg 360w" sizes="46vw"'
        ' width="1200" height="900" alt="" fetchpriority="high" decoding="sync"></picture>'
    )


def test_the_tag_without_a_picture_keeps_the_place():
    assert drawn('{% picture image css="card__first" %}', None) == (
        '<span class="picture-empty card__first" aria-hidden="true"></span>'
    )


def test_this_machine_writes_avif():
    assert features.check("avif")
    assert features.check("webp")
