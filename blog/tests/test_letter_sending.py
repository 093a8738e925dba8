"""Who gets a letter: once, after every other mail; and what becomes of a pause, a cancellation, a crash."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.tests.people import make_admin, make_member
from blog.models import Campaign, CampaignRecipient, Topic
from blog.selectors.letters import figures_of
from blog.selectors.subscribers import audience_counts
from blog.services.newsletter import campaigns, sending
from blog.services.newsletter.consents import Origin
from blog.services.newsletter.subscriptions import Choices, move_subscriber, save_member_choices, unsubscribe
from blog.tests.subscribers import make_letter, make_subscriber, receivers, start_letter
from catalog.services.categories import delete_category
from catalog.tests.factories import make_category
from shop.core.mail import queue_mail
from shop.core.mail_delivery import deliver, resend, sweep
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


def test_a_letter_goes_once_to_each_of_its_segment_in_their_language(server):
    for email, language, more in (
        ("fr@example.com", "fr", {}),
        ("de@example.com", "de", {}),
        ("es@example.com", "es", {}),
        ("waiting@example.com", "fr", {"subscribed_at": None}),
        ("bored@example.com", "fr", {"wants_promotions": False}),
        ("gone@example.com", "fr", {"suspended_at": timezone.now(), "suspension": "staff"}),
    ):
        make_subscriber(email, language, **more)
    campaign = start_letter(topic="promotions", fr="Bonjour.", de="Guten Tag.")
    assert sending.send_part(campaign.pk) is False
    assert sending.send_part(campaign.pk) is False
    assert receivers(server) == ["de@example.com", "fr@example.com"]
    assert {message.to[0]: message.subject for message in server.sent}["de@example.com"] == "Objet de"
    campaign.refresh_from_db()
    assert (campaign.state, campaign.sent_count, campaign.failed_count) == ("sent", 2, 0)
    assert CampaignRecipient.objects.count() == 2


def test_who_chose_collections_gets_the_letters_of_these_and_of_all():
    dragons, busts = make_category("dragons"), make_category("bustes")
    make_subscriber("all@example.com")
    for email, category in (("dragons@example.com", dragons), ("busts@example.com", busts)):
        choices = Choices(newsletter=True, category_ids=[category.pk])
        save_member_choices(email=email, choices=choices, origin=Origin("profile", "fr"))
    assert audience_counts(Campaign(category=dragons)) == {"fr": 2}
    assert audience_counts(Campaign()) == {"fr": 3}
    # A consent to hear of one collection is none to hear of the others.
    delete_category(category=busts)
    assert audience_counts(Campaign(category=dragons)) == {"fr": 2}
    assert audience_counts(Campaign()) == {"fr": 3}


def test_the_database_itself_refuses_a_second_letter_to_a_subscriber():
    campaign, subscriber = make_letter(), make_subscriber()
    CampaignRecipient.objects.create(campaign=campaign, subscriber=subscriber)
    with pytest.raises(IntegrityError), transaction.atomic():
        CampaignRecipient.objects.create(campaign=campaign, subscriber=subscriber)


def test_who_unsubscribes_between_two_batches_or_before_the_mail_leaves_gets_nothing(server, monkeypatch):
    monkeypatch.setattr(sending, "BATCH", 2)
    people = [make_subscriber(f"n{n}@example.com") for n in range(4)]
    campaign = start_letter()
    assert sending.write_batch(campaign.pk) is True
    for person in (people[1], people[3]):
        unsubscribe(key=person.token, origin=Origin("mail", "fr"), campaign_id=campaign.pk)
    sending.send_part(campaign.pk)
    assert receivers(server) == ["n0@example.com", "n2@example.com"]
    campaign.refresh_from_db()
    figures = figures_of(campaign, 4)
    assert (figures.sent, figures.failed, figures.unsubscribed) == (2, 0, 1)


@pytest.mark.parametrize("blocked_when", ["before", "while its mail waits"])
def test_who_is_blocked_gets_no_letter_until_the_account_is_open_again(server, client, blocked_when):
    member, subscriber = make_member("lea@example.com"), make_subscriber("lea@example.com")
    make_subscriber("other@example.com")
    block = User.objects.filter(pk=member.pk).update
    if blocked_when == "before":
        block(is_active=False)
    campaign = start_letter()
    sending.write_batch(campaign.pk)
    block(is_active=False)
    sending.send_part(campaign.pk)
    assert receivers(server) == ["other@example.com"]
    block(is_active=True)
    sending.send_part(start_letter().pk)
    assert receivers(server) == ["lea@example.com", "other@example.com", "other@example.com"]
    # The link of a letter that came before ends it, blocked or not.
    block(is_active=False)
    assert client.post(f"/newsletter/desinscription?cle={subscriber.token}").status_code == 200
    subscriber.refresh_from_db()
    assert subscriber.subscribed_at is None


def test_who_gives_up_its_topic_or_collection_before_the_mail_leaves_gets_nothing(server):
    busts, dragons = make_category("bustes"), make_category("dragons")
    make_subscriber("reader@example.com")
    campaign = start_letter(topic="promotions", category=busts)
    for email in ("topic@example.com", "collection@example.com"):
        make_subscriber(email)
    sending.write_batch(campaign.pk)
    for email, choices in (
        ("topic@example.com", Choices(newsletter=True, topics=frozenset({Topic.PIECES}))),
        ("collection@example.com", Choices(newsletter=True, category_ids=[dragons.pk])),
    ):
        save_member_choices(email=email, choices=choices, origin=Origin("profile", "fr"))
    sending.send_part(campaign.pk)
    assert receivers(server) == ["reader@example.com"]


def test_every_other_mail_goes_first(server, monkeypatch):
    for n in range(3):
        make_subscriber(f"n{n}@example.com")
    campaign = start_letter()
    sending.write_batch(campaign.pk)
    server.script = [
        lambda: queue_mail(kind="account_exists", to="order@example.com", language="fr", context={})
    ]
    assert sending.send_part(campaign.pk) is False
    # The first letter was on its way when the order's mail was written.
    assert receivers(server) == ["n0@example.com"]
    OutgoingMail.objects.filter(kind="account_exists").delete()
    sending.send_part(campaign.pk)
    assert receivers(server) == ["n0@example.com", "n1@example.com", "n2@example.com"]


def test_a_pause_stops_after_the_mail_that_leaves_and_resuming_goes_on(server):
    actor = make_admin()
    for n in range(3):
        make_subscriber(f"n{n}@example.com")
    campaign = start_letter(actor=actor)
    server.script = [lambda: campaigns.pause_campaign(campaign_id=campaign.pk, actor=actor)]
    sending.send_part(campaign.pk)
    sending.send_due(timezone.now())
    assert receivers(server) == ["n0@example.com"]
    campaigns.resume_campaign(campaign_id=campaign.pk, actor=actor)
    sending.send_part(campaign.pk)
    assert receivers(server) == ["n0@example.com", "n1@example.com", "n2@example.com"]
    assert list(
        AuditEntry.objects.filter(action__startswith="campaign")
        .order_by("pk")
        .values_list("action", flat=True)
    ) == ["campaign.added", "campaign.changed", "campaign.started", "campaign.paused", "campaign.resumed"]


def test_a_letter_that_waits_follows_its_reader_to_another_address(server):
    actor = make_admin()
    for email in ("old@example.com", "other@example.com"):
        make_subscriber(email)
    sending.send_part(start_letter(actor=actor).pk)
    server.sent.clear()
    campaign = start_letter(actor=actor)
    sending.write_batch(campaign.pk)
    campaigns.pause_campaign(campaign_id=campaign.pk, actor=actor)
    move_subscriber("old@example.com", "new@example.com")
    campaigns.resume_campaign(campaign_id=campaign.pk, actor=actor)
    sending.send_part(campaign.pk)
    assert receivers(server) == ["new@example.com", "other@example.com"]
    # What was sent before says where it went.
    assert sorted(OutgoingMail.objects.values_list("to", flat=True)) == [
        *("new@example.com", "old@example.com", "other@example.com", "other@example.com"),
    ]


def test_a_cancelled_letter_reaches_nobody_else(server):
    actor = make_admin()
    for n in range(3):
        make_subscriber(f"n{n}@example.com")
    campaign = start_letter(actor=actor)
    server.script = [lambda: campaigns.pause_campaign(campaign_id=campaign.pk, actor=actor)]
    sending.send_part(campaign.pk)
    campaigns.cancel_campaign(campaign_id=campaign.pk, actor=actor)
    sending.send_due(timezone.now())
    campaign.refresh_from_db()
    assert (receivers(server), campaign.state, campaign.sent_count) == (["n0@example.com"], "cancelled", 1)
    assert not OutgoingMail.objects.filter(state="queued").exists()
    with pytest.raises(Problem, match="rechargez la page"):
        campaigns.resume_campaign(campaign_id=campaign.pk, actor=actor)


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_mail_that_leaves_while_its_letter_is_cancelled_is_counted(server, is_taken):
    actor = make_admin()
    for n in range(3):
        make_subscriber(f"n{n}@example.com")
    campaign = start_letter(actor=actor)

    def cancel():
        campaigns.cancel_campaign(campaign_id=campaign.pk, actor=actor)
        if not is_taken:
            raise SMTPServerDisconnected("away")

    server.script = [cancel]
    sending.send_part(campaign.pk)
    campaign.refresh_from_db()
    assert (campaign.state, campaign.sent_count, len(receivers(server))) == ("cancelled", is_taken, is_taken)
    # What did not leave waits for nobody.
    assert [mail.state for mail in OutgoingMail.objects.all()] == ["sent"] * is_taken


def test_a_mail_whose_worker_is_killed_while_its_letter_is_cancelled_waits_for_nobody(server):
    actor = make_admin()
    make_subscriber()
    campaign = start_letter(actor=actor)
    sending.write_batch(campaign.pk)
    over = timezone.now() - timedelta(seconds=1)
    OutgoingMail.objects.update(state="sending", attempts=1, lease_until=over + timedelta(minutes=3))
    campaigns.cancel_campaign(campaign_id=campaign.pk, actor=actor)
    ended = Campaign.objects.get().finished_at
    sending.send_due(timezone.now())
    assert [mail.state for mail in OutgoingMail.objects.all()] == ["sending"]
    OutgoingMail.objects.update(lease_until=over)
    sending.send_due(timezone.now())
    campaign.refresh_from_db()
    assert not OutgoingMail.objects.exists()
    assert (campaign.state, campaign.sent_count, campaign.finished_at, server.sent) == (
        "cancelled",
        0,
        ended,
        [],
    )


def test_a_worker_that_holds_a_letter_is_left_alone_until_its_lease_ends(server):
    make_subscriber()
    campaign = start_letter()
    Campaign.objects.update(lease_until=timezone.now() + timedelta(seconds=5))
    assert sending.send_part(campaign.pk) is False
    assert server.sent == []
    Campaign.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    sending.send_part(campaign.pk)
    assert len(server.sent) == 1


def test_a_letter_of_a_clock_that_was_ahead_does_not_wait_for_its_date(server):
    make_subscriber("a@example.com")
    make_subscriber("b@example.com")
    campaign = start_letter()
    sending.write_batch(campaign.pk)
    far = timezone.now() + timedelta(days=365)
    Campaign.objects.update(lease_until=far)
    queued, claimed = OutgoingMail.objects.order_by("pk")
    OutgoingMail.objects.filter(pk=queued.pk).update(next_attempt_at=far)
    OutgoingMail.objects.filter(pk=claimed.pk).update(state="sending", lease_until=far)
    sweep(timezone.now())
    sending.send_due(timezone.now())
    assert receivers(server) == ["a@example.com", "b@example.com"]
    assert Campaign.objects.get().state == "sent"


def test_a_letter_that_fails_keeps_no_other_waiting(server, fail_first):
    actor = make_admin()
    make_subscriber("n@example.com")
    letters = [start_letter(actor=actor) for _ in range(2)]
    fail_first(sending, "start_due_campaigns")
    fail_first(sending, "deliver_bulk")
    with pytest.raises(RuntimeError, match="unforeseen"):
        sending.send_due(timezone.now())
    assert [OutgoingMail.objects.filter(reference=row.mail_reference).count() for row in letters] == [0, 1]


@pytest.mark.parametrize("stays", [True, False])
def test_a_letter_that_staff_send_again_is_tried_until_it_leaves_unless_its_reader_left(server, stays):
    subscriber = make_subscriber()
    campaign = start_letter()
    server.script = [
        SMTPRecipientsRefused({subscriber.email: (550, b"5.7.1 blocked by policy")}),
        SMTPServerDisconnected("gone"),
    ]
    sending.send_part(campaign.pk)
    failed = OutgoingMail.objects.get(state="failed")
    assert resend(mail_id=failed.pk)
    assert deliver(failed.pk) == "queued"
    if not stays:
        unsubscribe(key=subscriber.token, origin=Origin("mail", "fr"), campaign_id=campaign.pk)
    sending.send_due(timezone.now() + timedelta(minutes=10))
    sweep(timezone.now() + timedelta(minutes=10))
    assert receivers(server) == ([subscriber.email] if stays else [])
    assert not OutgoingMail.objects.filter(state="queued").exists()


def test_a_letter_that_was_cancelled_is_sent_again_to_nobody(server):
    actor = make_admin()
    for n in range(2):
        make_subscriber(f"n{n}@example.com")
    campaign = start_letter(actor=actor)

    def refuse():
        campaigns.pause_campaign(campaign_id=campaign.pk, actor=actor)
        raise SMTPRecipientsRefused({"n0@example.com": (550, b"5.7.1 blocked by policy")})

    server.script = [refuse]
    sending.send_part(campaign.pk)
    campaigns.cancel_campaign(campaign_id=campaign.pk, actor=actor)
    failed = OutgoingMail.objects.get()
    assert resend(mail_id=failed.pk)
    assert deliver(failed.pk) is None
    assert receivers(server) == []
