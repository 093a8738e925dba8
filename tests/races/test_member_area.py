"""What members change about themselves at one instant: the two links of a change of address, an address book at its
limit, two accounts that want one address, an account that is erased, or would be for want of use."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.db import transaction
from django.db.models import Model
from django.db.models.query import QuerySet
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import NotAuthenticated

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import Address, EmailChange, User
from accounts.personal_data import _erase_account, erased_address
from accounts.services import addresses, email_changes
from accounts.services.addresses import MAX_ADDRESSES, AddressDetails, delete_address, save_address
from accounts.services.email_changes import (
    Outcome,
    cancel_email_change,
    confirm_email_change,
    refuse_email_change,
    request_email_change,
)
from accounts.services.second_factor import activate_totp
from accounts.services.signing_in import change_password
from accounts.tests.people import PASSWORD, app_code, make_member
from blog.models import Subscriber
from catalog.models import Favourite, Review
from catalog.personal_data import _erase_favourites, _erase_reviews
from catalog.selectors import purchases
from catalog.selectors.purchases import Purchase
from catalog.services import favourites, reviews
from orders.models import SavedCart
from orders.services.carts import saved_carts
from orders.tests.factories import make_product
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.personal_data import Person
from shop.core.problems import Problem
from shop.pages.models import DataExport, Erasure, InactivityNotice
from shop.pages.services.retention import erase_inactive
from tests.races.concurrency import Meeting, Started, run_concurrently, values, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

NEW = "nouvelle@example.com"
CALLERS = 6
CHOSEN = {"password": "ardoise-canut-2027", "password_confirmation": "ardoise-canut-2027"}


def wish(user: User) -> EmailChange:
    return request_email_change(user=user, email=NEW, language="fr")


def follow(change: EmailChange, *mailboxes: Mailbox) -> list[Callable[[], Outcome]]:
    return [partial(confirm_email_change, key=email_change_key(change, mailbox)) for mailbox in mailboxes]


def test_both_links_at_once_change_the_address_once() -> None:
    user = make_member()
    for number in range(5):
        User.objects.filter(pk=user.pk).update(email=f"client{number}@example.com")
        OutgoingMail.objects.all().delete()
        user.refresh_from_db()
        change = wish(user)
        outcomes = values(run_concurrently(follow(change, Mailbox.OLD, Mailbox.NEW)))
        assert sorted(outcomes) == [Outcome.DONE, Outcome.WAITING]
        assert User.objects.get(pk=user.pk).email == NEW
        assert OutgoingMail.objects.filter(kind="account_email_changed").count() == 2


def test_a_refusal_that_comes_as_the_address_changes_is_not_taken_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = make_member()
    change = wish(user)
    confirm_email_change(key=email_change_key(change, Mailbox.OLD))
    late: list[Started] = []
    change_email = email_changes._change_email

    def answered_meanwhile(*wished: Any) -> Outcome:
        late.append(Started(partial(refuse_email_change, key=email_change_key(change, Mailbox.OLD))))
        late.append(Started(partial(cancel_email_change, user=user)))
        wait_until_blocked(2)
        return change_email(*wished)

    monkeypatch.setattr(email_changes, "_change_email", answered_meanwhile)
    assert confirm_email_change(key=email_change_key(change, Mailbox.NEW)) is Outcome.DONE
    refused, cancelled = (each.outcome() for each in late)
    assert isinstance(refused.error, Problem)
    assert (refused.error.status, refused.error.code) == (400, "invalid_link")
    assert (cancelled.error, cancelled.value) == (None, False)
    assert User.objects.get(pk=user.pk).email == NEW
    actions = AuditEntry.objects.filter(action__startswith="email.").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == ["email.change_requested", "email.changed"]


def test_two_accounts_that_want_one_address_at_once_one_gets_it() -> None:
    members = [make_member(f"client{number}@example.com") for number in range(2)]
    changes = [wish(user) for user in members]
    for change in changes:
        confirm_email_change(key=email_change_key(change, Mailbox.OLD))
    calls = [call for change in changes for call in follow(change, Mailbox.NEW)]
    assert sorted(values(run_concurrently(calls))) == [Outcome.DONE, Outcome.TAKEN]
    assert User.objects.filter(email=NEW).count() == 1
    assert User.objects.filter(email__startswith="client").count() == 1


def details(number: int) -> AddressDetails:
    return AddressDetails(
        first_name="Léa",
        last_name="Martin",
        address=f"{number} rue",
        postal_code="69003",
        city="Lyon",
        country="FR",
    )


def at_once(user: User) -> list[Callable[[], Address]]:
    return [partial(save_address, user=user, details=details(100 + number)) for number in range(CALLERS)]


def test_the_book_never_holds_more_than_its_limit() -> None:
    user = make_member()
    for number in range(MAX_ADDRESSES - 1):
        save_address(user=user, details=details(number))
    errors = [outcome.error for outcome in run_concurrently(at_once(user)) if outcome.error is not None]
    assert [type(error) for error in errors] == [Problem] * (CALLERS - 1)
    assert Address.objects.filter(user=user).count() == MAX_ADDRESSES


def test_without_the_lock_it_holds_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: every caller has read the book before the first one writes."""
    user = make_member()
    for number in range(MAX_ADDRESSES - 1):
        save_address(user=user, details=details(number))
    meeting, choose = Meeting(CALLERS), addresses._row_to_write

    def chosen(*values: Any) -> Address:
        row = choose(*values)
        meeting.wait()
        return row

    monkeypatch.setattr(addresses, "_row_to_write", chosen)
    monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_options: rows)
    values(run_concurrently(at_once(user)))
    assert Address.objects.filter(user=user).count() == MAX_ADDRESSES - 1 + CALLERS


