"""Products for staff by calls: copies, the archive and the trash."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from catalog.models import PricePoint, Product, ProductImage, ProductVariation, SearchEntry
from catalog.services import product_removal
from catalog.services.media import delete_product_image, remove_retired_files
from catalog.services.product_copies import duplicate_product
from catalog.services.product_removal import purge_trash
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)
from catalog.tests.staff import PRODUCTS, names, send
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_copy_has_texts_prices_and_formats_and_nothing_of_its_own(admin):
    product = make_product(
        "Ours", price="40.00", name_en="Bear", external_id="ours-1", stock_quantity=3, featured=True,
        category=make_finish_category(offers_formats=True), painted_price="40.00", unpainted_price="30.00",
        promotion_active=True, promotion_type="buy_2_get_1",
    )  # fmt: skip
    large = make_variation(product, "Grand", price_adjustment="20.00", is_default=True)
    change_variant(
        variant_of(product, large, "painted"), price=Decimal("75.00"), sku="OUR-G", stock_quantity=2
    )
    make_image(product)
    answer = send(admin, "post", f"/{product.pk}/duplicate")
    assert answer.status_code == 201, answer.json()
    copy = answer.json()
    assert (copy["name"], copy["name_en"], copy["slug"]) == ("Ours (copie)", "Bear (copy)", "ours-copie")
    assert (copy["is_published"], copy["featured"], copy["external_id"], copy["stock_quantity"]) == (
        False,
        False,
        None,
        0,
    )
    assert (copy["price_from"], copy["price_to"], copy["promotion_type"], copy["images"]) == (
        "50.00",
        "75.00",
        None,
        [],
    )
    of_format = [row for row in copy["variants"] if row["variation_id"]]
    assert [(row["label"], row["price"], row["sku"], row["stock_quantity"]) for row in of_format] == [
        ("Grand · Peint", "75.00", "", 0),
        ("Grand · Non peint", None, "", None),
    ]
    assert send(admin, "patch", f"/{copy['id']}", {"is_published": True}).status_code == 200
    # One point an offer: a copy never cost anything else.
    amounts = PricePoint.objects.filter(product_id=copy["id"]).exclude(variation=None).order_by("finish")
    assert [(point.finish, point.amount) for point in amounts] == [
        ("painted", Decimal("75.00")),
        ("unpainted", Decimal("50.00")),
    ]


def test_copy_of_a_long_name_without_a_number_of_units(admin):
    """What is made to order is so as a copy too, and shows the same pieces beside it."""
    product = make_product("O" * 160)
    lynx = make_product("Lynx")
    product.picked_similar.add(lynx)
    copy = send(admin, "post", f"/{product.pk}/duplicate").json()
    assert (copy["name"], copy["stock_quantity"]) == ("O" * 152 + " (copie)", None)
    assert list(Product.objects.get(pk=copy["id"]).picked_similar.all()) == [lynx]
    entry = AuditEntry.objects.get(action="product.added", subject_id=str(copy["id"]))
    assert entry.after == {"name": copy["name"], "copy_of": product.pk}


def test_product_a_copy_and_a_format_are_made_once_by_calls_of_one_key(admin):
    category = make_category()
    fields = {"name": "Ours", "price": "40.00", "category": category.slug}
    for path, body, other in (
        ("", fields, {**fields, "name": "Ourse"}),
        ("/{pk}/duplicate", {}, {"with_photos": True}),
        ("/{pk}/variations", {"name": "Petit"}, {"name": "Grand"}),
    ):
        path = path.format(pk=Product.objects.order_by("pk").values_list("pk", flat=True).first())
        key = {"idempotency-key": f"key of {path}"}
        first = send(admin, "post", path, body, headers=key)
        again = send(admin, "post", path, body, headers=key)
        refused = send(admin, "post", path, other, headers=key)
        assert (first.status_code, again.status_code, refused.status_code) == (201, 201, 422)
        assert again.json()["id"] == first.json()["id"]
        assert refused.json()["code"] == "idempotency_mismatch"
    assert list(Product.objects.order_by("pk").values_list("name_fr", flat=True)) == ["Ours", "Ours (copie)"]
    assert ProductVariation.objects.count() == 1
    # Without a key each press makes one.
    for _press in range(2):
        send(admin, "post", path.replace("/variations", "/duplicate"))
    assert Product.objects.count() == 4
    send(admin, "post", path, {"name": "Grand"})
    assert ProductVariation.objects.filter(product__name_fr="Ours").count() == 2


def test_photos_of_a_copy_outlive_those_of_the_first(admin, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    product = make_product("Ours")
    large = make_variation(product, "Grand")
    name = default_storage.save("products/a.jpg", ContentFile(b"photo"))
    first = make_image(product, file=name, alt="Face", variation=large, focus_x=20, focus_y=30)
    answer = send(admin, "post", f"/{product.pk}/duplicate", {"with_photos": True})
    photo = ProductImage.objects.get(product_id=answer.json()["id"])
    assert (photo.file.name, photo.alt, photo.focus_x, photo.derivatives) == (
        name,
        "Face",
        20,
        first.derivatives,
    )
    assert (photo.variation.name, photo.variation.product_id) == ("Grand", photo.product_id)
    week = timezone.now() + timedelta(days=7)
    delete_product_image(image=first)
    assert (remove_retired_files(now=week), default_storage.exists(name)) == (0, True)
    delete_product_image(image=photo)
    assert (remove_retired_files(now=week), default_storage.exists(name)) == (2, False)


def test_a_part_shown_of_a_copied_photo_keeps_the_whole_one(admin, settings, tmp_path):
    """The whole picture is another file than the one on show."""
    settings.MEDIA_ROOT = tmp_path
    whole = default_storage.save("products/whole.jpg", ContentFile(b"photo"))
    columns = {"file": whole, "width": 10, "height": 10, "colour": "", "derivatives": {}}
    first = make_image(make_product("Ours"), file="products/cut.jpg", crop={"x": 1}, whole=columns)
    duplicate_product(product_id=first.product_id, actor=None, with_photos=True)
    delete_product_image(image=first)
    assert remove_retired_files(now=timezone.now() + timedelta(days=7)) == 0
    assert default_storage.exists(whole)


def gone(client, product: Product) -> bool:
    return client.get(f"/api/products/{product.pk}").status_code == 404


def test_trash_takes_a_product_out_of_the_shop_and_gives_it_back(admin, client):
    product = make_product("Ours")
    assert admin.delete(f"{PRODUCTS}/{product.pk}").status_code == 204
    assert admin.delete(f"{PRODUCTS}/{product.pk}").status_code == 204
    assert gone(client, product)
    assert not SearchEntry.objects.exists()
    assert names(admin.get(PRODUCTS)) == []
    assert names(admin.get(PRODUCTS, {"state": "trashed"})) == ["Ours"]
    answer = send(admin, "patch", f"/{product.pk}", {"price": "1.00"})
    assert (answer.status_code, answer.json()["code"]) == (409, "trashed")
    restored = send(admin, "post", f"/{product.pk}/restore").json()
    assert (restored["is_published"], restored["trashed_at"]) == (True, None)
    assert not gone(client, product)
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == [
        "product.trashed",
        "product.restored",
    ]


def test_archive_survives_the_trash(admin, client):
    product = make_product("Ours")
    assert send(admin, "post", f"/{product.pk}/archive").json()["archived_at"]
    assert gone(client, product)
    assert names(admin.get(PRODUCTS, {"state": "archived"})) == ["Ours"]
    admin.delete(f"{PRODUCTS}/{product.pk}")
    assert send(admin, "post", f"/{product.pk}/restore").json()["is_published"] is False
    assert send(admin, "post", f"/{product.pk}/unarchive").json()["is_published"] is True
    answer = send(admin, "post", f"/{product.pk}/archive")
    refused = send(admin, "patch", f"/{product.pk}", {"is_published": True})
    assert (answer.status_code, refused.status_code) == (200, 400)
    assert Product.objects.get().is_published is False


def test_hidden_product_stays_hidden_after_the_trash(admin):
    product = make_product(is_published=False)
    admin.delete(f"{PRODUCTS}/{product.pk}")
    assert send(admin, "post", f"/{product.pk}/restore").json()["is_published"] is False


def test_trash_is_emptied_after_thirty_days(admin):
    old, young, kept = make_product("Ours"), make_product("Lynx"), make_product("Élan")
    make_image(old)
    for product in (old, young):
        admin.delete(f"{PRODUCTS}/{product.pk}")
    now = timezone.now()
    Product.objects.filter(pk=old.pk).update(trashed_at=now - timedelta(days=30))
    Product.objects.filter(pk=young.pk).update(trashed_at=now - timedelta(days=30) + timedelta(minutes=1))
    assert purge_trash(now=now) == 1
    assert purge_trash(now=now) == 0
    assert set(Product.objects.all()) == {young, kept}
    assert not ProductImage.objects.exists()
    assert PricePoint.objects.filter(product_id=old.pk).exists()
    entry = AuditEntry.objects.get(action="product.deleted")
    assert (entry.actor_id, entry.before["name"]) == (None, "Ours")


def test_only_the_trash_is_deleted_for_ever(admin):
    product, other = make_product(), make_product("Lynx")
    admin.delete(f"{PRODUCTS}/{other.pk}")
    answer = admin.delete(f"{PRODUCTS}/{product.pk}?permanently=true")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_trashed")
    admin.delete(f"{PRODUCTS}/{product.pk}")
    assert admin.delete(f"{PRODUCTS}/{product.pk}?permanently=true").status_code == 204
    assert Product.objects.get() == other
    assert admin.get(f"{PRODUCTS}/{product.pk}").status_code == 404


def test_a_product_that_can_t_be_deleted_keeps_no_other_in_the_trash(admin, fail_first):
    for name in ("Ours", "Lynx"):
        admin.delete(f"{PRODUCTS}/{make_product(name).pk}")
    fail_first(product_removal, "delete_product")
    with pytest.raises(RuntimeError, match="unforeseen"):
        purge_trash(now=timezone.now() + timedelta(days=30))
    assert [product.name for product in Product.objects.all()] == ["Ours"]
