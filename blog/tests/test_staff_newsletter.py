"""`/admin/newsletter`: writing, looking, sending, stopping, and the subscribers."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import User
from accounts.tests.people import make_admin, make_member
from blog.models import Campaign, Subscriber
from blog.services.newsletter import campaigns
from blog.tests.subscribers import make_letter, make_subscriber
from catalog.tests.factories import make_category, make_product
from shop.core.mail_delivery import render as draw_mail
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client):
    client.force_login(make_admin())
    return client


def typed(campaign, **changes):
    return {
        "title": "Novembre",
        "topic": "",
        "category": "",
        "version": campaign.updated_at.isoformat(),
        "action": "save",
        **changes,
    }


def test_a_letter_is_begun_written_and_seen(staff):
    begun = staff.post("/admin/newsletter", {"title": "Novembre", "creation_key": "k"})
    assert staff.post("/admin/newsletter", {"title": "Novembre", "creation_key": "k"}).url == begun.url
    campaign = Campaign.objects.get()
    url = f"/admin/newsletter/{campaign.pk}"
    assert begun["Location"] == url
    assert staff.get(url).content.decode().count("data-markdown") == len(settings.LANGUAGES)
    saved = staff.post(url, typed(campaign, subject_fr="Les dragons", body_fr="Ils **arrivent**."))
    assert saved["Location"] == url
    assert [(text.language, text.subject) for text in campaign.texts.all()] == [("fr", "Les dragons")]
    page = staff.get(f"{url}/apercu").content.decode()
    assert "Ils arrivent." in page
    html = staff.get(f"{url}/contenu?langue=fr")
    assert "<strong>arrivent</strong>" in html.content.decode()
    assert "sandbox" in html["Content-Security-Policy"]
    assert "@media all" in staff.get(f"{url}/contenu?langue=fr&sombre=1").content.decode()
    assert staff.post(f"{url}/essai", {"langue": "fr"}).status_code == 302
    test = OutgoingMail.objects.get()
    assert (test.to, test.kind, test.context["is_test"]) == ("admin@example.com", "newsletter_letter", True)
    # The public page of a letter that was not sent is none.
    online = re.search(r"Lire en ligne\s:\shttp://localhost:8000(\S+)", draw_mail(test).text)[1]
    assert online == f"{url}/apercu?langue=fr"
    assert staff.get(online).status_code == 200


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
def test_a_letter_whose_collection_is_gone_at_the_commit_keeps_its_text(staff, monkeypatch):
    campaign, category = make_letter(fr="Ils arrivent."), make_category("automne")
    monkeypatch.setattr(campaigns, "_kept_category", lambda _key: category.delete())
    address = f"/admin/newsletter/{campaign.pk}"
    answer = staff.post(address, typed(campaign, category=category.pk, subject_fr="Ici", body_fr="Bientôt."))
    page = answer.content.decode()
    assert (answer.status_code, "Supprimé entre-temps" in page, "Bientôt." in page) == (404, True, True)
    assert [text.body for text in campaign.texts.all()] == ["Ils arrivent."]


@pytest.mark.parametrize(("action", "page"), [("preview", "apercu"), ("send", "envoyer")])
def test_what_is_seen_or_sent_is_saved_first(staff, action, page):
    campaign = make_letter(fr="Ils arrivent.")
    url = f"/admin/newsletter/{campaign.pk}"
    drawn = staff.get(url).content.decode()
    assert f'name="action" value="{action}"' in drawn
    assert f'href="{url}/{page}"' not in drawn
    refused = staff.post(url, typed(campaign, title="", action=action))
    assert (refused.status_code, campaign.texts.get().body) == (400, "Ils arrivent.")
    saved = staff.post(url, typed(campaign, subject_fr="Les dragons", body_fr="Ils sont là.", action=action))
    assert saved["Location"] == f"{url}/{page}"
    assert campaign.texts.get().body == "Ils sont là."


def test_nobody_is_counted_in_the_singular(staff):
    campaign = make_letter()
    assert "0 abonné</a>" in staff.get("/admin/newsletter").content.decode()
    assert "0 personne</h2>" in staff.get(f"/admin/newsletter/{campaign.pk}/envoyer").content.decode()


def test_what_is_refused_stays_in_the_form(staff):
    campaign = make_letter()
    answer = staff.post(f"/admin/newsletter/{campaign.pk}", typed(campaign, body_de="Nur Text."))
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Ce champ manque dans cette langue." in page
    assert "Nur Text." in page
    assert [text.language for text in campaign.texts.all()] == ["fr"]
    page = staff.post(f"/admin/newsletter/{campaign.pk}", typed(campaign, preheader_es="Ya llegan."))
    opened = re.findall(r"<details[^>]* open><summary>(\w+)</summary>", page.content.decode())
    assert opened == ["Français", "Español"], "what is marked there is seen"


def test_two_people_who_write_lose_nothing(staff):
    campaign = make_letter()
    url = f"/admin/newsletter/{campaign.pk}"
    staff.post(url, typed(campaign, subject_fr="Un", body_fr="Le premier."))
    answer = staff.post(url, typed(campaign, subject_fr="Deux", body_fr="Le second."))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Quelqu'un d'autre vient d'enregistrer cette lettre." in page
    assert "Le premier." in page
    assert "Le second." in page
    assert campaign.texts.get().body == "Le premier."


def test_a_piece_is_added_to_every_text_that_has_begun_and_saved_with_it(staff):
    campaign, piece = make_letter(fr="Bonjour.", de="Hallo."), make_product("Golem de poche")
    url = f"/admin/newsletter/{campaign.pk}"
    data = typed(campaign, subject_fr="A", body_fr="Bonjour.", subject_de="B", body_de="Hallo.", action="add")
    page = staff.post(url, {**data, "show": f"/produit/{piece.pk}"}).content.decode()
    assert page.count(f"[Golem de poche](/produit/{piece.pk})") == 2
    # Leaving asks, and what was typed is kept.
    assert " data-unsaved>" in page
    assert "data-unsaved" not in staff.get(url).content.decode()
    assert campaign.texts.get(language="fr").body == "Bonjour."


def test_before_sending_the_page_says_who_gets_it_and_in_which_language_nobody_does(staff):
    campaign = make_letter()
    make_subscriber("fr@example.com")
    make_subscriber("de@example.com", "de")
    page = staff.get(f"/admin/newsletter/{campaign.pk}/envoyer").content.decode()
    assert "1 personne" in page
    # As `refresh_campaign` has it.
    assert "les pièces et les prix sont ceux du moment où chaque e-mail part" in page
    assert "pas de texte, 1 abonné ne la recevra pas" in page
    staff.post(f"/admin/newsletter/{campaign.pk}/envoyer")
    campaign.refresh_from_db()
    assert campaign.state == "sending"
    sending = staff.get(f"/admin/newsletter/{campaign.pk}")
    assert sending["Refresh"] == "5"
    assert "En cours d'envoi" in sending.content.decode().replace("&#x27;", "'")
    for word, state in (("pause", "paused"), ("reprendre", "sending"), ("annuler", "cancelled")):
        staff.post(f"/admin/newsletter/{campaign.pk}/etape", {"etape": word})
        campaign.refresh_from_db()
        assert campaign.state == state
    assert 'name="creation_key"' in staff.get(f"/admin/newsletter/{campaign.pk}").content.decode()
    first, again = (
        staff.post(f"/admin/newsletter/{campaign.pk}/copier", {"creation_key": "k"}).url
        for _press in range(2)
    )
    copy = Campaign.objects.exclude(pk=campaign.pk).get()
    assert (copy.title, first, again) == ("Novembre (copie)", f"/admin/newsletter/{copy.pk}", first)


def test_a_letter_that_was_changed_since_the_page_was_shown_is_not_sent(staff):
    make_subscriber()
    campaign = make_letter(topic="promotions")
    url = f"/admin/newsletter/{campaign.pk}"
    seen = re.search(r'name="version" value="([^"]+)"', staff.get(f"{url}/envoyer").content.decode())[1]
    staff.post(url, typed(campaign, subject_fr="Un", body_fr="À tous."))
    year = timezone.localdate().year + 1
    for more in ({}, {"at": f"{year}-01-15T10:00"}):
        late = staff.post(f"{url}/envoyer", {"version": seen, **more})
        page = unescape(late.content.decode())
        assert (late.status_code, Campaign.objects.get().state) == (409, "draft")
        assert "Quelqu'un d'autre vient d'enregistrer cette lettre." in page
        assert "Tous les abonnés" in page
    now = re.search(r'name="version" value="([^"]+)"', page)[1]
    assert staff.post(f"{url}/envoyer", {"version": now})["Location"] == url
    assert Campaign.objects.get().state == "sending"


def test_a_letter_is_planned_on_the_shops_clock_and_taken_back(staff):
    make_subscriber()
    campaign = make_letter()
    url = f"/admin/newsletter/{campaign.pk}"
    for moment in ("demain", "", "   ", "9999-12-31T23:59-12:00", "0001-01-01T00:00+14:00"):
        wrong = staff.post(f"{url}/envoyer", {"at": moment})
        assert (wrong.status_code, Campaign.objects.get().state) == (400, "draft"), moment
        assert "Choisissez un jour et une heure." in wrong.content.decode()
    year = timezone.localdate().year + 1
    staff.post(f"{url}/envoyer", {"at": f"{year}-01-15T10:00"})
    planned = Campaign.objects.get()
    assert (planned.state, planned.scheduled_at.isoformat()) == ("scheduled", f"{year}-01-15T09:00:00+00:00")
    staff.post(f"{url}/etape", {"etape": "deplanifier"})
    assert Campaign.objects.get().state == "draft"
    staff.post(f"{url}/supprimer")
    assert not Campaign.objects.exists()


def test_subscribers_are_found_suspended_and_restored(staff):
    subscriber = make_subscriber("lea@example.com")
    make_subscriber("zoe@example.com", subscribed_at=None, asked_at=timezone.now())
    assert "lea@example.com" in staff.get("/admin/newsletter/abonnes").content.decode()
    waiting = staff.get("/admin/newsletter/abonnes?liste=a-confirmer").content.decode()
    assert "zoe@example.com" in waiting
    assert "lea@example.com" not in waiting
    make_subscriber("max@example.com", subscribed_at=None, unsubscribed_at=timezone.now())
    gone = staff.get("/admin/newsletter/abonnes?liste=desinscrits").content.decode()
    assert set(re.findall(r"\w+@example\.com", gone)) == {"max@example.com"}
    staff.post(f"/admin/newsletter/abonnes/{subscriber.pk}", {"motif": "complaint"})
    staff.post(f"/admin/newsletter/abonnes/{subscriber.pk}", {"motif": "complain"})
    assert Subscriber.objects.get(pk=subscriber.pk).suspension == "complaint"
    suspended = staff.get("/admin/newsletter/abonnes?liste=suspendus").content.decode()
    assert set(re.findall(r"\w+@example\.com", suspended)) == {"lea@example.com"}
    assert ">lea@example.com<" in staff.get("/admin/newsletter/abonnes?q=lea").content.decode()
    staff.post(f"/admin/newsletter/abonnes/{subscriber.pk}")
    assert Subscriber.objects.get(pk=subscriber.pk).receives


def test_a_subscriber_whose_account_is_blocked_is_among_all_and_marked(staff):
    for email in ("lea@example.com", "zoe@example.com"):
        make_subscriber(email)
    User.objects.filter(pk=make_member("lea@example.com").pk).update(is_active=False)
    page, everybody = (
        staff.get(f"/admin/newsletter/abonnes{query}").content.decode() for query in ("", "?liste=tous")
    )
    for rows, found in ((page, ["zoe"]), (everybody, ["lea", "zoe"])):
        assert sorted(re.findall(r"<strong>(\w+)@example\.com", rows)) == found
    assert (page.count("Compte bloqué"), everybody.count("Compte bloqué")) == (0, 1)


def test_who_asked_for_reminders_of_a_cart_alone_is_told_so(staff):
    make_subscriber(
        "lea@example.com", subscribed_at=None, cart_reminders_at=datetime(2026, 3, 1, 12, tzinfo=UTC)
    )
    make_subscriber("zoe@example.com", subscribed_at=None)
    rows = staff.get("/admin/newsletter/abonnes?liste=tous").content.decode()
    assert re.findall(r'detail">FR\xa0· (.+?)</span>', rows) == [
        *("rien n'est demandé", "rappels de panier depuis le 1er\xa0mars 2026"),
    ]
