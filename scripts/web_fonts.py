"""Makes the fonts of the pages from the typefaces' packages: `.venv/bin/python scripts/web_fonts.py`.

They come before the first picture on every page, so they hold what the styles use and no more: titles, prices and
italics have one weight, hints for old screens, letterforms that nothing asks for and letters of other languages are
left out, and distances between letters are rounded. 28 KB instead of 61. Run it after a new version of the packages in
package.json, or after a change of a range in fonts.css; the result is committed.
"""

import re
from io import BytesIO

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from invoice_fonts import PACKAGES, ROOT

TARGET = ROOT / "frontend_islands" / "styles" / "fonts"
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "liga", "tnum"]

# Of a thousandth of the size of the text: nobody sees a third of a pixel, and equal numbers are compressed away.
KERNING_STEP = 20

# Source, name of the file, weight or range of weights that the styles use.
FACES: tuple[tuple[str, str, int | tuple[int, int]], ...] = (
    ("bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal", "bricolage-grotesque-title", 720),
    (
        "bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal",
        "bricolage-grotesque-title-rare",
        720,
    ),
    ("figtree/files/figtree-latin-wght-normal", "figtree-text", (400, 800)),
    ("figtree/files/figtree-latin-wght-normal", "figtree-text-rare", (400, 800)),
    ("figtree/files/figtree-latin-wght-italic", "figtree-italic", 400),
)


def make_face(source: str, name: str, weight: int | tuple[int, int]) -> int:
    """Bytes of the file that was written."""
    options = Options()
    options.layout_features = FEATURES
    options.hinting = False
    options.name_IDs = []
    font = TTFont(PACKAGES / f"{source}.woff2", recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=set(font.getBestCmap()) & characters(name))
    subsetter.subset(font)
    # Read again: the instancer wants the tables as they are now, not as they were before the subset.
    plain = BytesIO()
    font.flavor = None
    font.save(plain)
    font = instantiateVariableFont(TTFont(plain, recalcTimestamp=False), {"wght": weight})
    if isinstance(weight, int):
        round_kerning(font)
    font.flavor = "woff2"
    path = TARGET / f"{name}.woff2"
    font.save(path)
    return path.stat().st_size


def characters(name: str) -> set[int]:
    """The characters for which the style sheet takes this file."""
    styles = (TARGET.parent / "fonts.css").read_text(encoding="utf-8")
    [face] = [
        block for block in re.findall(r"@font-face {.*?}", styles, re.DOTALL) if f"/{name}.woff2" in block
    ]
    ranges = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face)
    return {code for first, last in ranges for code in range(int(first, 16), int(last or first, 16) + 1)}


def round_kerning(font: TTFont) -> None:
    """Round the distances between two letters, the larger part of a title's face, to whole steps."""
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            table = getattr(table, "ExtSubTable", table)
            rows = [row.PairValueRecord for row in getattr(table, "PairSet", None) or []]
            rows += [row.Class2Record for row in getattr(table, "Class1Record", None) or []]
            for value in (pair.Value1 for row in rows for pair in row if pair.Value1):
                value.XAdvance = round(value.XAdvance / KERNING_STEP) * KERNING_STEP


def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for source, name, weight in FACES:
        print(f"{name}.woff2  {make_face(source, name, weight) / 1024:.1f} KB")
    for package in ("figtree", "bricolage-grotesque"):
        licence = (PACKAGES / package / "LICENSE").read_text(encoding="utf-8")
        (TARGET / f"LICENSE-{package}.txt").write_text(licence, encoding="utf-8")


if __name__ == "__main__":
    main()
