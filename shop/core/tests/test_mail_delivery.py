"""Delivering mails: tries, dead letters, leases, and what the sweep finds."""

from __future__ import annotations

import smtplib
from datetime import timedelta

import pytest
from django.utils import timezone

from shop.core import mail_delivery
from shop.core.mail_delivery import LEASE, MAX_ATTEMPTS, MAX_CRASHES, RETRY_DELAYS, deliver
from shop.core.mail_samples import sample_context
from shop.core.models import MailState, OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.core.tasks import deliver_mail, sweep_mails
from shop.core.tests import scripted_mail

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

GREYLISTED = smtplib.SMTPRecipientsRefused({"client@example.com": (451, b"try later")})
NO_SUCH_BOX = smtplib.SMTPRecipientsRefused({"client@example.com": (550, b"no such user")})


@pytest.fixture
def server(settings, monkeypatch):
    settings.EMAIL_BACKEND = scripted_mail.BACKEND
    fresh = scripted_mail.Server()
    monkeypatch.setattr(scripted_mail, "SERVER", fresh)
    return fresh


@pytest.fixture
def mail():
    return OutgoingMail.objects.create(
        kind="account_exists",
        to="client@example.com",
        context=sample_context("account_exists"),
        message_id="<stable@localhost>",
    )


def state_of(mail):
    mail.refresh_from_db()
    return mail.state


def test_delivered_once_and_kept_as_sent(server, mail):
    deliver_mail(mail.pk)
    deliver_mail(mail.pk)

    assert state_of(mail) == MailState.SENT
    assert (mail.attempts, mail.lease_until, mail.last_error) == (1, None, "")
    assert mail.sent_at is not None
    [message] = server.sent
    assert message.to == ["client@example.com"]
    assert message.subject == mail.subject == "Vous avez déjà un compte"
    assert message.body == mail.text
    assert message.alternatives == [(mail.html, "text/html")]
    assert message.extra_headers["Message-ID"] == "<stable@localhost>"
    assert message.extra_headers["Auto-Submitted"] == "auto-generated"
    assert message.from_email == "=?utf-8?q?L=27=C3=89tabli_aux_figurines?= <boutique@example.com>"


def test_answers_go_to_the_shop_or_to_whom_the_mail_names(server, mail):
    save_shop_settings(ShopSettings(email="boutique@example.com"))
    deliver(mail.pk)
    other = OutgoingMail.objects.create(
        kind="account_exists",
        to="atelier@example.com",
        context={**sample_context("account_exists"), "reply_to": "zoe@example.com"},
    )
    deliver(other.pk)
    assert [message.reply_to for message in server.sent] == [["boutique@example.com"], ["zoe@example.com"]]


@pytest.mark.parametrize(
    "error",
    [
        GREYLISTED,
        ConnectionRefusedError("refused"),
        TimeoutError("silent after DATA"),
        smtplib.SMTPServerDisconnected("gone"),
        smtplib.SMTPDataError(452, b"disk full"),
        smtplib.SMTPHeloError(554, b"who are you"),
    ],
)
def test_a_passing_trouble_is_tried_again(server, mail, error):
    server.script = [error]
    assert_tried_again(server, mail, error)


@pytest.mark.parametrize(
    "error",
    [
        smtplib.SMTPConnectError(554, b"not today"),
        smtplib.SMTPNotSupportedError("STARTTLS extension not supported by server."),
        smtplib.SMTPResponseException(554, b"no TLS now"),
        smtplib.SMTPAuthenticationError(535, b"bad password of the shop"),
    ],
)
def test_a_server_that_refuses_the_shop_itself_loses_no_mail(server, mail, error):
    server.greetings = [error]
    assert_tried_again(server, mail, error)


