"""What `deploy/` ships: settings that exist, and a proxy that keeps what the shop allows and nothing else."""

from __future__ import annotations

import re
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Barrier, Thread
from time import monotonic, sleep
from urllib.parse import urlsplit

import pytest
import requests
import yaml
from django.template.loader import render_to_string
from django.utils import translation
from shipped_nginx import nginx_site, running_nginx, server_program
from shop_process import ROOT, free_port

from shop.core.jobs import other_queues
from shop.core.management.commands.run_shop import programs

PUBLIC = "public, s-maxage=60"
ANSWERS = {
    "/kept": {"Cache-Control": PUBLIC},
    "/fragment": {"Cache-Control": PUBLIC, "Vary": "Accept-Encoding, X-Fragment"},
    "/asked-again": {"Cache-Control": "public, no-cache"},
    "/personal": {"Cache-Control": "private, no-store"},
    "/cookie": {"Cache-Control": PUBLIC, "Set-Cookie": "a=1"},
    "/silent": {},
    "/together": {"Cache-Control": "public, no-cache"},
    "/stale": {"Cache-Control": "public, s-maxage=1, stale-while-revalidate=60"},
}


def test_the_settings_of_a_new_server_are_those_of_the_example():
    example = set(re.findall(r"^#([A-Z_0-9]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    shipped = re.findall(r"^([A-Z_0-9]+)=", (ROOT / "deploy" / "shop.env").read_text(), re.MULTILINE)
    assert set(shipped) <= example
    assert len(shipped) == len(set(shipped))


def test_what_ships_has_a_worker_for_every_queue():
    queues = ",".join(other_queues())
    unit = (ROOT / "deploy/systemd/shop-pictures.service").read_text()
    assert re.findall(r"--queues (\S+)", unit) == [queues]
    services = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"]
    programs_here = [
        service["command"] for service in services.values() if isinstance(service.get("command"), list)
    ] + [program.command for program in programs(host="127.0.0.1", sandbox=None, reload=False)]
    named = [command[command.index("--queues") + 1] for command in programs_here if "--queues" in command]
    assert named == [queues, queues]


def test_units_start_programs_of_the_shop_as_its_user_and_restart_them():
    units = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
    assert [unit.name for unit in units] == [
        "shop-beat.service",
        "shop-pictures.service",
        "shop-web.service",
        "shop-worker@.service",
    ]
    for unit in units:
        text = unit.read_text()
        assert "\nUser=shop\n" in text, unit
        assert "\nNoNewPrivileges=true\n" in text, unit
        assert "\nProtectSystem=strict\n" in text, unit
        assert "\nRestart=always\n" in text, unit
    # The job of that name makes the night's backup, wherever the shop runs: a timer made a second one.
    assert not list((ROOT / "deploy" / "systemd").glob("*.timer"))


def test_a_web_node_starts_no_background_work():
    folder = ROOT / "deploy" / "systemd"
    wanted = re.findall(r"\S+\.service", (folder / "shop.target").read_text())
    units = {name: (folder / re.sub(r"@\d+", "@", name)).read_text() for name in wanted}
    assert [
        name for name, text in units.items() if "\nConditionPathExists=!/etc/shop/web-only\n" in text
    ] == [
        "shop-worker@1.service",
        "shop-worker@2.service",
        "shop-pictures.service",
        "shop-beat.service",
    ]
    assert "`touch /etc/shop/web-only`" in (ROOT / "docs/deploying.md").read_text()


def test_workers_may_write_backups_where_the_operator_is_told_to_store_them():
    units = {path.name: path.read_text() for path in (ROOT / "deploy" / "systemd").glob("*.service")}
    # The job `backup` runs there; and workers store the last number of invoices.
    assert [name for name, text in units.items() if "\nReadWritePaths=-/srv/shop-backup\n" in text] == [
        "shop-worker@.service"
    ]
    assert (
        "(`/srv/shop-backup`, where the shipped units may write)" in (ROOT / "docs/operator.md").read_text()
    )


def test_the_user_of_the_image_has_the_group_that_it_runs_with():
    image = (ROOT / "deploy" / "Containerfile").read_text()
    made = re.search(
        r"groupadd \S+ --gid (\d+) shop.*?useradd \S+ --uid (\d+) --gid (\d+) ", image, re.DOTALL
    )
    assert made
    assert f"\nUSER {made[2]}:{made[1]}\n" in image
    assert made[1] == made[3]


def test_containers_of_the_services_start_as_shipped():
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    # By its name a container finds what the one before it counted.
    assert {name: service["hostname"] for name, service in services.items() if "hostname" in service} == {
        name: name for name in ("web", "worker-1", "worker-2", "pictures", "beat")
    }
    # The image's start changes from root to this user, for which it would need what is dropped.
    assert (services["redis"]["user"], services["redis"]["cap_drop"]) == ("redis", ["ALL"])
    # At its socket PostgreSQL answers too soon: while the image makes the database nobody else reaches it.
    asked = services["postgres"]["healthcheck"]["test"]
    assert asked == ["CMD", "pg_isready", "--host", "127.0.0.1", "--username", "shop"]


def test_migrations_have_longer_than_a_request():
    """One that is cut off while it makes an index leaves half of it."""
    for name in ("install.sh", "compose.yaml"):
        [line] = re.findall(r"^.*manage\.py migrate.*$", (ROOT / "deploy" / name).read_text(), re.MULTILINE)
        assert " DATABASE_STATEMENT_SECONDS=3600 " in line, name


class Shop(BaseHTTPRequestHandler):
    """Answers the number of times that it was asked this."""

    protocol_version = "HTTP/1.1"
    asked: Counter[str] = Counter()
    # How many have to ask for this at once; how many connections nginx has made.
    together = Barrier(2)
    connections = 0

    def setup(self) -> None:
        Shop.connections += 1
        super().setup()

    def do_GET(self) -> None:
        if self.path == "/together":
            self.together.wait(4)
        self.asked[self.path] += 1
        body = f"{self.asked[self.path]} {self.headers.get('X-Forwarded-For')}".encode()
        self.send_response(200)
        self.send_header("Had-Request-Id", self.headers.get("X-Request-ID", ""))
        for name, value in ANSWERS.get(self.path, {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def proxied(folder: Path, *, rate: str = "100000r/s", burst: int = 200, patience: str = "") -> Iterator[str]:
    """The shipped configuration before `Shop`; its address. `patience` replaces how long it waits for a client."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        port = free_port()
        site = nginx_site(port=port, web=[server.server_address[1]], cache=folder / "cache", data=folder)
        site = site.replace("rate=100000r/s", f"rate={rate}").replace("burst=200", f"burst={burst}")
        if patience:
            site, replaced = re.subn(r"(client_(?:header|body)_timeout) \d+s;", rf"\1 {patience};", site)
            assert replaced == 2
        with running_nginx(site, folder):
            yield f"http://127.0.0.1:{port}"
        server.shutdown()


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_the_proxy_keeps_what_the_shop_allows_and_nothing_else(tmp_path):
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "a.avif").write_bytes(b"picture")

    def ask(path: str, **headers: str) -> str:
        return requests.get(url + path, headers=headers, timeout=5).text.split()[0]

    with proxied(tmp_path) as url:
        # A cookie changes nothing: only pages that are the same for everybody may be kept.
        assert [ask("/kept"), ask("/kept", Cookie="sessionid=a")] == ["1", "1"]
        assert [ask("/fragment"), ask("/fragment", **{"X-Fragment": "choice"}), ask("/fragment")] == [
            "1",
            "2",
            "1",
        ]
        for path in ("/asked-again", "/personal", "/cookie"):
            assert [ask(path), ask(path)] == ["1", "2"], path
        first = ask("/silent")
        assert ask("/silent") == str(int(first) + 1)
        # Nobody chooses the address that limits count.
        forged = {"X-Forwarded-For": "192.0.2.1"}
        assert requests.get(f"{url}/personal", headers=forged, timeout=5).text == "3 127.0.0.1"
        ask("/stale")
        sleep(2.1)
        # The page that is there at once, the new one fetched meanwhile.
        assert ask("/stale") == "1"
        deadline = monotonic() + 5
        while ask("/stale") == "1" and monotonic() < deadline:
            sleep(0.05)
        assert ask("/stale") == "2"
        picture = requests.get(f"{url}/media/a.avif", timeout=5)
        assert picture.headers["Content-Type"] == "image/avif"
        assert picture.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        for answer, status in (
            (requests.post(f"{url}/media/a.avif", timeout=5), 405),
            (requests.delete(f"{url}/media/a.avif", timeout=5), 405),
            (requests.get(f"{url}/media/a.avif", headers={"Range": "bytes=90-"}, timeout=5), 416),
        ):
            assert (answer.status_code, "<h1>Demande illisible</h1>" in answer.text) == (status, True)


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_slow_clients_wait_in_the_proxy_until_it_cuts_them_and_keep_nobody_out(tmp_path):
    """A thread of the shop that waited for one would be away; there are eight."""
    with proxied(tmp_path, patience="1s") as url, ExitStack() as stack:
        requests.get(f"{url}/personal", timeout=5)
        before = Shop.connections
        head = b" / HTTP/1.1\r\nHost: localhost\r\n"
        halves = (b"GET" + head, b"POST" + head + b"Content-Length: 1000\r\n\r\na")
        slow = [socket.create_connection(("127.0.0.1", urlsplit(url).port)) for _each in range(200)]
        for number, connection in enumerate(slow):
            stack.enter_context(connection).sendall(halves[number % 2])
        assert [requests.get(f"{url}/personal", timeout=5).status_code for _each in range(10)] == [200] * 10
        for connection in slow:
            connection.settimeout(5)
            while connection.recv(4096):
                pass
        # Those that were served; of the slow ones nothing arrived.
        assert Shop.connections - before <= 10


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_the_proxy_lets_nobody_wait_for_another_and_keeps_its_connections(tmp_path):
    with proxied(tmp_path) as url:
        # A page that is not kept is asked for by both at once: the shop answers when both are there.
        with ThreadPoolExecutor() as pool:
            answers = list(pool.map(lambda _: requests.get(f"{url}/together", timeout=20), range(2)))
        assert [answer.status_code for answer in answers] == [200, 200]
        before = Shop.connections
        for _ in range(20):
            requests.get(f"{url}/personal", timeout=5)
        assert Shop.connections - before <= 2, "one for each of nginx's processes"


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_the_proxy_answers_its_own_names_and_chooses_the_ids_of_requests(tmp_path):
    with proxied(tmp_path) as url:
        before = Shop.asked["/personal"]
        for host in ("evil.example", "192.0.2.1"):
            with pytest.raises(requests.ConnectionError):
                requests.get(f"{url}/personal", headers={"Host": host}, timeout=5)
        assert Shop.asked["/personal"] == before
        answers = [
            requests.get(f"{url}/personal", headers={"X-Request-ID": "of-somebody-else"}, timeout=5)
            for _ in range(2)
        ]
        ids = {answer.headers["Had-Request-Id"] for answer in answers}
        assert len(ids) == 2
        assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_the_log_of_the_proxy_has_no_key_of_a_link(tmp_path):
    key = f"{'k' * 30}:1a-{'K' * 30}_"
    paths = {
        f"/auth/nouveau-mot-de-passe/{key}": "/auth/nouveau-mot-de-passe/[key]",
        f"/en/payment/{key}/": "/en/payment/[key]/",
        f"/retractation/recue?cle={key}": "/retractation/recue",
        "/static/build/c/scene-3O5V2MDV.js": "/static/build/c/scene-3O5V2MDV.js",
    }
    with proxied(tmp_path) as url:
        for path in paths:
            requests.get(url + path, timeout=5)
    log = (tmp_path / "access.log").read_text()
    # Its processes write them, in whichever order they come to it.
    assert sorted(line.split()[4] for line in log.splitlines()) == sorted(paths.values())


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
@pytest.mark.parametrize("path", ["/personal", "/media/nothing.avif", "/gestion/", "/api/vitals"])
def test_the_proxy_limits_whatever_the_shop_has_to_answer(tmp_path, path):
    with proxied(tmp_path, rate="1r/m", burst=1) as url:
        answers = [requests.get(url + path, timeout=5) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "<h1>Boutique momentanément indisponible</h1>" in answers[-1].text
    assert path in (tmp_path / "access.log").read_text() or path == "/api/vitals"


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_a_proxy_whose_port_is_taken_is_not_tested_in_the_name_of_who_has_it(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        port = server.server_address[1]
        site = nginx_site(port=port, web=[port], cache=tmp_path / "cache", data=tmp_path)
        with pytest.raises(AssertionError, match=r"^nginx ended with 1$"), running_nginx(site, tmp_path):
            pass


@pytest.mark.skipif(server_program("nginx") is None, reason="nginx is not installed")
def test_who_meets_the_proxy_alone_reads_the_words_of_the_shop(tmp_path):
    port = free_port()
    site = nginx_site(port=port, web=[free_port()], cache=tmp_path / "cache", data=tmp_path)
    # As with TLS, whose names choose the server before anything is read.
    site = site.replace(f"listen 127.0.0.1:{port} default_server;", f"listen 127.0.0.1:{free_port()};")
    cases: list[tuple[str, str, dict[str, str], int, str, str | None]] = [
        ("GET", "", {}, 502, "503", "30"),
        ("POST", "", {"Content-Length": str(32 * 1024 * 1024 + 1)}, 413, "413", None),
        # Its folder is gone, as good as full.
        ("POST", "", {"Content-Length": "20000"}, 500, "503", "30"),
        ("GET", "", {"Cookie": f"a={'x' * 40_000}"}, 400, "400", None),
        ("GET", "/100%", {}, 400, "400", None),
        ("GET", f"?a={'x' * 9000}", {}, 414, "400", None),
        ("TRACE", "", {}, 405, "400", None),
        ("POST", "", {"Transfer-Encoding": "gzip"}, 501, "400", None),
    ]
    with running_nginx(site, tmp_path):
        (tmp_path / "body").rmdir()
        for path, language in (("/panier", "fr"), ("/en", "en"), ("/es/carrito", "es"), ("/de/kasse", "de")):
            for method, rest, headers, status, template, retry_after in cases:
                connection = HTTPConnection("127.0.0.1", port, timeout=5)
                connection.putrequest(method, path + rest)
                for name, value in headers.items():
                    connection.putheader(name, value)
                connection.endheaders()
                if status == 500:
                    connection.send(b"x" * 20_000)
                answer = connection.getresponse()
                text = answer.read().decode()
                connection.close()
                assert (answer.status, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
                assert answer.headers["Cache-Control"] == "no-store"
                assert answer.headers.get("Retry-After") == retry_after
                with translation.override(language):
                    shop = render_to_string(f"errors/{template}.html").replace("\u00a0", "&nbsp;")
                assert f"<html lang={language}>" in text, (status, path)
                assert "<style>" in text
                for pattern in ("<title>(.*?)</title>", "<h1>(.*?)</h1>", "<p>(.*?)</p>"):
                    assert re.findall(pattern, text) == re.findall(pattern, shop)[:1]
