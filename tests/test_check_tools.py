"""A machine without the tools is told so in one sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "check_tools.sh"


@pytest.fixture
def machine(tmp_path):
    """A PATH with nothing but what a shell needs; programs are added by name."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("dirname", "sh"):
        (folder / name).symlink_to(f"/usr/bin/{name}")

    def add(name, text):
        program = folder / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    def check(**environment):
        ended = subprocess.run(
            ["/bin/sh", SCRIPT],
            env={"PATH": str(folder), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, ended.stdout.strip(), ended.stderr.strip()

    add("python3", f'exec {sys.executable} "$@"')
    add("node", "echo v20.20.2")
    add("npm", "exit 0")
    check.add = add
    check.remove = lambda name: (folder / name).unlink()
    return check


def test_names_the_python_when_everything_is_there(machine):
    assert machine() == (0, "python3", "")


def test_no_python(machine):
    machine.remove("python3")
    status, output, error = machine()
    assert (status, output) == (1, "")
    assert error == (
        "Python 3.11 or newer is needed and was not found: install it, or name it with "
        "make PYTHON=/path/to/python3.11."
    )


def test_an_old_python_is_passed_over_for_a_newer_one(machine):
    machine.add("python3", "exit 1")
    machine.add("python3.12", f'exec {sys.executable} "$@"')
    assert machine() == (0, "python3.12", "")


def test_a_named_python_that_is_too_old(machine):
    machine.add("python3", 'if [ "$1" = -V ]; then echo Python 3.9.2; else exit 1; fi')
    status, _, error = machine(PYTHON="python3")
    assert status == 1
    assert error == (
        "Python 3.11 or newer is needed, and python3 is Python 3.9.2: install a newer one, or name it with "
        "make PYTHON=/path/to/python3.11."
    )


def test_a_named_python_that_is_not_there(machine):
    assert machine(PYTHON="/nowhere/python") == (
        1,
        "",
        "PYTHON=/nowhere/python is not a program on this machine: Python 3.11 or newer is needed.",
    )


def test_no_node(machine):
    machine.remove("node")
    status, _, error = machine()
    assert status == 1
    assert error == (
        "Node.js 20.19+, 22.12+ or 24+ is needed and node was not found: install it from nodejs.org, or name it with "
        "make NODE=/path/to/node."
    )


@pytest.mark.parametrize("version", ["v20.19.0", "v22.12.0", "v24.0.0", "v31.2.0"])
def test_a_node_that_npm_takes(machine, version):
    machine.add("node", f"echo {version}")
    assert machine() == (0, "python3", "")


@pytest.mark.parametrize("version", ["v18.19.0", "v20.18.3", "v21.7.3", "v22.11.0", "v23.11.0", "no version"])
def test_a_node_that_npm_refuses(machine, version):
    machine.add("node", f"echo {version}")
    assert machine() == (
        1,
        "",
        f"Node.js 20.19+, 22.12+ or 24+ is needed, and node is {version}: install another one, or name it with "
        "make NODE=/path/to/node.",
    )


def test_npm_refuses_the_same():
    package = json.loads((SCRIPT.parent.parent / "package.json").read_text())
    assert package["engines"]["node"] == "^20.19 || ^22.12 || >=24"


def test_no_npm(machine):
    machine.remove("npm")
    status, _, error = machine()
    assert status == 1
    assert error == "npm is needed and was not found beside node: it comes with Node.js from nodejs.org."
