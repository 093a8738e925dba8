"""The words by which a customer lets the shop charge the later installments."""

from collections.abc import Sequence
from decimal import Decimal

from django.utils.translation import gettext as _

from orders.models import CardChangeState, Order
from orders.pricing.installments import LAST_DAYS_AFTER_DISPATCH, NOTICE_DAYS, Installment
from orders.selectors.installments import calendar
from shop.core.dates import day_in_words
from shop.core.languages import active_language
from shop.core.models import ShopSettings
from shop.core.money import format_amount


def mandate_text(plan: Sequence[Installment], total: Decimal) -> str:
    """Return what is agreed, in the active language, every amount and date included. It fits the payment page (1200).

    The checkout shows it before the order, the payment page beside its button, and the order stores it as it was. The
    fifty days are a condition of art. L312-4 4° of the Code de la consommation for a sale without credit contract.
    """
    shop = ShopSettings.load()
    first, *later = plan
    return _(
        "Paiement en %(count)d fois sans frais, total %(total)s : %(first)s aujourd'hui, puis %(later)s. "
        "J'autorise %(seller)s à débiter ma carte de ces montants à ces dates ; chaque débit m'est annoncé par e-mail "
        "%(notice)d jours avant. La dernière échéance tombe au plus tard %(days)d jours après l'expédition : si la "
        "commande part tôt, elle est avancée et j'en suis prévenu par e-mail. Je peux tout régler d'avance, sans "
        "frais, ou changer de carte depuis la page de ma commande. Cette autorisation prend fin avec la dernière "
        "échéance, ou si je me rétracte ou si la commande est annulée ; pour l'arrêter autrement, j'écris à %(email)s."
    ) % {
        "count": len(plan),
        "total": _amount(total),
        "first": _amount(first.amount),
        "later": _(" et ").join(
            _("%(amount)s le %(day)s") % {"amount": _amount(part.amount), "day": day_in_words(part.due)}
            for part in later
        ),
        "seller": shop.trader_name or shop.shop_name,
        "notice": NOTICE_DAYS,
        "days": LAST_DAYS_AFTER_DISPATCH,
        "email": shop.email,
    }


def agreed_mandates(order: Order) -> list[str]:
    """Return what a customer agreed to: with the card that is charged now, if it was left without paying, and at first.

    One query.
    """
    later = order.card_changes.filter(state=CardChangeState.DONE).order_by("-settled_at")
    texts = [*later.values_list("mandate_text", flat=True)[:1], order.mandate_text]
    return [text for text in texts if text]


def card_mandate_text(order: Order) -> str:
    """Return what a customer agrees to who leaves another card, in the active language. It fits the payment page
    (1200).

    For an order in installments that still owes something. Three queries.
    """
    shop = ShopSettings.load()
    plan = calendar(order)
    assert plan is not None
    parts = [
        (_("%(amount)s dus depuis le %(day)s") if row.is_late else _("%(amount)s le %(day)s"))
        % {
            "amount": _amount(row.payment.amount),
            "day": day_in_words(row.payment.due_on if row.is_late else row.day),
        }
        for row in plan.rows
        if row.is_open
    ]
    return _(
        "La carte enregistrée ici remplace l'ancienne ; rien n'est débité maintenant. J'autorise %(seller)s à la "
        "débiter de ce qui reste à payer pour la commande %(reference)s : %(parts)s. Chaque débit m'est annoncé par "
        "e-mail %(notice)d jours avant. La dernière échéance tombe au plus tard %(days)d jours après l'expédition : "
        "si la commande part tôt, elle est avancée et j'en suis prévenu par e-mail. Je peux tout régler d'avance, "
        "sans frais, ou changer encore de carte. Cette autorisation prend fin avec la dernière échéance, ou si je me "
        "rétracte ou si la commande est annulée ; pour l'arrêter autrement, j'écris à %(email)s."
    ) % {
        "seller": shop.trader_name or shop.shop_name,
        "reference": order.reference,
        "parts": _(" et ").join(parts),
        "notice": NOTICE_DAYS,
        "days": LAST_DAYS_AFTER_DISPATCH,
        "email": shop.email,
    }


def _amount(amount: Decimal) -> str:
    return format_amount(amount, active_language())