def assert_tried_again(server, mail, error):
    before = timezone.now()
    assert deliver(mail.pk) == MailState.QUEUED

    assert state_of(mail) == MailState.QUEUED
    assert before + RETRY_DELAYS[0] <= mail.next_attempt_at <= timezone.now() + RETRY_DELAYS[0]
    assert mail.lease_until is None
    assert type(error).__name__ in mail.last_error
    # Not due yet: a second message does nothing.
    assert deliver(mail.pk) is None
    assert deliver(mail.pk, now=mail.next_attempt_at) == MailState.SENT
    assert len(server.sent) == 1


@pytest.mark.parametrize(
    "error",
    [
        NO_SUCH_BOX,
        smtplib.SMTPDataError(554, b"rejected"),
        smtplib.SMTPSenderRefused(553, b"not yours", "boutique@example.com"),
        smtplib.SMTPNotSupportedError("SMTPUTF8"),
    ],
)
def test_a_refusal_for_good_is_a_dead_letter_at_once(server, mail, error):
    server.script = [error]

    assert deliver(mail.pk) == MailState.FAILED

    assert (state_of(mail), mail.attempts) == (MailState.FAILED, 1)
    assert deliver(mail.pk, now=timezone.now() + timedelta(days=3)) is None
    assert server.sent == []


def test_tries_end_after_two_days_as_a_dead_letter(server, mail):
    server.script = [GREYLISTED] * MAX_ATTEMPTS
    now = timezone.now()

    waits = []
    while deliver(mail.pk, now=now) == MailState.QUEUED:
        mail.refresh_from_db()
        waits.append(mail.next_attempt_at)
        now = mail.next_attempt_at

    assert len(waits) == MAX_ATTEMPTS - 1 == 7
    assert sum(RETRY_DELAYS, timedelta()) == timedelta(hours=47, minutes=21)
    assert (state_of(mail), mail.attempts) == (MailState.FAILED, 8)


def test_a_template_that_fails_is_tried_again_and_ends(server, mail):
    OutgoingMail.objects.update(kind="no_such_kind")
    assert deliver(mail.pk) == MailState.QUEUED
    OutgoingMail.objects.update(attempts=MAX_ATTEMPTS - 1, next_attempt_at=timezone.now())
    assert deliver(mail.pk) == MailState.FAILED
    assert "TemplateDoesNotExist" in OutgoingMail.objects.get().last_error


def test_what_was_rendered_first_is_what_is_sent_later(server, mail):
    server.script = [GREYLISTED]
    deliver(mail.pk)
    mail.refresh_from_db()
    OutgoingMail.objects.update(context={"signin_url": "changed"}, language="de")

    deliver(mail.pk, now=mail.next_attempt_at)

    assert server.sent[0].body == mail.text


def test_a_row_in_another_workers_hands_is_left_alone(server, mail, settings):
    """As long as the slowest server takes that is waited for: connection and greeting, EHLO, STARTTLS and its
    handshake, EHLO again, three steps of a sign-in, sender, recipient, DATA, the mail, QUIT."""
    slowest = timezone.now() + 14 * timedelta(seconds=settings.EMAIL_TIMEOUT)
    server.script = [lambda: pytest.fail("sent twice") if deliver(mail.pk, now=slowest) else None]

    assert deliver(mail.pk) == MailState.SENT
    assert len(server.sent) == 1


def test_a_killed_worker_gives_its_row_back_when_the_lease_ends(server, mail):
    now = timezone.now()
    OutgoingMail.objects.update(state=MailState.SENDING, attempts=1, lease_until=now + LEASE)

    assert deliver(mail.pk, now=now + LEASE - timedelta(seconds=1)) is None
    assert deliver(mail.pk, now=now + LEASE) == MailState.SENT

    assert (state_of(mail), mail.attempts, mail.crashes) == (MailState.SENT, 2, 1)


