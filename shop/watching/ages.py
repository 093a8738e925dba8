"""The ages of the kernel: beat, workers, jobs, mails, disk. Other apps register theirs (`shop.core.readings`)."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.db.models import Count

from shop.core import jobs
from shop.core.health import WORKERS_AGE
from shop.core.mail_delivery import oldest_waiting_mail, refused_since
from shop.core.models import MailState, OutgoingMail
from shop.core.readings import Age, Figure, register_age, register_figure
from shop.watching.disk import ROOM_PULSE

OPERATOR = "Prévenez la personne qui s'occupe du serveur\u00a0: "
# They wait behind each other: after an import of many pictures, an answer takes its time.
QUEUE_LIMIT = timedelta(minutes=30)
JOBS_LIMIT = timedelta(hours=2)
# After the sixth try: the mail server is away, or one mail of many is refused again and again.
MAILS_LIMIT = timedelta(hours=2)
REFUSALS_LIMIT = timedelta(minutes=10)
# A backup fills some for minutes.
DISK_LIMIT = timedelta(minutes=10)
QUEUES = {
    "images": ("Traitement des photos", "Après un envoi de nombreuses photos"),
    "webhooks": ("Appels des webhooks", "Si un destinataire est lent à répondre"),
}
"""Their names, and when they are late though their worker runs."""


def register() -> None:
    """Register what the kernel itself shows of its work."""
    register_age(
        Age(
            "scheduler",
            "Horloge des tâches (beat)",
            jobs.LATE_AFTER,
            f"{OPERATOR}le processus «\u00a0beat\u00a0» ne tourne plus. Rien n'est perdu, les tâches "
            "reprennent avec lui.",
            lambda now: jobs.last_pulse(jobs.SCHEDULER_PULSE),
            never_is_late=True,
        )
    )
    register_age(
        Age(
            WORKERS_AGE,
            "Travail de fond (e-mails, paiements, factures)",
            jobs.LATE_AFTER,
            f"{OPERATOR}si l'horloge (beat) est en alerte aussi, relancez-la d'abord\u00a0; sinon aucun "
            "«\u00a0worker\u00a0» ne répond, ou la file d'attente est bloquée. La boutique vend "
            "toujours\u00a0; les e-mails partiront ensuite.",
            lambda now: jobs.last_pulse(jobs.PULSE_JOB),
            never_is_late=True,
        )
    )
    for queue in jobs.other_queues():
        label, harmless = QUEUES[queue]
        register_age(
            Age(
                f"{jobs.QUEUE_PULSE}{queue}",
                label,
                QUEUE_LIMIT,
                f"{harmless}, attendez. Sinon\u00a0: {OPERATOR[0].lower()}{OPERATOR[1:]}le "
                f"«\u00a0worker\u00a0» de la file «\u00a0{queue}\u00a0» ne tourne plus.",
                partial(_question_to, queue),
            )
        )
    register_age(
        Age(
            "jobs",
            "Tâches planifiées en retard",
            JOBS_LIMIT,
            "La page «\u00a0Tâches planifiées\u00a0» dit laquelle et pourquoi\u00a0; copiez l'erreur à la "
            "personne qui s'occupe du serveur.",
            jobs.first_missed,
        )
    )
    register_age(
        Age(
            "mails",
            "E-mails en attente",
            MAILS_LIMIT,
            "Regardez «\u00a0E-mails envoyés\u00a0»\u00a0: si un seul attend, son destinataire refuse "
            "peut-être\u00a0; si tous attendent, prévenez la personne qui s'occupe du serveur.",
            oldest_waiting_mail,
        )
    )
    register_age(
        Age(
            "mail-refusals",
            "E-mails tous refusés",
            REFUSALS_LIMIT,
            f"{OPERATOR}le serveur d'e-mail n'accepte plus aucun message (quota, expéditeur, abonnement). Ensuite, "
            "renvoyez ceux de «\u00a0E-mails envoyés\u00a0», «\u00a0En échec\u00a0».",
            refused_since,
        )
    )
    register_age(
        Age(
            ROOM_PULSE,
            "Place libre sur le disque",
            DISK_LIMIT,
            f"{OPERATOR}le disque est presque plein (moins de 2\u00a0Go libres, ou moins d'un dixième). Une fois "
            "plein, la boutique ne prend plus ni commande ni message.",
            lambda now: jobs.last_pulse(ROOM_PULSE),
            never_is_late=True,
        )
    )
    register_figure(Figure("shop_mails", "Mails that are not sent yet, by state", _mails, label="state"))


def _question_to(queue: str, now: datetime) -> datetime | None:
    return jobs.oldest_question(queue)


def _mails(now: datetime) -> dict[str, float]:
    states = (MailState.QUEUED, MailState.SENDING, MailState.FAILED)
    counted = (
        OutgoingMail.objects.filter(state__in=states).order_by().values_list("state").annotate(Count("pk"))
    )
    return {**{state.value: 0.0 for state in states}, **dict(counted)}
