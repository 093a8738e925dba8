"""Contents of documents, as issuing writes them, without a database."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from orders.invoices.content import tax_data
from orders.pricing.vat import Treatment, tax_lines, untaxed

FRANCHISE_FR = "TVA non applicable, art. 293 B du CGI"
ZERO = Decimal("0.00")


def sample(
    *,
    kind: str = "invoice",
    language: str = "fr",
    country: str = "FR",
    lines: int = 1,
    offered: bool = False,
    installments: bool = False,
    treatment: Treatment = Treatment.FRANCHISE,
    percent: str = "19.00",
    name: str = "Golem de poche",
    customer: str = "Léa Martin",
    liable: bool = False,
    siren: str = "",
    delivered_on: str | None = None,
) -> dict[str, Any]:
    """A document of `lines` lines at 39.90, 40.90 …; with `offered`, every fourth has a third unit for free.
    Lines bear the rates of `percent` in turn ("20 5.5").
    """
    rows = [_row(index, name, offered and index % 4 == 0, treatment) for index in range(lines)]
    before = sum((Decimal(row["unit_price"]) * row["quantity"] for row in rows), ZERO)
    savings = sum((Decimal(row["discount"]) for row in rows), ZERO)
    subtotal = before - savings
    shipping = ZERO if subtotal >= 50 else Decimal("9.99")
    total = subtotal + shipping
    percents = [Decimal(each) for each in percent.split()]
    tax = (
        tax_lines(
            treatment,
            [(Decimal(row["total"]), percents[index % len(percents)]) for index, row in enumerate(rows)],
            shipping=shipping,
            is_liable=liable,
        )
        if treatment.is_taxed
        else untaxed(treatment, total, is_liable=liable)
    )
    data: dict[str, Any] = {
        "format": 1,
        "kind": kind,
        "number": "F-2026-00042",
        "issued_on": "2026-12-01",
        "language": language,
        "currency": "EUR",
        "order": {
            "id": "6f1f8a52-1d2b-4c33-9a4e-0d5a7c9be001",
            "reference": "7C9BE001",
            "invoice_reference": "INV-7C9BE001",
            "placed_on": "2026-12-01",
        },
        "seller": {
            "shop_name": "L'Établi aux figurines",
            "name": "Camille Fabre EI",
            "siren": "123456789",
            "siret": "12345678900012",
            "address_lines": ["14 rue des Tanneurs", "69001 Lyon", "France"],
            "email": "bonjour@etabli.example",
            "phone": "+33 4 78 00 00 00",
            "site": "https://etabli.example",
            "oss_number": "FR12123456789" if treatment == Treatment.DESTINATION else "",
            "vat_number": "FR83123456789" if liable else "",
            "packaging_id": "FR123456_01ABCD",
            "is_demonstration": False,
        },
        "customer": {
            "name": customer,
            "is_edited": False,
            "address_lines": ["3 rue des Carmes", "69003 Lyon", country],
            "email": "lea@example.com",
            "street": "3 rue des Carmes",
            "postal_code": "69003",
            "city": "Lyon",
            "country": country,
            "country_name": country,
            **({"siren": siren} if siren else {}),
        },
        "delivery": {
            "promised_by": "2026-12-24",
            "delivered_on": delivered_on,
            "country": country,
            "country_name": country,
        },
        "lines": rows,
        "original_total": f"{before:.2f}",
        "promotion_savings": f"{savings:.2f}",
        "subtotal": f"{subtotal:.2f}",
        "shipping": f"{shipping:.2f}",
        "total": f"{total:.2f}",
        "tax": tax_data(tax),
        "notes": "",
        "mentions": [{"name": "franchise", "fr": FRANCHISE_FR, "text": FRANCHISE_FR}],
    }
    if kind == "credit_note":
        data |= {
            "credits": {"number": "F-2026-00040", "issued_on": "2026-11-21"},
            "reason": "Retour de la pièce",
            "refund": {"refunded": f"{total:.2f}", "refunded_on": "2026-12-01", "voided": "0.00"},
        }
    else:
        data["payment"] = _payment(total, installments)
    return data


def _row(index: int, name: str, offered: bool, treatment: Treatment) -> dict[str, Any]:
    price = Decimal("39.90") + index
    quantity, free = (3, 1) if offered else (1 + index % 3, 0)
    export = treatment == Treatment.EXPORT
    return {
        "item": index,
        "name": name,
        "detail": "Peint · 18 cm" if index % 2 == 0 else "",
        "sku": "GOL-018" if index % 3 == 0 else "",
        "quantity": quantity,
        "free_quantity": free,
        "unit_price": f"{price:.2f}",
        "discount": f"{free * price:.2f}",
        "total": f"{(quantity - free) * price:.2f}",
        "hs_code": "950300" if export else "",
        "origin": "FR" if export else "",
    }


def _payment(total: Decimal, installments: bool) -> dict[str, Any]:
    if not installments:
        part = {"position": 1, "due_on": "2026-12-01", "amount": f"{total:.2f}", "paid_on": "2026-12-01"}
        return {
            "mode": "full",
            "paid": f"{total:.2f}",
            "due": "0.00",
            "paid_on": "2026-12-01",
            "calendar": [part],
        }
    third = (total / 3).quantize(Decimal("0.01"))
    first = total - 2 * third
    return {
        "mode": "installments",
        "paid": f"{first:.2f}",
        "due": f"{2 * third:.2f}",
        "paid_on": None,
        "calendar": [
            {"position": 1, "due_on": "2026-12-01", "amount": f"{first:.2f}", "paid_on": "2026-12-01"},
            {"position": 2, "due_on": "2026-12-31", "amount": f"{third:.2f}", "paid_on": None},
            {"position": 3, "due_on": "2027-01-30", "amount": f"{third:.2f}", "paid_on": None},
        ],
    }
