"""``kill -9`` of a worker in the middle of a letter: everybody gets it once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PEOPLE = int(os.environ.get("NEWSLETTER_PEOPLE", "120"))
KILLS = int(os.environ.get("NEWSLETTER_KILLS", "1"))
PATIENCE_SECONDS = 60 + PEOPLE / 5


def start(environment: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.faults.newsletter_worker", *arguments]
    return subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)


def test_everybody_gets_a_letter_once_when_workers_are_killed(environment: dict[str, str]) -> None:
    environment |= {"LEASE_SECONDS": "1", "MAIL_SECONDS": "0.001"}
    folder = Path(environment["MAIL_FOLDER"])
    assert start(environment, "prepare", str(PEOPLE)).wait(PATIENCE_SECONDS) == 0
    began = time.monotonic()
    for kill in range(KILLS + 1):
        worker = start(environment, "work")
        if kill == KILLS:
            assert worker.wait(PATIENCE_SECONDS) == 0
            break
        goal = (kill + 1) * PEOPLE // (KILLS + 1)
        end = time.monotonic() + PATIENCE_SECONDS
        while sum(1 for _ in os.scandir(folder)) < goal:
            assert time.monotonic() < end, f"not within {PATIENCE_SECONDS} s: {goal} letters"
            time.sleep(0.02 + PEOPLE / 20_000)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    took = time.monotonic() - began

    taken = Counter(file.name.split(".")[0] for file in folder.glob("*.eml"))
    twice = sum(taken.values()) - len(taken)
    print(f"{PEOPLE} people, {KILLS} kills: {len(taken)} letters, {twice} twice, {took:.0f} s")
    with psycopg.connect(environment["DATABASE_URL"]) as reader:
        mails = reader.execute("SELECT message_id, state FROM core_outgoingmail").fetchall()
        [(state, sent, failed)] = reader.execute(
            "SELECT state, sent_count, failed_count FROM blog_campaign"
        ).fetchall()
        recipients = reader.execute(
            "SELECT count(DISTINCT subscriber_id) FROM blog_campaignrecipient"
        ).fetchone()
    assert (state, sent, failed, recipients) == ("sent", PEOPLE, 0, (PEOPLE,))
    assert {identity.strip("<>").split("@")[0] for identity, _state in mails} == set(taken)
    assert len(mails) == len(taken) == PEOPLE
    # What a worker had handed over and not yet marked goes again, under the same Message-ID.
    assert twice <= KILLS
