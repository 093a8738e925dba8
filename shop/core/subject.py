"""Where the piece stands in its photograph: what the ruler beside it must span.

Workshop photographs show one piece before a plain backdrop. Where that does not hold (a scene, a close-up, a busy
ground) there is no answer, and no ruler: better none than a wrong scale.
"""

from __future__ import annotations

from PIL import Image

_SIDE = 120
# Columns at both edges that must be backdrop all the way down.
_EDGE = 6
_EDGE_NOISE = 14
_EDGE_DIFFERENCE = 28
_DIFFERENT = 26
# The shadow at the foot is nearer to the backdrop than the foot itself.
_DIFFERENT_AT_FOOT = 45
_ENOUGH = 2

Colour = tuple[float, ...]


def subject_span(picture: Image.Image) -> tuple[float, float] | None:
    """Top and bottom of the piece as shares of the photograph's height (0 is the top edge), None if unsure."""
    small = picture.convert("RGB").resize((_SIDE, _SIDE), Image.Resampling.BOX)
    pixels = small.tobytes()
    rows = [
        [tuple(pixels[start : start + 3]) for start in range(y * _SIDE * 3, (y + 1) * _SIDE * 3, 3)]
        for y in range(_SIDE)
    ]
    found: list[list[float]] = []
    for row in rows:
        left, right = _mean(row[:_EDGE]), _mean(row[-_EDGE:])
        if _distance(left, right) > _EDGE_DIFFERENCE:
            return None
        if any(_distance(colour, left) > _EDGE_NOISE for colour in row[:_EDGE]):
            return None
        if any(_distance(colour, right) > _EDGE_NOISE for colour in row[-_EDGE:]):
            return None
        found.append([_distance(colour, _between(left, right, x)) for x, colour in enumerate(row)])
    top = next((y for y, row in enumerate(found) if _hits(row, _DIFFERENT) >= _ENOUGH), None)
    foot = next((y for y in reversed(range(_SIDE)) if _hits(found[y], _DIFFERENT_AT_FOOT) >= _ENOUGH), None)
    if top is None or foot is None or foot - top < _SIDE // 5:
        return None
    return round(top / _SIDE, 4), round((foot + 1) / _SIDE, 4)


def _mean(colours: list[tuple[int, ...]]) -> Colour:
    return tuple(sum(channel) / len(colours) for channel in zip(*colours, strict=True))


def _between(left: Colour, right: Colour, x: int) -> Colour:
    share = x / (_SIDE - 1)
    return tuple(a + (b - a) * share for a, b in zip(left, right, strict=True))


def _distance(a: Colour, b: Colour) -> float:
    return max(abs(one - other) for one, other in zip(a, b, strict=True))


def _hits(row: list[float], limit: int) -> int:
    return sum(distance > limit for distance in row)
