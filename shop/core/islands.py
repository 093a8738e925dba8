"""Islands: the parts of a page that React or a small script brings to life.

What an island gets from the server is a serializer, declared in the `islands.py` of the app that owns the
data:

    @island_serializer("product-buy")
    class ProductBuyProps(serializers.Serializer): ...

The same class checks what a template hands over, writes the JSON, and becomes a type in the browser's code
through the API schema.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import autodiscover_modules
from drf_spectacular.settings import spectacular_settings
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

PropsClass = type[BaseSerializer[Any]]
Class = TypeVar("Class", bound=PropsClass)

_registered: dict[str, PropsClass] = {}


def island_serializer(name: str) -> Callable[[Class], Class]:
    """Make a serializer the props of the island `name`.

    Raises `ImproperlyConfigured` if the island has another one already.
    """

    def register(serializer_class: Class) -> Class:
        known = _registered.get(name)
        if known is not None and known.__qualname__ != serializer_class.__qualname__:
            raise ImproperlyConfigured(
                f"The island {name!r} has two props serializers: "
                f"{known.__qualname__} and {serializer_class.__qualname__}."
            )
        _registered[name] = serializer_class
        return serializer_class

    return register


def props_class(name: str) -> PropsClass | None:
    """Return the props serializer of an island; None for an island that takes no props."""
    _discover()
    return _registered.get(name)


def registered_props() -> dict[str, PropsClass]:
    """Return every island with props, by name."""
    _discover()
    return dict(_registered)


@cache
def _discover() -> None:
    autodiscover_modules("islands")


def add_island_schemas(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """Put the props of every island into `components.schemas` (a postprocessing hook of drf-spectacular).

    Stands before `postprocess_schema_enums` in `POSTPROCESSING_HOOKS`, which names the choices it finds.
    """
    for _name, serializer_class in sorted(registered_props().items()):
        view: Any = APIView()
        view.request = None
        schema = view.schema
        schema.registry, schema.path, schema.method = generator.registry, "/", "GET"
        schema.resolve_serializer(serializer_class(), "response")
    result["components"] = generator.registry.build(spectacular_settings.APPEND_COMPONENTS)
    return result
