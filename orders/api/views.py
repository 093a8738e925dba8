"""The calls: parse, call a service or a selector, answer."""

import uuid
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as drf_serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.services.checkout import CheckoutSignUp, authenticate_at_checkout
from accounts.services.signing_in import sign_in_now
from orders.api import quote_documents, serializers
from orders.api.base import IDEMPOTENCY_KEY, ORDER_ID, found_order, idempotency_key, validated
from orders.guest_orders import browser_owns, remember_order, remembered_orders
from orders.models import Order
from orders.selectors import orders as order_selectors
from orders.selectors.installments import agreed_plan
from orders.selectors.order_cards import PAGE_SIZE
from orders.selectors.quotes import quote_cart
from orders.selectors.saved_carts import cart_owner
from orders.services.checkout import checkout as checkout_service
from orders.services.checkout.placement import CartChanged, CheckoutRequest
from orders.services.payments.settlement import verify_payment
from orders.services.status.stock_holds import held_by_orders
from orders.stripe.gateway import parse_checkout_session_id
from shop.core import limits
from shop.core.client_address import client_address
from shop.core.content_version import content_version
from shop.core.fragment_cache import fragments_of
from shop.core.languages import active_language
from shop.core.problems import Problem
from shop.core.staff_calls import private


class QuoteView(APIView):
    """Prices a cart. It changes nothing, so it needs no token; of the caller it reads which unpaid orders this browser
    made, whose pieces are there for its own customer."""

    authentication_classes = ()

    @extend_schema(request=serializers.QuoteRequestSerializer, responses=serializers.QuoteSerializer)
    def post(self, request: Request) -> Response:
        asked = _quote_request(active_language()).run_validation(request.data)
        # Rules and photos are those that pages show; prices and stock are read.
        earlier = _own_orders(request)
        with fragments_of(content_version()):
            cart = quote_cart(
                serializers.requested_lines(asked["lines"]),
                destination=asked.get("country"),
                custom_country=asked.get("custom_country", ""),
                postal_code=asked.get("postal_code", ""),
                own=held_by_orders(earlier) if earlier else None,
                own_orders=earlier,
            )
            document = quote_documents.quote_document(cart)
        return private(document)


def _own_orders(request: Request) -> Collection[uuid.UUID]:
    """The orders that this browser made. No query for a browser without a session."""
    return () if settings.SESSION_COOKIE_NAME not in request.COOKIES else remembered_orders(request._request)


@cache
def _quote_request(language: str) -> serializers.QuoteRequestSerializer:
    """One for all calls in a language, like the next: it holds nothing of a request, but REST framework keeps the words
    in which a bound was told first."""
    return serializers.QuoteRequestSerializer()


@cache
def _checkout_request(language: str) -> serializers.CheckoutSerializer:
    return serializers.CheckoutSerializer()


