"""Letters as staff write and plan them, and as they are read: in mails, by their link, in the archive."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone, translation
from django.utils.timezone import localtime

from accounts.tests.people import make_admin
from blog.mails.letters import make_blocks
from blog.models import Campaign
from blog.selectors.subscribers import audience_counts
from blog.services.newsletter import campaigns, sending
from blog.tests.articles import make_article
from blog.tests.subscribers import make_letter, make_subscriber, receivers, start_letter
from catalog.markup import render_markdown
from catalog.models import Category, Product
from catalog.services.categories import delete_category
from catalog.services.media import delete_product_image, remove_retired_files
from catalog.tests.factories import make_category, make_image, make_product
from shop.core.dates import day_in_words, unbroken
from shop.core.fragment_cache import FragmentCache
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize(
    ("copied", "query"),
    [
        ("/produit/{}?utm_source=lettre&utm_campaign=noel", "?utm_source=lettre&utm_campaign=noel"),
        ("http://localhost:8000/produit/{}-golem?utm_source=lettre#avis", "?utm_source=lettre"),
        ("http://localhost:8000/en/product/{}-pocket-golem", ""),
        ("<http://localhost:8000/de/produkt/{}-taschengolem>", ""),
        (
            "[Golem](http://localhost:8000/es/producto/{}-golem-de-bolsillo?finition=painted)",
            "?finition=painted",
        ),
    ],
)
def test_a_piece_is_shown_by_the_address_of_any_language_which_keeps_its_campaign(copied, query):
    piece = make_product("Golem de poche", name_en="Pocket golem")
    [shown] = make_blocks(copied.format(piece.pk), "en")
    assert (shown["kind"], shown["name"]) == ("piece", "Pocket golem")
    assert shown["url"] == f"http://localhost:8000/en/product/{piece.pk}-pocket-golem{query}"


def test_a_piece_alone_on_its_line_is_shown_without_empty_lines_around_it():
    piece = make_product("Golem de poche")
    text, shown, between, again, end = make_blocks(
        f"Voici\nle Golem :\n/produit/{piece.pk}\n- un\n- deux\n[Golem](/produit/{piece.pk})\nFin, /produit/{piece.pk}",
        "fr",
    )
    assert [block["kind"] for block in (shown, again)] == ["piece", "piece"]
    assert text["markdown"] == "Voici\nle Golem :"
    assert between["markdown"] == "- un\n- deux"
    assert end["markdown"] == f"Fin, /produit/{piece.pk}"


def test_an_article_is_shown_by_the_address_of_any_language_which_keeps_its_campaign():
    article = make_article()
    [shown] = make_blocks(f"http://localhost:8000/de/blog/{article.pk}-harz?utm_source=lettre", "fr")
    assert (shown["kind"], shown["name"]) == ("article", "Poncer la résine")
    own = f"http://localhost:8000/blog/{article.pk}-poncer-la-resine?utm_source=lettre"
    assert shown["url"] == own


def test_full_addresses_of_the_shop_in_a_sentence_lead_to_the_reader_s_pages():
    make_category("noel", slug_de="weihnachten", kind="collection")
    [text] = make_blocks(
        "[Noël](http://localhost:8000/noel?utm_source=lettre), [ici](https://a.example/faq)", "de"
    )
    assert text["markdown"] == (
        "[Noël](http://localhost:8000/de/weihnachten?utm_source=lettre), [ici](https://a.example/faq)"
    )
    with translation.override("de"):
        assert 'href="http://localhost:8000/de/weihnachten?utm_source=lettre"' in render_markdown(
            text["markdown"]
        )


def test_other_ends_of_lines_in_a_pasted_text_move_no_piece():
    piece = make_product("Golem de poche", price="49.00")
    text, shown, end = make_blocks(f"Bonjour\u2028\x0bà tous\n\n/produit/{piece.pk}\n\nÀ bientôt", "fr")
    assert [text["markdown"], shown["kind"], end["markdown"]] == [
        *("Bonjour\u2028\x0bà tous", "piece", "À bientôt"),
    ]


def test_a_piece_that_is_not_on_sale_is_left_out():
    piece = make_product("Golem de poche", is_published=False)
    assert make_blocks(f"/produit/{piece.pk}", "fr") == []


def test_a_piece_that_is_sold_out_says_so_in_the_reader_s_language_and_offers_no_price():
    piece = make_product("Golem de poche", price="49.00", in_stock=False)
    for language, said in (("fr", "Rupture de stock"), ("de", "Nicht vorrätig")):
        [block] = make_blocks(f"/produit/{piece.pk}", language)
        assert (block["name"], block["price"], block["detail"]) == ("Golem de poche", "", said)


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
    assert "Lettre qui ne part pas" in client.get("/admin").content.decode()
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
    assert "Lettre qui ne part pas" not in client.get("/admin").content.decode()


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


def test_who_reads_no_language_of_a_letter_reads_it_in_french_and_search_engines_are_told_of_those_it_has(
    client, server, settings
):
    settings.PAGE_CACHE_SECONDS = 0
    make_subscriber()
    campaign = start_letter(de="Guten Tag.", fr="Bonjour.")
    sending.send_part(campaign.pk)
    site, own = "http://localhost:8000", f"/newsletter/archives/{campaign.pk}"
    written = [
        ("fr", f"{site}{own}"),
        ("x-default", f"{site}{own}"),
        ("de", f"{site}/de/newsletter/archiv/{campaign.pk}"),
    ]
    for path, text, canonical in (
        (own, "Bonjour.", own),
        (f"/es/boletin/archivo/{campaign.pk}", "Bonjour.", own),
        (f"/de/newsletter/archiv/{campaign.pk}", "Guten Tag.", f"/de/newsletter/archiv/{campaign.pk}"),
    ):
        page = client.get(path).content.decode()
        assert f"<p>{text}</p>" in page, path
        assert f'<link rel="canonical" href="{site}{canonical}">' in page
        assert re.findall('<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', page) == written
        # A reader still changes the language of the page around it.
        assert f'href="/en/newsletter/archive/{campaign.pk}" hreflang="en"' in page
    assert ">Objet fr</a>" in client.get("/es/boletin/archivo").content.decode()


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


def test_the_list_of_letters_names_one_as_soon_as_its_first_mails_are_written(
    client, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.PAGE_CACHE_SECONDS = settings.FRAGMENT_CACHE_SECONDS = 60
    monkeypatch.setattr("shop.core.public_pages.page_cache", FragmentCache(10))
    make_subscriber()
    with django_capture_on_commit_callbacks(execute=True):
        campaign = start_letter(fr="Bonjour.")
    link = f'href="/newsletter/archives/{campaign.pk}"'
    assert link not in client.get("/newsletter/archives").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert sending.write_batch(campaign.pk)
    assert link in client.get("/newsletter/archives").content.decode()


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
