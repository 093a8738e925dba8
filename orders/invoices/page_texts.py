"""An invoice as it is read: every text ready to print, in the document's language, from its frozen content."""

from datetime import date
from decimal import Decimal
from typing import Any

from babel.numbers import format_decimal
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from orders.invoices.tax import tax_rates
from orders.pricing.vat import Treatment
from shop.core.dates import day_in_words
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.money import format_amount

_NARROW_SPACE, _SPACE = "\u202f", "\u00a0"


def page_texts(data: dict[str, Any]) -> dict[str, Any]:
    """Return what `invoice.typ` reads. Values are texts, lists of texts, or empty when there is nothing to print."""
    language = data["language"]
    with translation.override(language):
        return {
            "language": language,
            "title": _title(data),
            "french_title": "" if language == SOURCE_LANGUAGE else _in_french(data),
            "number": data["number"],
            "shop_name": data["seller"]["shop_name"],
            "specimen": _("Démonstration : document sans valeur")
            if data["seller"]["is_demonstration"]
            else "",
            "facts": _facts(data),
            "seller": _seller(data["seller"]),
            "customer": _customer(data["customer"]),
            "columns": [_("Désignation"), _("Quantité"), _("Prix unitaire"), _("Total")],
            "lines": [_line(data, index) for index in range(len(data["lines"]))],
            "totals": _totals(data),
            "total": [
                _("Total crédité") if data["kind"] == "credit_note" else _("Total"),
                _amount(data, "total"),
            ],
            "panel": _panel(data),
            "calendar": _calendar(data),
            "remarks": _remarks(data),
            "mentions": [_mention(mention) for mention in data["mentions"] if _is_printed(mention)],
            "footer": _footer(data["seller"]),
            "page": _("Page"),
            "author": data["seller"]["name"] or data["seller"]["shop_name"],
            "day": data["issued_on"],
        }


def _title(data: dict[str, Any]) -> str:
    if data["kind"] == "contract":
        return _("Contrat de vente")
    return _("Avoir") if data["kind"] == "credit_note" else _("Facture")


def _in_french(data: dict[str, Any]) -> str:
    with translation.override(SOURCE_LANGUAGE):
        return _title(data)


def _facts(data: dict[str, Any]) -> list[list[str]]:
    if data["kind"] == "contract":
        return [
            [_("Commande"), data["number"]],
            [_("Date de commande"), _day(data, data["order"]["placed_on"])],
            [_("Conclu le"), _day(data, data["issued_on"])],
            [_("Livraison au plus tard le"), _day(data, data["delivery"]["promised_by"])],
            [_("Facture"), data["invoice"]],
        ]
    facts = [
        [_("Numéro"), data["number"]],
        [_("Date d'émission"), _day(data, data["issued_on"])],
        [_("Référence de commande"), data["order"]["invoice_reference"]],
    ]
    delivery = data["delivery"]
    if data.get("is_paid_copy"):
        facts.append([_("Copie acquittée"), _day(data, data["payment"]["paid_on"])])
    if "credits" in data:
        facts.append([_("Facture créditée"), data["credits"]["number"]])
        facts.append([_("Émise le"), _day(data, data["credits"]["issued_on"])])
        return facts
    facts.append([_("Date de commande"), _day(data, data["order"]["placed_on"])])
    if delivery["delivered_on"]:
        facts.append([_("Livrée le"), _day(data, delivery["delivered_on"])])
    else:
        facts.append([_("Livraison au plus tard le"), _day(data, delivery["promised_by"])])
    return facts


def _seller(seller: dict[str, Any]) -> dict[str, Any]:
    lines = [seller["name"], *seller["address_lines"]]
    if seller["siret"]:
        lines.append(f"SIREN {_grouped(seller['siren'])} · SIRET {_grouped(seller['siret'])}")
    if seller.get("vat_number"):
        lines.append(_("N° de TVA %(number)s") % {"number": seller["vat_number"]})
    if seller["oss_number"]:
        lines.append(_("N° OSS %(number)s") % {"number": seller["oss_number"]})
    return {
        "label": _("Vendeur"),
        "name": seller["shop_name"],
        "lines": [*filter(None, [*lines, " · ".join(filter(None, [seller["email"], seller["phone"]]))])],
    }


