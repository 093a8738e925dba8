"""Errors to Sentry, where `SENTRY_DSN` is set. Nothing personal leaves: not even what Sentry would take by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings

from shop.core.log_lines import current_request_id, hide, is_refusal

if TYPE_CHECKING:
    from sentry_sdk.types import Event, Hint

# Of a request. Addresses of the shop's own pages carry keys, which are hidden as in the log.
_KEPT_OF_REQUEST = ("method", "url")


def start_error_reports() -> None:
    """Report errors of this process, and the part of its requests that `TRACES_SAMPLE_RATE` says. Once a process."""
    if not settings.SENTRY_DSN:
        return
    import sentry_sdk
    from sentry_sdk.integrations.atexit import AtexitIntegration
    from sentry_sdk.integrations.celery import CeleryIntegration
    from sentry_sdk.integrations.dedupe import DedupeIntegration
    from sentry_sdk.integrations.django import DjangoIntegration
    from sentry_sdk.integrations.logging import LoggingIntegration

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        environment=settings.DEPLOYMENT,
        release=settings.RELEASE or None,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        traces_sample_rate=0.0 if settings.OTEL_EXPORTER_OTLP_ENDPOINT else settings.TRACES_SAMPLE_RATE,
        before_send=_scrub,
        before_send_transaction=_scrub,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[
            AtexitIntegration(callback=lambda *waiting: None),
            CeleryIntegration(),
            DedupeIntegration(),
            DjangoIntegration(),
            # Lines of ERROR and above are events.
            LoggingIntegration(level=None),
        ],
        shutdown_timeout=2,
    )


def _scrub(event: Event, hint: Hint) -> Any:
    """Return the event with what a log line may say, and nothing else of people. None for what is no error of ours."""
    if is_refusal(str(event.get("logger") or "")):
        return None
    request = dict(event.get("request") or {})
    found: Any = _hidden(
        {**event, "request": {name: request[name] for name in _KEPT_OF_REQUEST if name in request}}
    )
    for name in ("user", "server_name", "extra", "breadcrumbs", "modules"):
        found.pop(name, None)
    number = current_request_id()
    if number:
        found["tags"] = {**(found.get("tags") or {}), "request_id": number}
    return found


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {name: _hidden(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(each) for each in value]
    return value
