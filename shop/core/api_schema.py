"""What the API schema says of our own classes."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from shop.core.problems import CONTENT_TYPE

PROBLEM = {
    "type": "object",
    "description": "An expected refusal (RFC 9457), in the visitor's language. Some carry further members.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "Stable and English."},
        "errors": {
            "type": "object",
            "description": "Messages by the name of the field.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The session's cookie; unsafe methods also need its CSRF token."""

    target_class = "shop.core.authentication.CsrfSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


def describe_refusals(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Add what every call answers when it refuses (a postprocessing hook of drf-spectacular)."""
    result["components"]["schemas"]["Problem"] = PROBLEM
    refusal = {
        "description": "Refused",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"].setdefault("default", refusal)
    # What the shop itself calls: version 3.0 of the format has no place of its own for it.
    if "webhooks" in result:
        result["x-webhooks"] = result.pop("webhooks")
    return result
