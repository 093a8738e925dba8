"""Every address, page and action of the shop, asked for by everybody who could: the answer is in `expected.py`.

What is asked comes from the URL configuration and the administration's registry, so that a page which nobody entered
there fails. Whoever may is neither refused nor sent to sign in; whoever may not changes nothing, in no table.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from orders.staff.installments import STEPS as INSTALLMENT_STEPS
from orders.staff.withdrawal_steps import STEPS as WITHDRAWAL_STEPS
from tests.permissions.expected import (
    ADMIN,
    DESK,
    EVERYBODY,
    LOOK,
    METHODS,
    NOBODY,
    PEOPLE,
    ROUTES,
    STEPS,
    WORK,
    Who,
)
from tests.permissions.expected_models import MODELS
from tests.permissions.matrix import CALLS, Matrix, everything_undone, matrix, routes, values_of, world

__all__ = ["matrix", "world"]

pytestmark = [pytest.mark.long, pytest.mark.django_db]


def model_routes() -> dict[str, tuple[str, str]]:
    """Django's own pages of each registered model: name of the route, and (label, page)."""
    return {
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}": (model._meta.label, page)
        for model in admin.site._registry
        for page in ("changelist", "add", "history", "delete", "change")
    }


def test_every_route_page_and_action_is_entered_and_nothing_else():
    named = {name for name, _path, _pattern in routes() if name}
    assert named - set(model_routes()) == set(ROUTES)
    assert {model._meta.label for model in admin.site._registry} == set(MODELS)
    # Screens of the staff area act on rows.
    assert [model._meta.label for model, row_admin in admin.site._registry.items() if row_admin.actions] == []
    assert set(WITHDRAWAL_STEPS) == set(STEPS)
    # Without a name: the old address of each row, which leads to its page, and two that find nothing.
    assert sum(not name for name, _path, _pattern in routes()) == len(MODELS) + 2


def test_every_address_by_everybody(matrix: Matrix) -> None:
    for name, _path, pattern in routes():
        if name in ROUTES:
            call = name.startswith("api-")
            reads, writes = ROUTES[name]
            address = reverse(name, kwargs=values_of(matrix.world, pattern))
            if name == "admin:autocomplete":
                address += "?app_label=catalog&model_name=product&field_name=picked_similar"
            staff_call = name.startswith("api-admin")
            for method in CALLS if staff_call else CALLS[:2]:
                who = METHODS.get((name, method), reads if method == "get" else writes)
                matrix.ask(method, address, who, call=call)
    print(f"{len(ROUTES)} routes, {matrix.asked} requests")
    assert matrix.wrong == [], "\n".join(matrix.wrong)


def test_every_page_of_every_model_by_everybody(matrix: Matrix) -> None:
    for name, (label, page) in model_routes().items():
        sees = MODELS[label]
        row = matrix.world.rows[label]
        address = reverse(name, args=[] if page in ("changelist", "add") else [row.pk])
        # Those who may look may ask for a list by POST, too; the history is the audit trail.
        reads, writes = {
            "changelist": (sees, sees),
            "history": (LOOK, LOOK),
            "add": (NOBODY, NOBODY),
            "change": (sees, NOBODY),
            "delete": (NOBODY, NOBODY),
        }[page]
        # A form is another page for whoever may not change all of it, and no other test sees that one.
        matrix.ask("get", address, reads, shown=page == "change")
        matrix.ask("post", address, writes)
    print(f"{len(model_routes())} pages, {matrix.asked} requests")
    assert matrix.wrong == [], "\n".join(matrix.wrong)


def test_every_step_by_everybody(matrix: Matrix) -> None:
    for step, who in STEPS.items():
        address = reverse("staff-withdrawal-step", args=[matrix.world.case.pk, step])
        for method in ("get", "post"):
            matrix.ask(method, address, who)
    for step in INSTALLMENT_STEPS:
        address = reverse("staff-order-installment", args=[matrix.world.order.pk, matrix.world.due.pk, step])
        for method in ("get", "post"):
            matrix.ask(method, address, ADMIN)
    people = reverse("admin:autocomplete") + "?app_label=orders&model_name=order&field_name=user"
    matrix.ask("get", people, LOOK)
    print(f"{matrix.asked} requests")
    assert matrix.wrong == [], "\n".join(matrix.wrong)


