"""What stays of somebody of the team whose account is erased: what they did, under no name and no address."""

from __future__ import annotations

import pytest

from accounts.tests.people import make_admin, make_member
from orders.models import Order, PiecePhoto, WorkPiece
from orders.services.fulfilment.notes import write_note
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.audit import find_audit_entries, record_audit
from shop.pages.models import ContactRequest
from shop.pages.services.contact import reply
from shop.pages.tests.personal_data import erase
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db


def test_what_they_did_is_told_of_an_erased_account_and_not_of_an_address_that_is_none():
    boss, colleague = make_admin(), make_staff()
    order = pay_order(make_order((make_product(is_published=True), 1)))
    asked = ContactRequest.objects.create(
        reference="Z",
        fingerprint="f" * 64,
        kind="question",
        email="zoe@example.com",
        subject="Socle",
        message="?",
        language="fr",
    )
    write_note(order_id=order.pk, text="A appelé.", author=colleague)
    update_status(order_id=order.pk, status="shipped", actor=colleague)
    PiecePhoto.objects.create(
        piece=WorkPiece.objects.get(item__order=order), file="x.jpg", width=1, height=1, author=colleague
    )
    reply(request=asked, text="Ici.", actor=colleague)
    record_audit("order.archived", order, actor=colleague)
    browser = signed_in(boss)
    address = f"/api/admin/orders/{order.pk}"
    assert browser.get(address).json()["staff_notes"][0]["author"] == "atelier@example.com"
    assert "par atelier@example.com" in browser.get(f"/admin/messages/{asked.pk}").content.decode()

    erase(colleague)

    sheet = browser.get(address).json()
    assert sheet["staff_notes"][0]["author"] == "compte supprimé"
    assert [parcel["actor"] for parcel in sheet["shipments"]] == ["compte supprimé"]
    assert sheet["tracking"][0]["actor"] == "compte supprimé"
    assert sheet["pieces"][0]["photos"][0]["author"] == "compte supprimé"
    assert "compte supprimé" in [event["actor"] for event in sheet["events"]]
    assert "par compte supprimé" in browser.get(f"/admin/messages/{asked.pk}").content.decode()
    trail = browser.get("/admin/journal").context["rows"]
    assert f"compte supprimé ({colleague.pk})" in [row["who"] for row in trail]
    pages = (address, f"/admin/messages/{asked.pk}", f"/admin/commandes/{order.pk}", "/admin/journal")
    assert [page for page in pages if "erased.invalid" in browser.get(page).content.decode()] == []


def test_somebody_of_the_team_who_is_blocked_keeps_their_address():
    member = make_member("atelier@example.com")
    member.is_active = False
    assert str(member) == "atelier@example.com"
    record_audit("order.archived", Order(), actor=member)
    member.save()
    assert find_audit_entries()[1] == {member.pk: "atelier@example.com"}
