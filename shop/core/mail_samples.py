"""Contexts of every kind of mail, as their services write them: for previews, and for tests.

What the shop says is in the active language; what people typed is French, as names are.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from shop.core.dates import day_in_words
from shop.core.mail_sample_data import (
    CART,
    EMAIL_CHANGE,
    LETTER,
    MESSAGE,
    NEWSLETTER_LINKS,
    NOTICE,
    ORDER,
    SECURITY,
    SELLER,
    WITHDRAWAL,
)


def sample_context(kind: str, **changes: Any) -> dict[str, Any]:
    """A fresh context of a kind; ``changes`` replace members of ``order`` or of the context."""
    changed = {name: value for name, value in changes.items() if name in ORDER}
    order = {**ORDER, "payment_label": _("En une fois"), **changed}
    context = _contexts(order)[kind]
    return {**context, **{name: value for name, value in changes.items() if name not in ORDER}}


def _contexts(order: dict[str, Any]) -> dict[str, dict[str, Any]]:
    installment = {
        "order": order,
        "amount": "542.50",
        "position": 2,
        "count": 3,
        "due_on": "2026-12-21",
        "card": {"brand": "Visa", "last4": "4242", "usable": True, "expiry": "12/2026"},
        "left": "1085.00",
        "is_settled": False,
        "pay_url": "http://localhost:8000/paiement/6f1f8a521d2b4c339a4e0d5a7c9be001-signed",
        "seller": SELLER,
    }
    period = ngettext("%(count)d jour", "%(count)d jours", 30) % {"count": 30}
    name = {"reference": order["reference"]}
    return {
        "account_confirm_email": {"url": "http://localhost:8000/auth/confirmation/Mg:abc:def"},
        "account_data_ready": {
            "url": "http://localhost:8000/espace-membre/donnees",
            "expires_at": "2026-11-28T13:05:00+00:00",
        },
        "account_erasure_registered": {
            "url": "http://localhost:8000/espace-membre/donnees",
            "due_by": "2026-12-21T13:05:00+00:00",
            "matters": [_("Commande %(reference)s\u00a0: elle n'est pas encore livrée.") % name],
        },
        "account_erasure_link": {"url": "http://localhost:8000/effacement?cle=abc:def"},
        "account_erasure_ended": {"url": "http://localhost:8000/espace-membre/donnees"},
        "account_erased": {
            "matters": [],
            "by_inactivity": False,
            "is_guest": False,
            "keeps_newsletter": False,
        },
        "account_inactive": {
            "url": "http://localhost:8000/auth",
            "is_blocked": False,
            "ends_at": "2026-12-21T13:05:00+00:00",
            "keeps_newsletter": True,
        },
        "order_link": {
            "reference": order["reference"],
            "first_name": "Zoé",
            "url": order["url"],
            "order": {"withdrawal_url": order["withdrawal_url"]},
        },
        "account_exists": {
            "signin_url": "http://localhost:8000/auth",
            "reset_url": "http://localhost:8000/auth?mode=forgot",
        },
        "account_password_reset": {"url": "http://localhost:8000/auth/nouveau-mot-de-passe/2-abc-def"},
        "account_password_changed": {
            "changed_at": "2026-11-21T13:05:00+00:00",
            "reset_url": "http://localhost:8000/auth?mode=forgot",
        },
        "account_welcome": {
            "first_name": "Zoé",
            "signin_url": "http://localhost:8000/auth",
            "security_url": "http://localhost:8000/espace-membre/securite",
        },
        "account_new_device": {**SECURITY, "device": "Firefox, Windows"},
        "account_role_changed": {
            **SECURITY,
            "role": "staff",
            "admin_url": "http://localhost:8000/admin",
        },
        "account_second_factor": {**SECURITY, "change": "added_totp"},
        "account_email_change_old": EMAIL_CHANGE,
        "account_email_change_new": EMAIL_CHANGE,
        "account_email_changed": {
            "changed_at": "2026-11-21T13:05:00+00:00",
            "old_email": "client@example.com",
            "new_email": "nouvelle@example.com",
            "contact_url": "http://localhost:8000/contact",
        },
        "notice_confirm": {
            **NOTICE,
            "confirm_url": "http://localhost:8000/avis/confirmer?cle=abc-def",
            "period": period,
        },
        "notice_available": NOTICE,
        "favourite_available": NOTICE,
        "newsletter_confirm": {
            "confirm_url": "http://localhost:8000/newsletter/confirmer?cle=abc-def",
            "unsubscribe_url": NEWSLETTER_LINKS["unsubscribe_url"],
            "period": period,
        },
        "newsletter_preferences": NEWSLETTER_LINKS,
        "newsletter_letter": LETTER,
        "cart_reminder": CART,
        "review_decision": {
            "name": "Gardien aux andouillers",
            "title": "Magnifique",
            "is_published": False,
            "reason": "Le texte contient un numéro de téléphone.",
            "url": "http://localhost:8000/produit/12-gardien-aux-andouillers",
            "rules_url": "http://localhost:8000/avis-clients",
        },
        "order_confirmation": {
            "order": order,
            "seller": SELLER,
            "terms_version": "2026-11",
            "withdrawal_notice": "## Droit de rétractation\n\nVous avez **14 jours** pour vous rétracter.",
        },
        "order_new_workshop": {"order": order},
        "order_status": {
            "order": order,
            "seller": SELLER,
            "heading": _("Votre commande %(reference)s est partie") % name,
            "paragraphs": [
                _("Votre colis a quitté l'atelier le %(day)s.") % {"day": day_in_words(date(2026, 11, 21))}
            ],
            "message": "Le colis est parti ce matin.",
            "tracking_number": "6A12345678901",
            "carrier": "Colissimo",
            "tracking_url": "http://localhost:8000/suivi",
            "money": [],
            "signature": "Camille",
        },
        "piece_photo": {
            "order": order,
            "seller": SELLER,
            "piece": {"name": "Gardien aux andouillers", "detail": "Peint · 18 cm"},
            "photo": "http://localhost:8000/media/products/gardien-360.jpg",
            "message": "Ses bois ont reçu trois couches.",
            "signature": "Camille",
        },
        "payment_refunded_automatically": {
            "order": order,
            "seller": SELLER,
            "amount": "1627.50",
            "reason": "La dernière pièce vient d'être vendue.",
        },
        "invoice": {
            "order": order,
            "seller": SELLER,
            "number": "F-2026-00042",
            "is_credit_note": False,
            "is_corrected": True,
            "replaced": "F-2026-00040",
            "total": "1627.50",
            "explanation": "Le nom du client était mal orthographié.",
        },
        "books_audit_alert": {
            "faults": [
                {"check": "gap", "subject": "F-2026-00007", "detail": "manque, le suivant est F-2026-00008"}
            ],
            "count": 2,
            "more": 1,
        },
        "refund_done": {
            **installment,
            "amount": "126.00",
            "by_card": "100.00",
            "transfers": [{"amount": "26.00", "on": "2026-12-20", "reference": "VIR 2026-118"}],
            "voided": "63.00",
            "shipping": "",
            "reason": "Demande de remboursement",
            "lines": [
                {
                    "name": "Gardien aux andouillers",
                    "detail": "Peint · 18 cm",
                    "quantity": 1,
                    "amount": "189.00",
                    "explanation": "",
                }
            ],
            "left": "542.50",
            "installments": [{"position": 3, "count": 3, "amount": "542.50", "day": "2027-01-20"}],
        },
        "refund_transferred": {
            "order": order,
            "seller": SELLER,
            "transfer": {"amount": "126.00", "on": "2026-12-20", "reference": "VIR 2026-118"},
        },
        "refund_transfer_returned": {
            "order": order,
            "seller": SELLER,
            "transfer": {"amount": "126.00", "on": "2026-12-20", "reference": "VIR 2026-118"},
            "mistaken": False,
        },
        "refund_failed_alert": {
            "order": order,
            "amount": "126.00",
            "error": "expired_or_canceled_card",
            "admin_url": "http://localhost:8000/gestion/orders/order/1/change/",
        },
        "dispute_alert": {
            "order": order,
            "amount": "1627.50",
            "state": "needs_response",
            "reason": "fraudulent",
            "answer_by": "2026-11-28T13:05:00+00:00",
            "admin_url": "http://localhost:8000/gestion/orders/order/1/change/",
        },
        "reconciliation_discrepancies": {
            "discrepancies": [
                {
                    "kind": "Argent sans commande",
                    "amount": "49.99",
                    "movement": "ch_3AbCdEf",
                    "order": "7C9BE001",
                    "detail": "Encaissé chez Stripe, absent du grand livre.",
                }
            ],
            "count": 2,
            "more": 1,
            "admin_url": "http://localhost:8000/admin/ecarts",
        },
        "oss_number_alert": {
            "country": "Allemagne",
            "total": "119.00",
            "threshold": "10000.00",
            "admin_url": "http://localhost:8000/admin/reglages/tva",
        },
        "turnover_alert": {
            "label": "Franchise de TVA",
            "explanation": "Au-delà, la TVA s'applique à partir du 1er janvier suivant (art. 293 B du CGI).",
            "level": 90,
            "year": 2026,
            "amount": "76512.30",
            "ceiling": "85000.00",
            "left": "8487.70",
            "admin_url": "http://localhost:8000/admin/comptes",
        },
        "webhook_paused": {
            "name": "Tableau de stock",
            "url": "https://stock.example.com/hook",
            "admin_url": "http://localhost:8000/admin/webhooks/1",
        },
        "contact_workshop": {
            **MESSAGE,
            "admin_url": "http://localhost:8000/admin/messages/1",
        },
        "contact_acknowledgement": {
            "reference": "7C9BE001",
            "kind": "quote",
            "received_at": "2026-11-21T13:05:00+00:00",
        },
        "contact_reply": {
            **{name: MESSAGE[name] for name in ("reference", "first_name", "subject", "message")},
            "asked_at": "2026-11-21T13:05:00+00:00",
            "text": "Un renard assis de 12 cm est possible :\ncomptez 140 € et trois semaines.",
            "signature": "Camille",
        },
        "withdrawal_received": {**WITHDRAWAL, "seller": SELLER},
        "withdrawal_workshop": {
            **WITHDRAWAL,
            "order": order,
            "in_time": True,
            "voided": "1085.00",
            "state": "goods_awaited",
            "nothing_left": False,
            "refund_by": "2026-12-05",
            "admin_url": "http://localhost:8000/admin/retractations/1",
        },
        "withdrawal_return": {
            **WITHDRAWAL,
            "order": order,
            "return_by": "2026-12-05",
            "pieces": ["1 × Gardien aux andouillers (Peint · 18 cm)"],
            "seller": SELLER,
        },
        "withdrawal_refused": {**WITHDRAWAL, "decision": "Le délai est passé.", "seller": SELLER},
        "withdrawal_alert": {
            **WITHDRAWAL,
            "day": 10,
            "waiting": False,
            "order_reference": "7C9BE001",
            "refund_by": "2026-12-05",
            "admin_url": "http://localhost:8000/admin/retractations/1",
        },
        "delivery_overdue": {
            "order": order,
            "seller": SELLER,
            "in_part": False,
            "pay_url": installment["pay_url"],
        },
        "delivery_overdue_workshop": {
            "order": order,
            "admin_url": "http://localhost:8000/gestion/orders/order/6f1f8a52/change/",
        },
        "delivery_postponed": {
            "order": order,
            "before": "2026-12-20",
            "reason": "La résine dorée arrive plus tard.",
            "seller": SELLER,
        },
        "delivery_address_changed": {
            "order": order,
            "seller": SELLER,
            "before_lines": ORDER["address_lines"],
        },
        "delivery_address_changed_workshop": {
            "order": order,
            "before_lines": ORDER["address_lines"],
            "admin_url": "http://localhost:8000/gestion/orders/order/6f1f8a52/change/",
        },
        "installment_reminder": {**installment, "day": "2026-12-21"},
        "installment_moved": {
            **installment,
            "day": "2027-01-10",
            "before": "2027-01-20",
            "in_part": False,
        },
        "installment_received": {**installment, "left": "0.00", "is_settled": True, "has_paid_copy": True},
        "installment_refused": {
            **installment,
            "retry_on": "2026-12-24",
            "asks_bank": False,
            "no_funds": True,
        },
        "installment_link": installment,
        "installment_overdue": installment,
        "installment_resumed": {
            **installment,
            "installments": [
                {"position": 2, "count": 3, "amount": "100.00", "day": ""},
                {"position": 3, "count": 3, "amount": "100.00", "day": "2027-01-20"},
            ],
        },
        "installment_calendar": {
            **installment,
            "why": "resumed",
            "installments": [{"position": 3, "count": 3, "amount": "100.00", "day": "2027-01-20"}],
        },
        "installment_card_expires": {**installment, "last": "2027-01-20"},
        "installment_card_kept": {
            **installment,
            "rows": [
                {"position": 2, "count": 3, "amount": "542.50", "day": "2026-12-24", "is_late": True},
                {"position": 3, "count": 3, "amount": "542.50", "day": "2027-01-20", "is_late": False},
            ],
            "has_late": True,
        },
        "installment_overdue_alert": {
            **installment,
            "code": "insufficient_funds",
            "admin_url": "http://localhost:8000/admin/commandes/1/echeances",
        },
        "books_head": {"month": "novembre 2026", "code": "1204:" + "9f2c4e71" * 8},
        "clock_alert": {"where": "webhook", "minutes": 6},
        "payment_review_alert": {"order": order, "reason": "amount 100 instead of 162750", "admin_url": ""},
    }


KINDS = tuple(_contexts(ORDER))
"""Every kind of mail."""
