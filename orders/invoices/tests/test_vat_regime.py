"""A seller who becomes liable for VAT: rates by category from that day on, and no sale that can't be declared."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from orders.books.audit import audit_books
from orders.books.days import year
from orders.books.reporting import Reading, Step, report
from orders.invoices import credit_content
from orders.invoices.credit_content import uncredited_of
from orders.invoices.facturx import factur_x
from orders.invoices.page_texts import page_texts
from orders.invoices.tax import against_threshold, is_oss_number_needed, share_by_rate, tax_rates
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import Invoice, Order, Refund, ShippingZone, VatRate
from orders.pricing.vat import Treatment, tax_lines
from orders.tests.books import entries
from orders.tests.factories import make_category, make_order, make_product, pay_order
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

NB = "\u00a0"
LIABLE = {"vat_liable_from": date(2026, 7, 1), "vat_number": "FR83123456789"}
JUNE, JULY = "2026-06-30T12:00:00Z", "2026-07-01T12:00:00Z"


def sell(*lines: tuple[object, int], **fields: str) -> Invoice:
    return pay_order(make_order(*lines, **fields)).invoices.get()


def book_and_figurine() -> tuple[object, object]:
    books = make_category("livres", name="Livres", colour="bust")
    VatRate.objects.create(country="FR", category=books, percent=Decimal("5.50"))
    return make_product("Carnet", price="21.10", category=books), make_product("Golem", price="120.00")


def sell_at_two_rates() -> Invoice:
    """A liable seller's: 21.10 € at 5.5 %, 120.00 € at 20 %, and 14.11 € of delivery."""
    set_shop(**LIABLE)
    book, figurine = book_and_figurine()
    ShippingZone.objects.update(rate=Decimal("14.11"), free_from=None)
    return sell((book, 1), (figurine, 1))


def test_art_293_b_the_regime_begins_on_its_day() -> None:
    set_shop(**LIABLE)
    product = make_product(price="120.00")
    with time_machine.travel(JUNE, tick=False):
        before = sell((product, 1))
    with time_machine.travel(JULY, tick=False):
        after = sell((product, 1))
    assert (before.total, before.vat, before.data["tax"]["treatment"]) == (Decimal("120.00"), 0, "franchise")
    assert before.data["seller"]["vat_number"] == ""
    assert (after.total, after.vat) == (Decimal("120.00"), Decimal("20.00"))
    assert after.data["tax"] == {
        "treatment": "domestic", "percent": "20.00", "net": "100.00", "vat": "20.00", "regime": "liable",
        "line_nets": ["100.00"], "line_percents": ["20.00"], "shipping_net": "0.00",
        "rates": [{"percent": "20.00", "net": "100.00", "vat": "20.00", "shipping_net": "0.00"}],
    }  # fmt: skip
    assert after.data["mentions"][0]["fr"] == f"TVA française au taux de 20{NB}% comprise dans les prix"
    assert "293 B" not in str(after.data)
    assert page_texts(after.data)["totals"][-2:] == [
        ["Total hors TVA", f"100,00{NB}€"], [f"TVA 20{NB}%", f"20,00{NB}€"]
    ]  # fmt: skip
    assert f"N°{NB}de TVA FR83123456789" in page_texts(after.data)["seller"]["lines"]
    assert b">FR83123456789<" in factur_x(after.data)


def test_rates_follow_the_category_and_delivery_follows_the_goods() -> None:
    set_shop(**LIABLE)
    book, figurine = book_and_figurine()
    with time_machine.travel(JULY, tick=False):
        invoice = sell((book, 1), (figurine, 1))
    tax = invoice.data["tax"]
    assert [(rate["percent"], rate["net"], rate["vat"]) for rate in tax["rates"]] == [
        ("20.00", "100.00", "20.00"), ("5.50", "20.00", "1.10")
    ]  # fmt: skip
    assert (tax["percent"], tax["net"], tax["vat"]) == ("0.00", "120.00", "21.10")
    assert invoice.data["mentions"][0]["fr"] == (
        f"TVA française au taux de 20{NB}% / 5,5{NB}% comprise dans les prix"
    )


