"""What the kinds of mail are about, in the words of the staff's navigation."""

from typing import Final

# By the first word of the kind; a kind of its own where another one has the same subject.
FAMILIES: Final = {
    "account": "Comptes clients",
    "books": "Comptes",
    "cart": "Panier",
    "clock": "État",
    "contact": "Messages",
    "delivery": "Livraison",
    "dispute": "Litiges",
    "favourite": "Alertes et favoris",
    "installment": "Échéances",
    "installment_overdue_alert": "Échéances, à l'atelier",
    "invoice": "Factures",
    "mail_test": "Essais",
    "newsletter": "Newsletter",
    "notice": "Alertes et favoris",
    "order": "Commandes",
    "oss": "TVA",
    "payment": "Paiements",
    "piece": "Photos de l'atelier",
    "reconciliation": "Comptes",
    "refund": "Remboursements",
    "refund_transferred": "Remboursements par virement",
    "review": "Avis",
    "turnover": "TVA",
    "webhook": "Webhooks",
    "withdrawal": "Rétractations",
}


def mail_family(kind: str) -> str:
    """Return what a kind of mail is about; the kind itself for one that is no more."""
    return FAMILIES.get(kind) or FAMILIES.get(kind.partition("_")[0], kind)
