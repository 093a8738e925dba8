"""`/admin`: what needs doing today, how the week goes, and how full the workshop is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from blog.selectors.letters import held_letters
from orders.books.staff_tasks import StaffTask, staff_tasks
from orders.selectors.promises import christmas_days
from shop.core import jobs
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import staff_page
from shop.pages.selectors import staff_home as selectors
from shop.statistics.selectors import visits_today_and_this_week

# Of the chart, in its own units.
_CHART_HEIGHT = 120
_BAR_WIDTH = 18
_DAY_WIDTH = 52


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the chart, in the chart's units."""

    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class ChartDay:
    """A day of the chart: its two bars, and where its name stands."""

    sales: selectors.DaySales
    now: Bar
    before: Bar
    middle: int


@staff_page(StaffAction.SEE_ORDERS)
def staff_home(request: HttpRequest) -> HttpResponse:
    today = timezone.localdate()
    context: dict[str, Any] = {
        "tasks": _tasks(request),
        "background_is_late": jobs.background_work_is_late(),
        "queue": selectors.workshop_queue(),
        "christmas": christmas_days(),
        "may_close": may(request.user, StaffAction.EDIT_DELIVERY),
    }
    if may(request.user, StaffAction.SEE_BOOKS):
        sales = selectors.week_sales(today)
        context |= {"sales": sales, "chart": _chart(sales), "chart_width": _DAY_WIDTH * len(sales.days)}
    if may(request.user, StaffAction.SEE_STATISTICS):
        context["visits"] = visits_today_and_this_week(today)
    return render(request, "staff/home.html", context)


def _tasks(request: HttpRequest) -> list[StaffTask]:
    """Return what waits for this person, the most pressing first: what the law or a customer's date counts, then who
    waits for an answer, then the rest."""
    tasks = staff_tasks(timezone.localdate(), request.user)
    messages = ("Messages sans réponse", "Message sans réponse")
    letters = ("Lettres qui ne partent pas", "Lettre qui ne part pas")
    stock = ("Stocks presque épuisés", "Stock presque épuisé")
    found = (
        (StaffAction.SEE_CONTACTS, messages, selectors.open_contacts, _messages),
        (StaffAction.SEE_REVIEWS, ("Avis à relire", ""), selectors.reviews_to_moderate, _reviews),
        (StaffAction.EDIT_STOCK, stock, selectors.low_stock, _stock),
        (StaffAction.SEE_NEWSLETTER, letters, held_letters, _letters),
    )
    for action, (several, one), count, link in found:
        if may(request.user, action):
            tasks.append(StaffTask(several, count(), link(), one=one))
    return [task for task in tasks if task.count]


def _messages() -> str:
    return reverse("staff-messages")


def _reviews() -> str:
    return reverse("staff-reviews")


def _letters() -> str:
    return reverse("staff-newsletter")


def _stock() -> str:
    return f"{reverse('staff-products')}?state=low_stock"


def _chart(sales: selectors.WeekSales) -> list[ChartDay]:
    def bar(amount: Decimal, x: int) -> Bar:
        height = round(_CHART_HEIGHT * amount / sales.highest) if sales.highest else 0
        return Bar(x, _CHART_HEIGHT - height, height)

    return [
        ChartDay(
            day,
            bar(day.amount, _DAY_WIDTH * place + _DAY_WIDTH // 2),
            bar(day.before, _DAY_WIDTH * place + _DAY_WIDTH // 2 - _BAR_WIDTH),
            _DAY_WIDTH * place + _DAY_WIDTH // 2,
        )
        for place, day in enumerate(sales.days)
    ]
