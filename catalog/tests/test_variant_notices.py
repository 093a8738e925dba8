"""Notices of one variant of a piece: sent when that very variant is back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.models import Notice, Variant
from catalog.selectors.staff_variants import variant_grid
from catalog.services.notices import ask_notice, confirm_notice, send_due_notices, stop_notices
from catalog.services.products import delete_variation
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_finish_category,
    make_product,
    make_variation,
    variant_of,
)
from catalog.tests.notices import CHECK, mails
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def painted() -> Variant:
    """Sold out, while the unpainted one of the same piece is made to order."""
    product = make_product(
        "Lame", "129.00", category=make_finish_category(), painted_price="129.00", unpainted_price="62.00"
    )
    return change_variant(variant_of(product, finish="painted"), stock_quantity=0)


def test_a_variants_mail_is_sent_when_that_variant_is_back(painted):
    product = painted.product
    ask_notice(email="a@example.com", language="en", product_id=product.pk, variant_id=painted.pk)
    notice = Notice.objects.get()
    confirm_notice(key=notice.token)
    # The raw print is there, and was all the time.
    assert send_due_notices() == 0
    change_variant(variant_of(product, finish="unpainted"), stock_quantity=3)
    assert send_due_notices() == 0
    change_product(product, stock_quantity=5)
    assert send_due_notices() == 0
    change_variant(painted, stock_quantity=1)
    assert (send_due_notices(), send_due_notices()) == (1, 0)
    mail = OutgoingMail.objects.get(kind="notice_available")
    assert (mail.context["name"], mail.context["url"]) == (
        "Lame (Painted)",
        f"http://localhost:8000/en/product/{product.pk}-lame?finition=painted",
    )
    assert "Lame (Painted)" in render(mail).subject


@pytest.mark.parametrize("change", [{"in_stock": False}, {"is_published": False}])
def test_a_variant_of_a_product_that_is_off_sale_is_not_back(painted, change):
    ask_notice(email="a@example.com", language="fr", product_id=painted.product_id, variant_id=painted.pk)
    confirm_notice(key=Notice.objects.get().token)
    change_variant(painted, stock_quantity=4)
    change_product(painted.product, **change)
    assert send_due_notices() == 0
    assert Notice.objects.get().sent_at is None


def test_a_variant_whose_finish_is_no_longer_on_sale_is_not_back(painted):
    ask_notice(email="a@example.com", language="fr", product_id=painted.product_id, variant_id=painted.pk)
    confirm_notice(key=Notice.objects.get().token)
    change_product(painted.product, painted_price=None)
    change_variant(painted, stock_quantity=4)
    assert send_due_notices() == 0


def test_wishes_for_a_piece_and_for_its_variants_are_each_made_once(client, painted):
    raw = variant_of(painted.product, finish="unpainted")
    for variant in (None, painted, raw, None, painted):
        body = {"email": "a@example.com", "product_id": painted.product_id}
        if variant is not None:
            body["variant_id"] = variant.pk
        response = client.post("/api/notify", body, content_type="application/json")
        assert (response.status_code, response.json()) == (202, {"detail": CHECK})
    assert list(Notice.objects.order_by("pk").values_list("product", "variant")) == [
        (painted.product_id, None),
        (painted.product_id, painted.pk),
        (painted.product_id, raw.pk),
    ]
    assert mails() == [("notice_confirm", "a@example.com")] * 3


@pytest.mark.parametrize("chosen", ["foreign", 999_999_999, 2**63, "x"])
def test_a_variant_of_another_piece_can_not_be_asked_for(client, painted, chosen):
    other = make_product("Golem")
    body = {
        "email": "a@example.com",
        "product_id": painted.product_id,
        "variant_id": variant_of(other).pk if chosen == "foreign" else chosen,
    }
    response = client.post("/api/notify", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert list(response.json()["errors"]) == ["variant_id"]
    assert (Notice.objects.count(), mails()) == (0, [])


def test_the_form_of_a_choice_comes_back_with_it_and_leads_back_to_it(client, painted):
    sent = {"email": "nobody", "product_id": painted.product_id, "variant_id": painted.pk}
    response = client.post("/avis/demander", sent)
    html = response.content.decode()
    assert response.status_code == 400
    assert f'<input type="hidden" name="variant_id" value="{painted.pk}">' in html
    assert response.context["back"] == f"/produit/{painted.product_id}-lame?finition=painted"
    assert client.post("/avis/demander", {**sent, "email": "a@example.com"}).status_code == 303
    assert Notice.objects.get().variant == painted


def test_a_notice_dies_with_its_variant():
    product = make_product()
    small = make_variation(product, in_stock=False)
    ask_notice(
        email="a@example.com",
        language="fr",
        product_id=product.pk,
        variant_id=variant_of(product, small).pk,
    )
    small.delete()
    assert not Notice.objects.exists()


@pytest.mark.parametrize("is_published", [True, False])
def test_who_waits_for_a_format_that_is_removed_is_told_once(is_published):
    product = make_product("Lame", "129.00", category=make_finish_category(), painted_price="129.00")
    change_product(product, unpainted_price=Decimal("69.00"))
    make_variation(product, "18 cm")
    large = make_variation(product, "30 cm", in_stock=False)
    rows = [variant_of(product, large, finish) for finish in ("painted", "unpainted")]

    def ask(email: str, variant: Variant | None, *, confirmed: bool = True) -> None:
        ask_notice(
            email=email,
            language="de",
            product_id=product.pk,
            variant_id=None if variant is None else variant.pk,
        )
        if confirmed:
            confirm_notice(key=Notice.objects.get(email=email, variant=variant).token)

    for row in rows:
        ask("a@example.com", row)
    ask("b@example.com", rows[0])
    ask("b@example.com", None)
    ask("c@example.com", rows[1], confirmed=False)
    change_product(product, is_published=is_published)
    assert {row.pk: count for row, count in zip(rows, (2, 1), strict=True)}.items() <= (
        variant_grid(product.pk).waiting.items()
    )
    before = OutgoingMail.objects.count()
    delete_variation(variation=large)
    [mail] = OutgoingMail.objects.order_by("pk")[before:]
    assert (mail.to, mail.kind, mail.context["is_gone"]) == ("a@example.com", "notice_available", True)
    assert mail.context["url"] == (
        f"http://localhost:8000/de/produkt/{product.pk}-lame" if is_published else ""
    )
    drawn = render(mail)
    assert drawn.subject == "Nicht mehr im Angebot: Lame (30 cm · Bemalt)"
    assert ("Zum Stück" in drawn.text) == is_published
    left = Notice.objects.order_by("email")
    assert [(row.email, row.product_id, row.variant_id, row.sent_at is None) for row in left] == [
        ("a@example.com", product.pk, None, False),
        ("b@example.com", product.pk, None, True),
    ]
    key = mail.context["unsubscribe_url"].partition("cle=")[2]
    assert (stop_notices(key=key), Notice.objects.get().email) == (True, "b@example.com")


def test_who_waited_before_there_were_formats_is_told_of_the_first_in_that_finish(painted):
    """It is the piece that they waited for."""
    product = painted.product
    ask_notice(email="a@example.com", language="fr", product_id=product.pk, variant_id=painted.pk)
    confirm_notice(key=Notice.objects.get().token)
    format_ = make_variation(product, "18 cm")
    assert send_due_notices() == 0
    change_variant(variant_of(product, format_, "painted"), stock_quantity=2)
    assert send_due_notices() == 1
    assert OutgoingMail.objects.get(kind="notice_available").context["name"] == "Lame (18 cm · Peint)"


def test_who_waited_before_there_were_finishes_is_told_of_any():
    product = make_product("Lame", "129.00", category=make_finish_category(), stock_quantity=0)
    ask_notice(email="a@example.com", language="fr", product_id=product.pk, variant_id=variant_of(product).pk)
    confirm_notice(key=Notice.objects.get().token)
    change_product(product, painted_price=Decimal("129.00"), unpainted_price=Decimal("69.00"))
    assert send_due_notices() == 0
    change_variant(variant_of(product, finish="unpainted"), stock_quantity=1)
    assert send_due_notices() == 1
