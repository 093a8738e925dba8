"""A front-end build that was never made: pages render in tests without Node."""

import json
from pathlib import Path

from django.conf import settings

LANGUAGES = ("fr", "en", "es", "de")
STYLES = ("app", "home", "list", "product", "reading", "purchase", "site")
FONTS = (
    "bricolage-grotesque-title",
    "figtree-text",
    "figtree-italic",
)


def write_manifest(path: Path) -> Path:
    """Writes a manifest that lists what the real build would: the scripts, the styles, the fonts and one
    island for each folder of islands. Returns `path`, for `settings.ASSET_MANIFEST`."""
    sources = Path(settings.BASE_DIR) / "frontend_islands"
    islands = sorted(
        prefix + index.parent.name
        for area, prefix in (("islands", ""), ("staff", "staff-"))
        for index in (sources / area).glob("*/index.ts*")
        if ".test." not in index.name
    )
    assets = {
        "runtime.js": _built("build/runtime-AAAAAAAA.js", "build/c/chunk-BBBBBBBB.js"),
        "purchase-start.js": _built("build/purchase-start-HHHHHHHH.js"),
        "start.js": _built("build/start-JJJJJJJJ.js"),
        "one-press.js": _built("build/one-press-LLLLLLLL.js"),
        "consent.js": _built("build/consent-KKKKKKKK.js"),
        **{f"{name}.css": _built(f"build/{name}-CCCCCCCC.css") for name in STYLES},
        "staff.css": _built("build/staff-styles-CCCCCCCC.css"),
        "staff.js": _built("build/staff-AAAAAAAA.js"),
    }
    for font in FONTS:
        assets[f"fonts/{font}.woff2"] = _built(f"build/fonts/{font}-DDDDDDDD.woff2")
    manifest = {
        "assets": assets,
        "islands": {
            name: _built(f"build/islands/{name}-EEEEEEEE.js", "build/c/chunk-FFFFFFFF.js") for name in islands
        },
        "locales": {language: f"build/c/{language}-GGGGGGGG.js" for language in LANGUAGES},
    }
    path.write_text(json.dumps(manifest), encoding="utf-8")
    return path


def _built(file: str, *imports: str) -> dict[str, object]:
    return {"file": file, "imports": list(imports)}
