"""A page read as a search engine reads it: its head, its data blocks, its words, its links."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
_UNREAD = {"script", "style", "template", "noscript"}


@dataclass
class Element:
    """One element with its attributes and everything that is read inside it."""

    tag: str
    attributes: dict[str, str]
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())


class Document(HTMLParser):
    """`data` are the JSON-LD blocks, lists of them taken apart; `text` is what a visitor reads."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._blocks: list[str] = []
        self.feed(html)
        self.data: list[dict[str, Any]] = []
        for block in self._blocks:
            parsed = json.loads(block)
            self.data += parsed if isinstance(parsed, list) else [parsed]

    @property
    def text(self) -> str:
        return self.first("body").text

    def all(self, tag: str, css: str = "", **attributes: str) -> list[Element]:
        """Elements of this tag and class whose attributes have these values, in the page's order."""
        return [
            element
            for element in self.elements
            if tag in ("*", element.tag)
            and (not css or css in element.classes)
            and all(element.attributes.get(name.rstrip("_")) == value for name, value in attributes.items())
        ]

    def first(self, tag: str, css: str = "", **attributes: str) -> Element:
        return self.all(tag, css, **attributes)[0]

    def meta(self, name: str) -> list[str]:
        """The contents of `<meta>` elements of this name or property."""
        return [
            element.attributes["content"]
            for element in self.elements
            if element.tag == "meta" and name in (element.attributes.get("name"), element.attributes.get("property"))
        ]  # fmt: skip

    def links(self, rel: str) -> list[Element]:
        return [element for element in self.all("link") if rel in element.attributes.get("rel", "").split()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in _EMPTY:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index].tag == tag:
                del self._open[index:]
                return

    def handle_data(self, data: str) -> None:
        tags = {element.tag for element in self._open}
        if "script" in tags:
            if self._open[-1].attributes.get("type") == "application/ld+json":
                self._blocks.append(data)
            return
        if tags & _UNREAD:
            return
        for element in self._open:
            element.words.append(data)
