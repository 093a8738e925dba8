"""`/admin/newsletter`: letters, from the first word to the figures, and who subscribed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from csp.constants import SELF
from csp.decorators import csp, csp_update
from django.conf import settings
from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.forms import BoundField
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.formats import number_format
from django.views.decorators.clickjacking import xframe_options_sameorigin

from accounts.models import User
from blog.mails.letters import letter_context, sample_links
from blog.models import Campaign, CampaignState, CampaignText, Subscriber, Suspension
from blog.selectors.letters import all_campaigns, figures_of, find_campaign, text_to_read
from blog.selectors.subscribers import audience_counts, receivers
from blog.services.newsletter import campaigns
from blog.services.newsletter.suspensions import lift_suspension, suspend_address
from blog.staff.letter_forms import PARTS as TEXT_PARTS
from blog.staff.letter_forms import LetterForm, shown_choices, values_of, with_shown
from shop.core.dates import clock_moment
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail_delivery import RenderedMail
from shop.core.mail_delivery import render as draw_mail
from shop.core.members import blocked_members
from shop.core.models import OutgoingMail
from shop.core.personal_data import period_text
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import MAIL_POLICY, WRITE, staff_page
from shop.integrations.repeated_calls import make_once_for_staff

PARTS = (
    Part("abonnes", "Abonnés", lambda _rows: receivers()),
    Part(
        "a-confirmer",
        "À confirmer",
        lambda rows: rows.filter(subscribed_at=None, unsubscribed_at=None, asked_at__isnull=False),
    ),
    Part("desinscrits", "Désinscrits", lambda rows: rows.filter(unsubscribed_at__isnull=False)),
    Part("suspendus", "Suspendus", lambda rows: rows.filter(suspended_at__isnull=False)),
    Part("tous", "Tous"),
)
DARK = "(prefers-color-scheme: dark)"
# What a button of a letter's page does, and what is said once it is done.
STEPS = {
    "pause": (campaigns.pause_campaign, "L'envoi est en pause\u00a0: ce qui partait à l'instant est parti."),
    "reprendre": (campaigns.resume_campaign, "L'envoi reprend."),
    "annuler": (
        campaigns.cancel_campaign,
        "L'envoi est arrêté\u00a0: personne d'autre ne recevra la lettre.",
    ),
    "deplanifier": (campaigns.unschedule_campaign, "La lettre est de nouveau un brouillon."),
}

# Where a letter leads once it is saved, by the button of its form: what is seen or sent is what is written.
NEXT = {"preview": "staff-newsletter-preview", "send": "staff-newsletter-send"}


@staff_page(StaffAction.SEE_NEWSLETTER, WRITE)
def letters(request: HttpRequest) -> HttpResponseBase:
    """Lists the letters; a POST begins one. Four queries."""
    refusal: Problem | None = None
    if request.method == "POST":
        require(request.user, StaffAction.EDIT_NEWSLETTER)
        try:
            title = request.POST.get("title", "")
            made = make_once_for_staff(
                request,
                body={"letter": title},
                make=lambda: campaigns.create_campaign(title=title, actor=_actor(request)).pk,
            )
        except Problem as problem:
            refusal = problem
        else:
            return redirect("staff-newsletter-letter", made.subject_id)
    count = receivers().count()
    context = {
        "letters": all_campaigns()[:100],
        "refusal": refusal,
        "subscriber_count": count,
        "subscribers": number_format(count, force_grouping=True),
        "may_edit": may(request.user, StaffAction.EDIT_NEWSLETTER),
        "sees_subscribers": may(request.user, StaffAction.SEE_SUBSCRIBERS),
    }
    return render(request, "staff/newsletter/list.html", context, status=refusal.status if refusal else 200)


@staff_page(StaffAction.SEE_NEWSLETTER, WRITE)
def letter(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """A draft with its form, any other letter with its figures; a POST saves the draft."""
    campaign = _found(campaign_id)
    if request.method == "POST":
        require(request.user, StaffAction.EDIT_NEWSLETTER)
        return _save(request, campaign)
    if campaign.is_editable:
        return _form_page(request, campaign, _form(campaign, initial=values_of(campaign)))
    figures = figures_of(campaign, sum(_counts(campaign).values()))
    response = render(request, "staff/newsletter/sent.html", _context(request, campaign, figures=figures))
    if campaign.state == CampaignState.SENDING:
        response["Refresh"] = "5"
    return response


def _save(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    if address := request.POST.get("show", "") if request.POST.get("action") == "add" else "":
        form = _form(campaign, initial=with_shown(request.POST.dict(), address))
        messages.info(request, "Ajouté à la fin du texte\u00a0: enregistrez pour le garder.")
        return _form_page(request, campaign, form)
    form = _form(campaign, request.POST)
    conflict: Campaign | None = None
    status = 400
    if form.is_valid():
        try:
            campaigns.save_campaign(
                campaign_id=campaign.pk,
                draft=form.draft(),
                seen=form.cleaned_data["version"],
                actor=_actor(request),
            )
        except campaigns.LetterChanged as problem:
            status, conflict = problem.status, _found(campaign.pk)
        except Problem as problem:
            status = problem.status
            form.show(problem)
            if not problem.errors:
                messages.error(request, problem.detail)
        else:
            messages.success(request, "La lettre est enregistrée.")
            return redirect(NEXT.get(request.POST.get("action", ""), "staff-newsletter-letter"), campaign.pk)
    return _form_page(request, campaign, form, conflict, status)


def _form(campaign: Campaign, *args: Any, **options: Any) -> LetterForm:
    return LetterForm(*args, lost_category=campaign.category_name, **options)


def _form_page(
    request: HttpRequest,
    campaign: Campaign,
    form: LetterForm,
    conflict: Campaign | None = None,
    status: int = 200,
) -> HttpResponseBase:
    context = _context(
        request,
        campaign,
        form=form,
        languages=[_texts(form, code, name) for code, name in settings.LANGUAGES],
        choices=shown_choices(),
        conflict=conflict,
        is_unsaved=request.method == "POST",
    )
    return render(request, "staff/newsletter/draft.html", context, status=status)


def _texts(form: LetterForm, code: str, name: str) -> tuple[str, str, list[BoundField], bool]:
    """The fields of a language, and whether they stand open: French, and what was begun."""
    fields = [form[f"{part}_{code}"] for part in TEXT_PARTS]
    return code, name, fields, code == SOURCE_LANGUAGE or any(field.value() for field in fields)


@staff_page(StaffAction.SEND_NEWSLETTER, WRITE)
def send(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Says who will receive the letter; a POST sends it, now or at a moment."""
    campaign, refusal = _found(campaign_id), None
    if not campaign.is_editable:
        return redirect("staff-newsletter-letter", campaign.pk)
    # The form that plans has the field: left empty there, it does not mean now.
    typed = request.POST.get("at")
    if request.method == "POST":
        try:
            moment = None if typed is None else _moment(typed.strip())
            campaigns.start_campaign(
                campaign_id=campaign.pk,
                at=moment,
                actor=_actor(request),
                seen=request.POST.get("version"),
            )
        except Problem as problem:
            refusal = problem
        else:
            messages.success(request, "L'envoi est prévu." if moment else "L'envoi commence.")
            return redirect("staff-newsletter-letter", campaign.pk)
    written = {text.language for text in campaign.texts.all()}
    counts = _counts(campaign, every_language=True)
    context = _context(
        request,
        campaign,
        refusal=refusal,
        typed=typed or "",
        counts=[(name, counts.get(code, 0), code in written) for code, name in settings.LANGUAGES],
        total=sum(count for code, count in counts.items() if code in written),
    )
    page = render(request, "staff/newsletter/send.html", context, status=refusal.status if refusal else 200)
    return page


