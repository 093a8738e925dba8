"""Members whom nobody has seen for three years: warned, erased a month later, and who is none of them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import unescape

import pytest
from allauth.usersessions.models import UserSession
from django.utils import timezone

from accounts.models import User
from accounts.services.members import close_account
from accounts.tests.browsers import browser, is_open
from accounts.tests.people import PASSWORD, make_admin, make_member, text
from blog.models import ConsentRecord, ConsentSource, Subscriber
from blog.services.newsletter.consents import Origin
from blog.services.newsletter.subscriptions import Choices, save_member_choices
from blog.tests.subscribers import make_subscriber
from catalog.models import Notice
from orders.models import Order
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.models import AuditEntry, OutgoingMail
from shop.pages.models import ContactRequest, Erasure, ErasureState, InactivityNotice, RetentionRun
from shop.pages.services import retention
from shop.pages.services.erasures import request_erasure, run_erasure
from shop.pages.services.guest_erasures import send_erasure_link
from shop.pages.services.retention import apply_rules, warn_inactive
from shop.pages.tests.personal_data import send_mails

pytestmark = pytest.mark.django_db


def ago(**period: float) -> datetime:
    return timezone.now() - timedelta(**period)


def idle(email: str, *, joined: float, signed_in: float | None = None, **fields) -> User:
    user = make_member(email, **fields)
    User.objects.filter(pk=user.pk).update(
        date_joined=ago(days=joined), last_login=None if signed_in is None else ago(days=signed_in)
    )
    return User.objects.get(pk=user.pk)


def test_members_without_activity_are_warned_a_month_before_and_then_erased():
    three_years = 3 * 366
    gone = idle("gone@example.com", joined=three_years, language="de")
    subscriber = make_subscriber(gone.email)
    idle("signed-in@example.com", joined=three_years, signed_in=10)
    buyer = idle("buyer@example.com", joined=three_years)
    make_order(user=buyer, email=buyer.email)
    # Theirs as well (0013), and erased with the account.
    guest = idle("guest@example.com", joined=three_years)
    make_order(user=None, email=guest.email)
    staff = idle("staff@example.com", joined=three_years)
    User.objects.filter(pk=staff.pk).update(is_staff=True)
    closed = idle("closed@example.com", joined=three_years)
    close_account(user=closed)
    Erasure.objects.create(
        user_key=closed.pk, due_by=timezone.now(), state=ErasureState.DONE, done_at=timezone.now()
    )

    assert apply_rules(timezone.now())["inactive-warned"] == 1

    mail = OutgoingMail.objects.get()
    assert (mail.kind, mail.to, mail.language) == ("account_inactive", "gone@example.com", "de")
    assert apply_rules(timezone.now())["inactive-warned"] == 0
    assert not Erasure.objects.exclude(user_key=closed.pk).exists()
    InactivityNotice.objects.update(announced_at=ago(days=31))
    apply_rules(timezone.now())
    erasure = Erasure.objects.exclude(state=ErasureState.DONE).get()
    assert (erasure.user_key, erasure.by_inactivity) == (gone.pk, True)
    # Nobody asked for it: no person is named, and no consent was withdrawn.
    assert AuditEntry.objects.get(action="erasure.requested").actor_id is None
    subscriber.refresh_from_db()
    assert (subscriber.receives, subscriber.consents.count()) == (True, 0)


def test_a_member_that_fails_keeps_no_other_waiting(fail_first):
    first, second = (idle(f"{name}@example.com", joined=3 * 366) for name in ("a", "b"))
    fail_first(retention, "queue_mail")
    apply_rules(timezone.now())
    assert RetentionRun.objects.get(rule="inactive-warned").fault == "RuntimeError: unforeseen"
    assert [row.user_key for row in InactivityNotice.objects.all()] == [second.pk]
    apply_rules(timezone.now())
    InactivityNotice.objects.update(announced_at=ago(days=31))
    fail_first(retention, "request_erasure")
    apply_rules(timezone.now())
    assert Erasure.objects.count() == 1
    apply_rules(timezone.now())
    assert {row.user_key for row in Erasure.objects.all()} == {first.pk, second.pk}


def test_who_visits_without_signing_in_again_is_no_member_without_activity(time_machine):
    user = make_member()
    client = browser()
    began = timezone.now()
    for week in range(1, 165):
        time_machine.move_to(began + timedelta(weeks=week))
        assert is_open(client)
    apply_rules(timezone.now())
    assert not InactivityNotice.objects.exists()

    # Also once the session has ended: the three years begin with the last visit.
    time_machine.shift(timedelta(days=15))
    apply_rules(timezone.now())
    assert not InactivityNotice.objects.exists()
    assert not UserSession.objects.exists()
    time_machine.shift(timedelta(days=3 * 366))
    apply_rules(timezone.now())
    assert [row.user_key for row in InactivityNotice.objects.all()] == [user.pk]


def test_a_blocked_member_without_activity_is_told_where_to_write_and_erased():
    user = idle("blocked@example.com", joined=3 * 366)
    User.objects.filter(pk=user.pk).update(is_active=False)
    apply_rules(timezone.now())
    mail = OutgoingMail.objects.get()
    assert (mail.kind, mail.context["is_blocked"]) == ("account_inactive", True)
    assert mail.context["url"].endswith("/contact")
    InactivityNotice.objects.update(announced_at=ago(days=31))
    apply_rules(timezone.now())
    run_erasure(Erasure.objects.get(user_key=user.pk, by_inactivity=True).pk)
    assert User.objects.get(pk=user.pk).is_closed


@pytest.mark.parametrize(("days", "warned"), [(300, 0), (3 * 366, 1)])
def test_who_said_what_they_want_to_receive_has_used_the_account(days, warned):
    user = idle("reader@example.com", joined=4 * 366)
    choices = Choices(newsletter=True)
    save_member_choices(email=user.email, choices=choices, origin=Origin(ConsentSource.MAIL, "fr"))
    ConsentRecord.objects.update(created_at=ago(days=days))
    assert apply_rules(timezone.now())["inactive-warned"] == warned


@pytest.mark.parametrize(("days", "warned"), [(300, 0), (3 * 366, 1)])
@pytest.mark.parametrize("moment", ["wrote", "confirmed an alert"])
def test_who_wrote_or_confirmed_an_alert_without_signing_in_is_no_member_without_activity(
    moment, days, warned
):
    user = idle("writer@example.com", joined=4 * 366)
    idle("other@example.com", joined=30)
    if moment == "wrote":
        ContactRequest.objects.create(
            reference="Z", fingerprint="f" * 64, kind="quote", email=user.email, language="fr",
            created_at=ago(days=days),
        )  # fmt: skip
    else:
        Notice.objects.create(
            email=user.email, token="t" * 43, product=make_product(), confirmed_at=ago(days=days)
        )
    assert warn_inactive(ago(days=3 * 365), 10) == warned


def test_a_wish_for_an_alert_that_nobody_confirmed_is_no_activity():
    user = idle("typed@example.com", joined=4 * 366)
    Notice.objects.create(email=user.email, token="t" * 43, product=make_product())
    assert warn_inactive(ago(days=3 * 365), 10) == 1


@pytest.mark.parametrize("suspension", ["", "complaint"])
def test_the_announcement_says_that_a_subscription_goes_on(suspension):
    gone = idle("gone@example.com", joined=4 * 366)
    since = ago(days=4 * 365)
    make_subscriber(gone.email, suspended_at=since if suspension else None, suspension=suspension)
    warn_inactive(ago(days=3 * 365), 10)
    send_mails()
    mail = OutgoingMail.objects.get(kind="account_inactive")
    told = "Votre abonnement à la newsletter continue, car vous n'y avez pas mis fin"
    assert [told in unescape(part) for part in (mail.text, mail.html)] == [not suspension] * 2


def test_a_subscription_outlives_an_account_that_ends_by_inactivity(mailoutbox):
    gone = idle("gone@example.com", joined=4 * 366)
    subscriber = make_subscriber(gone.email, cart_reminders_at=ago(days=4 * 365))
    quiet = idle("quiet@example.com", joined=4 * 366)
    make_subscriber(quiet.email, subscribed_at=None, unsubscribed_at=ago(days=4 * 365))
    angry = idle("angry@example.com", joined=4 * 366)
    make_subscriber(angry.email, suspended_at=ago(days=4 * 365), suspension="complaint")
    for user in (gone, quiet, angry):
        finish(request_erasure(user=user, language="fr", by_inactivity=True))

    subscriber.refresh_from_db()
    assert (subscriber.email, subscriber.receives, subscriber.cart_reminders_at) == (gone.email, True, None)
    # Nothing of who gets no letters stays, as the mail says.
    assert list(Subscriber.objects.values_list("pk", flat=True)) == [subscriber.pk]
    assert User.objects.get(pk=gone.pk).is_closed
    bodies = {mail.to[0]: mail.body for mail in mailoutbox}
    goes_on = (
        "Votre abonnement à la newsletter continue, car vous n'y avez pas mis fin\u00a0: chaque lettre porte"
    )
    last = "C'est le dernier e-mail que vous recevez de nous à ce sujet"
    assert (goes_on in bodies[gone.email], last in bodies[gone.email]) == (True, False)
    for user in (quiet, angry):
        assert (goes_on in bodies[user.email], last in bodies[user.email]) == (False, True)


def test_who_asks_to_be_erased_takes_the_subscription_along():
    user = idle("leaves@example.com", joined=4 * 366)
    make_subscriber(user.email)
    finish(request_erasure(user=user, language="fr"))
    assert not Subscriber.objects.exists()


def finish(erasure: Erasure) -> None:
    for _ in range(2):
        Erasure.objects.update(next_try_at=timezone.now())
        run_erasure(erasure.pk)
        send_mails()
    assert Erasure.objects.get(pk=erasure.pk).state == ErasureState.DONE


def test_an_account_that_closed_in_that_month_is_not_erased_again():
    user = idle("closed@example.com", joined=3 * 366)
    apply_rules(timezone.now())
    InactivityNotice.objects.update(announced_at=ago(days=31))
    close_account(user=user)
    apply_rules(timezone.now())
    assert not Erasure.objects.exists()
    assert not InactivityNotice.objects.exists()


@pytest.mark.parametrize("change", [{"last_login": ago(days=2)}, {"is_staff": True}])
def test_who_comes_back_in_that_month_stays(change):
    user = idle("back@example.com", joined=3 * 366)
    apply_rules(timezone.now())
    InactivityNotice.objects.update(announced_at=ago(days=31))
    User.objects.filter(pk=user.pk).update(**change)
    apply_rules(timezone.now())
    assert not Erasure.objects.exists()
    assert not InactivityNotice.objects.exists()


def waits_for_its_order(email: str) -> tuple[User, Erasure]:
    user = idle(email, joined=4 * 366)
    order = pay_order(make_order(user=user, email=user.email))
    Order.objects.filter(pk=order.pk).update(created_at=ago(days=4 * 365))
    erasure = request_erasure(user=user, language="fr", by_inactivity=True)
    run_erasure(erasure.pk)
    assert Erasure.objects.get().state == "registered"
    return user, erasure


@pytest.mark.parametrize("due", [ago(days=-20), ago(days=1)])
def test_who_comes_back_while_the_erasure_waits_for_an_order_stays(due):
    user, erasure = waits_for_its_order("back@example.com")
    User.objects.filter(pk=user.pk).update(last_login=timezone.now())
    Erasure.objects.update(next_try_at=timezone.now(), due_by=due)
    assert not run_erasure(erasure.pk)
    assert not Erasure.objects.exists()
    assert User.objects.get(pk=user.pk).is_active
    assert AuditEntry.objects.get(action="erasure.cancelled").actor_id is None


def test_who_asks_themselves_while_it_waits_is_erased_though_they_came_back():
    user, _erasure = waits_for_its_order("back@example.com")
    subscriber = make_subscriber(user.email)
    User.objects.filter(pk=user.pk).update(last_login=timezone.now())
    erasure = request_erasure(user=user, language="fr")
    subscriber.refresh_from_db()
    assert (erasure.by_inactivity, subscriber.receives) == (False, False)
    Erasure.objects.update(next_try_at=timezone.now(), due_by=ago(days=1))
    run_erasure(erasure.pk)
    assert User.objects.get(pk=user.pk).is_closed


def test_who_comes_back_reads_of_no_request_and_may_ask_themselves():
    user, _erasure = waits_for_its_order("back@example.com")
    member = browser(email=user.email)
    page = text(member.get("/espace-membre/donnees"))
    assert "Votre demande est enregistrée" not in page
    assert "L'effacement ne peut pas être défait." in page
    member.post("/espace-membre/donnees/effacement", {"password": PASSWORD})
    assert not Erasure.objects.get().by_inactivity
    assert "Votre demande est enregistrée" in text(member.get("/espace-membre/donnees"))


def test_who_is_blocked_asks_by_the_link_while_it_waits(client):
    user, _erasure = waits_for_its_order("gone@example.com")
    User.objects.filter(pk=user.pk).update(is_active=False)
    send_erasure_link(email=user.email, language="fr", actor=make_admin())
    send_mails()
    path = re.search(r"http://[^/]+(/\S+)", OutgoingMail.objects.get(kind="account_erasure_link").text)[1]
    assert "Votre demande est enregistrée" not in text(client.get(path))
    client.post(path)
    assert not Erasure.objects.get().by_inactivity
    assert "Votre demande est enregistrée" in text(client.get(path))


def test_who_signs_in_while_others_are_dealt_with_stays(monkeypatch):
    first, second = (idle(f"{name}@example.com", joined=3 * 366) for name in ("a", "b"))
    apply_rules(timezone.now())
    InactivityNotice.objects.update(announced_at=ago(days=31))
    request = retention.request_erasure

    def meanwhile(**asked):
        User.objects.filter(pk=second.pk).update(last_login=timezone.now())
        return request(**asked)

    monkeypatch.setattr(retention, "request_erasure", meanwhile)
    apply_rules(timezone.now())
    assert [row.user_key for row in Erasure.objects.all()] == [first.pk]
    assert not InactivityNotice.objects.exists()


def test_whose_account_is_closed_while_others_are_warned_gets_no_warning(monkeypatch):
    first, second = (idle(f"{name}@example.com", joined=3 * 366) for name in ("a", "b"))
    queue = retention.queue_mail

    def meanwhile(**mail):
        close_account(user=User.objects.get(pk=second.pk))
        return queue(**mail)

    monkeypatch.setattr(retention, "queue_mail", meanwhile)
    apply_rules(timezone.now())
    assert [row.user_key for row in InactivityNotice.objects.all()] == [first.pk]
    assert [mail.to for mail in OutgoingMail.objects.all()] == [first.email]


def test_the_warning_comes_a_month_before_the_three_years_end():
    idle("soon@example.com", joined=3 * 365 - 20)
    idle("later@example.com", joined=3 * 365 - 40)
    leaving = idle("leaving@example.com", joined=3 * 366)
    Erasure.objects.create(user_key=leaving.pk, emails=[leaving.email], language="fr", due_by=timezone.now())
    apply_rules(timezone.now())
    assert [mail.to for mail in OutgoingMail.objects.all()] == ["soon@example.com"]
