"""Each rule of the project catches its breach and lets the proper way stand; words that were given up stay away."""

import re
from pathlib import Path

import pytest
from source_rules import GIVEN_UP, broken_rules

ROOT = Path(__file__).resolve().parent.parent


def breaches(tmp_path, name, text):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return list(broken_rules(tmp_path, [name]))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("frontend_islands/styles/pages/home.css", "a {\n color: #0E5A4A; }", ":2: colours have names"),
        (
            "frontend_islands/styles/pages/home.css",
            "a {\n color: rgb(0 0 0 / 0.5); }",
            ":2: colours have names",
        ),
        ("frontend_islands/islands/cart/index.tsx", '<i fill="#fff" />', ":1: colours have names"),
        ("templates/cart.html", '<p style="color:red">', "allows no inline style"),
        ("templates/cart.html", "<style>p{}</style>", "allows no inline style"),
        ("templates/cart.html", "<script>go()</script>", "allows no inline script"),
        ("templates/cart.html", '<button class="a" onclick="go()">', "allows no handler"),
        ("templates/cart.html", "{{ text|safe }}", "text becomes markup"),
        ("catalog/views.py", "mark_safe(text)", "text becomes markup"),
        ("catalog/views.py", "@csrf_exempt\ndef view(request): ...", "without a CSRF token"),
        ("orders/mails.py", """f"{name} ({_('OFFERT')})\"""", "no catalogue would have it"),
        ("orders/mails.py", """f"{name or _('OFFERT')} · {n}\"""", "no catalogue would have it"),
        ("templates/staff/home.html", "<p>{{ n }} : rien</p>", "no-break space"),
        ("templates/staff/home.html", "<p>{{ day }} · {{ n }}</p>", "no-break space"),
        ("frontend_islands/staff/order/words.json", '"sure": "Vraiment ?"', "no-break space"),
        ("shop/pages/texts/terms/fr.md", "l'offre « ici\u00a0»", "no-break space"),
        ("orders/services/refunds/decisions.py", "import stripe", "gateway.py"),
        (
            "orders/services/x.py",
            "def close(order):\n    order.status = CANCELLED\n",
            ":2: the status of an order",
        ),
        ("orders/services/x.py", "order.shipped_at, order.delivered_at = None, None", "transitions.py alone"),
        (
            "orders/demo.py",
            "Order.objects.create(\n    total=total(1),\n    status=status,\n)",
            "transitions.py alone",
        ),
        ("orders/demo.py", "Order.objects.filter(pk=pk).update(paid_at=now)", "transitions.py alone"),
        ("orders/utils.py", "", "name the file for what is in it"),
        (
            "orders/services/x.py",
            "a = 1\n" * 401,
            "split it by use case or subject: 401 lines of 400 at most",
        ),
        ("orders/tests/test_x.py", "from orders.tests.test_y import order", "what two files of tests share"),
        ("orders/tests/test_x.py", "a = 1\n" * 401, "401 lines of 400 at most"),
        ("frontend_islands/cart/cart.test.tsx", "a\n" * 401, "401 lines of 400 at most"),
        ("frontend_islands/styles/x.css", "\n" * 401, "split it by use case"),
    ],
)
def test_a_breach_is_named_with_its_place(tmp_path, name, text, reason):
    found = breaches(tmp_path, name, text)
    assert len(found) == 1
    assert found[0].startswith(f"{name}:")
    assert reason in found[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("frontend_islands/styles/tokens.css", ":root { --text: #15201D; }"),
        (
            "templates/staff/home.html",
            '<p class="a">{{ n|plural:"s" }}\u00a0: {% if a == b %}rien\u00a0!{% endif %}</p>',
        ),
        (
            "frontend_islands/styles/pages/home.css",
            "#resultats { color: var(--text); } a[href='#cafe-noir'] {}",
        ),
        ("templates/mail/order.html", '<p style="color:#15201D">'),
        ("templates/cart.html", '<script src="{{ url }}" type="module"></script>'),
        ("templates/cart.html", '<script type="application/ld+json">{}</script>'),
        ("templates/cart.html", '{% island "cart" on="visible" props=props %}{% endisland %}'),
        ("orders/stripe/gateway.py", "import stripe"),
        ("orders/tests/test_payments.py", "import stripe"),
        ("orders/services/status/transitions.py", "    order.status = row.target"),
        ("orders/tests/test_orders.py", "Order.objects.update(status='shipped')"),
        (
            "orders/services/x.py",
            "if order.status == before:\n    told = dict(order=order, status=order.status, a=1)",
        ),
        ("orders/services/x.py", "Order.objects.filter(status=PENDING).update(review_reason='')"),
        ("orders/services/x.py", "a = 1\n" * 400),
        ("orders/migrations/0001_initial.py", "a = 1\n" * 401),
        ("frontend_islands/api/schema.d.ts", "a\n" * 401),
    ],
)
def test_the_proper_way_stands(tmp_path, name, text):
    assert breaches(tmp_path, name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "instead"),
    [
        ("orders/models/pause.py", "class InstalmentPause: ...", "installment"),
        ("orders/pricing/instalments.py", "", "installment"),
        ("docs/operator.md", "A later part of the thirds is refused.", "installments"),
        ("orders/models/payment.py", 'CANCELED = "canceled"', "cancelled"),
        ("docs/operator.md", "The charge is canceled.", "cancelled"),
        ("catalog/selectors/cards.py", 'kept(make, "cards")', "cached_fragment"),
        ("templates/base.html", "{% kept 'footer' %}", "fragment cache"),
        ("docs/operator.md", "Kept in memory: a kept page costs no query.", "fragment cache"),
        ("catalog/services/media.py", "wake(TASK, pk)", "enqueue"),
        ("shop/core/broker.py", "# The broker is only a wake-up.", "enqueue"),
        ("orders/services/refunds.py", "print_of = hash(lines)", "fingerprint"),
        ("orders/models/order.py", "told_at = DateTimeField()", "reported"),
        ("frontend_islands/styles/components/gallery.css", ".toise { width: 1px; }", "size_ruler"),
        ("orders/models/books.py", "class Finding(models.Model): ...", "discrepancy"),
        ("orders/books/todo.py", "open_findings = []", "discrepancy"),
        ("orders/invoices/series.py", "place = reserve_place()", "reserve_number"),
        ("orders/services/withdrawals.py", "take_up(case=case)", "accept_case"),
        ("orders/services/outcomes.py", "restate(payment)", "recompute_state"),
        ("orders/admin/refunds.py", 'actions = ("try_again",)', "retry"),
        ("orders/services/payments/settlement.py", '"""The one door."""', "entry point"),
        ("orders/admin/parts.py", '"""What each room shares."""', "project"),
        ("orders/tests/test_dispatch.py", "def test_it(desk): ...", "staff_client"),
        ("frontend_islands/styles/pages/home.css", "a { color: var(--ink-soft); }", "a name by role"),
    ],
)
def test_a_word_given_up_is_refused_with_what_to_say(tmp_path, name, text, instead):
    found = breaches(tmp_path, name, text)
    assert len(found) == 1
    assert found[0].startswith(f"{name}:")
    assert instead in found[0].partition("given up: ")[2]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shop/pages/texts/faq/en.json", "Pay in three instalments, behind the door of the house."),
        ("docs/performance.md", "It varies by a third; two thirds are third-party."),
        ("orders/stripe/gateway.py", 'if intent.status == "canceled" or intent.canceled_at: ...'),
        ("orders/stripe/facts.py", "# `requires_action` or `canceled`; payment_intent.canceled"),
        ("docs/owner.md", "The text is kept word for word; leave room for a name."),
        ("frontend_islands/islands/model-viewer3d/scene.ts", "const room = new Room();"),
        ("shop/pages/texts/home/fr.json", "La toise donne la hauteur."),
        ("templates/product.html", "<p>La toise donne la hauteur.</p>"),
        ("orders/tests/test_orders.py", "def test_a_refusal_is_told(): ..."),
        ("orders/tests/memory_provider.py", "def kept(self): ..."),
        ("frontend_islands/lib/cart.test.ts", "expect(kept()).toBe(1);"),
        ("orders/pricing/dunning.py", 'ADVICE = "do_not_try_again"'),
        ("shop/core/checks.py", "# Finding the file takes a moment."),
        ("orders/models/returns.py", "taken_up_at = models.DateTimeField()"),
        ("orders/services/refunds.py", "bank = refund.bank  # prints the total"),
        ("frontend_islands/styles/tokens.css", ":root { --match: 1; --material: 2; --text: #15201D; }"),
    ],
)
def test_words_of_the_same_letters_stand(tmp_path, name, text):
    assert breaches(tmp_path, name, text) == []


def test_glossary_lists_the_words_given_up():
    table = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").partition("## Words given up")[2]
    rows = re.findall(r"^\| (?!Given up|---)(.+?) \| (.+) \|$", table, re.MULTILINE)
    assert rows == [(given_up.word, given_up.instead) for given_up in GIVEN_UP]


def test_app_css_which_every_page_has_first_orders_all_layers_of_styles():
    styles = ROOT / "frontend_islands" / "styles"
    [order] = re.findall(r"@layer ([^;{]+);", (styles / "app.css").read_text())
    used = {
        name for sheet in styles.glob("*.css") for name in re.findall(r"layer\((\w+)\)", sheet.read_text())
    }
    assert (used, order.split(", ")[-1]) == (set(order.split(", ")), "utilities")
