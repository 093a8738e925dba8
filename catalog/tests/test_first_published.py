"""The newest pieces are those that were first published last, however long they were drafts before."""

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
import time_machine
from django.apps import apps
from django.core.cache import cache
from django.db import connection, transaction
from django.utils import timezone

from catalog.models import Product
from catalog.selectors.cards import NEWEST, featured_cards, similar_cards
from catalog.selectors.listing import find_products, main_catalogue
from catalog.services.product_copies import duplicate_product
from catalog.services.product_removal import (
    archive_products,
    restore_products,
    trash_products,
    unarchive_products,
)
from catalog.tasks import refresh_promotions
from catalog.tests.factories import change_product, make_category, make_image, make_product
from catalog.tests.programs import minimal
from catalog.tests.searching import found
from catalog.tests.staff import send

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def days_ago(days: int):
    return time_machine.travel(timezone.now() - timedelta(days=days), tick=False)


@pytest.fixture
def shown() -> Product:
    """On sale for ten days."""
    with days_ago(10):
        return make_product("Dragon vert", featured=True)


@pytest.fixture
def draft(shown) -> Product:
    """Begun a month ago, before that which is shown."""
    with days_ago(30):
        return make_product("Dragon gris", featured=True, is_published=False)


def orders() -> list[list[str]]:
    """The names in the list of all pieces, in that of a category, at the head of the home page, and in a search."""
    cache.clear()
    category = make_category()
    lists = (find_products(category_ids=keys).products for keys in (main_catalogue(), [category.pk]))
    return [
        *([product.name for product in products] for products in lists),
        [card.name for card in featured_cards(6)],
        found("dragon"),
    ]


def test_a_piece_drafted_long_ago_is_new_when_it_is_published(client, shown, draft):
    assert orders() == [["Dragon vert"]] * 4
    assert draft.published_at is None
    with time_machine.travel(timezone.now(), tick=False):
        published = change_product(draft, is_published=True)
        assert published.published_at == timezone.now()
    assert orders() == [["Dragon gris", "Dragon vert"]] * 4
    assert [row["name"] for row in client.get("/api/products").json()["results"]] == [
        "Dragon gris",
        "Dragon vert",
    ]
    seen = make_product("Ours")
    assert [card.name for card in similar_cards(seen)] == ["Dragon gris", "Dragon vert"]


def test_a_category_shows_its_piece_that_was_published_last(client, shown, draft):
    for piece in (shown, draft):
        make_image(piece)
    change_product(draft, is_published=True)
    [category] = client.get("/produits").context["categories"]
    assert category.image.url == f"/media/products/{draft.pk}-1.jpg"


def hide(pieces: list[int]) -> None:
    for pk in pieces:
        change_product(Product(pk=pk), is_published=False)


def show(pieces: list[int]) -> None:
    for pk in pieces:
        change_product(Product(pk=pk), is_published=True)


@pytest.mark.parametrize(
    ("away", "back"),
    [
        (hide, show),
        (
            lambda keys: archive_products(product_ids=keys, actor=None),
            lambda keys: unarchive_products(product_ids=keys, actor=None),
        ),
        (
            lambda keys: trash_products(product_ids=keys, actor=None),
            lambda keys: restore_products(product_ids=keys, actor=None),
        ),
    ],
    ids=["hidden", "archived", "trashed"],
)
def test_a_piece_that_comes_back_keeps_its_place(shown, away, back):
    make_product("Dragon bleu", featured=True)
    before = orders()
    assert before == [["Dragon bleu", "Dragon vert"]] * 4
    away([shown.pk])
    assert orders() == [["Dragon bleu"]] * 4
    back([shown.pk])
    assert orders() == before
    stored = Product.objects.get(pk=shown.pk)
    assert stored.published_at == shown.published_at == stored.created_at


def test_a_draft_that_comes_back_from_the_trash_was_never_published(draft):
    trash_products(product_ids=[draft.pk], actor=None)
    restore_products(product_ids=[draft.pk], actor=None)
    assert Product.objects.get(pk=draft.pk).published_at is None


def test_a_copy_is_new_when_it_is_published(shown):
    with days_ago(5):
        copy = duplicate_product(product_id=shown.pk, actor=None)
    with days_ago(1):
        make_product("Dragon bleu", featured=True)
    assert copy.published_at is None
    change_product(copy, is_published=True, featured=True)
    assert orders() == [["Dragon vert (copie)", "Dragon bleu", "Dragon vert"]] * 4


