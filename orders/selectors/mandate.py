"""The words by which a customer lets the shop charge the later thirds."""

from collections.abc import Sequence
from decimal import Decimal

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from orders.pricing.instalments import LAST_DAYS_AFTER_DISPATCH, NOTICE_DAYS, Instalment
from shop.core.dates import day_in_words
from shop.core.models import ShopSettings
from shop.core.money import format_amount


def mandate_text(plan: Sequence[Instalment], total: Decimal) -> str:
    """What is agreed, in the active language, every amount and date included. It fits the payment page (1200).

    The checkout shows it before the order, the payment page beside its button, and the order keeps it as it was. The
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


def _amount(amount: Decimal) -> str:
    return format_amount(amount, (get_language() or "fr")[:2])
