"""Writing categories: their addresses, their places in menus, and what their products show of them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from django.db import transaction
from django.utils.translation import gettext as _

from catalog.models import SLUG_FIELDS, SLUG_LENGTH, Category, FormerSlug
from catalog.services.media import retire_pictures
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import refresh_products, validate
from catalog.services.reports import report_products
from catalog.services.search_index import lock_vocabulary
from catalog.services.stock import lock_products
from shop.core.content_version import content_changed
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.letters import slug_of
from shop.core.problems import InvalidFields, Problem
from shop.core.site import page_words
from shop.core.transaction_locks import lock_names

# What a name without any Latin letter is called in addresses.
SLUG_FALLBACK = "collection"
# What a product's search text and prices are made of.
_SHOWN_BY_PRODUCTS = ("name_fr", "name_en", "name_es", "name_de", "offers_finishes", "offers_formats")
_LOCK = "category-slugs"
_KEEPERS: list[Callable[[int], str]] = []


def save_category(*, category: Category) -> Category:
    """Check and store a category. An address that is missing is made of the name in its language; one that it had
    before leads to the one it has now. Its products are refreshed when what they show of it has changed, and stay
    locked so long: a few milliseconds each.

    Raises `Problem` (400 `invalid`) with messages by field.
    """
    refresh_due_promotions()
    with transaction.atomic():
        lock_names([_LOCK])
        stored = Category.objects.filter(pk=category.pk).first() if category.pk else None
        fill_slugs(category)
        errors = slug_errors(category)
        if errors:
            raise InvalidFields(errors)
        validate(category)
        renamed: list[int] = []
        if stored is not None and any(
            (getattr(stored, field) or "") != (getattr(category, field) or "") for field in _SHOWN_BY_PRODUCTS
        ):
            # Products and words before the category, which a new product names once its words are counted.
            renamed = lock_products(product_ids=category.products.values("pk"))
            lock_vocabulary()
        category.save()
        if stored is not None:
            for slug in stored.slugs - category.slugs:
                FormerSlug.objects.update_or_create(slug=slug, defaults={"category": category})
        FormerSlug.objects.filter(slug__in=category.slugs).delete()
        if renamed:
            refresh_products(product_ids=renamed)
            report_products(renamed)
        content_changed()
    return category


def register_keeper(keeper: Callable[[int], str]) -> None:
    """Ask another app what keeps the category of a key: a sentence, or "". Call it in an `AppConfig.ready()`."""
    _KEEPERS.append(keeper)


def what_keeps(category: Category) -> str:
    """Return the sentence that says why a category can't be deleted now; "" where nothing keeps it."""
    count = category.products.count()
    if not count:
        return next(filter(None, (keeper(category.pk) for keeper in _KEEPERS)), "")
    shown = category.products.filter(trashed_at=None).count()
    if shown:
        message = _(
            "La catégorie « %(name)s » a encore des produits (%(count)d). Changez-les de catégorie d'abord."
        )
    else:
        # In no list, and nobody changes them there.
        message = _(
            "La catégorie « %(name)s » n'a plus que des produits de la corbeille (%(count)d). Supprimez-les "
            "définitivement, ou restaurez-les pour les changer de catégorie."
        )
    return message % {"name": category.name, "count": shown or count}


def delete_category(*, category: Category) -> None:
    """Remove a category with its picture, its former addresses and the wishes to hear of it.

    Raises `Problem` (409 `category_in_use`) while it has products, or something else keeps it.
    """
    with transaction.atomic():
        refusal = what_keeps(Category.objects.select_for_update().get(pk=category.pk))
        if refusal:
            raise Problem("category_in_use", refusal, 409)
        picture = getattr(category, "picture", None)
        retire_pictures([picture] if picture else [])
        category.delete()
        content_changed()


def fill_slugs(category: Category) -> None:
    """Give a category the addresses that nobody typed: the French one always, others when it is new and its name is
    translated. Typed ones are written in small letters."""
    used: Collection[str] | None = None
    for language, field in SLUG_FIELDS.items():
        slug = getattr(category, field).strip().lower()
        name = getattr(category, f"name_{language}", "") or ""
        if not slug and name and (language == SOURCE_LANGUAGE or category.pk is None):
            if used is None:
                former = FormerSlug.objects.exclude(category=category.pk).values_list("slug", flat=True)
                used = {*page_words(), *_slugs_of_others(category), *former}
            slug = _free_slug(name, language, used)
            if language != SOURCE_LANGUAGE and slug == category.slug:
                slug = ""
        setattr(category, field, slug)


def slug_errors(category: Category) -> dict[str, list[str]]:
    """What is wrong with its addresses, by field: words of the shop's own pages, and other categories' addresses in
    whatever language. Two queries at most."""
    words, others = page_words(), _slugs_of_others(category)
    errors = {}
    for field in SLUG_FIELDS.values():
        slug = getattr(category, field)
        if slug in words:
            message = _("« %(word)s » est déjà une adresse de la boutique. Choisissez un autre mot.")
            errors[field] = [message % {"word": slug}]
        elif slug in others:
            message = _("« %(word)s » est déjà l'adresse de la catégorie « %(name)s ».")
            errors[field] = [message % {"word": slug, "name": others[slug]}]
    return errors


def _slugs_of_others(category: Category) -> dict[str, str]:
    """Each address of the other categories, with the name of its category."""
    return {slug: row.name for row in Category.objects.exclude(pk=category.pk) for slug in row.slugs}


def _free_slug(name: str, language: str, used: Collection[str]) -> str:
    """The name as a word of an address, with a number where it is taken."""
    word = slug_of(name, language)[: SLUG_LENGTH - 4].strip("-_") or SLUG_FALLBACK
    slug, number = word, 2
    while slug in used:
        slug, number = f"{word}-{number}", number + 1
    return slug
