"""The operator is told once when something stands still, and once when all is well again, whatever the outbox does."""

import shutil
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.core.mail.backends import locmem
from django.utils import timezone

from shop.core import jobs, readings
from shop.core.models import OutgoingMail, ScheduledJob, ShopSettings
from shop.core.readings import Age
from shop.watching import incidents
from shop.watching.ages import register
from shop.watching.durations import in_words
from shop.watching.incidents import check_incidents, past_incidents
from shop.watching.models import Incident
from shop.watching.tasks import send_alerts

pytestmark = pytest.mark.django_db
NOW = timezone.now()
MINUTE = timedelta(minutes=1)


@pytest.fixture
def since(monkeypatch):
    """Two ages: `since["mails"]` and `since["backup"]` are what they count from."""
    moments = {"mails": None, "backup": NOW}
    monkeypatch.setattr(readings, "_ages", {})
    monkeypatch.setattr(incidents, "unavailable_services", list)
    readings.register_age(
        Age("mails", "E-mails en attente", timedelta(hours=2), "Regardez.", lambda now: moments["mails"])
    )
    readings.register_age(
        Age(
            "backup",
            "Sauvegarde",
            timedelta(days=1),
            "Prévenez.",
            lambda now: moments["backup"],
            never_is_late=True,
        )
    )
    ShopSettings.objects.create(shop_name="L'Atelier", workshop_email="atelier@example.com")
    return moments


def subjects():
    return [message.subject for message in mail.outbox]


def test_an_incident_is_mailed_once_and_its_end_once(since):
    since["mails"] = NOW - timedelta(hours=3)
    check_incidents(NOW)
    check_incidents(NOW + MINUTE)
    [message] = mail.outbox
    assert (message.subject, message.to) == (
        "[L'Atelier] Alerte\u00a0: E-mails en attente",
        ["atelier@example.com"],
    )
    assert message.body == (
        "E-mails en attente\nDepuis 3\u00a0h.\nRegardez.\n\n"
        "L'état de la boutique : http://localhost:8000/admin/etat\n"
    )
    since["mails"] = None
    check_incidents(NOW + 2 * MINUTE)
    assert len(mail.outbox) == 1
    check_incidents(NOW + 11 * MINUTE)
    check_incidents(NOW + 12 * MINUTE)
    assert subjects()[1:] == ["[L'Atelier] Tout va bien à nouveau"]
    assert mail.outbox[1].body.startswith("E-mails en attente\u00a0: terminé, après 3\u00a0h\u00a002.\n")
    assert Incident.objects.get().cleared_at == NOW + 11 * MINUTE


def test_an_alert_is_sent_once_however_slow_the_mail_server_is(since, monkeypatch, settings):
    since["mails"] = NOW - timedelta(hours=3)
    send, outcomes = incidents.send_to_operator, []

    def send_slowly(subject, text):
        # As many answers as `shop.core.mail_delivery` waits for.
        later = timezone.now() + 14 * timedelta(seconds=settings.EMAIL_TIMEOUT)
        with monkeypatch.context() as clock:
            clock.setattr(timezone, "now", lambda: later)
            outcomes.append(jobs.run_job("alerts"))
        send(subject, text)

    monkeypatch.setattr(incidents, "send_to_operator", send_slowly)
    assert jobs.run_job("alerts") == jobs.Outcome.DONE
    assert (outcomes, len(mail.outbox)) == ([jobs.Outcome.NOT_DUE], 1)


def test_what_comes_and_goes_within_ten_minutes_is_one_incident(since):
    for minute in range(0, 40, 5):
        since["mails"] = NOW - timedelta(hours=3) if minute % 2 else None
        check_incidents(NOW + minute * MINUTE)
    assert subjects() == ["[L'Atelier] Alerte\u00a0: E-mails en attente"]
    incident = Incident.objects.get()
    assert (incident.well_at, incident.last_seen_at) == (None, NOW + 35 * MINUTE)


