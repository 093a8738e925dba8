"""A small supervisor: starts the processes of the shop, starts again those that end, and ends them all together.

Each process leads a group of its own, so that its children end with it and a Ctrl-C in the terminal
reaches the supervisor alone, which then stops everything in order. Nothing else is ever signalled.
docs/dependencies.md says why no package does it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import IO

# How long a process may take to finish what it is doing before it is killed.
GRACE_SECONDS = 12.0
POLL_SECONDS = 0.2
ASK_SECONDS = 1.0
# Pauses before a program is started again, one after the other; the first again once it ran for `STEADY_SECONDS`.
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
STEADY_SECONDS = 60.0
# A program that exits with an error this often in a row, each time within `START_SECONDS`, can't start.
FAILED_STARTS = 5
START_SECONDS = 10.0
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Program:
    """One process to run: its name in the output, its command and what it adds to the environment."""

    name: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    # While reloading: started again when a Python file changes, and never given up.
    reloads: bool = False
    # Open sockets that it inherits.
    sockets: tuple[int, ...] = ()


@dataclass(slots=True)
class Run:
    """A program as it runs, or waits to run again. Moments are seconds of the monotonic clock."""

    program: Program
    process: subprocess.Popen[str] | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    ends: int = 0
    failed_starts: int = 0


class CannotStartError(RuntimeError):
    """A program ended with an error each time that it was started."""


class Supervisor:
    """Runs programs until a signal asks to stop, then ends them all."""

    def __init__(self, *, folder: Path, output: IO[str] = sys.stdout) -> None:
        self.folder = folder
        self.output = output
        self.runs: dict[str, Run] = {}
        self.stopping = False
        self._readers: list[threading.Thread] = []

    def catch_signals(self) -> None:
        """From now on Ctrl-C, SIGTERM and a closed terminal ask for an orderly stop."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def start(self, program: Program) -> None:
        """Start a program; its output appears line by line under its name."""
        run = self.runs.setdefault(program.name, Run(program))
        run.started_at = monotonic()
        run.process = subprocess.Popen(  # noqa: S603 - commands are our own, never a visitor's words
            program.command,
            cwd=self.folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **program.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            pass_fds=program.sockets,
            preexec_fn=_die_with_parent,
        )
        reader = threading.Thread(target=self._relay, args=(program.name, run.process), daemon=True)
        reader.start()
        self._readers = [*filter(threading.Thread.is_alive, self._readers), reader]

    def _relay(self, name: str, process: subprocess.Popen[str]) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                self.say(name, line)

    def say(self, name: str, line: str) -> None:
        """Write one line under a name."""
        # When the terminal is gone, processes must still be read, or they would block on a full pipe.
        with suppress(OSError, ValueError):
            self.output.write(f"{name:9}| {line.rstrip()}\n")
            self.output.flush()

    def wait_until(self, ready: Callable[[], bool], *, seconds: float) -> bool:
        """Keep the programs running until ``ready``; False when a stop was asked for or time ran out.

        :raises CannotStartError: a program fails at each start.
        """
        deadline = monotonic() + seconds
        while monotonic() < deadline and not self.stopping:
            if ready():
                return True
            self._keep_running()
            sleep(POLL_SECONDS)
        return False

    def watch(self, due: Callable[[], Collection[str]] = tuple) -> None:
        """Keep the programs running until a stop is asked for.

        :param due: asked about every second for the names of the programs to stop and start again now.
        :raises CannotStartError: a program fails at each start.
        """
        asked = monotonic()
        while not self.stopping:
            self._keep_running()
            sleep(POLL_SECONDS)
            if monotonic() - asked >= ASK_SECONDS:
                self.restart(due())
                asked = monotonic()

    def restart(self, names: Collection[str]) -> None:
        """Stop these programs and start them again at once."""
        self._end(names)
        for name in names:
            self.runs[name].failed_starts = self.runs[name].ends = 0
            self.start(self.runs[name].program)

    def _keep_running(self) -> None:
        now = monotonic()
        for name, run in self.runs.items():
            if run.process is None:
                if now >= run.start_at:
                    self.start(run.program)
            elif (status := run.process.poll()) is not None:
                ran = now - run.started_at
                run.ends = 0 if ran > STEADY_SECONDS else run.ends
                run.failed_starts = run.failed_starts + 1 if status > 0 and ran < START_SECONDS else 0
                # Its children may have outlived it, and hold its port.
                self._end([name])
                if run.failed_starts >= FAILED_STARTS and not run.program.reloads:
                    raise CannotStartError(
                        f"The process {name!r} failed {FAILED_STARTS} times at start, with status {status}."
                    )
                pause = PAUSES[min(run.ends, len(PAUSES) - 1)]
                run.ends += 1
                run.start_at = now + pause
                self.say("shop", f"{name} ended {_reason(status)}; it starts again in {pause:.0f} s.")

    def stop(self) -> None:
        """Ask every program to finish, wait a little, then kill what remains of their groups."""
        self._end(list(self.runs))
        for reader in self._readers:
            reader.join(timeout=1)

    def _end(self, names: Collection[str]) -> None:
        processes = [process for name in names if (process := self.runs[name].process)]
        for process in processes:
            # Only the leader: it knows how to let its own children finish.
            if process.poll() is None:
                process.terminate()
        deadline = monotonic() + GRACE_SECONDS
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(0.1, deadline - monotonic()))
            # The leader may be gone and a child of it still there.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for name in names:
            self.runs[name].process = None


def _reason(status: int) -> str:
    return f"with status {status}" if status >= 0 else f"by {signal.Signals(-status).name}"


_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def _die_with_parent() -> None:
    """In the child on Linux: receive SIGTERM if the supervisor is killed outright."""
    if _prctl is not None:
        _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