def _customer(customer: dict[str, Any]) -> dict[str, Any]:
    return {
        "label": _("Client"),
        "name": customer["name"],
        "lines": [*customer["address_lines"], *_registers(customer), customer["email"]],
    }


def _registers(customer: dict[str, Any]) -> list[str]:
    """A company's numbers. Documents from before them have none."""
    numbers = [
        f"SIREN {_grouped(customer['siren'])}" if customer.get("siren") else "",
        f"SIRET {_grouped(customer['siret'])}" if customer.get("siret") else "",
        _("N° TVA %(number)s") % {"number": customer["vat_id"]} if customer.get("vat_id") else "",
    ]
    line = " · ".join(filter(None, numbers))
    return [line] if line else []


def _line(data: dict[str, Any], index: int) -> dict[str, Any]:
    line = data["lines"][index]
    details = [line["detail"], _("Réf. %(sku)s") % {"sku": line["sku"]} if line["sku"] else ""]
    customs = [
        _("Code SH %(code)s") % {"code": line["hs_code"]} if line["hs_code"] else "",
        _("Origine %(country)s") % {"country": line["origin"]} if line["origin"] else "",
    ]
    if data["tax"]["treatment"] != "export":
        customs = []
    net = data["tax"].get("line_nets")
    without_vat = _("Hors TVA%(colon)s %(amount)s") % {
        "colon": _SPACE + ":" if data["language"] == "fr" else ":",
        "amount": _money(net[index], data),
    } if net else ""  # fmt: skip
    offered = ""
    if line["free_quantity"]:
        offered = ngettext("%(count)d unité offerte", "%(count)d unités offertes", line["free_quantity"]) % {
            "count": line["free_quantity"]
        }
    elif Decimal(line["discount"]):
        offered = _("Remise")
    gross = Decimal(line["unit_price"]) * line["quantity"]
    return {
        "name": line["name"],
        "detail": " · ".join(filter(None, details)),
        "small": " · ".join(filter(None, [*customs, without_vat])),
        # Documents from before it have none.
        "explanation": line.get("explanation", "").replace(_NARROW_SPACE, _SPACE),
        "quantity": str(line["quantity"]),
        "unit_price": _money(line["unit_price"], data),
        "total": _money(gross, data),
        "offered": offered,
        "discount": _money(-Decimal(line["discount"]), data) if offered else "",
    }


def _totals(data: dict[str, Any]) -> list[list[str]]:
    rows = []
    if Decimal(data.get("promotion_savings", "0")):
        rows.append([_("Total avant promotions"), _amount(data, "original_total")])
        rows.append([_("Promotions"), _money(-Decimal(data["promotion_savings"]), data)])
    rows.append([_("Sous-total"), _amount(data, "subtotal")])
    if Decimal(data["shipping"]) or data["kind"] != "credit_note":
        rows.append(
            [_("Livraison"), _amount(data, "shipping") if Decimal(data["shipping"]) else _("Offerte")]
        )
    tax = data["tax"]
    if Treatment(tax["treatment"]).is_taxed:
        rows.append([_("Total hors TVA"), _money(tax["net"], data)])
        for rate in tax_rates(tax):
            percent = format_decimal(rate.percent, locale=data["language"])
            rows.append([_("TVA %(percent)s %%") % {"percent": percent}, _money(rate.vat, data)])
    return rows


def _panel(data: dict[str, Any]) -> list[str]:
    """The sentence that matters most: paid, or what is still due, or what went back."""
    if data["kind"] == "credit_note":
        refund = data["refund"]
        if refund["refunded_on"]:
            return [
                _("Remboursé le %(day)s") % {"day": _day(data, refund["refunded_on"])},
                _money(refund["refunded"], data),
            ]
        if taken := _taken_back(refund):
            return [_("Repris par votre banque"), _money(taken, data)]
        if Decimal(refund["voided"]):
            return [_("Échéances annulées"), _money(refund["voided"], data)]
        return [_("Facture annulée et remplacée"), _amount(data, "total")]
    payment = data["payment"]
    if payment["paid_on"]:
        return [
            _("Payée le %(day)s") % {"day": _day(data, payment["paid_on"])},
            _money(payment["paid"], data),
        ]
    return [_("Reste à prélever"), _money(payment["due"], data)]