def test_all_is_well_only_when_the_last_incident_is_over(since):
    since.update(mails=NOW - timedelta(hours=3), backup=NOW - timedelta(days=2))
    check_incidents(NOW)
    since["mails"] = None
    check_incidents(NOW + 20 * MINUTE)
    assert subjects() == ["[L'Atelier] 2 alertes\u00a0: E-mails en attente, Sauvegarde"]
    since["backup"] = NOW
    check_incidents(NOW + 31 * MINUTE)
    assert subjects()[1:] == ["[L'Atelier] Tout va bien à nouveau"]
    assert "E-mails en attente\u00a0: terminé" in mail.outbox[1].body
    assert "Sauvegarde\u00a0: terminé, après 2\u00a0jours." in mail.outbox[1].body


def test_what_never_went_well_yet_has_its_limit_to_do_so(since):
    since["backup"] = None
    check_incidents(NOW)
    for hours in (1, 23):
        check_incidents(NOW + timedelta(hours=hours))
    assert subjects() == []
    check_incidents(NOW + timedelta(days=1))
    assert subjects() == ["[L'Atelier] Alerte\u00a0: Sauvegarde"]


def test_what_goes_well_within_its_limit_is_told_to_nobody(since):
    since["backup"] = None
    check_incidents(NOW)
    since["backup"] = NOW + MINUTE
    for minutes in (2, 13):
        check_incidents(NOW + minutes * MINUTE)
    assert (subjects(), [each.ended_at for each in past_incidents()]) == ([], [NOW + 13 * MINUTE])


def test_a_mail_server_that_is_away_is_tried_again_until_it_takes_the_alert(since, monkeypatch):
    since["mails"] = NOW - timedelta(hours=3)

    def refuse(self, messages):
        raise ConnectionRefusedError

    with monkeypatch.context() as away:
        away.setattr(locmem.EmailBackend, "send_messages", refuse)
        with pytest.raises(ConnectionRefusedError):
            check_incidents(NOW)
    assert (Incident.objects.get().alerted_at, subjects()) == (None, [])
    check_incidents(NOW + 5 * MINUTE)
    assert "Depuis 3\u00a0h\u00a005." in mail.outbox[0].body


def test_the_outbox_is_not_in_the_way(since):
    # Over its limit by a minute, it is told at once.
    since["mails"] = NOW - timedelta(hours=2, minutes=1)
    check_incidents(NOW)
    assert len(mail.outbox) == 1
    assert not OutgoingMail.objects.exists()


def test_the_operator_has_an_address_and_a_mail_server_of_their_own(since, settings, monkeypatch):
    settings.ALERT_EMAIL = ["operator@example.org"]
    settings.ALERT_EMAIL_SERVER = {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.other.example",
        "EMAIL_PORT": 587,
        "EMAIL_HOST_USER": "user",
        "EMAIL_HOST_PASSWORD": "password",
        "EMAIL_USE_TLS": True,
    }
    sent = []
    monkeypatch.setattr(
        "django.core.mail.backends.smtp.EmailBackend.send_messages",
        lambda self, messages: sent.extend((self.host, self.use_tls, message.to) for message in messages),
    )
    since["mails"] = NOW - timedelta(hours=3)
    check_incidents(NOW)
    assert sent == [("mail.other.example", True, ["operator@example.org"])]


def test_a_service_that_does_not_answer_is_an_incident(since, monkeypatch):
    monkeypatch.setattr(incidents, "unavailable_services", lambda: ["cache"])
    check_incidents(NOW)
    assert subjects() == ["[L'Atelier] Alerte\u00a0: Cache"]


def test_the_job_runs_where_no_worker_does(since):
    since["mails"] = timezone.now() - timedelta(hours=3)
    assert jobs.run_job("alerts") == jobs.Outcome.DONE
    assert jobs.run_job("alerts") == jobs.Outcome.NOT_DUE
    assert len(subjects()) == 1
    assert ScheduledJob.objects.get(name="alerts").last_error == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(45, "45 s"), (180, "3 min"), (3600, "1 h"), (7800, "2 h 10"), (172800, "2 jours"), (-5, "0 s")],
)
def test_durations_in_words(seconds, words):
    assert in_words(timedelta(seconds=seconds)).replace("\u00a0", " ") == words


