"""Makes the fonts of invoices from the shop's own web fonts: `.venv/bin/python scripts/invoice_fonts.py`.

The typesetter reads static TrueType files only. Run it after a new version of the packages in package.json; the
result is committed, so neither Node nor fontTools is needed to print an invoice.
"""

from pathlib import Path

from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ROOT / "node_modules" / "@fontsource-variable"
TARGET = ROOT / "orders" / "invoices" / "fonts"

# Source, family, weight. Latin and extended Latin stay two families: text falls back from one to the other.
FACES = (
    ("figtree/files/figtree-latin-wght-normal", "Figtree", 400),
    ("figtree/files/figtree-latin-wght-normal", "Figtree", 600),
    ("figtree/files/figtree-latin-ext-wght-normal", "Figtree Ext", 400),
    ("figtree/files/figtree-latin-ext-wght-normal", "Figtree Ext", 600),
    ("bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal", "Bricolage Grotesque", 700),
    ("bricolage-grotesque/files/bricolage-grotesque-latin-ext-wght-normal", "Bricolage Grotesque Ext", 700),
)  # fmt: skip


def make_face(source: str, family: str, weight: int) -> Path:
    """Write one static font of a variable one; return its file."""
    font = TTFont(PACKAGES / f"{source}.woff2", recalcTimestamp=False)
    font = instantiateVariableFont(font, {"wght": weight})
    style = {400: "Regular", 600: "SemiBold", 700: "Bold"}[weight]
    plain = family.replace(" ", "")
    names = {
        1: family, 2: style, 3: f"{plain}-{style}", 4: f"{family} {style}", 6: f"{plain}-{style}",
        16: family, 17: style,
    }  # fmt: skip
    for record in list(font["name"].names):
        if record.nameID in names or record.nameID > 17:
            font["name"].removeNames(nameID=record.nameID)
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    font["OS/2"].usWeightClass = weight
    font.flavor = None
    path = TARGET / f"{plain}-{style}.ttf"
    font.save(path)
    return path


def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for face in FACES:
        path = make_face(*face)
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1024} KB")
    for package in ("figtree", "bricolage-grotesque"):
        licence = (PACKAGES / package / "LICENSE").read_text(encoding="utf-8")
        (TARGET / f"LICENSE-{package}.txt").write_text(licence, encoding="utf-8")


if __name__ == "__main__":
    main()
