"""A whole number of cents shared out in proportion, without losing or inventing one."""

from __future__ import annotations

from collections.abc import Sequence


def share_out(cents: int, weights: Sequence[int]) -> list[int]:
    """Divide `cents` in proportion to `weights`, by largest remainders; between equal ones the earlier weight gets the
    cent.

    The shares add up to `cents`, each lies within a cent of its exact proportion, and none is above its weight while
    `cents` is not above their sum. Raises `ValueError` for negative cents or weights, and for cents without any weight.
    """
    whole = sum(weights)
    if cents < 0 or any(weight < 0 for weight in weights) or (cents and not whole):
        raise ValueError(f"{cents} cents can't be shared out over {list(weights)}.")
    if not whole:
        return [0] * len(weights)
    exact = [divmod(cents * weight, whole) for weight in weights]
    left = cents - sum(floor for floor, _rest in exact)
    largest_first = sorted(range(len(weights)), key=lambda index: (-exact[index][1], index))
    extra = set(largest_first[:left])
    return [floor + (index in extra) for index, (floor, _rest) in enumerate(exact)]
