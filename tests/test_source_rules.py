"""Each house rule catches its breach and lets the proper way stand."""

import pytest
from source_rules import broken_rules


def breaches(tmp_path, name, text):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return list(broken_rules(tmp_path, [name]))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("frontend_islands/styles/pages/home.css", "a {\n color: #0E5A4A; }", ":2: colours have names"),
        ("frontend_islands/islands/cart/index.tsx", '<i fill="#fff" />', ":1: colours have names"),
        ("templates/cart.html", '<p style="color:red">', "allows no inline style"),
        ("templates/cart.html", "<style>p{}</style>", "allows no inline style"),
        ("templates/cart.html", "<script>go()</script>", "allows no inline script"),
        ("templates/cart.html", '<button class="a" onclick="go()">', "allows no handler"),
        ("templates/cart.html", "{{ text|safe }}", "text becomes markup"),
        ("catalog/views.py", "mark_safe(text)", "text becomes markup"),
        ("catalog/views.py", "@csrf_exempt\ndef view(request): ...", "without a CSRF token"),
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
        ("orders/utils.py", "", "name the file for what it holds"),
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
        ("frontend_islands/styles/tokens.css", ":root { --ink: #15201D; }"),
        (
            "frontend_islands/styles/pages/home.css",
            "#resultats { color: var(--ink); } a[href='#cafe-noir'] {}",
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
    ],
)
def test_the_proper_way_stands(tmp_path, name, text):
    assert breaches(tmp_path, name, text) == []