def test_a_credit_note_bears_the_rates_of_what_it_credits() -> None:
    set_shop(**LIABLE)
    book, figurine = book_and_figurine()
    with time_machine.travel(JULY, tick=False):
        invoice = sell((book, 1), (figurine, 1))
        VatRate.objects.update(percent=Decimal("10.00"))
        gesture = give_back(invoice, "14.11")
        note = give_back(invoice, "18.99", piece="Carnet")
    assert (note.vat, note.data["tax"]["rates"][0]["percent"]) == (Decimal("-0.99"), "5.50")
    # 14.11 € shared out over 120.00 € at 20 % and 21.10 € at 5.5 %: 12.00 and 2.11, of which 2.00 and 0.11 VAT.
    assert [(line["total"], line["percent"]) for line in gesture.data["lines"]] == [
        ("12.00", "20.00"), ("2.11", "5.50")
    ]  # fmt: skip
    assert gesture.vat == Decimal("-2.11")
    # As the movements of its money are: by the note's own rates, and by the invoice's while there is none.
    rates = tax_rates(invoice.data["tax"])
    assert share_by_rate(Decimal("-14.11"), rates) == [Decimal("-12.00"), Decimal("-2.11")]
    Refund.objects.create(
        order=invoice.order, attempt=invoice.order.payments.get().attempts.get(), amount=Decimal("18.99"),
        request=note.refund_request, provider_id="re_1", state="succeeded",
    )  # fmt: skip
    for amount, movement in (("-18.99", "re_1"), ("-14.11", "re_2")):
        entries.book(amount, entries.utc(2026, 7, 3), kind="refund", order=invoice.order, movement=movement)
    lines = {reading: report(year(2026), Step.MONTH, reading) for reading in Reading}
    assert {
        reading: [(line.percent, line.charges, line.returns, line.net, line.vat) for line in found]
        for reading, found in lines.items()
    } == {
        Reading.TRANSACTIONS: [
            (Decimal("5.50"), 1, 2, Decimal("0.00"), Decimal("0.00")),
            (Decimal("20.00"), 1, 1, Decimal("90.00"), Decimal("18.00")),
        ],
        Reading.PAYMENTS: [
            (Decimal("5.50"), 1, 2, Decimal("0.00"), Decimal("0.00")),
            (Decimal("20.00"), 1, 1, Decimal("90.00"), Decimal("18.00")),
        ],
    }


def test_art_242_nonies_a_vat_is_given_back_under_the_number_that_it_was_charged_under() -> None:
    set_shop(**LIABLE, vat_liable_until=date(2026, 7, 31))
    with time_machine.travel("2026-07-31T21:59:59Z", tick=False):
        invoice = sell((make_product(price="120.00"), 1))
    with time_machine.travel("2026-07-31T22:00:00Z", tick=False):
        note = give_back(invoice, "120.00")
        after = sell((make_product(price="120.00"), 1))
    assert (invoice.vat, note.vat, after.vat) == (Decimal("20.00"), Decimal("-20.00"), 0)
    numbers = [document.data["seller"]["vat_number"] for document in (invoice, note, after)]
    assert numbers == ["FR83123456789", "FR83123456789", ""]
    # 22:00 UTC is the first of August where the shop is.
    assert [(line.step, line.treatment, line.total) for line in report(year(2026), Step.DAY)] == [
        ("2026-07-31", "domestic", Decimal("120.00")),
        ("2026-08-01", "domestic", Decimal("-120.00")),
        ("2026-08-01", "franchise", Decimal("120.00")),
    ]
    assert b">FR83123456789<" in factur_x(note.data)


def test_delivery_given_back_with_a_part_of_the_goods_bears_the_rates_that_it_was_charged_at() -> None:
    with time_machine.travel(JULY, tick=False):
        invoice = sell_at_two_rates()
        notes = [
            give_back(invoice, "120.00", piece="Golem"),
            give_back(invoice, "35.21", piece="Carnet", shipping="14.11"),
        ]
    # 14.11 € went with 120.00 € at 20 % and 21.10 € at 5.5 %: 12.00 and 2.11, of which 2.00 and 0.11 VAT.
    assert invoice.vat == Decimal("23.21")
    assert [note.vat for note in notes] == [Decimal("-20.00"), Decimal("-3.21")]
    assert notes[1].data["tax"] == {
        "treatment": "domestic", "percent": "0.00", "net": "32.00", "vat": "3.21", "regime": "liable",
        "line_nets": ["20.00"], "line_percents": ["5.50"], "shipping_net": "12.00",
        "rates": [
            {"percent": "20.00", "net": "10.00", "vat": "2.00", "shipping_net": "10.00"},
            {"percent": "5.50", "net": "22.00", "vat": "1.21", "shipping_net": "2.00"},
        ],
    }  # fmt: skip
    assert [rate["percent"] for rate in notes[0].data["tax"]["rates"]] == ["20.00"]