@pytest.mark.parametrize(
    ("change", "who"),
    [
        ({"status": "processing"}, WORK),
        ({"status": "shipped", "tracking_number": "RR123"}, WORK),
        ({"status": "cancelled"}, ADMIN),
        ({"status": "refunded"}, ADMIN),
        ({"status": "cancelled", "refund": True}, ADMIN),
        ({"status": "cancelled", "refund": False}, ADMIN),
        ({"status": "processing", "refund": True}, ADMIN),
    ],
)
def test_status_by_everybody(matrix: Matrix, change: dict[str, Any], who: Who) -> None:
    order = matrix.world.order.pk
    matrix.ask("post", reverse("api-admin-order-status", args=[order]), who, body=change, call=True)
    assert matrix.wrong == [], "\n".join(matrix.wrong)


def test_staff_without_the_second_factor_that_is_asked_of_them_may_nothing(
    matrix: Matrix, settings: Any
) -> None:
    settings.STAFF_SECOND_FACTOR = True

    def left(who: Who) -> Who:
        return who if who >= PEOPLE else who - DESK

    for name, _path, pattern in routes():
        reads, writes = ROUTES.get(name, (EVERYBODY, EVERYBODY))
        # `admin:login` leads them to where they set it up.
        if not (reads >= PEOPLE and writes >= PEOPLE) and name != "admin:login":
            address = reverse(name, kwargs=values_of(matrix.world, pattern))
            call = name.startswith("api-")
            matrix.ask("get", address, left(reads), call=call, actors=sorted(DESK))
            matrix.ask("post", address, left(writes), call=call, actors=sorted(DESK))
    for name, (label, page) in model_routes().items():
        address = reverse(name, args=[] if page in ("changelist", "add") else [matrix.world.rows[label].pk])
        matrix.ask("get", address, NOBODY, actors=sorted(DESK))
        matrix.ask("post", address, NOBODY, actors=sorted(DESK))
    print(f"{matrix.asked} requests")
    assert matrix.wrong == [], "\n".join(matrix.wrong)


def test_deleting_chosen_rows_by_everybody(matrix: Matrix) -> None:
    """Django offers it to whoever may delete, which nobody may, and takes it for no action."""
    for label, sees in MODELS.items():
        address = reverse(f"admin:{label.replace('.', '_').lower()}_changelist")
        body = {
            "action": "delete_selected",
            "_selected_action": [str(matrix.world.rows[label].pk)],
            "post": "yes",
        }
        for actor in sees:
            with everything_undone() as written:
                answer = matrix.world.browser(actor).post(address, body)
            assert (answer.status_code in (200, 302, 403), written) == (True, []), (actor, label)


def test_nothing_is_taken_from_a_page_of_another_site(matrix: Matrix) -> None:
    """By the browser of who may most: with another token, with the right one from a foreign page, and as the kind of
    request that browsers send to other sites without asking. What is taken proves in itself who asks, or acts for
    nobody."""
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    token = "a" * 32
    shapes = (
        ("application/json", {"x-csrftoken": "b" * 32}),
        ("application/json", {"x-csrftoken": token, "origin": "https://other.test"}),
        ("text/plain", {"origin": "null"}),
    )
    taken, asked = set(), 0
    for name, _path, pattern in routes():
        if name not in ROUTES:
            continue
        address = reverse(name, kwargs=values_of(matrix.world, pattern))
        view = getattr(pattern.callback, "cls", None)
        for method in CALLS[1:] if view else CALLS[1:2]:
            if view and not hasattr(view, method):
                continue
            for kind, headers in shapes if view else shapes[1:]:
                browser.cookies.clear()
                browser.cookies[settings.SESSION_COOKIE_NAME] = matrix.world.sessions["admin"]
                browser.cookies[settings.CSRF_COOKIE_NAME] = token
                asked += 1
                with everything_undone() as written:
                    answer = browser.generic(method.upper(), address, content_type=kind, headers=headers)
                if answer.status_code != 403 or (view and answer.json()["code"] != "csrf_failed"):
                    taken.add(name)
                elif written:
                    matrix.wrong.append(f"{method} {address} writes though refused: {written[0]}")
    print(f"{asked} requests of another site")
    assert matrix.wrong == [], "\n".join(matrix.wrong)
    assert taken == {
        # A signature of the provider, a key of a program.
        *("stripe-webhook", "automation-products"),
        # The key of the mail that leads there; mail programs press some of them.
        *("blog:newsletter-confirm", "blog:newsletter-preferences", "blog:newsletter-stop"),
        *("catalog:notice-confirm", "catalog:notice-stop"),
        # Their page is the same for everybody and holds no token. Nobody's session counts there.
        *("blog:newsletter-ask", "catalog:notice-ask", "orders:withdrawal", "orders:withdrawal-confirmed"),
        *("statistics-events", "vitals", "client-errors", "api-consent", "api-quote"),
    }


