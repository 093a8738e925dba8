"""`/admin/categories`: categories and collections, their places in menus, their pictures and texts."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet

from catalog.models import CATEGORY_TEXTS, Category, Synonym
from catalog.selectors.pictures import image_info
from catalog.services.categories import delete_category, save_category, what_keeps
from catalog.services.media import set_category_picture
from catalog.services.prices import refresh_due_promotions
from catalog.services.synonyms import save_synonym
from catalog.staff.category_forms import CategoryForm, Features, SynonymForm
from shop.core.content_version import content_changed, delete_shown
from shop.core.staff_actions import StaffAction
from shop.core.staff_row_fields import Line, Part, language_parts
from shop.staff_rows import StaffRows


class Categories(StaffRows[Category]):
    name, address, title = "categories", "categories", "Catégories"
    add_label = "Ajouter une catégorie"
    note = (
        "L'ordre est celui des menus et de l'accueil\u00a0: glissez les lignes, ou montez et descendez-les."
    )
    view_action, edit_action = StaffAction.SEE_PRODUCTS, StaffAction.EDIT_CATEGORIES
    model, form, formset, formset_title = Category, CategoryForm, Features, "Caractéristiques de la page"
    order_field = "position"
    search_fields = ("name_fr", "name_en", "name_es", "name_de", "slug")
    parts = (
        *language_parts(CATEGORY_TEXTS, only="fr"),
        Part("Où la trouver", ("kind", "menu_place", "in_footer", "colour")),
        Part(
            "En saison",
            ("starts_on", "ends_on"),
            "Hors saison elle quitte menus et accueil\u00a0; sa page reste.",
        ),
        Part("Ses pièces", ("offers_finishes", "offers_formats")),
        Part(
            "Sécurité de ses pièces",
            ("safety_class", "minimum_age", "maker"),
            "Ce que chaque fiche montre, sauf si la pièce dit autre chose. Vide\u00a0: l'âge et les mots habituels "
            "de la classe, la boutique comme fabricant.",
        ),
        Part(
            "Image de la carte",
            ("new_picture", "remove_picture"),
            "Sans image, la carte montre la pièce la plus récente en vente.",
        ),
        *language_parts(CATEGORY_TEXTS, skip="fr"),
        Part("Adresse dans chaque langue", ("slug", "slug_en", "slug_es", "slug_de"), is_open=False),
    )

    def rows(self) -> QuerySet[Category]:
        return Category.objects.select_related("picture").annotate(
            product_count=Count("products", filter=Q(products__trashed_at=None))
        )

    def line(self, row: Category) -> Line:
        count = getattr(row, "product_count", None)
        counted = "" if count is None else f"{count} pièce{'s' if count > 1 else ''}"
        parts = (row.get_kind_display(), f"menu\u00a0: {row.get_menu_place_display()}", counted)
        return Line(row.name, " · ".join(filter(None, parts)), picture=self.picture(row))

    def picture(self, row: Category) -> str:
        found = getattr(row, "picture", None)
        return image_info(found, "").smallest_url if found is not None and found.file.name else ""

    def prepare(self) -> None:
        refresh_due_promotions()

    def save(self, row: Category, form: Any) -> None:
        save_category(category=row)
        image = form.cleaned_data.get("new_picture")
        if image is not None or form.cleaned_data["remove_picture"]:
            before = getattr(row, "picture", None)
            after = set_category_picture(category=row, image=image)
            was, now = ({"picture": "" if each is None else each.file.name} for each in (before, after))
            form.other_changes = (was, now)

    def delete(self, row: Category) -> None:
        delete_category(category=row)

    def what_keeps(self, row: Category) -> str:
        return what_keeps(row)

    def order_saved(self) -> None:
        content_changed()

    def ordered_rows(self) -> QuerySet[Category]:
        return Category.objects.all()


class Synonyms(StaffRows[Synonym]):
    """What the search takes for the same."""

    name, address, title = "synonyms", "synonymes", "Synonymes de la recherche"
    add_label = "Ajouter des synonymes"
    note = (
        "Un groupe par ligne, d'une langue, séparés par des virgules\u00a0: «\u00a0porte-clés, "
        "porte-clefs, anneau\u00a0»."
    )
    view_action, edit_action = StaffAction.SEE_TEXTS, StaffAction.EDIT_TEXTS
    back = "staff-texts"
    model, form = Synonym, SynonymForm
    search_fields = ("words",)
    parts = (Part("", ("words", "language")),)

    def line(self, row: Synonym) -> Line:
        return Line(row.words, row.language.upper())

    def save(self, row: Synonym, form: Any) -> None:
        save_synonym(synonym=row)

    def delete(self, row: Synonym) -> None:
        delete_shown(row)


SCREENS: tuple[StaffRows[Any], ...] = (Categories(), Synonyms())