def test_delivery_given_back_after_a_part_of_the_goods_bears_the_rates_that_it_was_charged_at() -> None:
    with time_machine.travel(JULY, tick=False):
        invoice = sell_at_two_rates()
        give_back(invoice, "120.00", piece="Golem")
        note = give_back(invoice, "14.11", shipping="14.11")
    assert [(line["name"], line["total"], line["percent"]) for line in note.data["lines"]] == [
        ("Livraison", "12.00", "20.00"), ("Livraison", "2.11", "5.50")
    ]  # fmt: skip
    assert note.vat == Decimal("-2.11")


@pytest.mark.parametrize(
    "parts",
    [
        # Amounts alone.
        [("30.00", "", "0.00"), ("30.00", "", "0.00"), ("95.21", "", "0.00")],
        # Delivery in parts, alone and with pieces, of which the last are given back before what it leaves.
        [
            ("5.03", "", "5.03"),
            ("124.04", "Golem", "4.04"),
            ("21.10", "Carnet", "0.00"),
            ("5.04", "", "5.04"),
        ],
        # A gesture for all, then the pieces for what it left of them together.
        [("77.61", "", "0.00"), ("77.60", "Golem", "0.00")],
        # A piece for more than the gesture left at its rate, then the other one with the delivery.
        [("60.00", "", "0.00"), ("85.00", "Golem", "0.00"), ("10.21", "Carnet", "1.11")],
    ],
)
def test_art_272_credit_notes_of_a_whole_sale_give_its_vat_back_at_each_rate(parts) -> None:
    with time_machine.travel(JULY, tick=False):
        invoice = sell_at_two_rates()
        notes = [
            give_back(invoice, amount, piece=piece, shipping=shipping) for amount, piece, shipping in parts
        ]
    sums = defaultdict(lambda: [Decimal("0.00"), Decimal("0.00")])
    for rate in (rate for note in notes for rate in tax_rates(note.data["tax"])):
        sums[rate.percent][0] += rate.net
        sums[rate.percent][1] += rate.vat
    assert sums == {rate.percent: [rate.net, rate.vat] for rate in tax_rates(invoice.data["tax"])}
    assert sum(note.vat for note in notes) == -invoice.vat


def test_art_272_the_audit_finds_what_goes_back_at_a_rate_beyond_what_it_charged(monkeypatch) -> None:
    with time_machine.travel(JULY, tick=False):
        invoice = sell_at_two_rates()
        give_back(invoice, "120.00", piece="Golem")
        assert credit_faults() == []
        # Of 132.00 €, 12.00 are left at 20 %; a note that shares 35.21 € by what was charged gives 29.94 there.
        monkeypatch.setattr(
            credit_content, "uncredited_of", lambda charged, _notes: uncredited_of(charged, [])
        )
        give_back(invoice, "35.21")
    assert credit_faults() == [
        (invoice.number, f"au taux de 20.00{NB}%, reste une base de -14.95 et une TVA de -2.99")
    ]


def credit_faults() -> list[tuple[str, str]]:
    faults = audit_books(timezone.now(), with_provider=False).faults
    return [(fault.subject, fault.detail) for fault in faults if fault.check in ("credit note", "tax")]


def test_money_given_back_beyond_the_sale_has_its_note_all_the_same() -> None:
    with time_machine.travel(JULY, tick=False):
        invoice = sell_at_two_rates()
        give_back(invoice, "155.21")
        note = give_back(invoice, "5.00", piece="Golem")
    # That is a fault of the whole, not of each rate.
    assert credit_faults() == [(invoice.number, "créditée de 160.21 sur 155.21")]
    # By what was charged at each rate, 132.00 € and 23.21 €.
    assert note.total == Decimal("-5.00")
    assert [(rate.percent, rate.total) for rate in tax_rates(note.data["tax"])] == [
        (Decimal("20.00"), Decimal("4.25")), (Decimal("5.50"), Decimal("0.75"))
    ]  # fmt: skip