@staff_page(StaffAction.SEND_NEWSLETTER, ("POST",))
def step(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Pause, resume, cancel, or take back from the plan: `etape` says which."""
    campaign = _found(campaign_id)
    if (known := STEPS.get(request.POST.get("etape", ""))) is not None:
        change, done = known
        try:
            change(campaign_id=campaign.pk, actor=_actor(request))
        except Problem as problem:
            messages.error(request, problem.detail)
        else:
            messages.success(request, done)
    return redirect("staff-newsletter-letter", campaign.pk)


@staff_page(StaffAction.EDIT_NEWSLETTER, ("POST",))
def copy(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Begin a letter from this one."""
    source = _found(campaign_id)
    made = make_once_for_staff(
        request,
        body={"copy": source.pk},
        make=lambda: campaigns.copy_campaign(campaign_id=source.pk, actor=_actor(request)).pk,
    )
    return redirect("staff-newsletter-letter", made.subject_id)


@staff_page(StaffAction.EDIT_NEWSLETTER, ("POST",))
def delete(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Delete a draft."""
    try:
        campaigns.delete_campaign(campaign_id=_found(campaign_id).pk, actor=_actor(request))
    except Problem as problem:
        messages.error(request, problem.detail)
        return redirect("staff-newsletter-letter", campaign_id)
    messages.success(request, "Le brouillon est supprimé.")
    return redirect("staff-newsletter")


@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
@staff_page(StaffAction.SEE_NEWSLETTER)
def preview(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """The letter as it was last saved: on a phone, on a screen, in the dark, and as plain text."""
    campaign = _found(campaign_id)
    text = text_to_read(campaign, request.GET.get("langue", ""))
    context = _context(
        request,
        campaign,
        text=text,
        mail=None if text is None else _drawn(text),
        is_dark="sombre" in request.GET,
    )
    return render(request, "staff/newsletter/preview.html", context)


@csp(MAIL_POLICY)  # type: ignore[arg-type]
@xframe_options_sameorigin
@staff_page(StaffAction.SEE_NEWSLETTER)
def html(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """The HTML part alone, for the frames of the preview; with `sombre` as who prefers the dark sees it."""
    text = text_to_read(_found(campaign_id), request.GET.get("langue", ""))
    if text is None:
        raise Http404
    drawn = _drawn(text).html
    return HttpResponse(drawn.replace(DARK, "all") if "sombre" in request.GET else drawn)


@staff_page(StaffAction.EDIT_NEWSLETTER, ("POST",))
def test(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Send the letter to the person who asks, and to nobody else."""
    actor, language = _actor(request), request.POST.get("langue", "")
    try:
        campaigns.send_test(campaign_id=_found(campaign_id).pk, language=language, actor=actor)
    except Problem as problem:
        messages.error(request, problem.detail)
    else:
        messages.success(request, f"Un essai part à {actor.email}.")
    return redirect("staff-newsletter-preview", campaign_id)


@staff_page(StaffAction.SEE_SUBSCRIBERS)
def subscribers(request: HttpRequest) -> HttpResponseBase:
    is_blocked = Exists(blocked_members().filter(email=OuterRef("email")))
    rows = Subscriber.objects.annotate(is_blocked=is_blocked)
    context = {
        "list": staff_list(request, rows, PARTS, searched=("email",), moment="created_at"),
        "reasons": Suspension.choices,
        "may_suspend": may(request.user, StaffAction.SUSPEND_SUBSCRIBER),
    }
    return render(request, "staff/newsletter/subscribers.html", context)


@staff_page(StaffAction.SUSPEND_SUBSCRIBER, ("POST",))
def suspension(request: HttpRequest, subscriber_id: int) -> HttpResponseBase:
    """Send nothing to this address any more (`motif`), or send again (without one)."""
    subscriber = Subscriber.objects.filter(pk=subscriber_id).first()
    if subscriber is None:
        raise Http404
    reason = request.POST.get("motif", "")
    if reason and reason not in Suspension.values:
        messages.error(request, "Ce motif n'existe pas.")
    elif reason:
        suspend_address(subscriber.email, Suspension(reason), actor=_actor(request))
        messages.success(request, f"Plus rien ne part à {subscriber.email}.")
    else:
        lift_suspension(subscriber_id=subscriber.pk, actor=_actor(request))
        messages.success(request, f"{subscriber.email} reçoit de nouveau ce qu'il a demandé.")
    return redirect("staff-newsletter-subscribers")


def _context(request: HttpRequest, campaign: Campaign, **more: Any) -> dict[str, Any]:
    return {
        "letter": campaign,
        "period": period_text("newsletter_days"),
        "may_edit": may(request.user, StaffAction.EDIT_NEWSLETTER),
        "may_send": may(request.user, StaffAction.SEND_NEWSLETTER),
        **more,
    }


def _found(campaign_id: int) -> Campaign:
    campaign = find_campaign(campaign_id) if campaign_id < 2**63 else None
    if campaign is None:
        raise Http404
    return campaign


def _actor(request: HttpRequest) -> User:
    return cast(User, request.user)


def _counts(campaign: Campaign, *, every_language: bool = False) -> dict[str, int]:
    written = {text.language for text in campaign.texts.all()}
    counts = audience_counts(campaign)
    return {code: count for code, count in counts.items() if every_language or code in written}


def _drawn(text: CampaignText) -> RenderedMail:
    context = letter_context(text) | sample_links(text.language)
    return draw_mail(OutgoingMail(kind=campaigns.LETTER_MAIL, language=text.language, context=context))


def _moment(text: str) -> datetime:
    """The moment of a browser's field, on the shop's clock. Raises `Problem` 400."""
    try:
        found = parse_datetime(text)
        if found is not None:
            return clock_moment(found)
    except (ValueError, OverflowError):
        pass
    refusal = "Choisissez un jour et une heure."
    raise Problem("invalid", refusal, errors={"at": [refusal]})
