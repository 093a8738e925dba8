"""What asks for every address by everybody, and takes back what that writes."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from celery import Task
from django.conf import settings
from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.template import Template
from django.test import override_settings
from django.urls import URLPattern, URLResolver, get_resolver

from blog.models import Campaign, Subscriber
from blog.selectors.previews import preview_url
from orders.models import WorkPiece
from shop.admin_site import ShopAdminSite
from shop.core.folder_media import FolderMediaStorage
from shop.terms.versions import current_number
from tests.permissions.expected import (
    EVERYBODY,
    ROWS,
    Who,
)
from tests.permissions.world import ACTORS, World, make_world

REFUSED = {401, 403, 404, 405}
SIGN_IN = ("/auth", "/gestion/login/", "/espace-membre/securite?next=")
# What decides who asks; headers, languages and cached pages are left out, for speed.
DECIDING = (
    "django.contrib",
    "django.middleware.csrf",
    "django.middleware.locale",
    "allauth",
    "shop.core.middleware.Nul",
    "shop.core.middleware.OutageSession",
)
CALLS = ("get", "post", "put", "patch", "delete")
WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class Blank:
    """While it is on, templates give nothing: of most answers only the status counts."""

    on = True


class Matrix:
    """Asks, compares with what is expected, and counts."""

    def __init__(self, world: World, blank: Blank) -> None:
        self.world = world
        self.blank = blank
        self.asked = 0
        self.wrong: list[str] = []

    def ask(
        self,
        method: str,
        address: str,
        who: Who,
        *,
        body: Any = None,
        call: bool = False,
        shown: bool = False,
        actors: Iterable[str] = ACTORS,
    ) -> None:
        """One address by one method, by everybody; `shown` draws the page for whoever has some of its rights."""
        for actor in actors:
            self.asked += 1
            self.blank.on = not (shown and actor in ("staff", "looker"))
            with everything_undone() as written:
                answer = self._send(actor, method, address, body, call=call)
                if answer.streaming:
                    answer.close()
            fault = _fault(answer, written, may=actor in who, public=who == EVERYBODY)
            if fault:
                self.wrong.append(f"{actor} {method.upper()} {address} {body or ''}: {fault}")

    def _send(self, actor: str, method: str, address: str, body: Any, *, call: bool) -> HttpResponseBase:
        browser = self.world.browser(actor)
        headers = {"idempotency-key": str(uuid.uuid4())}
        if method == "get":
            return browser.get(address, headers=headers)
        if call:
            return browser.generic(
                method.upper(),
                address,
                json.dumps(body or {}),
                content_type="application/json",
                headers=headers,
            )
        return getattr(browser, method)(address, body or {})


def _fault(answer: HttpResponseBase, written: list[str], *, may: bool, public: bool) -> str:
    status = answer.status_code
    to_sign_in = status == 302 and answer.headers["Location"].startswith(SIGN_IN)
    if status >= 500 and status != 503:
        return f"answers {status}"
    if public:
        return f"is refused with {status}" if status in (401, 403) else ""
    if may:
        return f"is refused with {status}" if status in (401, 403, 404) or to_sign_in else ""
    home = status == 302 and answer.headers["Location"] == "/"
    if status not in REFUSED and not to_sign_in and not home:
        return f"is not refused: {status}"
    return f"writes though refused: {written[0]}" if written else ""


@contextmanager
def everything_undone() -> Iterator[list[str]]:
    """Whatever is written within is taken back; the list fills with the statements, those about sessions and counted
    attempts left out."""
    written: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        counted = "django_session" in sql or "core_attemptcounter" in sql
        if sql.lstrip().upper().startswith(WRITES) and not counted:
            written.append(sql)
        return execute(sql, params, many, context)

    with transaction.atomic(), connection.execute_wrapper(note):
        yield written
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Made once for all tests of this module, and taken back at their end."""
    with (
        pytest.MonkeyPatch.context() as patch,
        override_settings(MIDDLEWARE=[name for name in settings.MIDDLEWARE if name.startswith(DECIDING)]),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        patch.setattr(Task, "apply_async", lambda *args, **kwargs: None)
        # A transaction that is taken back brings no file back.
        patch.setattr(FolderMediaStorage, "delete", lambda *args: None)
        yield make_world(patch)
        transaction.set_rollback(True)


@pytest.fixture
def matrix(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Matrix]:
    blank = Blank()
    render = Template.render
    monkeypatch.setattr(Template, "render", lambda *args: "" if blank.on else render(*args))
    menu = ShopAdminSite.get_app_list
    monkeypatch.setattr(
        ShopAdminSite, "get_app_list", lambda *args: [] if blank.on and args[2:] == () else menu(*args)
    )
    logging.disable(logging.ERROR)
    yield Matrix(world, blank)
    logging.disable(logging.NOTSET)


def routes() -> Iterator[tuple[str, str, URLPattern]]:
    """Name, path and pattern of every route; a name that stands for nothing is empty."""

    def walk(patterns: Any, path: str, space: str) -> Iterator[tuple[str, str, URLPattern]]:
        for pattern in patterns:
            here = f"{path}{pattern.pattern}"
            if isinstance(pattern, URLResolver):
                inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
                yield from walk(pattern.url_patterns, here, inner)
            else:
                yield (f"{space}{pattern.name}" if pattern.name else ""), here, pattern

    for name, path, pattern in walk(get_resolver().url_patterns, "", ""):
        # The kept mails are mounted under DEBUG alone, which another test may have set when routes were first read.
        if not name.startswith("mailbox"):
            yield name, path, pattern


def values_of(world: World, pattern: URLPattern) -> dict[str, Any]:
    """What a route's address needs."""
    refund = world.rows["orders.RefundRequest"]
    known: dict[str, Any] = {
        "order_id": world.order.pk,
        "campaign_id": Campaign.objects.get().pk,
        "subscriber_id": Subscriber.objects.get().pk,
        "request_id": refund.pk,
        "user_id": world.order.user_id,
        "case_id": world.case.pk,
        "shipment_id": world.order.shipments.get().pk,
        "piece_id": WorkPiece.objects.filter(item__order=world.order).first().pk,
        "photo_id": world.piece_photo.pk,
        "line_id": refund.lines.first().pk,
        "address_id": world.address.pk,
        "invoice_id": world.rows["orders.Invoice"].pk,
        "product_id": world.rows["catalog.Product"].pk,
        "article_id": world.rows["blog.Article"].pk,
        "token": preview_url(world.rows["blog.Article"]).rpartition("/")[2],
        "notice_id": world.rows["catalog.Notice"].pk,
        "favourite_id": world.rows["catalog.Favourite"].pk,
        "image_id": world.photo.pk,
        "variation_id": world.format.pk,
        "pk": world.picture.pk,
        "key": world.export.pk,
        "contact_id": world.rows["pages.ContactRequest"].pk,
        "review_id": world.rows["catalog.Review"].pk,
        "kind": "order_status",
        "action": "restaurer" if pattern.name == "staff-article-act" else "archive",
        "step": "debiter" if pattern.name == "staff-order-installment" else "retour",
        "payment_id": world.due.pk,
        "refund_id": world.rows["orders.Refund"].pk,
        "slug": "pokeball" if pattern.name == "collection" else "x",
        "language": "fr",
        "app_label": "orders",
        "passkey_id": 1,
        "key_id": world.api_key.pk,
        "endpoint_id": world.delivery.endpoint_id,
        "delivery_id": world.delivery.pk,
        "mail_id": world.rows["core.OutgoingMail"].pk,
        "position": 0,
        "number": 1,
        "path": "x.jpg",
        "url": "x",
        "content_type_id": 1,
    }
    if pattern.name == "review":
        known["product_id"] = world.order.items.get().product_id
    if pattern.name and pattern.name.endswith("terms-version"):
        known["number"] = current_number()
    if pattern.name and pattern.name.startswith("staff-") and "row_id" in pattern.pattern.converters:
        known["row_id"] = world.rows[ROWS[pattern.name.split("-")[1]]].pk
    wanted = (*pattern.pattern.converters, *getattr(pattern.pattern.regex, "groupindex", ()))
    return {name: known.get(name, "x") for name in wanted}
