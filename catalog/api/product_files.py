"""Products as a CSV file: written for a spreadsheet in French, read from one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from django.db.models import Model, QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.api.staff_products import ProductSearchSerializer, query_of, require_fields
from catalog.api.staff_serializers import (
    TEXT_SOURCES,
    AdminProductSerializer,
    FieldChangeSerializer,
    values_of,
)
from catalog.models import Category, Product
from catalog.selectors.product_columns import column_label
from catalog.selectors.staff_products import matching_products
from catalog.services.product_import import (
    GENERAL,
    MOST_LINES,
    FileLine,
    ImportResult,
    LineAction,
    import_products,
    preview_import,
)
from catalog.services.staff_products import own_promotion_values
from shop.core.languages import TRANSLATIONS
from shop.core.problems import Problem
from shop.core.row_keys import read_key
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private, staff_actor

MOST_CHARACTERS = 900_000
_BATCH = 500
_NUMBER, _REFERENCE = "id", "external_id"


def _in_each_language(header: str, text: str) -> dict[str, str]:
    return {header: text, **{f"{header} {code}": f"{text}_{code}" for code in TRANSLATIONS}}


# Each column by the name in its first line; a file may also say the field's own name.
COLUMNS: dict[str, str] = {
    "numéro": _NUMBER,
    "référence externe": _REFERENCE,
    "catégorie": "category",
    **_in_each_language("nom", "name"),
    "prix": "price",
    "prix d'origine": "original_price",
    "prix peint": "painted_price",
    "prix non peint": "unpainted_price",
    "publié": "is_published",
    "vedette": "featured",
    "disponible": "in_stock",
    "stock": "stock_quantity",
    "promotion active": "promotion_active",
    "promotion": "promotion_type",
    "quantité achetée": "promotion_buy_quantity",
    "quantité offerte": "promotion_get_quantity",
    "réduction %": "promotion_percent",
    "réduction €": "promotion_amount",
    "dimensions": "dimensions",
    "hauteur cm": "height_cm",
    "poids": "weight",
    "poids emballé g": "weight_grams",
    "fabrication min jours": "production_days_min",
    "fabrication max jours": "production_days_max",
    "classe de sécurité": "safety_class",
    "âge minimum": "minimum_age",
    "fabricant": "maker",
    "code douanier": "hs_code",
    "pays de fabrication": "origin_country",
    "produits similaires": "picked_similar",
    **_in_each_language("adresse", "slug"),
    **_in_each_language("description", "description"),
    **_in_each_language("description détaillée", "full_description"),
    **_in_each_language("matière", "material"),
    **_in_each_language("peinture", "paint_type"),
    **_in_each_language("avertissements", "warnings"),
}
_HEADERS = {field: header for header, field in COLUMNS.items()}
_AMOUNTS = {name for name in _HEADERS if name.endswith(("price", "_amount", "_cm"))}
_FLAGS = {"is_published", "featured", "in_stock", "promotion_active"}
# Empty, they are "".
_BLANKS = {"dimensions", "weight", "hs_code", "origin_country", "promotion_type", "safety_class", "maker"}
_YES = {"oui", "o", "1", "vrai", "true", "yes", "x"}
_NO = {"non", "n", "0", "faux", "false", "no"}
_SLUGS = {name for name in _HEADERS if name.startswith("slug")}
_DELIMITERS = ";,\t"
# A first line that tells spreadsheets the delimiter; they count the lines from the one after it.
_DELIMITER_LINES = {f"sep={sign}" for sign in _DELIMITERS}
# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ImportSerializer(KnownFieldsSerializer):
    """`csv` is the text of the file: a first line with the names of the columns, as in the export, separated by
    semicolons, commas or tabs. With `dry_run` nothing is stored; `preview_key` of that answer makes the import refuse
    (409 `conflict`) products that changed in between."""

    csv = serializers.CharField(max_length=MOST_CHARACTERS, trim_whitespace=False)
    dry_run = serializers.BooleanField(required=False, default=False)
    preview_key = serializers.CharField(required=False, allow_blank=True, default="", max_length=64)


class ImportLineSerializer(serializers.Serializer[Any]):
    """What one line of the file does. `errors` holds sentences that name their column."""

    line = serializers.IntegerField(source="number")
    action = serializers.ChoiceField(choices=[action.value for action in LineAction])
    product_id = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    changes = FieldChangeSerializer(source="fields", many=True)
    errors = serializers.SerializerMethodField()  # type: ignore[assignment]

    def get_errors(self, line: Any) -> list[str]:
        return [
            message if name == GENERAL else f"{_column_name(name)}\u00a0: {message}"
            for name, messages in line.errors.items()
            for message in messages
        ]


class ImportAnswerSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = serializers.IntegerField()
    preview_key = serializers.CharField()
    lines = ImportLineSerializer(many=True)


class AdminProductExportView(APIView):
    """The products of a list as a file that can be imported again."""

    permission_classes = (allowed(get=StaffAction.SEE_PRODUCTS),)

    @extend_schema(
        operation_id="admin_products_export",
        parameters=[ProductSearchSerializer],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        form = ProductSearchSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        products = matching_products(query_of(form.validated_data))
        response = StreamingHttpResponse(_written(products), content_type="text/csv; charset=utf-8")
        name = f"produits-{timezone.localdate():%Y-%m-%d}.csv"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["Cache-Control"] = "no-store"
        return response


class AdminProductImportView(APIView):
    """Changes and adds the products of a file, all or none; never one twice."""

    permission_classes = (allowed(post=StaffAction.EDIT_PRODUCT),)

    @extend_schema(
        operation_id="admin_products_import", request=ImportSerializer, responses=ImportAnswerSerializer
    )
    def post(self, request: Request) -> Response:
        form = ImportSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        fields, rows = _read(asked["csv"])
        require_fields(request, fields)
        categories = _Categories()
        lines = [_line(number, row, categories) for number, row in rows]
        if asked["dry_run"]:
            result = preview_import(lines=lines)
        else:
            result = import_products(
                lines=lines, actor=staff_actor(request), preview_key=asked["preview_key"]
            )
        return private(ImportAnswerSerializer(_answer(result)).data)


def _answer(result: ImportResult) -> dict[str, Any]:
    return {
        "added": result.count(LineAction.ADD),
        "changed": result.count(LineAction.CHANGE),
        "unchanged": result.count(LineAction.NOTHING),
        "refused": result.count(LineAction.REFUSED),
        "preview_key": result.preview_key,
        "lines": result.lines,
    }


class _Line:
    """A file of one line, for the csv writer to write into."""

    def write(self, text: str) -> str:
        return text


def _written(products: QuerySet[Product]) -> Iterator[str]:
    writer = csv.writer(_Line(), delimiter=";", lineterminator="\r\n")
    # Without the mark, a spreadsheet in French reads the accents wrong.
    yield "\ufeff" + writer.writerow(COLUMNS)
    keys = list(products.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), _BATCH):
        rows = Product.objects.select_related("category", "own_promotion").prefetch_related("picked_similar")
        for product in rows.filter(pk__in=keys[start : start + _BATCH]).order_by("pk"):
            own = own_promotion_values(getattr(product, "own_promotion", None))
            yield writer.writerow(_cell(name, product, own) for name in COLUMNS.values())


def _cell(name: str, product: Product, own: Mapping[str, Any]) -> str:
    if name == "category":
        return product.category.slug
    if name == "picked_similar":
        return " ".join(str(row.pk) for row in product.picked_similar.all())
    value = own[name] if name in own else getattr(product, TEXT_SOURCES.get(name, name))
    if value is None:
        return ""
    if isinstance(value, bool):
        return "oui" if value else "non"
    if isinstance(value, Decimal):
        return f"{value:f}".replace(".", ",")
    text = str(value)
    return f"'{text}" if text.startswith((*_FORMULA, "'")) else text


def _read(text: str) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The fields of a file and its lines, numbered as a spreadsheet does. Empty columns at the end are none, and empty
    cells there may be left out, as Excel does. Raises `Problem` (400 `invalid`)."""
    text = text.removeprefix("\ufeff")
    first = next(iter(text.splitlines(keepends=True)), "")
    if first.rstrip("\r\n").lower() in _DELIMITER_LINES:
        text = text.removeprefix(first)
        first = next(iter(text.splitlines()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise _refusal(_("Ce fichier n'est pas un fichier CSV lisible.")) from error
    header = [name.strip() for name in rows[0]] if rows else []
    while header and not header[-1]:
        header.pop()
    fields = [COLUMNS.get(name.lower(), name) for name in header]
    unknown = [name for name, field in zip(header, fields, strict=True) if field not in _HEADERS]
    if unknown:
        raise _refusal(_("Colonnes inconnues\u00a0: %(names)s.") % {"names": ", ".join(unknown[:10])})
    if len(set(fields)) != len(fields):
        raise _refusal(_("Une colonne est là deux fois."))
    if not {_NUMBER, _REFERENCE} & set(fields):
        raise _refusal(_("Il faut une colonne «\u00a0numéro\u00a0» ou «\u00a0référence externe\u00a0»."))
    found = []
    for number, cells in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(fields) :]):
            raise _refusal(_("La ligne %(line)d a plus de cases que la première.") % {"line": number})
        found.append((number, dict(zip_longest(fields, cells[: len(fields)], fillvalue=""))))
    if not found:
        raise _refusal(_("Ce fichier ne contient aucun produit."))
    if len(found) > MOST_LINES:
        raise _refusal(
            _("Ce fichier a plus de %(count)d lignes\u00a0: importez-le en plusieurs fois.")
            % {"count": MOST_LINES}
        )
    return [name for name in fields if name != _NUMBER], found