@pytest.mark.parametrize(
    "publish",
    [
        lambda admin, pk: send(admin, "patch", f"/{pk}", {"is_published": True}),
        lambda admin, pk: send(
            admin, "post", "/bulk", {"ids": [pk], "action": "update", "fields": {"is_published": True}}
        ),
        lambda admin, pk: send(admin, "post", "/import", {"csv": f"numéro;publié\n{pk};oui\n"}),
    ],
    ids=["form", "several", "file"],
)
def test_whichever_way_staff_publish_it(admin, shown, draft, publish):
    answer = publish(admin, draft.pk)
    assert answer.status_code == 200, answer.json()
    assert orders() == [["Dragon gris", "Dragon vert"]] * 4


def test_a_line_of_a_file_is_new_when_a_file_says_that_it_is_published(admin, shown, draft):
    line = "référence externe;nom;catégorie;prix;publié\nneuf;Dragon neuf;goodies-divers;40;{}\n"
    for published, moment in (("non", None), ("oui", timezone.now())):
        with time_machine.travel(moment or timezone.now(), tick=False):
            answer = send(admin, "post", "/import", {"csv": line.format(published)})
        assert answer.status_code == 200, answer.json()
        assert Product.objects.get(external_id="neuf").published_at == moment


def test_whether_a_program_adds_or_publishes_it(program, shown, draft):
    with days_ago(1):
        answer = program.post(minimal(name="Dragon programmé"))
    assert answer.status_code == 201, answer.json()
    assert found("dragon") == ["Dragon programmé", "Dragon vert"]
    assert program.put(draft.pk, {"is_published": True}).status_code == 200
    assert found("dragon") == ["Dragon gris", "Dragon programmé", "Dragon vert"]


def test_pieces_from_before_keep_their_place_and_drafts_have_none(monkeypatch, shown, draft):
    """A piece that was ever on sale has had a price."""
    with days_ago(20):
        hidden, archived, other = (make_product(name) for name in ("Caché", "Archivé", "Autre"))
    hide([hidden.pk])
    archive_products(product_ids=[archived.pk], actor=None)
    # As the column is added.
    Product.objects.update(published_at=timezone.now())
    migration = import_module("catalog.migrations.0013_fill_published_at")
    # Several batches, the last one not full.
    monkeypatch.setattr(migration, "BATCH", 3)

    migration.fill(apps, SimpleNamespace(connection=connection))

    assert dict(Product.objects.values_list("pk", "published_at")) == {
        draft.pk: None,
        **{row.pk: row.created_at for row in (shown, hidden, archived, other)},
    }


def test_the_version_before_adds_a_piece_that_has_its_place(shown):
    columns = ", ".join(
        field.column
        for field in Product._meta.concrete_fields
        if not field.generated and field.name not in {"id", "published_at"}
    )
    start = timezone.now() - timedelta(seconds=5)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO catalog_product ({columns}) SELECT {columns} FROM catalog_product")
    added = Product.objects.exclude(pk=shown.pk).get()
    assert start < added.published_at < timezone.now() + timedelta(seconds=5)


def test_a_draft_that_the_version_before_publishes_has_its_place_a_minute_later(shown, draft):
    # It knows nothing of the column.
    Product.objects.filter(pk=draft.pk).update(is_published=True)
    with days_ago(0):
        now = timezone.now()
        refresh_promotions(now)
    with days_ago(-1):
        later = make_product("Dragon bleu")
        refresh_promotions(timezone.now())
    assert list(Product.objects.order_by(*NEWEST)) == [later, draft, shown]
    assert Product.objects.get(pk=draft.pk).published_at == now
    assert found("dragon") == ["Dragon bleu", "Dragon gris", "Dragon vert"]


@pytest.mark.parametrize(
    ("index", "condition", "order"),
    [
        ("product_newest", {}, NEWEST),
        ("product_category_newest", {"category": 1}, NEWEST),
        ("product_featured", {"featured": True}, NEWEST),
        ("product_category_available", {"category": 1}, ("-is_available", *NEWEST)),
    ],
)
def test_the_newest_are_read_from_their_index(index, condition, order):
    """In its order: a page of a hundred thousand pieces costs no sort."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A handful of rows would be read and sorted.
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
        rows = Product.objects.filter(is_published=True, **condition).order_by(*order).values("pk")
        plan = rows[:24].explain()
    assert f"{index} " in f"{plan} "
    assert "TEMP B-TREE" not in plan
