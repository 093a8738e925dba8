"""Puts the demonstration's articles into the database. What is there already is left as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from blog.models import Article, Tag
from blog.services.articles import create_article
from blog.services.pictures import FOLDER as PICTURES
from blog.services.pictures import add_picture
from blog.services.publication import publish_article
from blog.services.tags import tags_named
from catalog.models import Product
from shop.core.images import store_shipped_image
from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS

FOLDER = Path(__file__).parent
# Where pictures are looked for, in this order.
_PICTURES = (FOLDER / "pictures", Path(settings.BASE_DIR) / "catalog" / "demo" / "pictures")
_HOUR = 9
_HEAD = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_PICTURE = re.compile(r"\]\(picture:([-\w.]+)")
_PRODUCT = re.compile(r"\]\(product:([-\w]+)\)")


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """An article in one language: what stands at its head by name, and its text."""

    head: dict[str, str]
    text: str

    def words(self, name: str) -> list[str]:
        """The words of a list, which commas separate."""
        return [word.strip() for word in self.head.get(name, "").split(",") if word.strip()]


def load_articles() -> None:
    """Every article that is not there yet, told by its French address."""
    known = set(Article.objects.values_list(f"slug_{SOURCE_LANGUAGE}", flat=True))
    for folder in sorted((FOLDER / "articles").iterdir()):
        if folder.is_dir() and folder.name not in known:
            _load(folder)


def read_article(path: Path) -> ArticleFile:
    """Read a file. Raises `ValueError` for one without a head."""
    found = _HEAD.fullmatch(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path} has no head between two lines of ---")
    head = (line.partition(":") for line in found[1].splitlines())
    return ArticleFile({name.strip(): value.strip() for name, _colon, value in head}, found[2].strip() + "\n")


def _load(folder: Path) -> None:
    files = {path.stem: read_article(path) for path in sorted(folder.glob("*.md"))}
    french = files[SOURCE_LANGUAGE]
    products = dict(Product.objects.filter(source="demo").values_list("external_id", "pk"))
    keys = {external_id.removeprefix("demo:"): pk for external_id, pk in products.items() if external_id}
    with transaction.atomic():
        stored: dict[str, str] = {}
        cover = _store(french.head["cover"])[0] if french.head.get("cover") else None
        values: dict[str, Any] = {
            "category": french.head["category"],
            "author_name": french.head["author"],
            "tags": french.words("tags"),
            "products": [keys[name] for name in french.words("products") if name in keys],
            "cover": cover,
        }
        for language, file in files.items():
            for name in ("title", "excerpt", "cover_alt"):
                values[f"{name}_{language}"] = file.head.get(name, "")
            values[f"content_{language}"] = _complete(file.text, stored, keys)
        values[f"slug_{SOURCE_LANGUAGE}"] = folder.name
        article = create_article(values=values, actor=None)
        _translate_tags(files)
        publish_article(article_id=article.pk, actor=None, publish_at=_day(int(french.head["days_ago"])))


def _complete(text: str, stored: dict[str, str], keys: dict[str, int]) -> str:
    """The text with the addresses of its pictures and products; a picture is stored once for all languages."""

    def address(found: re.Match[str]) -> str:
        name = found[1]
        if name not in stored:
            stored[name] = _store(name)[1]
        return f"]({stored[name]}"

    text = _PICTURE.sub(address, text)
    return _PRODUCT.sub(
        lambda found: f"](/produit/{keys[found[1]]})" if found[1] in keys else "](/produits)", text
    )


def _store(name: str) -> tuple[int, str]:
    """Store a shipped picture; return its key and address. Raises `FileNotFoundError`."""
    path = next((folder / name for folder in _PICTURES if (folder / name).exists()), _PICTURES[0] / name)
    row = add_picture(image=store_shipped_image(path, PICTURES))
    return row.pk, f"{settings.MEDIA_URL}{row.file.name}"


def _translate_tags(files: dict[str, ArticleFile]) -> None:
    """Each language names the same tags in the same order; names that staff changed stay."""
    for position, tag in enumerate(tags_named(files[SOURCE_LANGUAGE].words("tags"))):
        for language in TRANSLATIONS:
            words = files[language].words("tags") if language in files else []
            if position < len(words) and not getattr(tag, f"name_{language}"):
                Tag.objects.filter(pk=tag.pk).update(**{f"name_{language}": words[position]})


def _day(days_ago: int) -> datetime:
    """Nine in the morning of a day that is past; before nine of today, the day before."""
    now = timezone.localtime()
    moment = (now - timedelta(days=days_ago)).replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    return moment if moment <= now else moment - timedelta(days=1)
