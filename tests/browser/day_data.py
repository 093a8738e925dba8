"""What lies on the workshop's table in the morning: run inside the shop, it prints its rows as JSON."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any
from zlib import crc32

from django.utils import timezone

from accounts.tests.people import make_member
from catalog.models import Product, Review
from orders.models import Order, PieceStage, WorkPiece
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, make_variation, pay_order
from shop.pages.models import ContactRequest

ORDERS = 10


def print_morning(way: str) -> None:
    """Make the work of one person, whose rows are called after `way`."""
    piece = make_product(f"Golem {way}", stock_quantity=99)
    member = make_member(f"collegue-{way}@example.com")
    ready = [_paid(piece, f"Pret{number}", way) for number in range(ORDERS)]
    WorkPiece.objects.filter(item__order__in=ready).update(stage=PieceStage.TO_PACK)
    address, wrong, board, tracked = (
        _paid(piece, name, way) for name in ("Adresse", "Erreur", "Carte", "Suivi")
    )
    WorkPiece.objects.filter(item__order=board).update(stage=PieceStage.TO_PAINT)
    WorkPiece.objects.filter(item__order__in=(address, wrong, tracked)).update(stage=PieceStage.TO_PRINT)
    update_status(order_id=wrong.pk, status="shipped", actor=None)
    number = f"6A{crc32(way.encode()):011d}"
    update_status(order_id=tracked.pk, status="shipped", actor=None, tracking_number=number)
    three = _paid(piece, "Trois", way, units=3)
    returned = _paid(piece, "Retour", way)
    update_status(order_id=returned.pk, status="shipped", actor=None)
    said = Declaration(name="Zoé Retour", email=returned.email, order_text=returned.reference, language="fr")
    case = declare_withdrawal(
        declaration=said, key=said.submission_key(timezone.localdate()), caller="192.0.2.1"
    ).case
    question = ContactRequest.objects.create(
        reference=f"Q{way}"[:8].upper(), fingerprint=way.ljust(64, "f"), kind="question", first_name="Léa",
        last_name=f"Question {way}", email="lea@example.com", subject="Taille", message="Quelle taille ?",
        language="fr",
    )  # fmt: skip
    review = Review.objects.create(
        product=piece, user=member, rating=5, title=f"Superbe {way}", text="Très beau.", author_name="Léa",
        order_reference=ready[0].reference, experience_date=timezone.localdate() - timedelta(days=3),
    )  # fmt: skip
    make_variation(piece, "Grand", price_override=Decimal("60.00"))
    found: dict[str, Any] = {
        "product": piece.pk,
        "product_name": piece.name,
        "category": piece.category.name,
        "ready": [order.reference for order in ready],
        "member": member.email,
        "number": number,
        "case": case.pk,
        "question": question.last_name,
        "question_id": question.pk,
        "review": review.title,
        "review_id": review.pk,
        "board_piece": WorkPiece.objects.get(item__order=board).pk,
        "tracked": tracked.reference,
        "orders": {
            name: [str(order.pk), order.reference]
            for name, order in (("address", address), ("wrong", wrong), ("board", board), ("three", three))
        },
    }
    print(json.dumps(found))


def _paid(piece: Product, name: str, way: str, units: int = 1) -> Order:
    return pay_order(
        make_order((piece, units), first_name=name, last_name=way, email=f"{name}.{way}@example.com")
    )