class CheckoutView(APIView):
    """Makes the order once per `Idempotency-Key` and answers where to pay."""

    @extend_schema(
        request=serializers.CheckoutSerializer,
        responses={201: serializers.CheckoutAnswerSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> Response:
        limits.enforce(limits.CHECKOUT_NETWORK, client_address(request._request))
        key = idempotency_key(request)
        data = _checkout_request(active_language()).run_validation(request.data)
        customer = serializers.customer_details(data["customer"])
        if isinstance(request.user, User):
            # A member's order goes to the address that the account has confirmed, whatever the form says.
            customer = replace(customer, email=request.user.email)
        demand = CheckoutRequest(
            idempotency_key=key,
            lines=serializers.requested_lines(data["lines"]),
            customer=customer,
            payment_mode=data["payment_mode"],
            expected_total=data["expected_total"],
            language=active_language(),
            expected_date=data.get("expected_date"),
            terms_version=data.get("terms_version"),
        )
        buyer = _Buyer(request, demand, data.get("account"))
        done: checkout_service.CheckedOut | None = None
        try:
            done = checkout_service.check_out(demand, find_buyer=buyer.find, visitor=buyer.visitor())
        except CartChanged as changed:
            changed.extra["quote"] = quote_documents.quote_document(changed.quote)
            raise
        finally:
            # The order stands even when its payment page could not be opened: the browser may come back to it.
            if done is not None and done.created:
                buyer.remember(done.order)
            elif buyer.asked and (placed := checkout_service.find_placed_order(demand)) is not None:
                buyer.remember(placed)
        # Also on a repeat: the first answer, which carried the session, may never have reached the browser.
        remember_order(request._request, done.order.pk)
        answer = {
            "order_id": done.order.pk,
            "reference": done.order.reference,
            "url": done.url,
            "total": done.order.total,
            **_plan(done.order),
            **({} if done.order.user_id is None else {"cart_owner": cart_owner(done.order.user_id)}),
        }
        return private(serializers.CheckoutAnswerSerializer(answer).data, 201)


class _Buyer:
    """Whose order it is: the member signed in, one who signs in with it, or nobody.

    Who signs up is a guest like any other until the address is proved, so that the answer is the same for an address
    that has an account and for one that has none.
    """

    def __init__(self, request: Request, demand: CheckoutRequest, account: dict[str, Any] | None) -> None:
        self._browser = request._request
        self._sign_up: CheckoutSignUp | None = None
        self.asked = False
        user: User | AnonymousUser = request.user
        self._member = user if isinstance(user, User) else None
        if self._member is not None or account is None:
            return
        if account["mode"] == "signin":
            self._member = authenticate_at_checkout(
                self._browser,
                email=demand.customer.email,
                password=account["password"],
                next_page=reverse("orders:checkout"),
            )
            sign_in_now(self._browser, self._member)
        else:
            self._sign_up = CheckoutSignUp(
                email=demand.customer.email,
                password=account["password"],
                first_name=demand.customer.first_name,
                last_name=demand.customer.last_name,
                language=demand.language,
            )

    def visitor(self) -> checkout_service.Visitor:
        return checkout_service.Visitor(
            address=client_address(self._browser),
            orders=remembered_orders(self._browser),
            member_id=None if self._member is None else self._member.pk,
            signs_up=self._sign_up is not None,
        )

    def find(self, order: Order) -> User | None:
        """Runs in the transaction that writes the order."""
        self.asked = True
        if self._sign_up is not None:
            self._sign_up.request(self._browser, order_id=order.pk, reference=order.reference)
        return self._member

    def remember(self, order: Order) -> None:
        """The order was written: this browser may come back to it, and confirm the sign-up."""
        remember_order(self._browser, order.pk)
        if self._sign_up is not None:
            self._sign_up.remember(self._browser)


class VerifyView(APIView):
    """Tells whether a payment is confirmed. It asks the payment provider; the address alone proves nothing."""

    @extend_schema(
        parameters=[OpenApiParameter("session_id", str, required=True)],
        responses=serializers.VerifyAnswerSerializer,
    )
    def get(self, request: Request) -> Response:
        limits.enforce(limits.VERIFY_NETWORK, client_address(request._request))
        checkout_session_id = parse_checkout_session_id(request.query_params.get("session_id", ""))
        checked = verify_payment(checkout_session_id) if checkout_session_id else None
        if checked is None:
            raise Problem("unknown_session", _("Aucun paiement à vérifier."), 404)
        answer: dict[str, Any] = {"payment_status": checked.status}
        if checked.refunded:
            answer["refunded"] = True
        if browser_owns(request._request, checked.order):
            answer["order_reference"] = checked.order.reference
            answer["order_url"] = order_selectors.order_path(checked.order)
            answer |= _plan(checked.order)
        return private(serializers.VerifyAnswerSerializer(answer).data)


class PageSerializer(drf_serializers.Serializer[Any]):
    page = drf_serializers.IntegerField(min_value=1, max_value=1_000_000, required=False, default=1)


class OrderListView(APIView):
    """The caller's own paid orders, newest first, twenty a page; a page beyond the last one is empty.

    `Link` (RFC 8288) holds the addresses of the pages beside it. Whose orders they are is the session's affair: no
    parameter changes it.
    """

    permission_classes = (IsAuthenticated,)

    @extend_schema(parameters=[PageSerializer], responses=serializers.OrderSerializer(many=True))
    def get(self, request: Request) -> Response:
        # Six queries at most: orders with one more to see whether a page follows, and their parts.
        number = validated(PageSerializer(data=request.query_params))["page"]
        start = (number - 1) * PAGE_SIZE
        orders = order_selectors.member_orders(cast(User, request.user))[start : start + PAGE_SIZE + 1]
        found = list(orders)
        response = private(serializers.OrderSerializer(found[:PAGE_SIZE], many=True).data)
        beside = {
            "prev": number - 1 if number > 1 else None,
            "next": number + 1 if found[PAGE_SIZE:] else None,
        }
        links = [f'<{request.path}?page={page}>; rel="{rel}"' for rel, page in beside.items() if page]
        if links:
            response["Link"] = ", ".join(links)
        return response


class OrderView(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        responses=serializers.OrderSerializer,
        parameters=[ORDER_ID],
    )
    def get(self, request: Request, order_id: uuid.UUID) -> Response:
        order = found_order(order_selectors.member_order(cast(User, request.user), order_id))
        return private(serializers.OrderSerializer(order).data)


def _plan(order: Order) -> dict[str, Any]:
    """The dated parts of an order in installments; nothing for one that is paid at once."""
    parts = agreed_plan(order)
    return {"installment_plan": quote_documents.plan_document(parts)} if parts else {}
