"""Browsers of one person, as the page of their security names them."""

from __future__ import annotations

import re

from django.test import Client

from accounts.tests.people import PASSWORD, post, text

PAGE = "/espace-membre/securite"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.6 Mobile/15E148 Safari/604.1"
)


def browser(agent=FIREFOX, email="client@example.com"):
    client = Client(headers={"User-Agent": agent})
    assert post(client, "signin", email=email, password=PASSWORD).status_code == 302
    return client


def is_open(client):
    return client.get("/api/me").json()["authenticated"]


def devices(client):
    page = text(client.get(PAGE))
    return [
        re.sub(r"\s*<.*", "", each)
        for each in re.findall(r"<h3>([^\n]*?)</h3>\s*<p class=\"muted\">Ouvert", page)
    ]
