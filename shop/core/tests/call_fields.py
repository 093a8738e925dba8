"""Every field of every call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rest_framework import serializers


def fields_of(kind: type[serializers.Serializer[Any]]) -> Iterator[serializers.Field[Any, Any, Any, Any]]:
    """Every field declared by a subclass, the subclass itself, and what lists hold."""
    for below in kind.__subclasses__():
        if not below.__module__.startswith(("rest_framework", "drf_spectacular")):
            for field in (below(), *below._declared_fields.values()):
                inner: Any = field
                while inner is not None:
                    yield inner
                    inner = getattr(inner, "child", None)
        yield from fields_of(below)
