"""Products in the admin, to look at, and prices over time."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog.admin.forms import language_fieldsets, preview_of
from catalog.admin.inlines import ImageInline, ModelInline, VariantInline, VariationInline
from catalog.models import PRODUCT_TEXTS, PricePoint, Product
from catalog.selectors import staff_search, wording
from catalog.selectors.products import without_customs_data
from catalog.selectors.staff_products import search_products
from shop.core.row_keys import read_key
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, YesNoFilter


class CustomsFilter(admin.SimpleListFilter):
    """Products that a parcel outside the Union can't declare yet."""

    title = _("données douanières")
    parameter_name = "customs"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("missing", _("À compléter"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Product]) -> QuerySet[Product]:
        if self.value() == "missing":
            return queryset.filter(without_customs_data())
        return queryset


@admin.register(Product)
class ProductAdmin(StaffAdmin[Product]):
    """Products, to look at: staff change them on their own page."""

    view_action = StaffAction.SEE_PRODUCTS
    inlines = (ImageInline, VariationInline, VariantInline, ModelInline)
    list_display = (
        "thumbnail",
        "name",
        "category",
        "prices",
        "in_stock",
        "stock_quantity",
        "featured",
        "is_published",
        "promotion",
        "created_at",
        "staff_page",
    )
    list_display_links = ("thumbnail", "name")
    list_filter = (
        "category",
        "is_published",
        ("archived_at", YesNoFilter),
        ("trashed_at", YesNoFilter),
        "in_stock",
        "featured",
        "running_promotion__type",
        "source",
        CustomsFilter,
    )
    list_select_related = ("category", "running_promotion")
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "created_at"
    search_fields = ("search_text",)
    search_help_text = _("Nom, description, catégorie ; référence ou identifiant externe exacts.")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "staff_page",
                    "category",
                    ("is_published", "featured"),
                    ("archived_at", "trashed_at", "was_published"),
                )
            },
        ),
        *language_fieldsets(*PRODUCT_TEXTS),
        (
            _("Prix"),
            {
                "fields": (
                    ("price", "original_price"),
                    ("painted_price", "unpainted_price"),
                    ("price_from", "price_to", "crossed_out"),
                    "promotion",
                )
            },
        ),
        (_("Stock"), {"fields": (("in_stock", "stock_quantity"),)}),
        (
            _("Caractéristiques"),
            {
                "fields": (
                    ("dimensions", "height_cm", "weight"),
                    ("production_days_min", "production_days_max"),
                )
            },
        ),
        (_("Douane"), {"fields": (("hs_code", "origin_country", "weight_grams"),)}),
        (
            _("Divers"),
            {
                "fields": (
                    "picked_similar",
                    "stale_texts",
                    "source",
                    "external_id",
                    "created_at",
                    "updated_at",
                    "published_at",
                )
            },
        ),
    )
    readonly_fields = tuple(flatten_fieldsets(fieldsets))

    @admin.display(description=_("page de l'équipe"))
    def staff_page(self, product: Product) -> SafeString:
        return format_html(
            '<a href="{}">{}</a>', reverse("staff-product", args=[product.pk]), gettext("Modifier")
        )

    @admin.display(description=_("photo"))
    def thumbnail(self, product: Product) -> SafeString | str:
        """The link to the product, which names it: what a picture shows is not what the link leads to."""
        photo = next(iter(product.images.all()), None)
        if photo is None or not photo.file.name:
            return format_html(
                '{}<span class="visually-hidden"> : {}</span>', gettext("Sans photo"), product.name
            )
        return preview_of(photo, alt=product.name)

    @admin.display(description=_("prix"), ordering="price_from")
    def prices(self, product: Product) -> str:
        low, high = wording.amount_text(product.price_from), wording.amount_text(product.price_to)
        return low if low == high else f"{low} – {high}"

    @admin.display(description=_("promotion en cours"))
    def promotion(self, product: Product) -> str:
        running = product.running_promotion
        return "" if running is None else f"{wording.promotion_label(running)} ({running.name})"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Product]:
        return super().get_queryset(request).prefetch_related("images")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Product], search_term: str
    ) -> tuple[QuerySet[Product], bool]:
        """As in the staff's list: in the shop's words, or an exact reference."""
        return search_products(queryset, search_term), False


@admin.register(PricePoint)
class PricePointAdmin(StaffAdmin[PricePoint]):
    """Prices over time: the proof of what was asked. Nobody writes them here."""

    view_action = StaffAction.SEE_PRICES
    list_display = ("product_number", "variation_number", "finish", "amount", "starts_at", "lowest_prior")
    list_filter = ("finish",)
    date_hierarchy = "starts_at"
    search_fields = ("product_id",)
    search_help_text = _("Nom du produit ou son numéro.")
    ordering = ("-starts_at", "-pk")
    fields = readonly_fields = list_display
    show_full_result_count = False

    # The keys alone: the product may be gone.
    @admin.display(description=_("produit n°"), ordering="product_id")
    def product_number(self, point: PricePoint) -> int:
        return point.product_id

    @admin.display(description=_("variation n°"), ordering="variation_id")
    def variation_number(self, point: PricePoint) -> int | None:
        return point.variation_id

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[PricePoint], search_term: str
    ) -> tuple[QuerySet[PricePoint], bool]:
        words = staff_search.query_words(search_term)
        if not words:
            return queryset, False
        named = Product.objects.filter(staff_search.has_words(words)).order_by().values("pk")
        found = queryset.filter(product_id__in=named)
        number = read_key(search_term.strip())
        if number is not None:
            # Also of products that were deleted.
            found |= queryset.filter(product_id=number)
        return found, False
