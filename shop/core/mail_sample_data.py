"""What samples of mails say: a seller, an order, a letter, made up and the same each time."""

from __future__ import annotations

SELLER = {
    "shop_name": "L'Établi aux figurines",
    "trader_name": "Camille Exemple EI",
    "siret": "000 000 000 00000",
    "address": "1 rue de l'Exemple\n00000 Exempleville",
    "email": "bonjour@example.com",
    "phone": "+33 1 00 00 00 00",
    "mediator_name": "Médiateur Exemple",
    "mediator_address": "2 rue de l'Exemple\n00000 Exempleville",
    "mediator_url": "https://mediateur.example.com",
    "packaging_id": "FR000000_00XXXX",
    "vat_notice": "TVA non applicable, art. 293 B du CGI",
}

EMAIL_CHANGE = {
    "url": "http://localhost:8000/auth/adresse-e-mail/abc-def",
    "new_email": "nouvelle@example.com",
    "needs_both": True,
}

ORDER = {
    "id": "6f1f8a52-1d2b-4c33-9a4e-0d5a7c9be001",
    "reference": "7C9BE001",
    "url": "http://localhost:8000/commande/6f1f8a52-1d2b-4c33-9a4e-0d5a7c9be001?acces=signed",
    "withdrawal_until": "2027-01-26",
    "withdrawal_url": "http://localhost:8000/retractation?commande=6f1f8a52&acces=signed",
    "created_at": "2026-11-21T13:05:00+00:00",
    "status": "shipped",
    "status_label": "Expédiée",
    "language": "fr",
    "email": "client@example.com",
    "customer_name": "Zoé O'Neil",
    "first_name": "Zoé",
    "phone": "+33 6 00 00 00 00",
    "address_lines": ["Zoé O'Neil", "3 rue des Lilas", "75020 Paris", "France"],
    "billing_lines": ["Atelier Duval", "Ana Duval", "9 quai Sud", "69002 Lyon", "France"],
    "gift_recipient": "Zoé O'Neil",
    "gift_message": "Joyeux anniversaire !",
    "items": [
        {
            "name": "Gardien aux andouillers",
            "detail": "Peint · 18 cm",
            "image": "http://localhost:8000/media/products/gardien-360.jpg",
            "quantity": 3,
            "free_quantity": 1,
            "unit_price": "189.00",
            "line_total": "378.00",
        },
        {
            "name": "Renard d'hiver",
            "detail": "",
            "image": "",
            "quantity": 1,
            "free_quantity": 0,
            "unit_price": "1249.50",
            "line_total": "1249.50",
        },
    ],
    "original_total": "1816.50",
    "promotion_savings": "189.00",
    "subtotal": "1627.50",
    "shipping_cost": "0.00",
    "total": "1627.50",
    "promised_by": "2027-01-12",
    "payment_label": "En une fois",
    "meets_customs": False,
    "notes": "Sonnez deux fois.",
}

NEWSLETTER_LINKS = {
    "preferences_url": "http://localhost:8000/newsletter/preferences?cle=abc-def",
    "unsubscribe_url": "http://localhost:8000/newsletter/desinscription?cle=abc-def",
}

LETTER = {
    **NEWSLETTER_LINKS,
    "subject": "Les dragons sortent de l'établi",
    "preheader": "Trois nouvelles pièces, et comment nettoyer une figurine.",
    "archive_url": "http://localhost:8000/newsletter/archives/1",
    "blocks": [
        {
            "kind": "text",
            "markdown": "## Les dragons arrivent\n\nTrois pièces, peintes cette semaine.",
            "text": "LES DRAGONS ARRIVENT\n\nTrois pièces, peintes cette semaine.",
        },
        {
            "kind": "piece",
            "name": "Gardien aux andouillers",
            "url": "http://localhost:8000/produit/12-gardien-aux-andouillers",
            "image": "http://localhost:8000/media/products/gardien-360.jpg",
            "price": "189.00",
            "detail": "from",
        },
        {
            "kind": "article",
            "name": "Nettoyer une figurine",
            "url": "http://localhost:8000/blog/3-nettoyer-une-figurine",
            "image": "",
            "price": "",
            "detail": "Un pinceau doux, de l'eau tiède, et de la patience.",
        },
    ],
}

CART = {
    **NEWSLETTER_LINKS,
    "cart_url": "http://localhost:8000/auth?next=/panier",
    "items": [
        {
            "name": "Gardien aux andouillers",
            "detail": "Peint · 18 cm",
            "image": "http://localhost:8000/media/products/gardien-360.jpg",
            "url": "http://localhost:8000/produit/12-gardien-aux-andouillers",
            "quantity": 1,
            "price": "189.00",
        },
    ],
}

NOTICE = {
    "name": "Gardien aux andouillers",
    "url": "http://localhost:8000/produit/12-gardien-aux-andouillers",
    "is_category": False,
    "unsubscribe_url": "http://localhost:8000/avis/desinscription?cle=abc-def",
}

SECURITY = {
    "happened_at": "2026-11-21T13:05:00+00:00",
    "security_url": "http://localhost:8000/espace-membre/securite",
    "reset_url": "http://localhost:8000/auth?mode=forgot",
}

MESSAGE = {
    "reference": "7C9BE001",
    "kind": "quote",
    "first_name": "Zoé",
    "last_name": "O'Neil",
    "email": "client@example.com",
    "subject": "Un renard pour Noël",
    "message": "Bonjour,\nun renard assis, de 12 cm.",
    "budget": "150 €",
    "deadline": "2026-12-20",
    "product": "Renard d'hiver",
    "picture_count": 2,
}

WITHDRAWAL = {
    "reference": "R-7C9BE001",
    "declared_at": "2026-11-21T13:05:00+00:00",
    "name": "Zoé O'Neil",
    "declared_email": "client@example.com",
    "order_text": "7C9BE001",
    "statement": "Je notifie par la présente ma rétractation.\n\nNom\u00a0: Zoé O'Neil",
}