def _absent(key: object) -> object:
    return uuid.uuid4() if isinstance(key, uuid.UUID) else 10**9


def test_somebody_elses_object_is_not_there(matrix: Matrix) -> None:
    """Every route of an owner answers a stranger as if the object did not exist."""
    walked = []
    for name, _path, pattern in routes():
        reads, _writes = ROUTES.get(name, (EVERYBODY, EVERYBODY))
        if "member" not in reads or "other" in reads:
            continue
        values = values_of(matrix.world, pattern)
        call = name.startswith("api-")
        for method in CALLS[:2]:
            theirs, missing = (
                matrix._send("other", method, reverse(name, kwargs=keys), {}, call=call)
                for keys in (values, {key: _absent(value) for key, value in values.items()})
            )
            assert theirs.status_code == missing.status_code, (name, method)
            assert theirs.status_code in (404, 405), (name, method)
            walked.append(name)
    print(f"{len(walked)} calls for objects of others")
    assert {"api-order", "api-order-invoice", "api-withdrawal", "orders:order"} <= set(walked)
    anonymous = matrix.world.browser("anonymous")
    for name in ("api-order-invoice", "orders:order"):
        assert anonymous.get(reverse(name, args=[matrix.world.order.pk])).status_code == 404


def test_lists_compare_no_column_and_give_no_endless_page(matrix: Matrix) -> None:
    """Whatever the address asks for, a list is the same, or the question is refused."""
    admin_browser = matrix.world.browser("admin")
    found = set()
    for name, _path, pattern in routes():
        if not name.startswith("api-") or "admin" not in ROUTES[name][0]:
            continue
        address = reverse(name, kwargs=values_of(matrix.world, pattern))
        plain = admin_browser.get(address)
        if plain.status_code != 200 or plain.streaming or b'"results":' not in plain.content:
            continue
        found.add(name)
        for query in (
            "ordering=user__password",
            "user__password__startswith=a",
            "password__startswith=md5",
            "page_size=1000000000",
        ):
            answer = admin_browser.get(f"{address}?{query}")
            assert answer.status_code == 400 or answer.json()["results"] == plain.json()["results"], (
                name,
                query,
            )
    assert {"api-products", "api-admin-orders", "api-admin-users"} <= found, found


def test_buttons_are_those_that_the_person_may_press(matrix: Matrix) -> None:
    matrix.blank.on = False
    order = reverse("admin:orders_order_change", args=[matrix.world.order.pk])
    case = reverse("staff-withdrawal", args=[matrix.world.case.pk])
    for address in (order, case):
        for actor in ("staff", "looker", "admin"):
            pages = [page.url for page in matrix.world.browser(actor).get(address).context["pages"]]
            for page in pages:
                assert matrix.world.browser(actor).get(page).status_code in (200, 302), (actor, page)
            shown = set(pages)
            if actor == "looker":
                assert all(re.search("/echeances$|/facture$|/admin/commandes/", page) for page in shown), (
                    shown
                )
            assert shown != set() or actor == "looker"