def test_a_piece_gives_back_at_its_rate_what_a_gesture_left_there() -> None:
    with time_machine.travel(JULY, tick=False):
        invoice = sell_at_two_rates()
        give_back(invoice, "77.61")
        note = give_back(invoice, "77.60", piece="Golem")
    # 77.61 € by 132.00 € at 20 % and 23.21 € at 5.5 % were 66.00 and 11.61.
    assert [(line["name"], line["discount"], line["total"]) for line in note.data["lines"]] == [
        ("Golem", "54.00", "66.00"), ("Geste commercial", "0.00", "11.60")
    ]  # fmt: skip
    assert [(rate.percent, rate.total) for rate in tax_rates(note.data["tax"])] == [
        (Decimal("20.00"), Decimal("66.00")), (Decimal("5.50"), Decimal("11.60"))
    ]  # fmt: skip
    assert b"77.60" in factur_x(note.data)


def test_art_258_a_a_liable_seller_charges_french_vat_below_the_threshold_and_none_outside_the_union() -> (
    None
):
    set_shop(**LIABLE, eu_sales_threshold=Decimal("1000.00"))
    with time_machine.travel(JULY, tick=False):
        below = sell((make_product(price="1200.00"), 1), country="DE")
        beyond = sell((make_product(price="119.00"), 1), country="DE")
        export = sell((make_product(price="100.00"), 1), country="US")
        assert against_threshold(2026)[0] == Decimal("1100.00")
        note = give_back(export, str(export.total))
    assert (below.data["tax"]["treatment"], below.vat) == ("domestic", Decimal("200.00"))
    assert (beyond.data["tax"]["treatment"], beyond.vat) == ("destination", Decimal("19.00"))
    assert (beyond.data["tax"]["regime"], beyond.data["tax"]["beyond"]) == ("liable", "this_year")
    assert (export.data["tax"]["treatment"], export.vat) == ("export", 0)
    # So does what is given back of it: it is no small business's.
    for document in (export, note):
        assert document.data["tax"]["regime"] == "liable"
        assert document.data["mentions"][0]["name"] == "export"
        assert b"VATEX-EU-G" in factur_x(document.data)


def test_a_rate_counts_from_its_day() -> None:
    set_shop(**LIABLE)
    VatRate.objects.create(country="FR", percent=Decimal("21.00"), starts_on=date(2026, 8, 1))
    product = make_product(price="121.00")
    with time_machine.travel("2026-07-31T21:59:00Z", tick=False):
        assert sell((product, 1)).data["tax"]["percent"] == "20.00"
    with time_machine.travel("2026-07-31T22:00:00Z", tick=False):
        assert sell((product, 1)).data["tax"]["percent"] == "21.00"


def test_vat_and_nets_add_up_whatever_is_free() -> None:
    lines = [(Decimal("0.00"), Decimal("20")), (Decimal("0.00"), Decimal("5.5"))]
    tax = tax_lines(Treatment.DOMESTIC, lines, shipping=Decimal("9.99"))
    assert tax.net + tax.vat == Decimal("9.99")
    assert [rate.shipping_net for rate in tax.rates] == [Decimal("8.33"), Decimal("0.00")]


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"vat_liable_from": "2026-07-01"}, "vat_number", "Les factures avec TVA doivent porter votre numéro de TVA."),
        ({"vat_number": "FR1"}, "vat_number", "FR, deux caractères, puis le SIREN."),
        ({"vat_liable_until": "2026-07-01"}, "vat_liable_until", "La fin ne peut pas venir avant le début."),
    ],
)  # fmt: skip
def test_a_regime_without_a_number_or_out_of_order_is_refused(admin_client, sent, field, message) -> None:
    answer = admin_client.post(reverse("staff-settings-tva"), {
        "franchise_ceiling": "85000", "franchise_ceiling_upper": "93500", "eu_sales_threshold": "10000", **sent,
    })  # fmt: skip
    assert message in answer.context["form"].errors[field]
    assert ShopSettings.objects.get().vat_liable_from is None


