"""Traces to a collector, where `OTEL_EXPORTER_OTLP_ENDPOINT` is set (OpenTelemetry, OTLP over HTTP).

A trace has a span a request, task and statement. Statements are sent without their values, requests without query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from shop.core.log_lines import hide


def start_traces() -> None:
    """Send the traces of this process. Raises ImproperlyConfigured without the packages of requirements-tracing.txt."""
    if not settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        return
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.celery import CeleryInstrumentor
        from opentelemetry.instrumentation.django import DjangoInstrumentor
        from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
        from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
        from opentelemetry.trace import Status
    except ImportError as error:
        raise ImproperlyConfigured(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set and its packages are missing: pip install -r requirements-tracing.txt"
        ) from error
    resource = Resource.create(
        {
            "service.name": "shop",
            "service.version": settings.RELEASE,
            "deployment.environment": settings.DEPLOYMENT,
        }
    )
    provider = TracerProvider(
        resource=resource, sampler=ParentBased(TraceIdRatioBased(settings.TRACES_SAMPLE_RATE))
    )
    endpoint = f"{settings.OTEL_EXPORTER_OTLP_ENDPOINT.rstrip('/')}/v1/traces"

    class HidingExporter(OTLPSpanExporter):
        """Sends spans without what they hold of people."""

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            return super().export([_without_people(span) for span in spans])

    def _without_people(span: ReadableSpan) -> ReadableSpan:
        return ReadableSpan(
            name=span.name,
            context=span.get_span_context(),
            parent=span.parent,
            resource=span.resource,
            attributes=_hidden(span.attributes or {}),
            events=[
                Event(event.name, _hidden(event.attributes or {}), event.timestamp) for event in span.events
            ],
            links=span.links,
            kind=span.kind,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )

    provider.add_span_processor(BatchSpanProcessor(HidingExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument(tracer_provider=provider)
    CeleryInstrumentor().instrument(tracer_provider=provider)  # type: ignore[no-untyped-call]
    PsycopgInstrumentor().instrument(tracer_provider=provider, enable_commenter=False)


# What the conventions of several versions call an address, a browser and a query.
_PERSONAL = frozenset(
    {
        *("net.peer.ip", "net.peer.name", "net.sock.peer.addr", "client.address", "http.client_ip"),
        *("http.user_agent", "user_agent.original", "network.peer.address", "url.query"),
    }
)


def _hidden(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes as a line of the log would write them: addresses of pages without their query."""
    return {
        name: hide(value.partition("?")[0] if name.startswith(("http.", "url.")) else value)
        if isinstance(value, str)
        else value
        for name, value in attributes.items()
        if name not in _PERSONAL
    }
