"""Markdown as the blocks that the typesetter lays out: paragraphs, headings, lists, quotes, tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from shop.core.site import absolute_url

Block = dict[str, Any]
Run = dict[str, Any]

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


# Each contract holds the terms, which are the same in all of one version and language.
@lru_cache(maxsize=64)
def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text: `kind` is heading (with `level`), paragraph, list, quote or table; `runs`, `items`,
    `blocks` or `rows` is what is in it. A run is a text in one style, with the address that it leads to. Never change
    them: they are made once."""
    return tuple(_blocks(SyntaxTreeNode(_MARKDOWN.parse(text)).children))


def _blocks(nodes: Sequence[SyntaxTreeNode]) -> Iterator[Block]:
    for node in nodes:
        match node.type:
            case "heading":
                yield {"kind": "heading", "level": int(node.tag[1]), "runs": _inline(node)}
            case "paragraph":
                yield {"kind": "paragraph", "runs": _inline(node)}
            case "bullet_list" | "ordered_list":
                items = [list(_blocks(item.children)) for item in node.children]
                yield {"kind": "list", "ordered": node.type == "ordered_list", "items": items}
            case "blockquote":
                yield {"kind": "quote", "blocks": list(_blocks(node.children))}
            case "table":
                rows = [row for part in node.children for row in part.children]
                yield {"kind": "table", "rows": [[_inline(cell) for cell in row.children] for row in rows]}


def _inline(node: SyntaxTreeNode) -> list[Run]:
    return [run for inline in node.children for run in _runs(inline.children)]


def _runs(
    nodes: Sequence[SyntaxTreeNode], *, bold: bool = False, italic: bool = False, url: str = ""
) -> Iterator[Run]:
    for node in nodes:
        if node.type == "text":
            yield {"text": node.content, "bold": bold, "italic": italic, "url": url}
        elif node.type in ("softbreak", "hardbreak"):
            text = "\n" if node.type == "hardbreak" else " "
            yield {"text": text, "bold": bold, "italic": italic, "url": url}
        elif node.type == "link":
            address = absolute_url(str(node.attrs.get("href", "")))
            yield from _runs(node.children, bold=bold, italic=italic, url=address)
        elif node.children:
            yield from _runs(
                node.children,
                bold=bold or node.type == "strong",
                italic=italic or node.type == "em",
                url=url,
            )
