"""The PDF: archive and accessibility marks, the data inside, its words in four languages, and any letter."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from pypdf import PdfReader

from orders.invoices.documents import typeset, with_factur_x_metadata
from orders.invoices.facturx import factur_x
from orders.invoices.page_texts import page_texts
from orders.invoices.tests.samples import sample
from orders.pricing.vat import Treatment


def read(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf), strict=True)


def words(pdf: bytes) -> str:
    found = " ".join(page.extract_text() for page in read(pdf).pages)
    return re.sub(r"\s+", " ", found.replace("\u00a0", " "))


def test_it_is_an_archive_page_that_screen_readers_can_read() -> None:
    reader = read(typeset(sample()))
    xmp = reader.xmp_metadata
    assert xmp is not None
    text = reader.trailer["/Root"]["/Metadata"].get_data().decode()
    assert "<pdfaid:part>3</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance>" in text
    assert "<pdfuaid:part>1</pdfuaid:part>" in text
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712 - a PDF object
    assert root["/Lang"] == "fr"
    assert root["/OutputIntents"][0].get_object()["/S"] == "/GTS_PDFA1"
    assert reader.metadata is not None
    assert reader.metadata.title == "Facture F-2026-00042"


def test_every_font_is_embedded() -> None:
    fonts = {}
    for page in read(typeset(sample(lines=3))).pages:
        for font in page["/Resources"]["/Font"].values():
            descriptor = font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"]
            fonts[descriptor["/FontName"]] = any(key.startswith("/FontFile") for key in descriptor)
    assert {name.split("+")[1] for name in fonts} == {
        "Figtree-Regular",
        "Figtree-SemiBold",
        "BricolageGrotesque-Bold",
    }
    assert set(fonts.values()) == {True}


def test_the_data_is_attached_as_the_alternative_of_the_page() -> None:
    data = sample(lines=2)
    reader = read(typeset(data))
    assert reader.attachments == {"factur-x.xml": [factur_x(data)]}
    file = reader.trailer["/Root"]["/AF"][0].get_object()
    assert (file["/AFRelationship"], file["/UF"]) == ("/Alternative", "factur-x.xml")
    assert file["/EF"]["/F"].get_object()["/Subtype"] == "/text/xml"


def test_the_metadata_tells_the_factur_x_profile_and_describe_it() -> None:
    text = read(typeset(sample())).trailer["/Root"]["/Metadata"].get_data().decode()
    for name, value in (
        ("ConformanceLevel", "EN 16931"),
        ("DocumentFileName", "factur-x.xml"),
        ("DocumentType", "INVOICE"),
        ("Version", "1.0"),
    ):
        assert f"<fx:{name}>{value}</fx:{name}>" in text
        assert f"<pdfaProperty:name>{name}</pdfaProperty:name>" in text
    # PDF/A allows one list of extension schemas.
    assert text.count("<pdfaExtension:schemas>") == 1


def test_a_pdf_without_metadata_is_refused() -> None:
    with pytest.raises(ValueError, match="no metadata"):
        with_factur_x_metadata(b"%PDF-1.7\n%%EOF\n")


def test_the_same_content_makes_the_same_bytes() -> None:
    assert typeset(sample(lines=12, offered=True)) == typeset(sample(lines=12, offered=True))


def test_the_page_tells_everything_that_the_law_asks() -> None:
    """Art. 242 nonies A CGI ann. II."""
    found = words(typeset(sample(lines=4, offered=True)))
    for mention in (
        "Facture", "F-2026-00042", "1er décembre 2026", "INV-7C9BE001", "24 décembre 2026", "Camille Fabre EI",
        "14 rue des Tanneurs", "SIREN 123 456 789", "SIRET 123 456 789 00012", "Léa Martin", "3 rue des Carmes",
        "Golem de poche", "39,90 €", "1 unité offerte", "−39,90 €", "Total avant promotions", "Livraison",
        "Payée le 1er décembre 2026", "TVA non applicable, art. 293 B du CGI",
    ):  # fmt: skip
        assert mention in found, mention


@pytest.mark.parametrize(
    ("language", "title", "paid"),
    [
        ("fr", "Facture", "Payée le 1er décembre 2026"),
        ("en", "Invoice", "Paid on 1 December 2026"),
        ("es", "Factura", "Pagada el 1 de diciembre de 2026"),
        ("de", "Rechnung", "Bezahlt am 1. Dezember 2026"),
    ],
)
def test_it_speaks_the_language_of_the_order_and_french(language: str, title: str, paid: str) -> None:
    view = page_texts(sample(language=language))
    assert view["title"] == title
    assert view["french_title"] == ("" if language == "fr" else "Facture")
    assert view["panel"][0] == paid
    found = words(typeset(sample(language=language)))
    assert title in found
    assert "TVA non applicable, art. 293 B du CGI" in found


def test_installments_show_their_calendar() -> None:
    data = sample(lines=2, installments=True)
    view = page_texts(data)
    assert view["panel"] == ["Reste à prélever", "81,14\u00a0€"]
    assert view["calendar"]["rows"] == [
        ["1 / 3", "1er décembre 2026", "40,56\u00a0€", "payée le 1er décembre 2026"],
        ["2 / 3", "31 décembre 2026", "40,57\u00a0€", "à venir"],
        ["3 / 3", "30 janvier 2027", "40,57\u00a0€", "à venir"],
    ]
    assert "Échéancier, sans frais" in words(typeset(data))


def test_a_credit_note_names_the_invoice_and_the_day_the_money_went_back() -> None:
    view = page_texts(sample(kind="credit_note"))
    assert view["title"] == "Avoir"
    assert ["Facture créditée", "F-2026-00040"] in view["facts"]
    assert view["panel"][0] == "Remboursé le 1er décembre 2026"
    assert view["remarks"] == [["Motif", "Retour de la pièce"]]


@pytest.mark.parametrize(
    ("refund", "panel", "remarks"),
    [
        # Money, and what is never debited.
        (
            {"refunded": "10.00", "refunded_on": "2026-12-01", "voided": "39.89"},
            ["Remboursé le 1er décembre 2026", "10,00\u00a0€"],
            [["Échéances annulées", "39,89\u00a0€"]],
        ),
        # A lost dispute, before and after money of the shop's own.
        (
            {"refunded": "0.00", "refunded_on": None, "voided": "0.00", "taken_back": "49.89"},
            ["Repris par votre banque", "49,89\u00a0€"],
            [],
        ),
        (
            {"refunded": "0.00", "refunded_on": None, "voided": "9.89", "taken_back": "40.00"},
            ["Repris par votre banque", "40,00\u00a0€"],
            [["Échéances annulées", "9,89\u00a0€"]],
        ),
        (
            {"refunded": "9.89", "refunded_on": "2026-12-01", "voided": "0.00", "taken_back": "40.00"},
            ["Remboursé le 1er décembre 2026", "9,89\u00a0€"],
            [["Repris par votre banque", "40,00\u00a0€"]],
        ),
        # Nothing was debited yet.
        (
            {"refunded": "0.00", "refunded_on": None, "voided": "49.89", "taken_back": "0.00"},
            ["Échéances annulées", "49,89\u00a0€"],
            [],
        ),
        # The invoice is issued anew.
        (
            {"refunded": "0.00", "refunded_on": None, "voided": "0.00", "taken_back": "0.00"},
            ["Facture annulée et remplacée", "49,89\u00a0€"],
            [],
        ),
    ],
)
def test_a_credit_note_says_how_the_money_comes_back(refund: Any, panel: list[str], remarks: Any) -> None:
    view = page_texts(sample(kind="credit_note") | {"refund": refund})
    assert view["panel"] == panel
    assert view["remarks"] == [["Motif", "Retour de la pièce"], *remarks]


def test_an_invoice_that_is_issued_anew_says_when_the_order_was_delivered() -> None:
    facts = page_texts(sample(delivered_on="2026-11-28"))["facts"]
    assert ["Livrée le", "28 novembre 2026"] in facts
    assert "Livraison au plus tard le" not in dict(facts)
    assert ["Livraison au plus tard le", "24 décembre 2026"] in page_texts(sample())["facts"]


def test_a_share_of_an_offer_is_a_reduction_without_an_offered_unit() -> None:
    data = sample()
    data["lines"][0] |= {"discount": "13.30", "total": "26.60"}
    line = page_texts(data)["lines"][0]
    assert (line["offered"], line["total"]) == ("Remise", "39,90\u00a0€")


def test_vat_of_the_destination_is_shown_and_the_franchise_is_not() -> None:
    data = sample(treatment=Treatment.DESTINATION, country="DE", lines=2)
    data["mentions"] = []
    rows = dict(page_texts(data)["totals"])
    assert rows["Total hors TVA"] == "102,27\u00a0€"
    assert rows["TVA 19\u00a0%"] == "19,43\u00a0€"
    assert "293 B" not in words(typeset(data))


def test_forty_lines_break_over_pages_that_repeat_the_head_of_the_table() -> None:
    reader = read(typeset(sample(lines=40, offered=True)))
    assert len(reader.pages) == 3
    for number, page in enumerate(reader.pages, start=1):
        found = page.extract_text()
        assert "Prix unitaire" in found
        assert f"Page {number} / 3" in found.replace("\u00a0", " ")


@pytest.mark.parametrize("installments", [False, True])
@pytest.mark.parametrize("offered", [False, True])
def test_the_totals_never_stand_alone_on_a_page(installments: bool, offered: bool) -> None:
    for lines in range(1, 18):
        data = sample(lines=lines, offered=offered, installments=installments)
        pages = [page.extract_text() for page in read(typeset(data)).pages]
        (with_totals,) = [page for page in pages if "Sous-total" in page]
        assert with_totals.count("Golem de poche") >= min(lines, 2)
        assert "Prix unitaire" in with_totals
        assert sum(page.count("Golem de poche") for page in pages) == lines


def test_a_word_that_is_wider_than_its_box_goes_on_below() -> None:
    data = sample(customer="N" * 80)
    data["customer"]["address_lines"][0], data["lines"][0]["name"] = "A" * 120, "P" * 160
    printed = words(typeset(data)).replace("\u200b", "").split()
    assert {
        sign: [len(part) for part in printed if part == sign * len(part) and len(part) > 1] for sign in "NAP"
    } == {"N": [36, 36, 8], "A": [36, 36, 36, 12], "P": [36, 36, 36, 36, 16]}


def test_what_was_typed_line_by_line_stays_above_the_foot_of_the_page() -> None:
    data = sample()
    data["notes"] = "\n".join(f"Ligne {number}." for number in range(80))
    heights: dict[str, float] = {}
    for page in read(typeset(data)).pages:
        page.extract_text(visitor_text=lambda text, place, *_rest: heights.update({text.strip(): place[5]}))
    typed = [height for text, height in heights.items() if text.startswith("Ligne")]
    assert len(typed) == 80
    assert min(typed) > 62  # points: the margin, which holds the foot


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Łukasz Żółć", "Łukasz Żółć"),
        ("Ελένη Παππά", "Ελένη Παππά"),
        ("Иван Петров", "Иван Петров"),
        ("山田太郎", "ShanTianTaiLang"),
        ("🎄 Léa", ":christmas_tree: Léa"),
        ("#panic() $x$ *b* @ref \\ <tag>", "#panic() $x$ *b* @ref \\ <tag>"),
        ('"))#panic("\\"', '"))#panic("\\"'),
    ],
)
def test_any_letter_can_be_printed_and_none_is_taken_for_a_command(typed: str, shown: str) -> None:
    pdf = typeset(sample(customer=typed))
    assert shown in words(pdf)
    assert (
        typed.replace("<", "&lt;").replace(">", "&gt;").encode() in read(pdf).attachments["factur-x.xml"][0]
    )
