"""`/api/admin/emails`: every mail as it looks, and one sent to oneself."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.models import Order
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail_samples import KINDS
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_calls import allowed
from shop.pages.selectors.mail_previews import mail_kinds, order_for_preview, preview_mail
from shop.pages.services.mail_tests import send_test


class MailAskedSerializer(serializers.Serializer[Any]):
    """`order` is a reference, an address or a name: the newest order that it finds; without it, sample data."""

    language = serializers.ChoiceField(choices=settings.LANGUAGES, required=False, default=SOURCE_LANGUAGE)
    order = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")


class MailListQuerySerializer(MailAskedSerializer):
    name = serializers.ChoiceField(choices=KINDS, required=False, allow_blank=True, default="")


class MailKindSerializer(serializers.Serializer[Any]):
    """A kind of mail; `text` and `html` only for the one that `name` asks for."""

    name = serializers.CharField()
    subject = serializers.CharField()
    text = serializers.CharField(required=False)
    html = serializers.CharField(required=False)


class MailListSerializer(serializers.Serializer[Any]):
    results = MailKindSerializer(many=True)


class MailSentSerializer(serializers.Serializer[Any]):
    success = serializers.BooleanField()
    message = serializers.CharField()


@method_decorator(never_cache, name="dispatch")
class AdminMailListView(APIView):
    """Every kind of mail with its French subject; with `name`, that one drawn in `language`."""

    permission_classes = (allowed(get=StaffAction.SEE_MAILS),)

    @extend_schema(
        operation_id="admin_emails_list", parameters=[MailListQuerySerializer], responses=MailListSerializer
    )
    def get(self, request: Request) -> Response:
        form = MailListQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        kinds = [kind for kind in mail_kinds() if asked["name"] in ("", kind.name)]
        rows: list[dict[str, Any]] = [{"name": kind.name, "subject": kind.subject} for kind in kinds]
        if asked["name"]:
            mail = preview_mail(asked["name"], asked["language"], _order(request, asked["order"]))
            rows[0] |= {"subject": mail.subject, "text": mail.text, "html": mail.html}
        return Response({"results": rows})


@method_decorator(never_cache, name="dispatch")
class AdminMailTestView(APIView):
    """Sends a mail to the person who asks, and to nobody else."""

    permission_classes = (allowed(post=StaffAction.RESEND_MAIL),)

    @extend_schema(
        operation_id="admin_email_test", request=MailAskedSerializer, responses={202: MailSentSerializer}
    )
    def post(self, request: Request, kind: str) -> Response:
        form = MailAskedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if kind not in KINDS:
            raise Problem("not_found", _("E-mail introuvable."), 404)
        order = _order(request, form.validated_data["order"])
        send_test(
            kind=kind, language=form.validated_data["language"], order=order, actor=cast(User, request.user)
        )
        return Response({"success": True, "message": _("Email envoyé\u00a0!")}, status=202)


def _order(request: Request, text: str) -> Order | None:
    if not text.strip():
        return None
    require(request._request.user, StaffAction.SEE_ORDERS)
    order = order_for_preview(text)
    if order is None:
        raise Problem("not_found", _("Commande introuvable."), 404)
    return order