# --- A sale that can't be declared ---------------------------------------------------------------


def test_art_258_a_a_sale_that_needs_an_oss_number_is_refused_before_it_is_made(run_on_commit) -> None:
    set_shop(oss_number="", eu_sales_threshold=Decimal("1000.00"))
    sell((make_product(price="900.00"), 1), country="DE")
    product = make_product(price="100.01")
    for _again in range(2):
        with pytest.raises(Problem) as refused:
            make_order((product, 1), country="AT")
    assert (refused.value.code, refused.value.status) == ("country_not_served", 400)
    assert str(refused.value.detail) == (
        f"Nous ne pouvons pas vendre dans ce pays pour l'instant{NB}: notre enregistrement à la TVA européenne est en "
        "cours. Votre panier est intact."
    )
    assert Order.objects.count() == 1
    mail = OutgoingMail.objects.get(kind="oss_number_alert")
    assert (mail.context["country"], mail.context["total"]) == ("Autriche", "100.01")
    # France and the Canary Islands go on; so does what stays below the threshold, until it counts as sold.
    sell((product, 1), country="FR")
    make_order((product, 1), country="ES", postal_code="35001")
    last = make_order((make_product(price="100.00"), 1), country="AT")
    with pytest.raises(Problem):
        make_order((make_product(price="50.00"), 1), country="BE")
    # Smaller sales still can be made.
    assert not is_oss_number_needed(timezone.localdate())
    # At the threshold itself nothing exceeds it yet, and every further sale would.
    pay_order(last)
    assert against_threshold(timezone.localdate().year)[0] == Decimal("1000.00")
    assert is_oss_number_needed(timezone.localdate())
    # A registration to come declares nothing that is sold before its day, on which sales go on.
    today = timezone.localdate()
    set_shop(oss_from=today + timedelta(days=1), eu_sales_threshold=Decimal("1000.00"))
    assert is_oss_number_needed(today)
    with pytest.raises(Problem):
        make_order((product, 1), country="AT")
    assert sell((product, 1), country="FR").data["seller"]["oss_number"] == ""
    set_shop(oss_from=today, eu_sales_threshold=Decimal("1000.00"))
    assert not is_oss_number_needed(today)
    invoice = sell((product, 1), country="AT")
    assert invoice.data["tax"]["treatment"] == "destination"
    assert invoice.data["seller"]["oss_number"] == "FR12123456789"


def test_art_258_a_unpaid_sales_of_a_liable_seller_count_without_their_vat() -> None:
    set_shop(**LIABLE, oss_number="", eu_sales_threshold=Decimal("1000.00"))
    with time_machine.travel(JULY, tick=False):
        # 1,200.00 at 20 % are the threshold itself, in what is asked for as in what waits for its payment.
        waiting = make_order((make_product(price="600.00"), 1), country="DE")
        rest = make_product(price="600.00")
        with pytest.raises(Problem):
            make_order((make_product(price="600.01"), 1), country="AT")
        last = make_order((rest, 1), country="AT")
        with pytest.raises(Problem):
            make_order((make_product(price="50.00"), 1), country="BE")
        for order in (waiting, last):
            assert pay_order(order).invoices.get().data["tax"]["treatment"] == "domestic"
        assert against_threshold(2026)[0] == Decimal("1000.00")
        # Books at 5.5 % would count for more: a cart may hold them.
        set_shop(**LIABLE, oss_number="", eu_sales_threshold=Decimal("2000.00"))
        book_and_figurine()
        make_order((make_product(price="1055.00"), 1), country="DE")
        with pytest.raises(Problem):
            make_order((make_product(price="50.00"), 1), country="BE")


def test_a_document_never_names_a_number_that_is_missing() -> None:
    set_shop(oss_number="", eu_sales_threshold=Decimal("1000.00"))
    order = make_order((make_product(price="900.00"), 1), country="DE")
    set_shop(oss_number="", eu_sales_threshold=Decimal("100.00"))
    invoice = pay_order(order).invoices.get()
    assert invoice.data["mentions"][0]["fr"] == (
        f"TVA du pays de livraison (Allemagne) au taux de 19{NB}% comprise dans les prix, art. 258 A du CGI"
    )
