"""What a page complains about while a test looks at it: script errors, broken rules, strangers called."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, Response

# Said again on the console, where everything else is collected.
REPORT = """
addEventListener("error", (event) => {
  for (let cause = event.error?.cause; cause; cause = cause.cause) console.error(`caused by ${cause.stack}`);
});
addEventListener("securitypolicyviolation", (event) => {
  console.error(`CSP: ${event.effectiveDirective} refused ${event.blockedURI || "inline"} ${event.sample}`);
});
"""
OWN_HOSTS = {"localhost", "127.0.0.1"}


@dataclass
class Journal:
    """Everything wrong in one browser context, each with the page it happened on."""

    complaints: list[str] = field(default_factory=list)
    expected: list[re.Pattern[str]] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        context.add_init_script(REPORT)
        context.on("page", self._follow_page)
        context.on("request", self._request)
        context.on("response", self._response)

    def expect(self, pattern: str) -> None:
        """Something that this test provokes on purpose."""
        self.expected.append(re.compile(pattern))

    @property
    def unexpected(self) -> list[str]:
        return [
            complaint
            for complaint in self.complaints
            if not any(pattern.search(complaint) for pattern in self.expected)
        ]

    def _follow_page(self, page: Page) -> None:
        page.on("console", lambda message: self._console(page, message))
        page.on("pageerror", lambda error: self._page_error(page, error))

    def _console(self, page: Page, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{page.url}: {message.type}: {message.text}")

    def _page_error(self, page: Page, error: Error) -> None:
        self.complaints.append(f"{page.url}: uncaught: {error.message}")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme.startswith("http") and address.hostname not in OWN_HOSTS:
            self.complaints.append(f"third party called: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.complaints.append(f"{response.status} from {response.url}")
