"""Where a piece stands in its photograph."""

import pytest
from PIL import Image, ImageDraw

from shop.core.subject import subject_span

BACKDROP = (222, 210, 205)


def photograph(box: tuple[int, int, int, int] | None) -> Image.Image:
    """A piece before a backdrop that darkens softly towards the floor, as in the workshop."""
    picture = Image.new("RGB", (600, 600))
    draw = ImageDraw.Draw(picture)
    for y in range(600):
        draw.line((0, y, 600, y), fill=tuple(channel - y // 30 for channel in BACKDROP))
    if box:
        draw.rectangle(box, fill=(60, 40, 120))
    return picture


def test_the_piece_is_found() -> None:
    span = subject_span(photograph((200, 120, 400, 540)))
    assert span == (pytest.approx(0.2, abs=0.01), pytest.approx(0.9, abs=0.01))


def test_a_soft_shadow_is_no_part_of_the_piece() -> None:
    picture = photograph((200, 120, 400, 480))
    ImageDraw.Draw(picture).rectangle((180, 481, 420, 540), fill=(170, 160, 155))
    span = subject_span(picture)
    assert span is not None
    assert span[1] == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    "picture",
    [
        photograph(None),
        # Fills the picture: a close-up has no scale.
        photograph((0, 100, 600, 600)),
        photograph((0, 100, 300, 600)),
        # A speck.
        photograph((290, 290, 310, 310)),
    ],
    ids=["empty", "close-up", "cut off at the side", "speck"],
)
def test_no_answer_rather_than_a_wrong_one(picture: Image.Image) -> None:
    assert subject_span(picture) is None


def test_a_patterned_ground_gives_no_answer() -> None:
    picture = photograph((200, 120, 400, 540))
    draw = ImageDraw.Draw(picture)
    for x in range(0, 600, 40):
        draw.line((x, 0, x, 600), fill=(0, 90, 60), width=16)
    assert subject_span(picture) is None
