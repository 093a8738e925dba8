"""The picture of an order's line: of what was bought, and there as long as the order."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from accounts.tests.people import make_admin, make_member
from catalog.models import Product, ProductImage
from catalog.services import media
from catalog.services.products import delete_product
from orders.models import Carrier, Order, OrderItem
from orders.selectors.orders import shown_pictures
from orders.services.checkout import placement
from orders.services.fulfilment.status_changes import change_status
from orders.tests.factories import make_finished_product, make_order, make_seller, pay_order
from orders.tests.memory_provider import MemoryProvider
from shop.core.image_drawing import draw
from shop.core.images import store_image
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def shop(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path / "media"
    make_seller()
    MemoryProvider().install(monkeypatch)


@pytest.fixture
def product() -> Product:
    """Sold painted and unpainted, with a photo of each."""
    return make_finished_product()


def photograph(product: Product, finish: str) -> ProductImage:
    written = BytesIO()
    Image.new("RGB", (500, 400), (200, 30, 30)).save(written, "JPEG")
    image = store_image(image=draw(written.getvalue(), "JPEG"), folder=media.PHOTOS)
    row = media.add_product_image(product=product, image=image, finish=finish)
    media.derive_files(kind="product", pk=row.pk)
    row.refresh_from_db()
    return row


def remove_later() -> int:
    return media.remove_retired_files(now=timezone.now() + timedelta(days=2))


def small(row: ProductImage) -> str:
    return f"{row.file.name[:-4]}-360.jpg"


@pytest.mark.parametrize("finish", ["painted", "unpainted"])
def test_a_line_shows_the_variant_that_was_bought(product, finish):
    photos = {code: photograph(product, code) for code in ("painted", "unpainted")}
    order = make_order((product, 1), finish=finish)
    item = order.items.get()
    assert (item.finish, item.picture.name) == (finish, small(photos[finish]))
    assert item.product_image == f"/media/{small(photos[finish])}"


def test_a_line_of_a_piece_without_photo_has_none(product):
    assert make_order((product, 1)).items.get().product_image == ""


def test_pages_and_mails_of_an_order_show_the_picture_of_a_deleted_product(client, product):
    member = make_member()
    shown, other = photograph(product, "painted"), photograph(product, "unpainted")
    order = pay_order(make_order((product, 1), user=member))
    Order.objects.filter(pk=order.pk).update(user=member)
    delete_product(product=product)
    assert remove_later() == 1
    assert not default_storage.exists(other.file.name)
    client.force_login(member)
    page = client.get(reverse("orders:order", args=[order.pk])).content.decode()
    address = f"/media/{small(shown)}"
    assert f'src="{address}"' in page
    served = client.get(address)
    assert (served.status_code, served.headers["Content-Type"]) == (200, "image/jpeg")
    served.close()
    change_status(
        order_id=order.pk, status="shipped", actor=make_admin(), message="", tracking_number="6A12345678901",
        carrier=Carrier.COLISSIMO,
    )  # fmt: skip
    mail = render(OutgoingMail.objects.filter(kind="order_status").get())
    assert f'src="http://localhost:8000{address}"' in mail.html


def test_the_picture_goes_with_the_last_order_that_shows_it(product):
    photo = photograph(product, "painted")
    orders = [make_order((product, 1)) for _ in range(2)]
    delete_product(product=product)
    for order in orders:
        assert (remove_later(), default_storage.exists(small(photo))) == (0, True)
        OrderItem.objects.filter(order=order).delete()
    assert remove_later() == 1
    assert not default_storage.exists(small(photo))


def test_an_order_placed_while_its_photo_is_deleted_shows_it(product, monkeypatch):
    photo = photograph(product, "painted")
    quote_cart = placement.quote_cart

    def priced_before_the_deletion(*args: Any, **options: Any) -> Any:
        cart = quote_cart(*args, **options)
        media.delete_product_image(image=photo)
        # The round of this very night comes before the order is written.
        media.remove_retired_files(now=timezone.now() + timedelta(hours=1))
        return cart

    monkeypatch.setattr(placement, "quote_cart", priced_before_the_deletion)
    item = make_order((product, 1)).items.get()
    assert item.picture.name == small(photo)
    assert remove_later() == 0
    assert default_storage.exists(small(photo))


@pytest.mark.both_engines
def test_which_files_lines_show_is_one_query(product, django_assert_num_queries):
    photo = photograph(product, "painted")
    make_order((product, 1))
    names = [f"products/{number}.jpg" for number in range(1300)]
    with django_assert_num_queries(1):
        assert shown_pictures([*names, small(photo)]) == {small(photo)}
