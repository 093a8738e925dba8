"""The shipped nginx configuration, run on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from shop_process import ROOT, free_port

NGINX = """
daemon off; worker_processes 2; pid nginx.pid; error_log stderr warn; {user}
events {{ worker_connections 2048; }}
http {{
    default_type application/octet-stream;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
    {site}
}}
"""


def nginx_site(*, port: int, web: list[int], cache: Path, data: Path) -> str:
    """Return the shipped configuration with this machine's ports and folders, as tests need it."""
    text = (ROOT / "deploy" / "nginx" / "shop.conf").read_text(encoding="utf-8")
    nodes = "\n    ".join(f"server 127.0.0.1:{number} max_fails=0;" for number in web)
    for shipped, here in {
        "server 127.0.0.1:8000 max_fails=0;": nodes,
        "listen 80 default_server;": f"listen 127.0.0.1:{port} default_server;",
        "listen [::]:80 default_server;": "",
        "listen 443 ssl default_server;": "",
        "listen [::]:443 ssl default_server;": "",
        "listen 80;": f"listen 127.0.0.1:{port};",
        "listen [::]:80;": "",
        "server_name SHOP_HOST;": "server_name localhost 127.0.0.1;",
        # nginx of Debian 12 does not know it, and nothing asks for it without TLS.
        "http2 on;": "",
        "/run/shop-nginx": str(cache),
        "/var/log/nginx/shop.log": str(cache.parent / "access.log"),
        "root /var/lib/shop;": f"root {data};",
        # All visitors of a test have one address.
        "rate=50r/s": "rate=100000r/s",
        "limit_conn shop_connections 300;": "limit_conn shop_connections 10000;",
        "proxy_set_header Host $host;": "proxy_set_header Host $host:$server_port;",
    }.items():
        assert shipped in text, f"deploy/nginx/shop.conf has no {shipped!r}"
        text = text.replace(shipped, here)
    return text


def nginx_user() -> str:
    """Its workers write to folders of whoever runs this."""
    return "user root;" if os.geteuid() == 0 else ""


def server_program(name: str) -> str | None:
    """Return a server's program: Debian keeps some where users do not look."""
    places = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), Path("/usr/sbin")]
    path = os.pathsep.join([*map(str, places), os.environ.get("PATH", "")])
    return shutil.which(name, path=path)


@contextmanager
def tls_proxy(web: int, data: Path) -> Iterator[int]:
    """Run nginx before a web process as certbot leaves it, with a certificate that nobody trusts, and yield its port.

    :param data: the shop's `DATA_DIR`, whose pictures it hands out.
    :raises FileNotFoundError: nginx or openssl is not there.
    """
    openssl = shutil.which("openssl")
    if server_program("nginx") is None or openssl is None:
        raise FileNotFoundError("nginx and openssl")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="shop-nginx-") as folder:
        own = Path(folder)
        certificate = ["-out", str(own / "cert.pem"), "-keyout", str(own / "key.pem"), "-days", "2"]
        subprocess.run(
            [
                openssl,
                "req",
                "-x509",
                "-nodes",
                "-newkey",
                "rsa:2048",
                "-subj",
                "/CN=localhost",
                *certificate,
            ],
            check=True,
            capture_output=True,
        )
        site = nginx_site(port=port, web=[web], cache=own / "cache", data=data).replace(
            f"listen 127.0.0.1:{port};",
            # As nginx of Debian 12 and 13 both read it.
            f"listen 127.0.0.1:{port} ssl http2; ssl_certificate {own}/cert.pem; ssl_certificate_key {own}/key.pem;",
        )
        # Browsers ask for this one by its number as well.
        site = site.replace(f"listen 127.0.0.1:{port} default_server;", f"listen 127.0.0.1:{free_port()};")
        with running_nginx(site, own):
            yield port


@contextmanager
def running_nginx(site: str, folder: Path) -> Iterator[None]:
    """Run nginx with a site in a folder of its own; inside, its ports are open.

    :raises AssertionError: it ended, as it does where another server has one of its ports.
    """
    folder.chmod(0o755)
    (folder / "nginx.conf").write_text(NGINX.format(site=site, user=nginx_user()))
    command = [
        str(server_program("nginx")),
        "-p",
        str(folder),
        "-c",
        str(folder / "nginx.conf"),
        "-e",
        "stderr",
    ]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        # Written once the ports are its own: that somebody answers there may be another server's doing.
        while not (folder / "nginx.pid").exists():
            if process.poll() is not None:
                raise AssertionError(f"nginx ended with {process.returncode}")
            sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()
