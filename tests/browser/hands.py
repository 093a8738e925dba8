"""How somebody works on a screen: by a thumb on a phone, or by keys alone. Both count what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

# What a person reaches by Tab without giving up.
MOST_STOPS = 120
# A target that a thumb hits (WCAG 2.5.8).
SMALLEST = 24
IS_FOCUSED = "element => element === document.activeElement"
IS_BEFORE = "element => !!(document.activeElement.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING)"
PAST_THE_MENU = (
    "element => document.activeElement === document.body && !!element.closest('main')"
    " && !document.querySelector('dialog[open]')"
)
NAME = "element => element.getAttribute('aria-label') || element.textContent.trim().slice(0, 60)"


@contextmanager
def finger(page: Page) -> Iterator[Callable[..., None]]:
    """``touch("touchStart", (x, y))``, then "touchMove", and "touchEnd" without a place. The browser scrolls by it."""
    cdp = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        cdp.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    yield touch
    cdp.detach()


class Hands:
    """`steps` are taps or strokes; letters that are typed into a field are `letters`."""

    width: int

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0
        self.letters = 0

    def press(self, target: Locator) -> None:
        """A button, a link, a box to tick."""
        raise NotImplementedError

    def write(self, target: Locator, text: str) -> None:
        """Replaces what stands in a field."""
        raise NotImplementedError

    def send(self, field: Locator, text: str) -> None:
        """Writes into a search and sends it, by the key that the phone's keyboard shows, too."""
        self.write(field, text)
        with self.page.expect_navigation():
            field.press("Enter")
        self.steps += 1

    def choose(self, target: Locator, label: str) -> None:
        """One of a list that opens."""
        raise NotImplementedError

    def pick(self, target: Locator) -> None:
        """One of several of which one holds."""
        raise NotImplementedError

    def open_screen(self, name: str) -> None:
        """A screen of the staff area, by its name."""
        raise NotImplementedError

    def find(self, text: str, wanted: str) -> None:
        """Through the one search, from any page: what is called `wanted`."""
        raise NotImplementedError

    def attach(self, button: Locator, files: Sequence[Path]) -> None:
        """Files behind a button."""
        with self.page.expect_file_chooser() as chooser:
            self.press(button)
        chooser.value.set_files(list(files))
        # Choosing and agreeing, in what the system shows.
        self.steps += len(files) + 1

    def set_moment(self, target: Locator, value: str) -> None:
        """A day or a moment, in the browser's own field."""
        self.press(target)
        target.fill(value)
        self.letters += len(value)


class Thumb(Hands):
    width = 390

    def press(self, target: Locator) -> None:
        expect(target).to_be_visible()
        box = target.evaluate(
            "element => { const held = element.closest('label') ?? element; const { width, height } ="
            " held.getBoundingClientRect(); return [width, height] }"
        )
        assert min(box) >= SMALLEST - 1, f"too small for a thumb: {target.evaluate(NAME)!r}, {box}"
        target.click()
        self.steps += 1

    def write(self, target: Locator, text: str) -> None:
        self.press(target)
        target.fill(text)
        self.letters += len(text)

    def choose(self, target: Locator, label: str) -> None:
        expect(target).to_be_visible()
        target.select_option(label=label)
        self.steps += 2

    def pick(self, target: Locator) -> None:
        self.press(target)

    def open_screen(self, name: str) -> None:
        tab = self.page.locator(".staff-tabs").get_by_role("link", name=name, exact=True)
        if not tab.count():
            self.press(self.page.get_by_role("button", name="Plus", exact=True))
            tab = self.page.locator("#navigation").get_by_role("link", name=name, exact=True)
        if not tab.count():
            raise AssertionError(f"no way to {name!r}")
        self.press(tab)
        self.page.wait_for_load_state()

    def find(self, text: str, wanted: str) -> None:
        self.press(self.page.locator(".staff-search"))
        self.write(self.page.get_by_role("combobox"), text)
        self.press(self.page.get_by_role("option", name=wanted))


class Keys(Hands):
    width = 1440

    def key(self, name: str) -> None:
        self.page.keyboard.press(name)
        self.steps += 1

    def pass_menu(self, target: Locator) -> None:
        """By the link that every page begins with, where nothing was reached yet."""
        expect(target).to_be_visible()
        if target.evaluate(PAST_THE_MENU):
            self.key("Tab")
            self.key("Enter")

    def reach(self, target: Locator) -> None:
        """Tab to it, the shorter way round."""
        self.pass_menu(target)
        for _stop in range(MOST_STOPS):
            if target.evaluate(IS_FOCUSED):
                return
            self.key("Shift+Tab" if target.evaluate(IS_BEFORE) else "Tab")
        at = self.page.evaluate(f"({NAME})(document.activeElement)")
        raise AssertionError(f"{target.evaluate(NAME)!r} is not reached by keys; the last was {at!r}")

    def press(self, target: Locator) -> None:
        self.reach(target)
        is_box = target.evaluate("element => element.matches('input[type=checkbox]')")
        self.key("Space" if is_box else "Enter")

    def write(self, target: Locator, text: str) -> None:
        self.reach(target)
        self.key("Control+a")
        self.page.keyboard.insert_text(text)
        self.letters += len(text)

    def set_moment(self, target: Locator, value: str) -> None:
        self.reach(target)
        target.fill(value)
        self.letters += len(value)

    def choose(self, target: Locator, label: str) -> None:
        """The list is run through by its first letters."""
        self.reach(target)
        self.page.keyboard.type(label)
        self.letters += len(label)
        shown = target.evaluate("element => element.selectedOptions[0].label")
        assert shown == label, f"{shown!r} was chosen instead of {label!r}"

    def pick(self, target: Locator) -> None:
        """Tab comes to the one that holds, arrows go on."""
        name = target.get_attribute("name")
        in_group = f"() => document.activeElement.name === {name!r}"
        self.pass_menu(target)
        for _stop in range(MOST_STOPS):
            if self.page.evaluate(in_group):
                break
            self.key("Shift+Tab" if target.evaluate(IS_BEFORE) else "Tab")
        for _arrow in range(20):
            if target.is_checked():
                return
            self.key("Space" if target.evaluate(IS_FOCUSED) else "ArrowDown")
        raise AssertionError(f"{name} is not picked by keys")

    def open_screen(self, name: str) -> None:
        self.find(name, name)

    def find(self, text: str, wanted: str) -> None:
        self.key("Control+k")
        field = self.page.get_by_role("combobox", name="Écran, commande, produit ou client")
        expect(field).to_be_focused()
        self.page.keyboard.type(text)
        self.letters += len(text)
        first = self.page.get_by_role("option", name=wanted).first
        expect(first).to_have_attribute("aria-selected", "true")
        with self.page.expect_navigation():
            self.key("Enter")
