"""Run beside the test that kills it: ``prepare <number>`` or ``work``."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.faults.worker_settings"
django.setup()

from django.utils import timezone  # noqa: E402

from blog.models import Campaign, CampaignText, Subscriber  # noqa: E402
from blog.services.newsletter import sending  # noqa: E402
from shop.core import mail_delivery  # noqa: E402


def prepare(number: int) -> None:
    now = timezone.now()
    Subscriber.objects.bulk_create(
        (
            Subscriber(email=f"n{index}@example.com", token=f"{index:043}", subscribed_at=now)
            for index in range(number)
        ),
        batch_size=1000,
    )
    campaign = Campaign.objects.create(title="Novembre", state="sending", started_at=now)
    blocks = [{"kind": "text", "markdown": "Bonjour.", "text": "Bonjour."}]
    CampaignText.objects.create(
        campaign=campaign, language="fr", subject="Novembre", body="Bonjour.", blocks=blocks
    )


def work() -> None:
    """What the scheduled job does, with leases short enough to wait for, until the letter has ended."""
    seconds = float(os.environ["LEASE_SECONDS"])
    mail_delivery.LEASE = sending.LEASE = timedelta(seconds=seconds)
    while Campaign.objects.filter(state="sending").exists():
        for key in Campaign.objects.filter(state="sending").values_list("pk", flat=True):
            sending.send_part(key, seconds=seconds)
        time.sleep(0.05)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", number]:
            prepare(int(number))
        case ["work"]:
            work()
