"""Addresses that nothing is sent to any more: refused mailboxes, reports of mail servers, what staff decide."""

from __future__ import annotations

from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.management import call_command

from accounts.tests.people import make_admin, make_member
from blog.models import Subscriber, Suspension
from blog.services.newsletter import sending
from blog.services.newsletter.suspensions import lift_suspension, read_report, suspend_address
from blog.tests.subscribers import make_subscriber, start_letter
from catalog.models import Favourite, Notice
from catalog.services.notices import ask_notice
from catalog.tests.factories import make_product
from shop.core.mail import queue_mail
from shop.core.models import AuditEntry, OutgoingMail

pytestmark = pytest.mark.django_db


def refusal(code, text):
    return SMTPRecipientsRefused({"lea@example.com": (code, text)})


@pytest.mark.parametrize(
    ("error", "state", "suspension"),
    [
        (refusal(550, b"5.1.1 no such user"), "failed", "no_mailbox"),
        (refusal(550, b"User unknown"), "failed", "no_mailbox"),
        (refusal(550, b"5.2.1 mailbox disabled"), "failed", "no_mailbox"),
        (refusal(550, b"5.7.1 blocked by policy"), "failed", ""),
        (refusal(552, b"5.2.2 mailbox full"), "failed", ""),
        (SMTPServerDisconnected("gone"), "queued", ""),
    ],
)
def test_a_mailbox_that_does_not_exist_is_written_to_no_more(server, error, state, suspension):
    make_subscriber()
    campaign = start_letter()
    server.script = [error]
    sending.send_part(campaign.pk)
    assert OutgoingMail.objects.get().state == state
    assert Subscriber.objects.get().suspension == suspension
    campaign.refresh_from_db()
    assert campaign.state == ("sending" if state == "queued" else "sent")


REPORT = b"""From: MAILER-DAEMON@example.com
Content-Type: multipart/report; report-type=%s; boundary=b

--b
Content-Type: text/plain

Hello.
--b
Content-Type: message/%s

%s
--b--
"""


@pytest.mark.parametrize(
    ("kind", "fields", "found"),
    [
        (
            b"delivery-status",
            b"Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; Lea@example.com\nAction: failed\nStatus: 5.1.1\n",
            [("lea@example.com", "no_mailbox")],
        ),
        (
            b"delivery-status",
            b"Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; lea@example.com\nAction: delayed\nStatus: 4.4.1\n",
            [],
        ),
        (
            b"feedback-report",
            b"Feedback-Type: abuse\nOriginal-Rcpt-To: <lea@example.com>\n",
            [("lea@example.com", "complaint")],
        ),
        (
            b"delivery-status",
            b"Reporting-MTA: dns\n\nStatus: 5.1.1\nAction: failed\nFinal-Recipient: rfc822; Lea P. <Lea@example.com>\n",
            [("lea@example.com", "no_mailbox")],
        ),
        (
            b"feedback-report",
            b'Feedback-Type: abuse\nOriginal-Rcpt-To: "Petit; Lea" <lea@example.com> (home)\n',
            [("lea@example.com", "complaint")],
        ),
    ],
)
def test_reports_of_mail_servers_are_read(kind, fields, found):
    assert read_report(REPORT % (kind, kind, fields)) == found
    assert read_report(b"Subject: Hello\n\nFinal-Recipient: rfc822; lea@example.com\n") == []


def test_a_report_counts_with_a_mail_that_it_gives_back(tmp_path, capsys):
    lea, mia = make_subscriber(), make_subscriber("mia@example.com")
    mail = queue_mail(kind="notice_confirm", to="mia@example.com", language="fr", context={})
    OutgoingMail.objects.create(kind="notice_confirm", to="lea@example.com", language="fr", message_id="")
    fields = b"Original-Rcpt-To: %s\nFeedback-Type: abuse\n"
    forged = REPORT % (b"feedback-report", b"feedback-report", fields % b"lea@example.com")
    returned = b"--b\nContent-Type: text/rfc822-headers\n\n%s\n\n--b--\n"
    reports = {
        "forged": forged,
        "others": forged + returned % f"Message-ID: {mail.message_id}".encode(),
        "letter": forged
        + returned % b"List-Unsubscribe: <https://x/desinscription?cle=%s>" % lea.token.encode(),
        "confirmation": forged.replace(b"lea@", b"mia@")
        + returned % f"Message-ID: {mail.message_id}".encode(),
    }
    said = []
    for name, report in reports.items():
        (tmp_path / name).write_bytes(report)
        call_command("read_bounce", str(tmp_path / name))
        said.append(
            (capsys.readouterr().out, *(Subscriber.objects.get(pk=row.pk).suspension for row in (lea, mia)))
        )

    assert said == [
        ("1 address(es) named, 0 suspended.\n", "", ""),
        ("1 address(es) named, 0 suspended.\n", "", ""),
        ("1 address(es) named, 1 suspended.\n", "complaint", ""),
        ("1 address(es) named, 1 suspended.\n", "complaint", "complaint"),
    ]


@pytest.mark.parametrize(
    ("reason", "left"),
    [("complaint", (["mia@example.com"], 0)), ("no_mailbox", (["lea@example.com", "mia@example.com"], 1))],
)
def test_who_complains_of_any_mail_is_told_of_nothing_that_is_back_either(reason, left):
    piece, member = make_product("Golem", in_stock=False), make_member("lea@example.com")
    for email in ("lea@example.com", "mia@example.com"):
        ask_notice(email=email, language="fr", product_id=piece.pk)
    Favourite.objects.create(user=member, product=piece, language="fr", notify_when_back=True)
    # Not one of the newsletter's.
    assert suspend_address("LEA@example.com", reason) is False
    asked = list(Notice.objects.order_by("email").values_list("email", flat=True))
    assert (asked, Favourite.objects.filter(notify_when_back=True).count()) == left


def test_staff_suspend_and_restore_an_address_in_the_audit_trail():
    actor, subscriber = make_admin(), make_subscriber()
    assert suspend_address("LEA@example.com", "complaint", actor=actor) is True
    assert suspend_address("lea@example.com", actor=actor) is False
    subscriber.refresh_from_db()
    assert (subscriber.receives, subscriber.suspension) == (False, "complaint")
    assert lift_suspension(subscriber_id=subscriber.pk, actor=actor) is True
    assert lift_suspension(subscriber_id=subscriber.pk, actor=actor) is False
    subscriber.refresh_from_db()
    assert subscriber.receives
    assert list(
        AuditEntry.objects.filter(action__startswith="subscriber")
        .order_by("pk")
        .values_list("action", flat=True)
    ) == [
        "subscriber.suspended",
        "subscriber.restored",
    ]


def test_what_waits_for_the_mail_server_does_not_leave_to_who_complained_or_has_no_mailbox():
    make_subscriber()
    for kind in ("newsletter_letter", "cart_reminder", "order_confirmation"):
        for address in ("lea@example.com", "zoe@example.com"):
            queue_mail(kind=kind, to=address, language="fr", context={})
    OutgoingMail.objects.update(attempts=1)
    assert suspend_address("Lea@example.com", Suspension.COMPLAINT)
    assert sorted(OutgoingMail.objects.values_list("to", "kind")) == [
        ("lea@example.com", "order_confirmation"),
        ("zoe@example.com", "cart_reminder"),
        ("zoe@example.com", "newsletter_letter"),
        ("zoe@example.com", "order_confirmation"),
    ]
