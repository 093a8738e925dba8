"""From what is late to what the operator is told: one mail when it begins, one when all is well again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shop.core.clocks import is_due
from shop.core.health import unavailable_services
from shop.core.readings import Reading, read_ages
from shop.watching.durations import in_words
from shop.watching.models import Incident
from shop.watching.sending import send_to_operator

# What comes and goes within this is one incident.
CALM = timedelta(minutes=10)
SERVICES = {
    "database": "Base de données",
    "cache": "Cache",
    "broker": "File d'attente des tâches",
}
_STILL_SELLS = (
    "Prévenez la personne qui s'occupe du serveur. La boutique vend toujours\u00a0; les pages sont plus "
    "lentes, les e-mails et les tâches attendent."
)
SERVICE_ADVICE = {
    # The page is still shown where it takes no writes, such as a copy of the one that is gone.
    "database": "Prévenez la personne qui s'occupe du serveur. Les pages se lisent encore, mais personne ne peut "
    "commander et rien ne s'enregistre\u00a0; ce qui l'était n'est pas perdu.",
    "cache": _STILL_SELLS,
    "broker": _STILL_SELLS,
}


@dataclass(frozen=True, slots=True)
class Late:
    """What is over its limit now. `since`: the moment from which its age counts. `grace`: how long it is watched before
    somebody is mailed."""

    label: str
    advice: str
    since: datetime
    grace: timedelta = timedelta(0)


def check_incidents(now: datetime, *, after_a_stop: bool = False) -> None:
    """Open and close incidents after what is watched, and mail the operator what they were not told yet.

    The mails are handed to the mail server here, not to the outbox, which may be what stands still. Raises OSError
    where the server does not take them: the job is repeated, and says the same again.

    `after_a_stop`: nobody has looked for minutes. What is late then may have its turn in a moment, as when the whole
    shop starts again; the next look mails what still is.
    """
    known = set(Incident.objects.filter(ended_at=None).values_list("name", flat=True))
    late = note_incidents(now)
    begun = [
        incident
        for incident in Incident.objects.filter(alerted_at=None, ended_at=None).order_by("pk")
        if incident.name in late
        and (incident.name in known or not after_a_stop)
        and (incident.started_at + late[incident.name].grace <= now or incident.started_at > now + CALM)
    ]
    if begun:
        send_to_operator(_subject(begun), _alert(begun, late, now))
        _mark(begun, alerted_at=now)
    over = list(Incident.objects.filter(alerted_at__isnull=False, cleared_at=None, ended_at__isnull=False))
    if over and not Incident.objects.filter(ended_at=None, alerted_at__isnull=False).exists():
        send_to_operator("Tout va bien à nouveau", _all_clear(over))
        _mark(over, cleared_at=now)


def note_incidents(now: datetime) -> dict[str, Late]:
    """Store what is over its limit now, and end what has not been for ten minutes. Return the former by name."""
    late = {reading.of.name: _late(reading, now) for reading in read_ages(now) if reading.is_late}
    # That `manage.py migrate` was forgotten is told to who installs, by /readyz.
    for name in SERVICES.keys() & unavailable_services():
        late[f"service-{name}"] = Late(SERVICES[name], SERVICE_ADVICE[name], now)
    seen = Incident.objects.filter(ended_at=None)
    seen.filter(name__in=late).update(last_seen_at=now, well_at=None)
    seen.exclude(name__in=late).filter(well_at=None).update(well_at=now)
    known = set(seen.values_list("name", flat=True))
    Incident.objects.bulk_create(
        [
            Incident(name=name, label=each.label, started_at=each.since, last_seen_at=now)
            for name, each in late.items()
            if name not in known
        ],
        ignore_conflicts=True,
    )
    seen.filter(is_due("last_seen_at", now, after=CALM)).update(ended_at=now)
    return late


def _late(reading: Reading, now: datetime) -> Late:
    # What never went well yet may have been installed a minute ago.
    is_new = reading.age is None and not reading.failed
    grace = reading.of.limit if is_new else timedelta(0)
    return Late(reading.of.label, reading.of.advice, reading.since or now, grace)


def past_incidents() -> list[Incident]:
    """Return the last twenty that are over, the latest first. One query."""
    return list(Incident.objects.filter(ended_at__isnull=False)[:20])


def _mark(incidents: list[Incident], **moments: datetime) -> None:
    Incident.objects.filter(pk__in=[incident.pk for incident in incidents]).update(**moments)


def _subject(incidents: list[Incident]) -> str:
    if len(incidents) == 1:
        return f"Alerte\u00a0: {incidents[0].label}"
    return f"{len(incidents)} alertes\u00a0: {', '.join(incident.label for incident in incidents)}"


def _alert(incidents: list[Incident], late: dict[str, Late], now: datetime) -> str:
    parts = [
        f"{incident.label}\nDepuis {in_words(now - incident.started_at)}.\n{late[incident.name].advice}"
        for incident in incidents
    ]
    return "\n\n".join(parts)


def _all_clear(incidents: list[Incident]) -> str:
    return "\n".join(
        f"{incident.label}\u00a0: terminé, après {in_words(incident.lasted)}." for incident in incidents
    )
