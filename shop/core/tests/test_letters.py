"""What documents print of names in any script."""

import unicodedata
from pathlib import Path

import pytest
import typst
from django.conf import settings

from shop.core.letters import drawable, without_pictures

FONTS = Path(settings.BASE_DIR) / "orders" / "invoices" / "fonts"


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("Łukasz Żółć, Nguyễn Thị Ánh", "Łukasz Żółć, Nguyễn Thị Ánh"),
        ("Ελένη Παπαδοπούλου, Ольга Їжак", "Ελένη Παπαδοπούλου, Ольга Їжак"),
        ("王小明", "WangXiaoMing"),
        ("さくら", "sakura"),
        ("Léa 🎨", "Léa :art:"),
        ("محمد", "mhmd"),
        ("a\u0301\u200d\x07\ufe0f", "á\u200d"),
    ],
)
def test_a_name_is_printed_in_letters_that_can_be_drawn(typed: str, printed: str) -> None:
    assert drawable({"lines": [typed, {"name": typed}], "pages": 2}) == {
        "lines": [printed, {"name": printed}],
        "pages": 2,
    }


def test_a_message_is_printed_without_its_pictures() -> None:
    typed = "Joyeux anniversaire 🎂 王小明 !\n❤\ufe0f :-)"
    assert drawable(without_pictures(typed)) == "Joyeux anniversaire  WangXiaoMing !\n :-)"


def test_the_fonts_draw_every_letter_that_is_left_as_it_is(tmp_path: Path) -> None:
    """PDF/A refuses a page with a letter that no font draws."""
    letters = [chr(code) for code in range(0x20, 0x2300)]
    kept = " ".join(
        letter
        for letter in letters
        if drawable(letter) == letter and unicodedata.category(letter)[0] not in "CZ"
    )
    source = tmp_path / "letters.typ"
    source.write_text(
        '#set document(title: "x")\n'
        '#set text(font: ("Figtree", "Figtree Ext", "Libertinus Serif"))\n#sys.inputs.letters'
    )
    pdf = typst.compile(
        source,
        root=tmp_path,
        font_paths=[FONTS],
        ignore_system_fonts=True,
        pdf_standards=["a-2b"],
        sys_inputs={"letters": kept},
    )
    assert isinstance(pdf, bytes)
