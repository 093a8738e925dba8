"""`deploy/install.sh` where programs do nothing: what a run that broke off has left, the next one mends."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from shop_process import ROOT

# They change a machine, or only root may start them.
SILENT = ("apt-get", "chown", "nginx", "npm", "runuser", "service", "useradd", "usermod")


class Machine:
    """A folder in the place of `/`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.shop = root / "opt/shop"
        self.settings = root / "etc/shop/shop.env"
        self.site = root / "etc/nginx/sites-available/shop.conf"
        shutil.copytree(ROOT / "deploy", self.shop / "deploy")
        self.script = self.shop / "deploy/install.sh"
        text = self.script.read_text()
        self.script.write_text(re.sub(r"(?<=[ =])(?=/(?:opt|etc|var|run)/)", str(root), text))
        for folder in (
            "etc/nginx/sites-available",
            "etc/nginx/sites-enabled",
            "etc/systemd/system",
            "var/log/nginx",
        ):
            (root / folder).mkdir(parents=True)
        for name in SILENT:
            self.program(name, "exit 0")
        self.program("id", "echo 0")
        # Owners are root's to give.
        self.program("install", r"exec /usr/bin/install $(echo $* | sed -E 's/-[og] \S+//g')")
        self.program(
            "python3",
            f"""[ "$1 $2" = "-m venv" ] || exec {sys.executable} "$@"
mkdir -p .venv/bin
printf '#!/bin/sh\\n' > .venv/bin/python
printf '#!/bin/sh\\necho "$@" >> .venv/asked\\n' > .venv/bin/pip
chmod +x .venv/bin/python .venv/bin/pip""",
        )

    def program(self, name: str, text: str) -> Path:
        path = self.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def install(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(self.script), "shop.example"],
            env={"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_settings_that_a_full_disk_cut_off_are_not_those_of_the_shop(machine):
    full = machine.program(
        "sed", 'case $1 in s*SHOP_SECRET*) echo DEBUG=false; exit 4 ;; esac\nexec /usr/bin/sed "$@"'
    )
    assert machine.install().returncode == 4
    assert not machine.settings.exists()
    full.unlink()
    done = machine.install()
    assert (done.returncode, done.stderr) == (0, "")
    shipped = (ROOT / "deploy/shop.env").read_text().splitlines()
    written = machine.settings.read_text().splitlines()
    secret = next(line for line in written if line.startswith("SECRET_KEY=")).partition("=")[2]
    assert len(secret) >= 50
    assert written == [
        line.replace("SHOP_HOST", "shop.example").replace("SHOP_SECRET", secret) for line in shipped
    ]
    assert machine.settings.stat().st_mode & 0o777 == 0o640
    # And they are the operator's from then on.
    assert machine.install().returncode == 0
    assert machine.settings.read_text().splitlines() == written


def test_what_changed_in_the_site_is_said_again_by_the_run_after_one_that_broke_off(machine):
    assert machine.install().returncode == 0
    site = machine.site.read_text()
    assert "server_name shop.example;" in site
    shipped = machine.shop / "deploy/nginx/shop.conf"
    shipped.write_text(shipped.read_text().replace("send_timeout 30s;", "send_timeout 29s;"))
    machine.program("nginx", "exit 1")
    assert machine.install().returncode == 1
    machine.program("nginx", "exit 0")
    done = machine.install()
    assert done.returncode == 0
    assert f"shop.conf has changed. Change {machine.site} likewise" in done.stdout
    assert "\n-    send_timeout 30s;\n+    send_timeout 29s;\n" in done.stdout
    assert machine.site.read_text() == site
    assert "has changed" not in machine.install().stdout


def test_a_site_that_a_full_disk_cut_off_is_written_anew(machine):
    full = machine.program("cp", 'shift $(($# - 1)); : > "$1"; exit 1')
    assert machine.install().returncode == 1
    assert not machine.site.exists()
    full.unlink()
    assert machine.install().returncode == 0
    assert "server_name shop.example;" in machine.site.read_text()


def test_files_that_the_shop_can_not_read_are_named_before_its_tables_are_made(machine):
    """Git of a root with umask 077 has brought them."""
    machine.program(
        "runuser",
        f"""case $* in
*" find "*) echo {machine.shop}/shop/urls.py; echo {machine.shop}/shop/wsgi.py ;;
*manage.py*) touch {machine.root}/started ;;
esac""",
    )
    done = machine.install()
    assert (done.returncode, done.stderr) == (
        2,
        f"The user shop can't read {machine.shop}/shop/urls.py: chmod -R go+rX {machine.shop}, and run this again.\n",
    )
    assert not (machine.root / "started").exists()


def test_a_shop_that_sends_traces_has_their_packages_after_an_update(machine):
    assert machine.install().returncode == 0
    machine.settings.write_text(
        f"{machine.settings.read_text()}OTEL_EXPORTER_OTLP_ENDPOINT=http://collector.example:4318\n"
    )
    assert machine.install().returncode == 0
    asked = (machine.shop / ".venv/asked").read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in asked] == ["requirements.txt", "requirements-tracing.txt"]
    # Which holds those of the shop as well.
    assert "-r requirements.txt\n" in (ROOT / "requirements-tracing.txt").read_text()


def test_an_environment_without_pip_is_made_anew(machine):
    """Making it broke off, or Debian came with another Python."""
    python = machine.shop / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    done = machine.install()
    assert (done.returncode, done.stderr) == (0, "")
    assert (machine.shop / ".venv/bin/pip").exists()
