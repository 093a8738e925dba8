"""API calls that belong to no domain."""

import logging

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.request import Request

from shop.core import limits
from shop.core.client_address import client_address
from shop.core.problems import Problem, problem_response
from shop.core.staff_actions import StaffAction, may

logger = logging.getLogger("shop.client")

MAX_REPORT = 4096


class SchemaApi(SpectacularJSONAPIView):  # type: ignore[misc, unused-ignore]
    """The description of all calls. 404 where `API_SCHEMA_PUBLIC` is off, but for staff who see to API keys."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if not settings.API_SCHEMA_PUBLIC and not may(request.user, StaffAction.SEE_AUTOMATION):
            raise Http404


@csrf_exempt
@require_POST
def report_client_error(request: HttpRequest) -> HttpResponseBase:
    """Take the report of an island that failed in the browser (`navigator.sendBeacon`, which sends no token).

    It only writes a log line, cut to 4 KB and freed of line breaks.
    """
    try:
        limits.enforce(limits.CLIENT_ERROR_NETWORK, client_address(request))
    except Problem as problem:
        return problem_response(problem)
    report = request.body[:MAX_REPORT].decode("utf-8", "replace")
    logger.warning("island failed: %s", report.encode("unicode_escape").decode("ascii"))
    return HttpResponse(status=204)