def test_a_mail_that_kills_its_workers_is_stopped(server, mail):
    now = timezone.now()
    for _crash in range(MAX_CRASHES + 3):
        if mail_delivery._claim(mail.pk, now) is not None:  # and the worker dies here
            now += LEASE

    assert (state_of(mail), mail.attempts, mail.crashes) == (MailState.FAILED, 5, 5)
    assert mail.last_error == "Le programme d'envoi s'est arrêté 5 fois pendant cet envoi."
    assert server.sent == []


def test_a_late_answer_never_undoes_what_another_worker_did(server, mail):
    """Our lease ended while the server was silent; another worker sent the mail; then our error arrives."""

    def other_worker_sends_it():
        OutgoingMail.objects.update(state=MailState.SENT, attempts=2, sent_at=timezone.now())
        raise TimeoutError("silent")

    server.script = [other_worker_sends_it]

    assert deliver(mail.pk) is None
    assert (state_of(mail), mail.last_error) == (MailState.SENT, "")


def test_the_sweep_enqueues_what_is_due_and_nothing_else(server, mail, queued_tasks):
    now = timezone.now()
    values = {"kind": "account_exists", "to": "a@example.com"}
    later = OutgoingMail.objects.create(**values, next_attempt_at=now + timedelta(minutes=1))
    dead_worker = OutgoingMail.objects.create(**values, state=MailState.SENDING, lease_until=now)
    OutgoingMail.objects.create(**values, state=MailState.SENDING, lease_until=now + timedelta(seconds=1))
    OutgoingMail.objects.create(**values, state=MailState.SENT)
    OutgoingMail.objects.create(**values, state=MailState.FAILED)

    sweep_mails(now)

    assert {args[0] for _, args, _ in queued_tasks.calls} == {mail.pk, dead_worker.pk}
    assert later.state == MailState.QUEUED
    assert server.sent == []


@pytest.mark.parametrize(
    ("wait", "moved"), [(timedelta(hours=30, minutes=10), False), (timedelta(days=800), True)]
)
@pytest.mark.parametrize("state", [MailState.QUEUED, MailState.SENDING])
def test_a_mail_of_a_clock_that_was_ahead_is_due_again(mail, queued_tasks, state, wait, moved):
    now = timezone.now()
    before = {"state": state, "next_attempt_at": now + wait, "lease_until": None}
    if state == MailState.SENDING:
        before |= {"next_attempt_at": now, "lease_until": now + wait}
    OutgoingMail.objects.filter(pk=mail.pk).update(**before)
    sweep_mails(now)
    after = OutgoingMail.objects.filter(pk=mail.pk).values("state", "next_attempt_at", "lease_until").get()
    late = "next_attempt_at" if state == MailState.QUEUED else "lease_until"
    assert after == (before | {late: now} if moved else before)
    assert [args for _task, args, _ in queued_tasks.calls] == ([(mail.pk,)] if moved else [])


def test_without_any_worker_the_sweep_delivers(server, mail):
    sweep_mails(mail.next_attempt_at + timedelta(minutes=5))

    assert state_of(mail) == MailState.SENT


def test_a_sweep_without_workers_stops_at_a_silent_server(server, mail):
    OutgoingMail.objects.create(kind="account_exists", to="b@example.com")
    server.script = [TimeoutError("silent"), TimeoutError("silent")]

    assert mail_delivery.deliver_overdue(timezone.now() + timedelta(hours=1)) == 1
    assert len(server.script) == 1


def test_resending_a_dead_letter(server, mail, run_on_commit, queued_tasks):
    server.script = [NO_SUCH_BOX]
    deliver(mail.pk)

    with run_on_commit():
        assert mail_delivery.resend(mail_id=mail.pk) is True
        assert mail_delivery.resend(mail_id=mail.pk) is False
    queued_tasks.run()

    assert (state_of(mail), mail.attempts) == (MailState.SENT, 1)


def test_kept_mails_count_as_sent(mail, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

    assert deliver(mail.pk) == MailState.SENT
    mail.refresh_from_db()
    assert "http://localhost:8000/auth?mode=forgot" in mail.text
