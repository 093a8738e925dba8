"""`/admin/commandes`: orders found, and one of them carried out. Islands draw both; the calls are in `orders.api`."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from orders.islands import StaffOrderPropsSerializer
from orders.models import Order, offered_carriers
from orders.selectors.rules import checkout_countries, country_name
from orders.staff.money_links import money_links
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import staff_page


@staff_page(StaffAction.SEE_ORDERS)
def order_list(request: HttpRequest) -> HttpResponse:
    archived = f"{reverse('admin:orders_order_changelist')}?archived_at__isempty=0"
    return render(request, "staff/orders/list.html", {"archived_url": archived})


@staff_page(StaffAction.SEE_ORDERS)
def order_detail(request: HttpRequest, order_id: uuid.UUID) -> HttpResponse:
    """An archived order can only be brought back."""
    order = get_object_or_404(Order, pk=order_id)
    props = {
        "order_id": order.pk,
        "is_archived": order.archived_at is not None,
        "may_restore": may(request.user, StaffAction.REMOVE_ORDER),
        "list_url": reverse("staff-orders"),
        "carriers": offered_carriers(),
        "countries": _countries(order),
        "links": _links(request, order),
    }
    context = {"order": order, "props": StaffOrderPropsSerializer(props)}
    return render(request, "staff/orders/detail.html", context)


def _countries(order: Order) -> list[dict[str, str]]:
    found = {choice.code: choice.name for choice in checkout_countries()}
    found.setdefault(order.country, country_name(order.country))
    return [{"code": code, "name": name} for code, name in found.items()]


def _links(request: HttpRequest, order: Order) -> list[dict[str, str]]:
    """Return the pages about this order's dates and money, and its rows for who looks deeper."""
    steps = [{"text": str(link.label), "url": link.url} for link in money_links(request.user, order)]
    rows = reverse("admin:orders_order_change", args=[order.pk])
    return [*steps, {"text": "Toutes les données de la commande", "url": rows}]
