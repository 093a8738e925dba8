"""The first page of the staff area: who sees it, and what it shows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_admin, make_member
from catalog.models import Product
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_finish_category,
    make_product,
    make_variation,
    variant_of,
)
from orders.books.staff_tasks import staff_tasks
from orders.models import Discrepancy, Dispute, InstallmentPause, Order, Refund, Withdrawal, WithdrawalCase
from orders.tests.books.entries import book, utc
from orders.tests.factories import make_order, make_seller, pay_order
from shop.core.models import OutgoingMail, ScheduledJob, ShopSettings
from shop.pages.models import ContactRequest
from shop.pages.selectors.staff_home import low_stock, week_sales, workshop_queue
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db


def test_nobody_signed_in_signs_in_first_and_comes_back() -> None:
    answer = Client().get("/admin")
    assert (answer.status_code, answer["Location"]) == (302, "/auth?next=/admin")


def test_member_is_told_that_they_are_no_administrator() -> None:
    answer = signed_in(make_member()).get("/admin")
    assert answer.status_code == 403
    text = answer.content.decode()
    assert "Accès non autorisé. Vous n'êtes pas administrateur." in text.replace("&#x27;", "'")
    # Nothing else of the area: neither what its screen is for nor its search.
    assert "À quoi sert cet écran" not in text
    assert "Rechercher" not in text
    assert "Commandes" not in text


def test_staff_without_the_second_factor_are_sent_to_add_it(settings) -> None:
    settings.STAFF_SECOND_FACTOR = True
    answer = signed_in(make_admin()).get("/admin")
    assert (answer.status_code, answer["Location"]) == (302, "/espace-membre/securite?next=%2Fadmin")


def test_page_is_neither_kept_nor_indexed_and_shows_pictures_of_the_browser() -> None:
    answer = signed_in(make_admin()).get("/admin")
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert "img-src 'self' data: blob:" in answer["Content-Security-Policy"]
    assert "unsafe" not in answer["Content-Security-Policy"]


def test_navigation_offers_what_the_role_may_open() -> None:
    admin = signed_in(make_admin()).get("/admin").content.decode()
    assert "Utilisateurs" in admin
    # The parts of the menu are no headings: those begin with the page's own.
    assert re.findall(r"<h\d", admin)[0] == "<h1"
    assert '<p class="staff-side__title" id="menu-2">' in admin
    assert '<ul class="staff-side__list" aria-labelledby="menu-2">' in admin
    staff = signed_in(make_staff()).get("/admin").content.decode()
    assert "Commandes" in staff
    assert "Utilisateurs" not in staff
    assert "Comptes" not in staff
    assert "Ventes des 7 derniers jours" not in staff


def test_messages_without_an_answer_are_among_what_waits() -> None:
    ContactRequest.objects.create(reference="M-1", fingerprint="1", email="a@example.com", kind="question")
    answer = signed_in(make_staff()).get("/admin")
    tasks = [(task.label, task.count) for task in answer.context["tasks"]]
    assert ("Message sans réponse", 1) in tasks


@time_machine.travel(datetime.fromisoformat("2026-11-18T12:00:00+01:00"), tick=False)
def test_what_waits_is_named_with_its_number_deadline_and_place() -> None:
    today, now = timezone.localdate(), timezone.now()
    make_seller()
    make_product("Golem", weight_grams=80, hs_code="950300", origin_country="FR", stock_quantity=5)
    make_product("Lutin", weight_grams=80, hs_code="950300", stock_quantity=5)
    make_product("Gnome", is_published=False)
    order = pay_order(make_order((Product.objects.get(name_fr="Golem"), 1)))
    # A shop that sold before the two quarters that ended last.
    book("1.00", utc(2026, 2, 1), order=order)
    Order.objects.filter(pk=order.pk).update(review_reason="Deux paiements.", promised_by=today)
    attempt = order.payments.get().attempts.get()
    for number, resolved in enumerate((None, now)):
        Discrepancy.objects.create(
            order=order, kind="refund_differs", provider_id=f"re_{number}", amount=1, resolved_at=resolved
        )
        OutgoingMail.objects.create(
            kind="x", to="a@example.com", next_attempt_at=now, state="sent" if resolved else "failed"
        )
        ScheduledJob.objects.create(name=f"x{number}", last_error="" if resolved else "ValueError")
    for number, (state, days) in enumerate((("declared", 3), ("goods_awaited", -2), ("refunded", -9))):
        declared = Withdrawal.objects.create(order_text="x", submission_key=str(number))
        WithdrawalCase.objects.create(
            withdrawal=declared, state=state, refund_by=today + timedelta(days=days)
        )
    for number, state in enumerate(("under_review", "needs_response", "won")):
        Dispute.objects.create(
            order=order, attempt=attempt, provider_id=f"du_{number}", amount=1, state=state,
            answer_by=now + timedelta(days=number - 1),
        )  # fmt: skip
    for state in ("failed", "succeeded"):
        Refund.objects.create(order=order, attempt=attempt, amount=1, state=state)
    order.payments.create(position=2, count=3, amount=1, due_on=today, state="overdue")
    for ended in (None, now):
        InstallmentPause.objects.create(order=order, started_by="staff", reason="x", ended_at=ended)
    tasks = staff_tasks(today)
    assert [(task.label, task.count, task.url, task.detail) for task in tasks] == [
        ("Écart avec Stripe", 1, "/admin/ecarts", ""),
        ("Commande à vérifier", 1, "/admin/commandes?filtre=review", ""),
        (
            "Rétractations à traiter",
            2,
            "/admin/retractations",
            # The other one may wait for its return, however long (L221-24).
            "à rembourser avant le 21 novembre 2026",
        ),
        ("Litiges ouverts", 2, "/admin/litiges", "réponse attendue avant le 18 novembre 2026"),
        ("Remboursement échoué", 1, "/admin/virements", ""),
        ("Échéance impayée", 1, "/admin/echeances?liste=impayees", ""),
        (
            "Échéance suspendue",
            1,
            "/admin/echeances?liste=suspendues",
            "rien n'est débité avant la reprise ou l'expédition",
        ),
        (
            "Commande à préparer",
            1,
            "/admin/commandes?filtre=to_make",
            "la première est promise pour le 18 novembre 2026",
        ),
        ("E-mail en échec", 1, "/admin/e-mails/envoyes?liste=echecs", ""),
        ("Tâche planifiée en erreur", 1, "/admin/taches", ""),
        ("Mention légale manquante", 1, "/admin/conditions", "conditions de vente à publier"),
        (
            "Déclarations à l'URSSAF à faire",
            2,
            "/admin/comptes/urssaf",
            "à déclarer avant le 31 juillet 2026 (en retard de 110 jours)",
        ),
        (
            "Pièce sans données douanières",
            1,
            "/admin/produits?state=customs",
            "nécessaires aux colis hors de l'Union européenne",
        ),
    ]
    staff = [task.label for task in staff_tasks(today, make_staff())]
    assert staff == ["Commande à vérifier", "Rétractations à traiter", "Commande à préparer"]
    asked = signed_in(make_admin())
    listed = asked.get("/admin/retractations").content.decode().replace("\u00a0", " ")
    assert [f"avant le {day} novembre" in listed for day in (16, 21)] == [False, True]
    # Where the answer is sent and the bank decides, nobody is asked for one.
    page = asked.get("/admin/litiges").content.decode()
    assert page.count("À répondre avant") == 1
    assert (page.count("Répondre chez Stripe"), page.count("Voir chez Stripe")) == (1, 1)
    Dispute.objects.filter(state="needs_response").update(state="under_review")
    assert [task.detail for task in staff_tasks(today) if task.several == "Litiges ouverts"] == [""]


def test_a_number_is_that_of_the_rows_where_its_task_leads() -> None:
    make_product("Lutin")
    make_product("Gnome", is_published=False)
    suspended, closed = (pay_order(make_order()) for _ in range(2))
    for order in (suspended, closed):
        InstallmentPause.objects.create(order=order, started_by="staff", reason="x")
    for position in (2, 3):
        suspended.payments.create(position=position, count=3, amount=1, due_on=timezone.localdate())
        # What became of the rest of an order that was refunded while its installments were suspended.
        closed.payments.create(
            position=position, count=3, amount=1, due_on=timezone.localdate(), state="void"
        )
    tasks = {task.url: (task.label, task.count) for task in staff_tasks(timezone.localdate())}
    asked = signed_in(make_admin())
    suspended_rows = asked.get("/admin/echeances?liste=suspendues").context["list"].rows
    assert tasks["/admin/echeances?liste=suspendues"] == ("Échéances suspendues", 2)
    assert len(suspended_rows) == 2
    products = asked.get("/api/admin/products?state=customs").json()["results"]
    assert tasks["/admin/produits?state=customs"][1] == len(products)
    assert "Gnome" not in [row["name"] for row in products]


@time_machine.travel(datetime.fromisoformat("2026-11-18T12:00:00+01:00"), tick=False)
def test_week_sales_are_by_the_day_of_payment_in_paris() -> None:
    now = timezone.now()
    # A minute past midnight in Paris is the evening before elsewhere.
    for days, total in ((0, "10.00"), (6, "20.00"), (7, "40.00"), (13, "80.00"), (14, "160.00")):
        order = make_order()
        amounts = dict.fromkeys(("total", "subtotal", "original_total"), Decimal(total)) | {
            "shipping_cost": 0
        }
        moment = (now - timedelta(days=days)).replace(hour=23, minute=1) - timedelta(days=1)
        Order.objects.filter(pk=order.pk).update(status="confirmed", paid_at=moment, **amounts)
    sales = week_sales(timezone.localdate())
    assert (sales.amount, sales.before, sales.highest) == (
        Decimal("30.00"),
        Decimal("120.00"),
        Decimal("80.00"),
    )
    assert (sales.orders, sales.orders_before) == (2, 2)
    assert sales.days[-1].day == timezone.localdate()
    assert (sales.days[-1].amount, sales.days[-1].before) == (Decimal("10.00"), Decimal("40.00"))


def test_week_without_sales_is_drawn(client: Client) -> None:
    answer = signed_in(make_admin()).get("/admin")
    assert [day.now.height for day in answer.context["chart"]] == [0] * 7


def test_queue_is_told_in_weeks_of_work() -> None:
    order = make_order((make_product(), 30))
    pay_order(order)
    make_seller()
    ShopSettings.objects.update(weekly_capacity=20)
    cache.clear()
    order.items.update(made_quantity=30)
    queue = workshop_queue()
    assert (queue.pieces, queue.weeks) == (30, Decimal("1.5"))


def test_queue_without_a_limit_counts_what_is_paid_and_not_sent() -> None:
    pay_order(make_order((make_product(), 3)))
    make_order((make_product(), 4))
    queue = workshop_queue()
    assert (queue.pieces, queue.weekly_capacity, queue.weeks) == (3, None, None)


def test_low_stock_counts_rows_on_sale_that_are_counted() -> None:
    make_product(stock_quantity=1)
    make_product(stock_quantity=2)
    make_product(stock_quantity=None)
    make_product(stock_quantity=0, is_published=False)
    assert low_stock() == 1


def test_low_stock_leaves_out_what_is_not_offered_any_more() -> None:
    product = make_product(category=make_finish_category(), painted_price="40.00", unpainted_price="30.00")
    change_variant(variant_of(product, finish="unpainted"), stock_quantity=0)
    plain = make_product("Ours")
    change_variant(variant_of(plain), stock_quantity=0)
    assert low_stock() == 2
    change_product(product, unpainted_price=None)
    assert low_stock() == 1
    make_variation(plain, "Grand", stock_quantity=None)
    assert low_stock() == 0


def test_low_stock_leaves_out_what_staff_marked_as_not_available() -> None:
    product = make_product("Ours", stock_quantity=0)
    assert low_stock() == 1
    change_product(product, in_stock=False)
    assert low_stock() == 0
    change_product(product, in_stock=True)
    change_variant(variant_of(product), in_stock=False)
    assert low_stock() == 0


def test_low_stock_leaves_out_the_formats_of_which_a_category_offers_no_choice() -> None:
    product = make_product()
    make_variation(product, "Grand", stock_quantity=1)
    assert low_stock() == 1
    make_variation(product, "Petit", is_default=True)
    assert low_stock() == 0
    product.category.offers_formats = True
    product.category.save()
    assert low_stock() == 1


def test_home_takes_few_queries(django_assert_max_num_queries) -> None:
    client = signed_in(make_admin())
    client.get("/admin")
    # Session and person 2, permissions 3, the kinds of tasks 15 with 5 more of their own, contacts, reviews, stock
    # and letters 4, background work 1, queue and calendar 3, Christmas 3, sales 1, settings 1.
    with django_assert_max_num_queries(38):
        client.get("/admin")
