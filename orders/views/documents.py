"""Documents that no page holds: asked for with one press, sent by mail."""

import uuid

from django.http import HttpRequest, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from orders.services.invoicing.paid_copies import request_paid_copy
from orders.views.guests import SEE_OTHER, own_order, way_back


@never_cache
@require_POST
def paid_copy(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseRedirect:
    """The paid copy of an order's invoice, to the order's address; for whoever may see the order."""
    order = own_order(request, order_id)
    request_paid_copy(order)
    return HttpResponseRedirect(f"{way_back(request, order)}#documents", status=SEE_OTHER)
