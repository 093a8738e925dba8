"""A letter whose sending takes days: what its mails show, and when it ends by itself."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.conf import settings
from django.utils import timezone
from django.utils.timezone import localtime

from accounts.tests.people import make_admin
from blog.models import Campaign
from blog.selectors.letters import shown_pictures
from blog.services.newsletter import campaigns, sending
from blog.tests.subscribers import make_subscriber, receivers, start_letter
from catalog.models import ProductImage
from catalog.tests.factories import change_product, make_image, make_product
from shop.core.dates import day_in_words, unbroken
from shop.core.mail_delivery import deliver, resend
from shop.core.models import OutgoingMail
from shop.core.personal_data import kept_until, retention_rules
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


def pause_after_the_first(server, actor, **texts):
    """A letter to three, of whom the first has it."""
    for n in range(3):
        make_subscriber(f"n{n}@example.com")
    campaign = start_letter(actor=actor, **texts)
    server.script = [lambda: campaigns.pause_campaign(campaign_id=campaign.pk, actor=actor)]
    sending.send_part(campaign.pk)
    assert receivers(server) == ["n0@example.com"]
    return campaign


def bodies(server):
    return [message.body.partition("Vous recevez")[0] for message in server.sent]


def test_a_letter_that_is_resumed_shows_the_pieces_and_prices_of_now(server, client):
    actor = make_admin()
    fox, bear = make_product("Renard", price="40.00"), make_product("Ours", price="50.00")
    for piece in (fox, bear):
        make_image(piece)
    campaign = pause_after_the_first(server, actor, fr=f"/produit/{fox.pk}\n\n/produit/{bear.pk}")
    change_product(fox, price="45.00")
    change_product(bear, is_published=False)
    ProductImage.objects.filter(product=fox).update(file="products/new.jpg")
    Campaign.objects.update(started_at=timezone.now() - timedelta(days=3))
    campaigns.resume_campaign(campaign_id=campaign.pk, actor=actor)
    sending.send_part(campaign.pk)

    first, *later = bodies(server)
    assert "Renard – 40,00\u00a0€" in first
    assert "Ours – 50,00\u00a0€" in first
    assert len(later) == 2
    for body in later:
        assert "Renard – 45,00\u00a0€" in body
        assert "Ours" not in body
    archived = client.get(f"/newsletter/archives/{campaign.pk}").content.decode()
    assert ("45,00\u00a0€" in archived, "Ours" in archived, archived.count("letter__block")) == (
        True,
        False,
        1,
    )
    day = unbroken(day_in_words(localtime(), "DATE_FORMAT"))
    assert f"Envoyée le {day}, avec les prix de ce jour-là." in archived
    # Those in the mail that left, and the new one.
    pictures = {f"products/{name}-360.jpg" for name in (f"{fox.pk}-1", f"{bear.pk}-1", "new")}
    assert shown_pictures(pictures) == pictures


def test_a_letter_that_waited_for_the_mail_server_shows_the_price_of_now(server):
    fox = make_product("Renard", price="40.00")
    make_subscriber()
    campaign = start_letter(fr=f"/produit/{fox.pk}")
    server.script = [SMTPServerDisconnected("away")]
    sending.send_part(campaign.pk)
    change_product(fox, price="45.00")
    OutgoingMail.objects.update(next_attempt_at=timezone.now())
    sending.send_due(timezone.now())
    [body] = bodies(server)
    assert "Renard – 45,00\u00a0€" in body


def test_a_letter_that_staff_send_again_shows_the_price_of_now(server):
    fox = make_product("Renard", price="40.00")
    subscriber = make_subscriber()
    campaign = start_letter(fr=f"/produit/{fox.pk}")
    server.script = [SMTPRecipientsRefused({subscriber.email: (550, b"5.7.1 blocked by policy")})]
    sending.send_part(campaign.pk)
    change_product(fox, price="45.00")
    failed = OutgoingMail.objects.get()
    assert resend(mail_id=failed.pk)
    assert deliver(failed.pk) == "sent"
    [body] = bodies(server)
    assert "Renard – 45,00\u00a0€" in body


def test_a_letter_of_which_nothing_is_left_is_paused_and_not_resumed(server):
    actor = make_admin()
    fox = make_product("Renard")
    make_subscriber()
    campaign = start_letter(actor=actor, fr=f"/produit/{fox.pk}")
    change_product(fox, is_published=False)
    sending.send_due(timezone.now())
    with pytest.raises(Problem, match=r"serait vide \(Français\)"):
        campaigns.resume_campaign(campaign_id=campaign.pk, actor=actor)
    assert (Campaign.objects.get().state, server.sent) == ("paused", [])
    change_product(fox, is_published=True)
    campaigns.resume_campaign(campaign_id=campaign.pk, actor=actor)
    sending.send_due(timezone.now())
    assert (Campaign.objects.get().state, receivers(server)) == ("sent", ["lea@example.com"])


def test_a_letter_that_stays_paused_says_when_it_ends_and_ends_before_its_mails_are_deleted(server, client):
    actor = make_admin()
    client.force_login(actor)
    campaign = pause_after_the_first(server, actor)
    end = timezone.now() - timedelta(minutes=1)
    began = end - timedelta(days=settings.RETENTION["newsletter_days"])
    Campaign.objects.update(started_at=began)
    OutgoingMail.objects.update(created_at=began)
    url, day = f"/admin/newsletter/{campaign.pk}", unbroken(day_in_words(localtime(end), "DATE_FORMAT"))
    assert f"Sans reprise, elle s'arrête d'elle-même le {day}, et" in client.get(url).content.decode()
    assert "Lettre qui ne part pas" in client.get("/admin").content.decode()

    [rule] = [rule for rule in retention_rules() if rule.name == "newsletter-mails"]
    for before, state, sent, left in (
        (began, "paused", 0, 3),
        (kept_until("newsletter_days", timezone.now()), "cancelled", 1, 0),
    ):
        rule.purge(before, 100)
        campaign.refresh_from_db()
        assert (campaign.state, campaign.sent_count, OutgoingMail.objects.count()) == (state, sent, left)
    assert "Elle n'était pas finie 30 jours après son début" in client.get(url).content.decode()
    assert "Lettre qui ne part pas" not in client.get("/admin").content.decode()