def test_an_address_that_is_deleted_as_it_is_changed_does_not_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = make_member()
    kept = save_address(user=user, details=details(1))
    late: list[Started] = []
    choose = addresses._row_to_write

    def chosen(*values: Any) -> Address:
        row = choose(*values)
        late.append(Started(partial(delete_address, user=user, address_id=kept.pk)))
        wait_until_blocked()
        return row

    monkeypatch.setattr(addresses, "_row_to_write", chosen)
    save_address(user=user, details=details(2), address_id=kept.pk)
    late[0].value()
    assert not Address.objects.exists()


@pytest.mark.parametrize(
    ("address", "typed", "status"),
    [
        ("/api/me/addresses", asdict(details(1)), 401),
        ("/espace-membre/adresses/nouvelle", asdict(details(1)), 302),
        ("/espace-membre/profil", {"first_name": "Zoé", "last_name": "Martin", "language": "fr"}, 302),
        ("/espace-membre/adresse-e-mail", {"email": NEW, "password": PASSWORD}, 302),
        ("/espace-membre/newsletter", {"newsletter": "on", "every_category": "on"}, 302),
        ("/espace-membre/donnees/archive", {}, 302),
        ("/espace-membre/securite", {"action": "password", "old_password": PASSWORD} | CHOSEN, 302),
    ],
)
def test_nothing_is_written_for_an_account_that_is_erased_meanwhile(
    address: str, typed: dict[str, Any], status: int
) -> None:
    user = make_member()
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    sent = {"content_type": "application/json"} if status == 401 else {}
    with transaction.atomic():
        _erase_account(Person(user.pk, (user.email,)))
        posting = Started(partial(browser.post, address, typed, **sent))
        wait_until_blocked()
    answer = posting.value()
    assert (answer.status_code, answer.get("Location", "/auth?next=")[:11]) == (status, "/auth?next=")
    user.refresh_from_db()
    assert (user.email, user.first_name) == (erased_address(user.pk), "")
    assert not Address.objects.exists()
    assert not EmailChange.objects.exists()
    assert not Subscriber.objects.exists()
    assert not DataExport.objects.exists()
    assert not user.has_usable_password()
    assert not OutgoingMail.objects.exists()


REVIEW = {"rating": 5, "title": "Superbe", "text": "Très fine."}


