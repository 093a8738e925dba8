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


def touched_heights(controls):
    """How high the part of the page is that each of them answers for, read along its middle."""
    controls.first.wait_for()
    return controls.evaluate_all("""controls => controls.map(control => {
      control.scrollIntoView({ block: "center" });
      const { top, bottom, left, width } = control.getBoundingClientRect();
      const hit = y => control.contains(document.elementFromPoint(left + width / 2, y));
      return [...Array(Math.ceil(bottom - top) + 60).keys()].filter(row => hit(top - 30 + row)).length; })""")


def piece(page, name):
    [found] = page.request.get(f"/api/products?search={name}&page_size=1").json()["results"]
    return found["url"]