def _calendar(data: dict[str, Any]) -> dict[str, Any]:
    """The installments, or nothing for what was paid at once."""
    parts = data.get("payment", {}).get("calendar", [])
    if len(parts) < 2:
        return {}
    return {
        "title": _("Échéancier, sans frais"),
        "columns": [_("Échéance"), _("Date"), _("Montant"), _("État")],
        "rows": [
            [
                f"{part['position']} / {len(parts)}",
                _day(data, part["due_on"]),
                _money(part["amount"], data),
                _("payée le %(day)s") % {"day": _day(data, part["paid_on"])}
                if part["paid_on"]
                else _("à venir"),
            ]
            for part in parts
        ],
    }


def _remarks(data: dict[str, Any]) -> list[list[str]]:
    remarks = []
    ship_to = data["delivery"].get("ship_to")
    if data["kind"] == "contract":
        remarks.append([_("Adresse de livraison"), ", ".join(data["delivery_address"])])
        if data["order_notes"]:
            remarks.append([_("Votre message"), data["order_notes"]])
    elif ship_to:
        remarks.append([_("Livrée à"), ", ".join([ship_to["name"], *ship_to["address_lines"]])])
    if data.get("reason"):
        remarks.append([_("Motif"), data["reason"]])
    refund = data.get("refund", {})
    if refund.get("refunded_on") and (taken := _taken_back(refund)):
        remarks.append([_("Repris par votre banque"), _money(taken, data)])
    if (refund.get("refunded_on") or _taken_back(refund)) and Decimal(refund["voided"]):
        remarks.append([_("Échéances annulées"), _money(refund["voided"], data)])
    if credited := Decimal(data.get("payment", {}).get("credited", "0")):
        remarks.append([_("Échéances annulées"), _money(credited, data)])
    replaces = data.get("replaces")
    if replaces:
        text = _("Remplace la facture %(number)s du %(day)s, annulée par l'avoir %(credit_note)s.") % {
            "number": replaces["number"],
            "day": _day(data, replaces["issued_on"]),
            "credit_note": replaces["credit_note"],
        }
        remarks.append([_("Facture rectifiée"), f"{text} {replaces['reason']}".strip()])
    if data["notes"]:
        remarks.append([_("Note"), data["notes"]])
    return remarks


def _taken_back(refund: dict[str, str]) -> Decimal:
    # Documents from before it have none.
    return Decimal(refund.get("taken_back", "0"))


def _mention(mention: dict[str, str]) -> list[str]:
    return [mention["text"], mention["fr"] if mention["fr"] != mention["text"] else ""]


def _is_printed(mention: dict[str, str]) -> bool:
    """« Payée le … » is in the panel already; in another language its French form is added to the mentions."""
    return mention["name"] != "paid" or mention["fr"] != mention["text"]


def _footer(seller: dict[str, Any]) -> str:
    parts = [
        seller["name"] or seller["shop_name"],
        f"SIRET {_grouped(seller['siret'])}" if seller["siret"] else "",
    ]
    return " · ".join(filter(None, [*parts, seller["site"].removeprefix("https://").removeprefix("http://")]))


def _amount(data: dict[str, Any], name: str) -> str:
    return _money(data[name], data)


def _money(value: str | Decimal, data: dict[str, Any]) -> str:
    text = format_amount(Decimal(value), data["language"])
    # The typefaces have no narrow no-break space and a true minus sign.
    return text.replace(_NARROW_SPACE, _SPACE).replace("-", "\u2212")


def _day(data: dict[str, Any], day: str) -> str:
    with translation.override(data["language"]):
        return day_in_words(date.fromisoformat(day))


def _grouped(digits: str) -> str:
    """123 456 789 00012, as French registers are read."""
    head = [digits[at : at + 3] for at in range(0, min(9, len(digits)), 3)]
    return _SPACE.join(filter(None, [*head, digits[9:]]))
