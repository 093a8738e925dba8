"""The page « État »: what runs, since when, and what to do about what does not."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from accounts.tests.people import make_admin
from shop.core import health, readings
from shop.core.jobs import due_jobs, registered_jobs
from shop.core.models import ScheduledJob
from shop.core.readings import Age
from shop.pages.staff.jobs import LABELS
from shop.watching.models import Incident

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(monkeypatch):
    """The page's lines, with two ages and three services of the test."""
    now = timezone.now()
    monkeypatch.setattr(readings, "_ages", {})
    monkeypatch.setattr(health, "CHECKS", dict.fromkeys(("database", "cache", "broker"), lambda: None))
    day = timedelta(days=1)
    readings.register_age(
        Age("mails", "E-mails en attente", day, "Regardez.", lambda now: now - timedelta(hours=50))
    )
    readings.register_age(Age("backup", "Sauvegarde", day, "Prévenez.", lambda at: now, never_is_late=True))
    staff = Client()
    staff.force_login(make_admin())

    def read():
        html = staff.get("/admin/etat").content.decode()
        rows = re.findall(r'<li class="staff-rows__row">(.*?)</li>', html, re.DOTALL)
        return html, [re.sub(r"\s+", " ", strip_tags(row.replace("<span", " <span"))).strip() for row in rows]

    return read


def test_what_is_late_stands_first_with_what_to_do(page):
    html, rows = page()
    assert "<strong>1 ligne rouge.</strong>" in html
    assert rows[0] == (
        "E-mails en attente En panne Le plus ancien attend depuis 2 jours (limite : 24 h) Regardez."
    )
    assert rows[1:4] == [
        "Base de données Tout va bien Répond",
        "Cache Tout va bien Répond",
        "File d&#x27;attente des tâches Tout va bien Répond",
    ]
    assert re.fullmatch(r"Sauvegarde Tout va bien Dernier signe il y a \d+ s \(limite : 24 h\)", rows[4])


def test_a_service_that_is_away_is_named(page, monkeypatch):
    def refuse():
        raise ConnectionError

    monkeypatch.setitem(health.CHECKS, "cache", refuse)
    _html, rows = page()
    assert rows[0].startswith("Cache En panne Ne répond pas Prévenez la personne")


@pytest.mark.parametrize(("away", "sells"), [("cache", True), ("broker", True), ("database", False)])
def test_it_says_that_the_shop_sells_where_it_does(page, monkeypatch, away, sells):
    """A database that takes no writes, such as a copy of the one that is gone, still shows this page."""

    def refuse():
        raise ConnectionError("The database is read-only.")

    monkeypatch.setitem(health.CHECKS, away, refuse)
    html, rows = page()
    assert html.count("La boutique vend toujours") == (2 if sells else 0)
    assert ("personne ne peut commander et rien ne s&#x27;enregistre" in rows[0]) is not sells
    assert ("</strong> Faites ce que dit la ligne." in html) is not sells


def test_what_never_happened_and_what_could_not_be_read_say_so(page):
    def fail(now):
        raise RuntimeError

    for name, since, never in (
        ("a", lambda now: None, True),
        ("b", lambda now: None, False),
        ("c", fail, False),
    ):
        readings.register_age(Age(name, name, timedelta(days=1), "", since, never_is_late=never))
    _html, rows = page()
    assert {
        "a En panne Jamais encore",
        "b Tout va bien Rien n&#x27;attend",
        "c En panne N&#x27;a pas pu être lu",
    } <= {*rows}


def test_past_incidents_are_listed(page):
    began = timezone.make_aware(timezone.datetime(2026, 3, 2, 7, 30))
    Incident.objects.create(
        name="mails", label="E-mails en attente", started_at=began, last_seen_at=began + timedelta(minutes=12),
        ended_at=began + timedelta(minutes=22),
    )  # fmt: skip
    html, rows = page()
    assert '<h2 class="staff-home__title">Ce qui s\'est passé</h2>' in html
    assert rows[-1] == "E-mails en attente Le 2 mars 2026 à 07:30, pendant 12 min"


def test_jobs_are_named_in_words_with_their_hours():
    staff = Client()
    staff.force_login(make_admin())
    own = {job.name for job in registered_jobs().values() if ".tests." not in job.run.__module__}
    assert set(LABELS) == own, "Name each job in shop/pages/staff/jobs.py."
    due_jobs()
    ScheduledJob.objects.create(name="queue-images")
    ScheduledJob.objects.filter(name="books-head").update(last_error="Boum")
    rows = [(job.label, job.period) for job in staff.get("/admin/taches").context["jobs"]]
    assert rows[0] == ("Envoyer l'empreinte des comptes, chaque mois", "chaque jour à 5 h")
    for expected in (
        ("Comparer les comptes avec Stripe", "chaque jour à 3 h 30"),
        ("Lancer la sauvegarde de la nuit si elle manque", "chaque heure"),
        ("Préparer les photos des produits", "toutes les 5 minutes"),
        ("Commencer et terminer les promotions", "chaque minute"),
        ("Envoyer les e-mails en attente", "plusieurs fois par minute"),
    ):
        assert expected in rows
    assert len(rows) >= len(own)
    assert "queue-images" not in [label for label, _period in rows]
