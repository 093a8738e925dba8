"""What tests of several pages look at."""

from __future__ import annotations


def settle(page):
    """Wait until the page has nothing left to load and every visible island is mounted."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        "() => ![...document.querySelectorAll('x-island')].some(island => island.getAttribute('state') === 'loading')"
    )


def overflow(page):
    return page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")


def piece(page, name):
    [found] = page.request.get(f"/api/products?search={name}&page_size=1").json()["results"]
    return found["url"]
