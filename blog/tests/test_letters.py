"""Letters: who gets them, once, after every other mail; and what becomes of a pause, a refusal, an unsubscription."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.timezone import localtime

from accounts.tests.people import make_admin
from blog.mails.letters import make_blocks
from blog.models import Campaign, CampaignRecipient, Subscriber, Topic
from blog.selectors.letters import figures_of
from blog.selectors.subscribers import audience_counts
from blog.services.newsletter import campaigns, sending
from blog.services.newsletter.consents import Origin
from blog.services.newsletter.subscriptions import (
    Choices,
    move_subscriber,
    save_member_choices,
    unsubscribe,
)
from blog.services.newsletter.suspensions import lift_suspension, read_report, suspend_address
from blog.tests.subscribers import make_letter, make_subscriber, start_letter
from catalog.markup import render_markdown
from catalog.models import Category, Product
from catalog.services.categories import delete_category
from catalog.services.media import delete_product_image, remove_retired_files
from catalog.tests.factories import make_category, make_image, make_product
from shop.core.dates import day_in_words, unbroken
from shop.core.mail import queue_mail
from shop.core.mail_delivery import sweep
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.problems import Problem
from shop.core.tests import scripted_mail

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings, monkeypatch):
    settings.EMAIL_BACKEND = scripted_mail.BACKEND
    server = scripted_mail.Server()
    monkeypatch.setattr(scripted_mail, "SERVER", server)
    return server


def receivers(server):
    return sorted(message.to[0] for message in server.sent)


def test_a_category_stays_while_a_letter_to_its_subscribers_is_not_sent():
    category = make_category("bust")
    make_subscriber("all@example.com")
    noel = make_category("noel")
    make_subscriber("other@example.com", every_category=False).categories.add(noel)
    # Who chose while the version before still ran: it knows no `every_category`.
    make_subscriber("between@example.com").categories.add(noel)
    letter = start_letter(category=category)
    with pytest.raises(Problem, match="La lettre «\u00a0Novembre\u00a0» de la newsletter") as refused:
        delete_category(category=category)
    assert refused.value.code == "category_in_use"
    letter.refresh_from_db()
    assert (letter.category, audience_counts(letter)) == (category, {"fr": 1})
    letter.state = "cancelled"
    letter.save()
    delete_category(category=category)
    assert not Category.objects.filter(pk=category.pk).exists()


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


def test_a_text_is_cut_where_it_shows_a_piece_and_its_links_are_absolute_and_in_its_language():
    piece = make_product("Golem de poche", price="49.00")
    body = f"# Bonjour\n\nLisez [ceci](/faq).\n\n[Golem](/produit/{piece.pk})\n\nFin <b>.\n\n![x](https://a.example/x.png)"
    text, shown, end = make_blocks(body, "de")
    assert text["markdown"] == "## Bonjour\n\nLisez [ceci](http://localhost:8000/de/faq)."
    assert text["text"] == "BONJOUR\n\nLisez ceci <http://localhost:8000/de/faq>."
    assert (shown["kind"], shown["name"], shown["price"], shown["image"]) == (
        "piece",
        "Golem de poche",
        "49.00",
        "",
    )
    assert shown["url"].startswith(f"http://localhost:8000/de/produkt/{piece.pk}-")
    html = render_markdown(end["markdown"])
    assert "<b>" not in html
    assert "<img" not in html


def test_other_ends_of_lines_in_a_pasted_text_move_no_piece():
    piece = make_product("Golem de poche", price="49.00")
    text, shown, end = make_blocks(f"Bonjour\u2028\x0bà tous\n\n/produit/{piece.pk}\n\nÀ bientôt", "fr")
    assert [text["markdown"], shown["kind"], end["markdown"]] == [
        *("Bonjour\u2028\x0bà tous", "piece", "À bientôt"),
    ]


def test_a_piece_that_is_not_on_sale_is_left_out():
    piece = make_product("Golem de poche", is_published=False)
    assert make_blocks(f"/produit/{piece.pk}", "fr") == []


def test_a_letter_that_somebody_else_saved_is_not_overwritten():
    actor = make_admin()
    campaign = make_letter(actor=actor)
    seen = campaign.updated_at.isoformat()
    draft = campaigns.LetterDraft("Décembre", "", None, {"fr": campaigns.LetterText("Objet", "", "Un.")})
    campaigns.save_campaign(campaign_id=campaign.pk, draft=draft, seen=seen, actor=actor)
    with pytest.raises(campaigns.LetterChanged) as raised:
        campaigns.save_campaign(campaign_id=campaign.pk, draft=draft, seen=seen, actor=actor)
    assert raised.value.campaign.title == "Décembre"


@pytest.mark.parametrize(
    ("language", "at", "code"),
    [("de", None, "no_recipient"), ("fr", timedelta(hours=-1), "in_the_past")],
)
def test_a_letter_that_nobody_would_get_or_in_the_past_is_refused(language, at, code):
    make_subscriber()
    actor = make_admin()
    campaign = make_letter(actor=actor, **{language: "Text."})
    moment = None if at is None else timezone.now() + at
    with pytest.raises(Problem) as refused:
        campaigns.start_campaign(campaign_id=campaign.pk, at=moment, actor=actor)
    assert refused.value.code == code
    assert Campaign.objects.get().state == "draft"


def test_a_planned_letter_starts_when_its_moment_comes(server):
    make_subscriber()
    actor = make_admin()
    campaign = make_letter(actor=actor)
    at = timezone.now() + timedelta(hours=2)
    campaigns.start_campaign(campaign_id=campaign.pk, at=at, actor=actor)
    sending.send_due(timezone.now())
    assert server.sent == []
    sending.send_due(at)
    assert receivers(server) == ["lea@example.com"]
    assert Campaign.objects.get().started_at == at


def test_a_planned_letter_of_which_nothing_is_left_is_held_and_staff_are_told(server, client):
    make_subscriber()
    actor = make_admin()
    client.force_login(actor)
    piece = make_product("Golem de poche")
    campaign = make_letter(actor=actor, fr=f"/produit/{piece.pk}", de="Hallo.")
    at = timezone.now() + timedelta(hours=2)
    campaigns.start_campaign(campaign_id=campaign.pk, at=at, actor=actor)
    Product.objects.update(is_published=False)
    sending.send_due(at)
    campaign.refresh_from_db()
    assert (campaign.state, campaign.scheduled_at, campaign.started_at, server.sent) == (
        "draft",
        at,
        None,
        [],
    )
    assert not campaign.texts.filter(blocks__isnull=False).exists()
    assert "cette lettre n'est pas partie." in client.get(f"/admin/newsletter/{campaign.pk}").content.decode()
    assert "Lettre programmée qui n&#x27;est pas partie" in client.get("/admin").content.decode()
    rows = client.get("/admin/newsletter").content.decode()
    assert (rows.count(">Pas partie<"), rows.count(">Brouillon<")) == (1, 0)
    moment = unbroken(day_in_words(localtime(at), "DATETIME_FORMAT"))
    assert f"prévue le {moment}\xa0· il n'en restait rien dans une langue" in rows
    with pytest.raises(Problem) as refused:
        campaigns.start_campaign(campaign_id=campaign.pk, at=None, actor=actor)
    assert (refused.value.code, refused.value.detail) == (
        "empty_letter",
        "Cette lettre serait vide (Français)\u00a0: les pièces ou articles qu'elle montre ne sont pas en ligne.",
    )
    draft = campaigns.LetterDraft("Novembre", "", None, {"fr": campaigns.LetterText("Objet", "", "Un.")})
    seen = campaign.updated_at.isoformat()
    campaigns.save_campaign(campaign_id=campaign.pk, draft=draft, seen=seen, actor=actor)
    assert "Lettre programmée" not in client.get("/admin").content.decode()


def test_a_copy_of_a_letter_whose_collection_is_gone_asks_for_the_choice_again(server, client):
    busts = make_category("bustes", name_fr="Bustes")
    make_subscriber("busts@example.com", every_category=False).categories.add(busts)
    make_subscriber("all@example.com", every_category=False)
    actor = make_admin()
    letter = start_letter(category=busts, actor=actor)
    sending.send_due(timezone.now())
    delete_category(category=busts)
    copy = campaigns.copy_campaign(campaign_id=letter.pk, actor=actor)
    with pytest.raises(Problem) as refused:
        campaigns.start_campaign(campaign_id=copy.pk, at=None, actor=actor)
    assert (refused.value.code, refused.value.detail) == (
        "no_category",
        "La collection «\u00a0Bustes\u00a0» n'existe plus\u00a0: choisissez d'abord à qui va cette lettre.",
    )
    client.force_login(actor)
    page, typed = (
        f"/admin/newsletter/{copy.pk}",
        {"title": "Copie", "subject_fr": "Objet", "body_fr": "Bonjour."},
    )
    typed["version"] = copy.updated_at.isoformat()
    assert client.post(page, {**typed, "category": ""}).status_code == 400
    copy.refresh_from_db()
    assert (copy.title, copy.category_name) == ("Novembre (copie)", "Bustes")
    assert client.post(page, {**typed, "category": "0"}).status_code == 302
    copy.refresh_from_db()
    assert (copy.title, copy.category_id, copy.category_name) == ("Copie", None, "")
    assert campaigns.start_campaign(campaign_id=copy.pk, at=None, actor=actor).state == "sending"


def test_the_letter_carries_one_click_and_nobody_else_s_links(server):
    subscriber = make_subscriber()
    campaign = start_letter(fr="Bonjour à tous.")
    sending.send_part(campaign.pk)
    [message] = server.sent
    stop = f"http://localhost:8000/newsletter/desinscription?cle={subscriber.token}&lettre={campaign.pk}"
    assert message.extra_headers["List-Unsubscribe"] == f"<{stop}>"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert f"Lire en ligne\u00a0: http://localhost:8000/newsletter/archives/{campaign.pk}" in message.body
    stored = OutgoingMail.objects.get()
    assert (stored.subject, stored.text, stored.html) == ("Objet fr", "", "")


def test_the_archive_shows_sent_letters_to_everybody_without_anybody_s_link(client, server, settings):
    settings.PAGE_CACHE_SECONDS = 0
    subscriber = make_subscriber()
    campaign = start_letter(fr="Bonjour **à tous**.")
    url = f"/newsletter/archives/{campaign.pk}"
    assert client.get(url).status_code == 404
    sending.send_part(campaign.pk)
    page = client.get(url).content.decode()
    assert "<strong>à tous</strong>" in page
    assert subscriber.token not in page
    assert f'href="{url}"' in client.get("/newsletter/archives").content.decode()
    german = client.get(f"/de/newsletter/archiv/{campaign.pk}").content.decode()
    assert '<meta name="robots" content="noindex">' in german
    assert '<article class="letter" lang="fr">' in german
    assert '<p class="muted" lang="de">' in german


def test_the_link_of_a_letter_opens_it_while_others_still_wait_for_theirs(client, server, settings):
    settings.PAGE_CACHE_SECONDS = 0
    make_subscriber()
    actor = make_admin()
    campaign = start_letter(actor=actor, fr="Bonjour.")
    assert sending.write_batch(campaign.pk)
    url = f"/newsletter/archives/{campaign.pk}"
    assert client.get(url).status_code == 200
    campaigns.pause_campaign(campaign_id=campaign.pk, actor=actor)
    assert client.get(url).status_code == 200
    campaigns.cancel_campaign(campaign_id=campaign.pk, actor=actor)
    assert client.get(url).status_code == 404


def test_the_pictures_of_a_letter_outlive_the_photos_of_the_shop(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    piece, other = make_product("Fox"), make_product("Ours")
    names = [default_storage.save(f"products/{key}-360.jpg", ContentFile(b"jpeg")) for key in "ab"]
    photos = [
        make_image(product, file=f"products/{key}.jpg", derivatives={"widths": [360]})
        for product, key in zip((piece, other), "ab", strict=True)
    ]
    make_subscriber()
    start_letter(fr=f"/produit/{piece.pk}")
    for photo in photos:
        delete_product_image(image=photo)
    assert remove_retired_files(now=timezone.now() + timedelta(days=7)) == 1
    assert [default_storage.exists(name) for name in names] == [True, False]


def test_a_letter_that_fails_keeps_no_other_waiting(server, fail_first):
    actor = make_admin()
    make_subscriber("n@example.com")
    letters = [start_letter(actor=actor) for _ in range(2)]
    fail_first(sending, "start_due_campaigns")
    fail_first(sending, "deliver_bulk")
    with pytest.raises(RuntimeError, match="unforeseen"):
        sending.send_due(timezone.now())
    assert [OutgoingMail.objects.filter(reference=row.mail_reference).count() for row in letters] == [0, 1]
