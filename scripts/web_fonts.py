"""Makes the fonts of the pages from the typefaces' packages: `.venv/bin/python scripts/web_fonts.py`.

They come before the first picture on every page, so they hold what the styles use and no more: titles and prices have
one weight, hints for old screens and letterforms that nothing asks for are left out. 38 KB instead of 61. Run it after
a new version of the packages in package.json; the result is committed.
"""

from io import BytesIO

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from invoice_fonts import PACKAGES, ROOT

TARGET = ROOT / "frontend_islands" / "styles" / "fonts"
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "liga", "tnum"]

# Source, name of the file, weight or range of weights that the styles use.
FACES: tuple[tuple[str, str, float | tuple[float, float]], ...] = (
    ("bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal", "bricolage-grotesque-title", 720),
    ("figtree/files/figtree-latin-wght-normal", "figtree-text", (400, 800)),
    ("figtree/files/figtree-latin-wght-italic", "figtree-italic", (400, 800)),
)


def make_face(source: str, name: str, weight: float | tuple[float, float]) -> int:
    """Bytes of the file that was written. Every character of the source is kept."""
    options = Options()
    options.layout_features = FEATURES
    options.hinting = False
    font = TTFont(PACKAGES / f"{source}.woff2", recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=font.getBestCmap())
    subsetter.subset(font)
    # Read again: the instancer wants the tables as they are now, not as they were before the subset.
    plain = BytesIO()
    font.flavor = None
    font.save(plain)
    font = instantiateVariableFont(TTFont(plain, recalcTimestamp=False), {"wght": weight})
    font.flavor = "woff2"
    path = TARGET / f"{name}.woff2"
    font.save(path)
    return path.stat().st_size


def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for source, name, weight in FACES:
        print(f"{name}.woff2  {make_face(source, name, weight) / 1024:.1f} KB")
    for package in ("figtree", "bricolage-grotesque"):
        licence = (PACKAGES / package / "LICENSE").read_text(encoding="utf-8")
        (TARGET / f"LICENSE-{package}.txt").write_text(licence, encoding="utf-8")


if __name__ == "__main__":
    main()
