"""``kill -9`` of a worker during many mails loses none of them, and of every idle process stops nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from tests.faults.conftest import LEASE_SECONDS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

# `make bench` does it with more.
MAILS = 60
KILLS = 2
# A lost mail is due when its lease ends, and found by the next tick of the beat (20 s) at the latest.
TICK_SECONDS = 20
# For starting a worker on a machine that is busy with other tests.
PATIENCE_SECONDS = 120


def command(action: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "tests.faults.mail_worker", action, *arguments]


def run(environment: dict[str, str], action: str, *arguments: str) -> str:
    done = subprocess.run(
        command(action, *arguments),
        cwd=settings.BASE_DIR,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS * 2,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def mails(environment: dict[str, str]) -> list[tuple[str, int, int, str]]:
    """State, attempts, crashes and Message-ID of every mail in the queue."""
    with psycopg.connect(environment["DATABASE_URL"]) as reader:
        return reader.execute("SELECT state, attempts, crashes, message_id FROM core_outgoingmail").fetchall()


def wait_until(reached: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


@pytest.mark.long
def test_no_mail_is_lost_when_workers_are_killed(environment: dict[str, str], tmp_path: Path) -> None:
    folder = Path(environment["MAIL_FOLDER"])

    def taken() -> Counter[str]:
        """How often the server took each mail, by Message-ID."""
        return Counter(file.name.split(".")[0] for file in folder.glob("*.eml"))

    run(environment, "queue", str(MAILS))
    log = (tmp_path / "worker.log").open("wb")
    worker: subprocess.Popen[bytes] | None = None
    try:
        for kill in range(KILLS + 1):
            # A session of its own, so that the worker, its processes and its beat die together.
            worker = subprocess.Popen(
                command("work"),
                cwd=settings.BASE_DIR,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            if kill == KILLS:
                break
            goal = (kill + 1) * MAILS // (KILLS + 1)
            wait_until(lambda goal=goal: len(taken()) >= goal, PATIENCE_SECONDS, f"{goal} mails taken")
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        settled = LEASE_SECONDS + TICK_SECONDS + PATIENCE_SECONDS
        wait_until(lambda: len(taken()) == MAILS, settled, f"all mails taken, {len(taken())} so far")
        # The last mark follows the last mail.
        wait_until(
            lambda: {state for state, *_ in mails(environment)} == {"sent"},
            settled,
            "all mails marked as sent",
        )
    finally:
        if worker is not None and worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        log.close()

    rows = mails(environment)
    delivered = taken()
    duplicates = sum(delivered.values()) - MAILS
    print(f"{MAILS} mails, {KILLS} kills: {len(delivered)} delivered, {duplicates} twice")
    assert len(rows) == MAILS
    assert {message_id.strip("<>").split("@")[0] for *_, message_id in rows} == set(delivered)
    assert duplicates <= KILLS
    # What a kill interrupted was taken up again, and nothing else was tried twice.
    crashes = sum(crashes for _, _, crashes, _ in rows)
    assert crashes <= KILLS
    assert sum(attempts for _, attempts, _, _ in rows) == MAILS + crashes


def leaves(pid: int) -> Iterator[int]:
    """The processes below this one that have none below them: those that do the work."""
    for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        below = list(leaves(child))
        yield from below or [child]


@pytest.mark.long
def test_background_work_when_every_idle_process_is_killed_goes_on(
    environment: dict[str, str], tmp_path: Path
) -> None:
    folder = Path(environment["MAIL_FOLDER"])

    def states() -> Counter[tuple[str, int, int]]:
        """Mails by state, tries and workers that died over them."""
        return Counter(row[:3] for row in mails(environment))

    run(environment, "queue", "1")
    log = (tmp_path / "log").open("wb")
    supervisor = subprocess.Popen(
        command("supervise"), cwd=settings.BASE_DIR, env=environment, stdout=log, stderr=log
    )
    try:
        wait_until(lambda: len(list(folder.glob("*.eml"))) == 1, PATIENCE_SECONDS, "the first mail")
        wait_until(lambda: states() == {("sent", 1, 0): 1}, PATIENCE_SECONDS, "its mark")
        # Nothing is left to do: each waits for work, one of them perhaps with a lock that others wait for.
        killed = list(leaves(supervisor.pid))
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        run(environment, "queue", "20")
        wait_until(lambda: len(list(folder.glob("*.eml"))) == 21, PATIENCE_SECONDS, "twenty mails")
        assert supervisor.poll() is None
        assert set(killed).isdisjoint(leaves(supervisor.pid))
    finally:
        supervisor.terminate()
        supervisor.wait(timeout=PATIENCE_SECONDS)
        log.close()
    assert states() == {("sent", 1, 0): 21}
