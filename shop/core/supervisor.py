"""A small supervisor: starts the processes of the shop and ends them together.

Each process leads a group of its own, so that its children end with it and a Ctrl-C in the terminal
reaches the supervisor alone, which then stops everything in order. Nothing else is ever signalled.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import IO

# How long a process may take to finish what it is doing before it is killed.
GRACE_SECONDS = 12.0
POLL_SECONDS = 0.2
WATCH_SECONDS = 1.0
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Program:
    """One process to run: its name in the output, its command and what it adds to the environment."""

    name: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    # Restarted when a Python file changes (only while reloading).
    restarts: bool = False


class Supervisor:
    """Runs programs until one of them ends or a signal asks to stop, then ends them all."""

    def __init__(self, *, folder: Path, output: IO[str] = sys.stdout) -> None:
        self.folder = folder
        self.output = output
        self.programs: dict[str, Program] = {}
        self.processes: dict[str, subprocess.Popen[str]] = {}
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
        process = subprocess.Popen(  # noqa: S603 - commands are our own, never a visitor's words
            program.command,
            cwd=self.folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **program.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
        self.programs[program.name] = program
        self.processes[program.name] = process
        reader = threading.Thread(target=self._relay, args=(program.name, process), daemon=True)
        reader.start()
        self._readers.append(reader)

    def _relay(self, name: str, process: subprocess.Popen[str]) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                self._say(name, line)

    def _say(self, name: str, line: str) -> None:
        # When the terminal is gone, processes must still be read, or they would block on a full pipe.
        with suppress(OSError, ValueError):
            self.output.write(f"{name:8}| {line.rstrip()}\n")
            self.output.flush()

    def ended(self) -> tuple[str, int] | None:
        """The first program found to have ended by itself, with its exit status."""
        for name, process in self.processes.items():
            status = process.poll()
            if status is not None:
                return name, status
        return None

    def wait_until(self, ready: Callable[[], bool], *, seconds: float) -> bool:
        """Wait for ``ready``; False when a program ended, a stop was asked for, or time ran out."""
        deadline = monotonic() + seconds
        while monotonic() < deadline and not self.stopping and self.ended() is None:
            if ready():
                return True
            sleep(POLL_SECONDS)
        return False

    def watch(self, sources: Callable[[], Iterable[Path]] | None = None) -> tuple[str, int] | None:
        """Block until a program ends (returned) or a stop is asked for (None).

        :param sources: when given, programs marked ``restarts`` are restarted whenever one of these changes.
        """
        seen = _times(sources) if sources else {}
        checked = monotonic()
        while not self.stopping:
            ended = self.ended()
            if ended and not (sources and self.programs[ended[0]].restarts):
                return ended
            if ended:
                # Most likely an edit that does not compile yet: the next one starts it again.
                self._say("shop", f"{ended[0]} ended with status {ended[1]}; waiting for the next change.")
                self._end([ended[0]])
            sleep(POLL_SECONDS)
            if sources and monotonic() - checked >= WATCH_SECONDS:
                current = _times(sources)
                if current != seen:
                    seen = current
                    self._restart()
                checked = monotonic()
        return None

    def _restart(self) -> None:
        programs = [program for program in self.programs.values() if program.restarts]
        self._end([program.name for program in programs if program.name in self.processes])
        for program in programs:
            self.start(program)

    def stop(self) -> None:
        """Ask every program to finish, wait a little, then kill what remains of their groups."""
        self._end(list(self.processes))
        for reader in self._readers:
            reader.join(timeout=1)

    def _end(self, names: list[str]) -> None:
        processes = [self.processes.pop(name) for name in names]
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


def _times(sources: Callable[[], Iterable[Path]]) -> dict[Path, int]:
    times: dict[Path, int] = {}
    for path in sources():
        try:
            times[path] = path.stat().st_mtime_ns
        except OSError:
            continue
    return times


_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def _die_with_parent() -> None:
    """In the child on Linux: be told to stop if the supervisor is killed outright."""
    if _prctl is not None:
        _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