@pytest.mark.parametrize("locked", [True, False], ids=["locked", "control"])
@pytest.mark.parametrize(
    ("method", "address", "typed", "kept"),
    [
        ("PUT", "/api/favourites", "[{piece}]", Favourite),
        ("PUT", "/api/favourites/{piece}", "", Favourite),
        ("PUT", "/api/cart/saved", '{"lines": [{"product_id": {piece}, "quantity": 1}]}', SavedCart),
        ("POST", "/api/products/{piece}/reviews", json.dumps(REVIEW), Review),
        ("POST", "/produit/{piece}/avis", REVIEW, Review),
    ],
)
def test_nothing_is_kept_for_a_member_who_is_erased_meanwhile(
    monkeypatch: pytest.MonkeyPatch, method: str, address: str, typed: Any, kept: type[Model], locked: bool
) -> None:
    user, piece = make_member(), make_product()
    bought = Purchase("ABCD1234", date(2026, 11, 2), None)
    monkeypatch.setattr(purchases, "_finders", [lambda user, product: bought])
    if not locked:
        for service in (favourites, reviews, saved_carts):
            monkeypatch.setattr(service, "lock_member", lambda pk: User.objects.get(pk=pk))
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    path = address.replace("{piece}", str(piece.pk))
    call = partial(browser.post, path, typed)
    if isinstance(typed, str):
        body = typed.replace("{piece}", str(piece.pk))
        call = partial(browser.generic, method, path, body, content_type="application/json")
    with transaction.atomic():
        for erase in (_erase_favourites, _erase_reviews, _erase_account):
            erase(Person(user.pk, (user.email,)))
        calling = Started(call)
        # Without the lock, what names the account waits for its key alone.
        wait_until_blocked()
    answer = calling.value()
    assert kept.objects.filter(user=user).count() == (0 if locked else 1)
    if locked and isinstance(typed, str):
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    elif locked:
        assert (answer.status_code, answer["Location"]) == (302, f"/auth?next={path}")


def make_idle() -> User:
    """A member who was warned a month ago, and is to be erased now."""
    user = make_member()
    User.objects.filter(pk=user.pk).update(date_joined=timezone.now() - timedelta(days=2000))
    InactivityNotice.objects.create(user_key=user.pk, announced_at=timezone.now() - timedelta(days=31))
    return user


def test_who_signs_in_as_their_account_would_be_erased_keeps_it() -> None:
    user = make_idle()
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(last_login=timezone.now())
        erasing = Started(lambda: erase_inactive(timezone.now(), 10))
        wait_until_blocked()
    assert erasing.value() == 1
    assert not Erasure.objects.exists()
    assert not InactivityNotice.objects.exists()


def test_without_the_lock_they_are_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    user = make_idle()
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(last_login=timezone.now())
        monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_options: rows)
        assert Started(lambda: erase_inactive(timezone.now(), 10)).value() == 1
    assert Erasure.objects.get().by_inactivity


def test_of_two_who_change_one_password_the_second_has_not_proved_the_first() -> None:
    user = make_member()
    owner, other = (User.objects.get(pk=user.pk) for _device in range(2))
    with transaction.atomic():
        change_password(owner, "ardoise-canut-2027")
        changing = Started(partial(change_password, other, "traboule-soie-2028"))
        wait_until_blocked()
    assert isinstance(changing.outcome().error, NotAuthenticated)
    user.refresh_from_db()
    assert user.check_password("ardoise-canut-2027")
    assert OutgoingMail.objects.filter(kind="account_password_changed").count() == 1


def test_an_app_that_is_added_as_its_account_is_erased_is_not() -> None:
    user = make_member()
    secret = generate_totp_secret()
    with transaction.atomic():
        _erase_account(Person(user.pk, (user.email,)))
        adding = Started(partial(activate_totp, user, secret=secret, code=app_code(secret)))
        wait_until_blocked()
    assert isinstance(adding.outcome().error, NotAuthenticated)
    assert not Authenticator.objects.exists()
    assert not OutgoingMail.objects.exists()