def test_a_clock_that_was_set_back_keeps_neither_the_alert_nor_the_end_waiting(since, monkeypatch):
    hour = timedelta(hours=1)

    def refuse(subject, text):
        raise ConnectionRefusedError

    # Noted two hours ahead, and the mail server was away.
    since["mails"] = NOW - 3 * hour
    with monkeypatch.context() as away:
        away.setattr(incidents, "send_to_operator", refuse)
        with pytest.raises(ConnectionRefusedError):
            check_incidents(NOW + 2 * hour)
    check_incidents(NOW)
    assert subjects() == ["[L'Atelier] Alerte\u00a0: E-mails en attente"]
    check_incidents(NOW + 2 * hour)
    since["mails"] = None
    check_incidents(NOW + MINUTE)
    assert subjects()[1:] == ["[L'Atelier] Tout va bien à nouveau"]


@pytest.mark.parametrize(
    ("total", "least"), [(20_000_000_000, 2_000_000_000), (500_000_000_000, 2_000_000_000), (1_000, 100)]
)
def test_a_disk_that_is_nearly_full_is_told_while_there_is_room_to(
    since, monkeypatch, settings, caplog, total, least
):
    readings._ages.clear()
    register()
    free = {"bytes": least}
    # The pulse of the disk is real time; that of the import may be long ago.
    now = timezone.now()

    def usage(folder):
        assert folder == settings.DATA_DIR
        return shutil._ntuple_diskusage(total, total - free["bytes"], free["bytes"])

    def is_late(moment):
        return next(row.is_late for row in readings.read_ages(moment) if row.of.name == "disk")

    monkeypatch.setattr(shutil, "disk_usage", usage)
    send_alerts(now)
    room_at = jobs.last_pulse("disk")
    assert room_at is not None
    free["bytes"] -= 1
    send_alerts(now)
    assert jobs.last_pulse("disk") == room_at
    assert caplog.messages[-1].startswith("The disk of DATA_DIR is nearly full: ")
    assert [is_late(room_at + minutes * MINUTE) for minutes in (10, 11)] == [False, True]
    send_alerts(room_at + 11 * MINUTE)
    assert "Place libre sur le disque\nDepuis 11\u00a0min.\nPrévenez" in mail.outbox[-1].body


@pytest.mark.parametrize("recovers", [True, False])
def test_what_has_its_turn_once_the_shop_starts_again_is_told_to_nobody(since, recovers):
    """The alerts are the first job of all, and find late what the others are about to do."""
    hour = timedelta(hours=1)
    readings._ages.clear()
    register()
    for name in ("alerts", "mail-sweep", "scheduler", "queue-images", "queue-webhooks", "disk"):
        jobs.note_pulse(name)
    assert jobs.may_ask_queue("images", timezone.now())
    with time_machine.travel(NOW + hour, tick=False) as clock:
        jobs.note_pulse("scheduler")
        jobs.note_pulse("queue-webhooks")
        assert jobs.run_job("alerts") == jobs.Outcome.DONE
        assert Incident.objects.filter(ended_at=None).count() == 2
        for _minute in range(12):
            jobs.note_pulse("scheduler")
            if recovers:
                jobs.note_pulse("mail-sweep")
                jobs.note_pulse("queue-images")
            clock.shift(MINUTE)
            jobs.run_job("alerts")
    told = [] if recovers else [
        "[L'Atelier] 2 alertes\u00a0: Travail de fond (e-mails, paiements, factures), Traitement des photos"
    ]  # fmt: skip
    assert subjects() == told
    assert Incident.objects.filter(ended_at=None).exists() is not recovers


def test_a_service_that_is_away_is_an_incident_and_a_missing_migration_is_not(since, monkeypatch):
    monkeypatch.setattr(incidents, "unavailable_services", lambda: ["migrations", "cache"])
    check_incidents(NOW)
    assert subjects() == ["[L'Atelier] Alerte\u00a0: Cache"]
    assert list(Incident.objects.values_list("name", flat=True)) == ["service-cache"]
