"""Other companies as a visitor's browser meets them: what was allowed, and who is called."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Error, Route

from shop.consent.registry import THIRD_PARTIES, necessary_items
from shop.consent.selectors import configured_services, consent_version
from shop.core.models import ShopSettings
from shop.pages.demo import SELLER
from tests.browser.journal import OWN_HOSTS

CATEGORIES = ("analytics", "marketing", "functionality")
CALLED = {
    # By category: the script, and where the stand-in of it reports to.
    "analytics": {"www.googletagmanager.com", "region1.google-analytics.com"},
    "marketing": {"connect.facebook.net", "www.facebook.com"},
}
# What the companies' scripts do, as far as the shop is concerned: a cookie, and a call.
_SCRIPTS = {
    "www.googletagmanager.com": "document.cookie = '_ga=GA1.1.1; Path=/; Max-Age=600';"
    "fetch('https://region1.google-analytics.com/g/collect?v=2', { method: 'POST', mode: 'no-cors' });",
    "connect.facebook.net": "document.cookie = '_fbp=fb.0.1; Path=/; Max-Age=600';"
    "new Image().src = 'https://www.facebook.com/tr/?ev=PageView';",
}


def version() -> str:
    """The version of the demonstration's question."""
    ids = {party.setting: SELLER[party.setting] for party in THIRD_PARTIES}
    return consent_version(configured_services(ShopSettings(**ids)))


def chosen(origin: str, consent: str | None) -> Any:
    """The storage of a browser that allowed these categories; of one that was never asked for None."""
    if consent is None:
        return None
    entry = {
        "necessary": True,
        **{name: name in consent.split() for name in CATEGORIES},
        "version": version(),
        "date": datetime.now(UTC).isoformat(),
        "id": "4fc43236-5980-47fa-82f9-c845995ed5b2",
        "number": 1,
        "isRecorded": True,
    }
    stored = [{"name": "cookie-consent", "value": json.dumps(entry)}]
    return {"cookies": [], "origins": [{"origin": origin, "localStorage": stored}]}


def stand_in(context: BrowserContext) -> set[str]:
    """Answer every call of another host here; the set that is returned collects the hosts."""
    called: set[str] = set()

    def answer(route: Route) -> None:
        host = urlsplit(route.request.url).hostname or ""
        called.add(host)
        script = _SCRIPTS.get(host)
        if script is None:
            route.fulfill(status=204)
        else:
            route.fulfill(content_type="text/javascript", body=script)

    context.route(lambda url: (urlsplit(url).hostname or "") not in OWN_HOSTS, answer)
    return called


def stored_names(context: BrowserContext) -> set[str]:
    """Cookies and keys that this browser has of the shop; none for one that is closed already."""
    try:
        state = context.storage_state()
    except Error:
        return set()
    keys = {item["name"] for origin in state["origins"] for item in origin["localStorage"]}
    return keys | {cookie["name"] for cookie in state["cookies"]}


def unregistered(names: set[str]) -> set[str]:
    """Those that the registry lacks."""
    items = [*necessary_items(), *(item for party in THIRD_PARTIES for item in party.items)]
    known = [item.name for item in items]
    return {
        name
        for name in names
        if not any(name.startswith(each[:-1]) if each.endswith("*") else name == each for each in known)
    }
