"""`/admin/atelier` and `/admin/expedition`: the work on pieces, and the orders that leave. Islands draw both."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from orders.islands import StaffBoardPropsSerializer, StaffDispatchPropsSerializer
from orders.models import offered_carriers
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import staff_page


@staff_page(StaffAction.SEE_ORDERS)
def board(request: HttpRequest) -> HttpResponse:
    props = StaffBoardPropsSerializer({"may_move": may(request.user, StaffAction.FULFIL_ORDER)})
    return render(request, "staff/orders/board.html", {"props": props})


@staff_page(StaffAction.FULFIL_ORDER)
def dispatch(request: HttpRequest) -> HttpResponse:
    props = StaffDispatchPropsSerializer({"carriers": offered_carriers()})
    return render(request, "staff/orders/dispatch.html", {"props": props})
