"""No sale that the shop could not declare: beyond the threshold of art. 258 A CGI a registration comes first."""

from decimal import Decimal

from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.invoices.tax import lacks_oss_number
from orders.mails import mail_workshop
from orders.pricing.territories import Place
from orders.selectors.rules import country_name
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.models import ShopSettings
from shop.core.money import amount_string
from shop.core.problems import Problem
from shop.core.site import absolute_url


def refuse_without_oss_number(place: Place, total: Decimal, *, field: str) -> None:
    """Raise Problem 400 `country_not_served`, about `field`, for a sale to a consumer that the shop could not
    declare.

    The workshop is told by mail, once a day; call it outside of the transaction that the refusal would undo.
    """
    today = timezone.localdate()
    if not lacks_oss_number(place=place, total=total, day=today):
        return
    with translation.override(SOURCE_LANGUAGE):
        context = {
            "country": country_name(place.country),
            "total": amount_string(total),
            "threshold": amount_string(ShopSettings.load().eu_sales_threshold),
            "admin_url": absolute_url(reverse("staff-settings-tva")),
        }
    mail_workshop("oss_number_alert", context, once=today)
    refusal = _(
        "Nous ne pouvons pas vendre dans ce pays pour l'instant\u00a0: notre enregistrement à la TVA européenne est en "
        "cours. Votre panier est intact."
    )
    raise Problem("country_not_served", refusal, 400, errors={field: [refusal]})
