"""Processes start together, end together, and nothing of them stays behind."""

import os
import signal
import sys
from io import StringIO
from time import monotonic, sleep

import pytest

from shop.core import supervisor as module
from shop.core.supervisor import Program, Supervisor

SLEEP = "import time; time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here'); time.sleep(60)"
PARENT = (
    "import subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print(child.pid, flush=True); time.sleep(60)"
)


def python(code, name="program", **options):
    return Program(name, [sys.executable, "-c", code], **options)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition, seconds=10):
    deadline = monotonic() + seconds
    while not condition():
        assert monotonic() < deadline, "it never came true"
        sleep(0.02)


@pytest.fixture
def output():
    return StringIO()


@pytest.fixture
def supervisor(tmp_path, output):
    made = Supervisor(folder=tmp_path, output=output)
    yield made
    made.stop()


def test_says_which_program_ended_and_stops_the_others(supervisor):
    supervisor.start(python(SLEEP, "web"))
    supervisor.start(python("raise SystemExit(3)", "worker"))
    assert supervisor.watch() == ("worker", 3)
    web = supervisor.processes["web"]
    supervisor.stop()
    assert web.returncode == -signal.SIGTERM


def test_a_request_to_stop_ends_the_watch(supervisor):
    supervisor.start(python(SLEEP))
    supervisor._ask_to_stop(signal.SIGTERM, None)
    assert supervisor.watch() is None


def test_the_children_of_a_program_end_with_it(supervisor, output):
    supervisor.start(python(PARENT))
    until(lambda: output.getvalue().count("\n") == 1)
    child = int(output.getvalue().split("|")[1])
    assert is_alive(child)
    supervisor.stop()
    until(lambda: not is_alive(child))


def test_a_program_that_does_not_listen_is_killed(supervisor, output, monkeypatch):
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.2)
    supervisor.start(python(STUBBORN))
    until(lambda: "here" in output.getvalue())
    process = supervisor.processes["program"]
    supervisor.stop()
    assert process.returncode == -signal.SIGKILL


def test_output_stands_under_the_programs_name(supervisor, output, tmp_path):
    supervisor.start(
        python("import os; print(os.environ['WORD'], os.getcwd())", "web", environment={"WORD": "bonjour"})
    )
    supervisor.watch()
    supervisor.stop()
    assert output.getvalue() == f"web     | bonjour {tmp_path}\n"


def test_waiting_gives_up_when_a_program_ends(supervisor):
    supervisor.start(python("raise SystemExit(1)"))
    assert supervisor.wait_until(lambda: False, seconds=30) is False


def test_waiting_ends_when_ready(supervisor):
    supervisor.start(python(SLEEP))
    assert supervisor.wait_until(lambda: True, seconds=30) is True


def test_reloading_restarts_what_asks_for_it_and_survives_a_broken_edit(
    supervisor, output, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "WATCH_SECONDS", 0.05)
    source = tmp_path / "worker.py"
    source.write_text("raise SystemExit(1)")
    supervisor.start(python(SLEEP, "web"))
    supervisor.start(Program("worker", [sys.executable, "worker.py"], restarts=True))
    web = supervisor.processes["web"]

    def sources():
        # Called about every 50 ms: mends the file once the broken program has ended, stops once it runs.
        if "waiting for the next change" in output.getvalue() and "SystemExit" in source.read_text():
            source.write_text("import time\nprint('mended', flush=True)\ntime.sleep(60)")
        if "mended" in output.getvalue():
            supervisor.stopping = True
        return [source]

    assert supervisor.watch(sources) is None
    assert "worker ended with status 1; waiting for the next change." in output.getvalue()
    assert web.poll() is None


def test_programs_do_not_get_the_terminals_ctrl_c(supervisor):
    supervisor.start(python(SLEEP))
    pid = supervisor.processes["program"].pid
    assert os.getpgid(pid) == pid
    assert os.getpgid(pid) != os.getpgrp()