def _refusal(message: str) -> Problem:
    return Problem("invalid", message, errors={"csv": [message]})


class _Categories(dict[str, Any]):
    """Categories by what a file calls them, each looked up once; a text that names none stays itself."""

    def __missing__(self, text: str) -> Any:
        field = AdminProductSerializer().fields["category"]
        try:
            found: Category | str = field.to_internal_value(text)
        except serializers.ValidationError:
            found = text
        self[text] = found.pk if isinstance(found, Model) else text
        return self[text]


def _line(number: int, cells: Mapping[str, str], categories: _Categories) -> FileLine:
    errors: dict[str, list[str]] = {}
    data: dict[str, Any] = {}
    for name, cell in cells.items():
        # A line break in a cell is whatever the program that saved the file writes.
        text = cell.strip().replace("\r\n", "\n").replace("\r", "\n")
        if text.startswith("'") and text[1:].startswith((*_FORMULA, "'")):
            text = text[1:]
        if name in _FLAGS:
            if text.lower() not in _YES | _NO:
                errors[name] = [_("Écrivez «\u00a0oui\u00a0» ou «\u00a0non\u00a0».")]
            else:
                data[name] = text.lower() in _YES
        elif name in _AMOUNTS:
            data[name] = text.replace(",", ".") or None
        elif name == "picked_similar":
            data[name] = text.split()
        elif name == "category":
            data[name] = categories[text]
        elif name in _SLUGS and not text:
            # A product keeps its address; a new one is given that of its name.
            continue
        elif name in TEXT_SOURCES or name in _BLANKS or name == "promotion_type":
            data[name] = text
        else:
            data[name] = text or None
    key, reference = data.pop(_NUMBER, None), data.pop(_REFERENCE, None) or ""
    product_id = read_key(key or "")
    if key and product_id is None:
        errors[_NUMBER] = [_("Ce n'est pas un numéro.")]
    if _REFERENCE in cells:
        data[_REFERENCE] = reference
    form = AdminProductSerializer(data=data, partial=True)
    if not form.is_valid():
        errors |= {
            name: [str(message) for message in messages] if isinstance(messages, list) else [str(messages)]
            for name, messages in form.errors.items()
        }
    name = data.get("name") or ""
    values = {} if errors else values_of(form)
    values.pop(_REFERENCE, None)
    if product_id is not None and _REFERENCE in cells and not reference and not errors:
        values[_REFERENCE] = None
    return FileLine(number, product_id, reference, name, values, errors)


def _column_name(field: str) -> str:
    """What the file calls a field; one that the product's formats refuse has the name it has in their form."""
    if field == "price_adjustment":
        return _("écart de prix (€)")
    names = {source: text for text, source in TEXT_SOURCES.items()}
    name = names.get(field, field)
    return _HEADERS.get(name) or column_label(name)
