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


def until(condition):
    deadline = monotonic() + 10
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


@pytest.fixture
def quick(monkeypatch):
    """Pauses short enough for a test."""
    monkeypatch.setattr(module, "PAUSES", (0.0, 0.01, 0.02))
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(module, "ASK_SECONDS", 0.05)


def test_watch_when_a_program_is_killed_starts_it_again_and_leaves_the_others(supervisor, output, quick):
    supervisor.start(python(SLEEP, "web"))
    supervisor.start(python("import time; print('up', flush=True); time.sleep(60)", "worker"))
    web, killed = supervisor.runs["web"].process, supervisor.runs["worker"].process

    def kill_once():
        if output.getvalue().count("| up") == 1:
            killed.kill()
        supervisor.stopping = output.getvalue().count("| up") == 2
        return ()

    supervisor.watch(kill_once)
    assert "shop     | worker ended by SIGKILL; it starts again in 0 s.\n" in output.getvalue()
    assert supervisor.runs["worker"].process.poll() is None
    assert web.poll() is None


def test_watch_when_a_leader_is_killed_ends_its_children_before_it_starts_again(supervisor, output, quick):
    supervisor.start(python(PARENT))
    until(lambda: output.getvalue().count("\n") == 1)
    child = int(output.getvalue().split("|")[1])
    supervisor.runs["program"].process.kill()

    def again():
        supervisor.stopping = "ended by SIGKILL" in output.getvalue()
        return ()

    supervisor.watch(again)
    until(lambda: not is_alive(child))


def test_watch_when_a_program_fails_at_each_start_gives_up(supervisor, output, quick):
    supervisor.start(python("raise SystemExit(3)", "worker"))
    with pytest.raises(module.CannotStartError) as given_up:
        supervisor.watch()
    assert str(given_up.value) == "The process 'worker' failed 5 times at start, with status 3."
    assert output.getvalue().count("worker ended with status 3; it starts again in") == 4


def test_pauses_between_restarts_grow_to_half_a_minute(supervisor, output, monkeypatch):
    now = 0.0
    monkeypatch.setattr(module, "monotonic", lambda: now)
    for wanted in (1, 2, 4, 8, 16, 30, 30):
        supervisor.start(python(""))
        supervisor.runs["program"].process.wait()
        supervisor._keep_running()
        assert output.getvalue().endswith(f"program ended with status 0; it starts again in {wanted} s.\n")
        supervisor._keep_running()
        assert supervisor.runs["program"].process is None
        now += wanted
    supervisor.start(python(""))
    supervisor.runs["program"].process.wait()
    now += 61
    supervisor._keep_running()
    assert output.getvalue().endswith("it starts again in 1 s.\n")


def test_a_request_to_stop_ends_the_watch(supervisor):
    supervisor.start(python(SLEEP))
    supervisor._ask_to_stop(signal.SIGTERM, None)
    supervisor.watch()
    assert supervisor.runs["program"].process.poll() is None


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
    process = supervisor.runs["program"].process
    supervisor.stop()
    assert process.returncode == -signal.SIGKILL


def test_output_stands_under_the_programs_name(supervisor, output, tmp_path):
    supervisor.start(
        python("import os; print(os.environ['WORD'], os.getcwd())", "web", environment={"WORD": "bonjour"})
    )
    supervisor.runs["web"].process.wait()
    supervisor.stop()
    assert output.getvalue() == f"web      | bonjour {tmp_path}\n"


def test_waiting_gives_up_when_a_program_cannot_start(supervisor, quick):
    supervisor.start(python("raise SystemExit(1)"))
    with pytest.raises(module.CannotStartError):
        supervisor.wait_until(lambda: False, seconds=30)


def test_waiting_ends_when_ready(supervisor):
    supervisor.start(python(SLEEP))
    assert supervisor.wait_until(lambda: True, seconds=30) is True


def test_watch_when_a_program_is_due_starts_it_again_at_once(supervisor, output, quick, tmp_path):
    source = tmp_path / "worker.py"
    source.write_text("raise SystemExit(1)")
    supervisor.start(python(SLEEP, "web"))
    supervisor.start(Program("worker", [sys.executable, "worker.py"], reloads=True))
    web = supervisor.runs["web"].process

    def due():
        # Mends the file after more failures than another program is allowed, and stops once it runs.
        if output.getvalue().count("worker ended with status 1") > 5 and "SystemExit" in source.read_text():
            source.write_text("import time\nprint('mended', flush=True)\ntime.sleep(60)")
            return ["worker"]
        supervisor.stopping = "mended" in output.getvalue()
        return ()

    supervisor.watch(due)
    assert supervisor.runs["worker"].process.poll() is None
    assert web.poll() is None


def test_programs_do_not_get_the_terminals_ctrl_c(supervisor):
    supervisor.start(python(SLEEP))
    pid = supervisor.runs["program"].process.pid
    assert os.getpgid(pid) == pid
    assert os.getpgid(pid) != os.getpgrp()
