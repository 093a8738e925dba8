"""DEBUG is for a shop that this machine alone can reach, and never the default of a server."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from shop.loopback import is_loopback, refuse_public_debug
from tests.payment_faults.starts import BEAT, PRODUCTION, WORKER, start_all

SETTINGS = ("-c", "import shop.settings")
WEB = ("-c", "import shop.wsgi")
RUN_SHOP = ("manage.py", "run_shop")
SHOWN = (
    "-c",
    "import shop.wsgi\n"
    "from django.conf import settings; from django.urls import resolve\n"
    "found = resolve('/_mails'); print(settings.DEBUG, found.url_name, found.func.__name__)",
)
MODE = (
    "-c",
    "import sys, manage; sys.argv = ['manage.py', *sys.argv[1:]]; manage.choose_debug()\n"
    "import os; print(os.environ.get('DEBUG'))",
)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "127.0.0.1",
        "127.1.2.3:80",
        "[::1]",
        "[::1]:8000",
        "shop.localhost",
        ".localhost",
    ],
)
def test_is_loopback_with_a_name_of_this_machine_is_true(host):
    assert is_loopback(host) is True


@pytest.mark.parametrize(
    "host",
    [
        "",
        "*",
        "0.0.0.0",
        "[::]",
        "shop.example",
        "localhost.example",
        "127.0.0.1.example",
        "10.0.0.7",
        "[",
        "::1",
    ],
)
def test_is_loopback_with_any_other_name_is_false(host):
    assert is_loopback(host) is False


@pytest.mark.parametrize(
    ("hosts", "site", "named"),
    [
        (["localhost", "shop.example"], "http://localhost:8000", "ALLOWED_HOSTS names shop.example"),
        (["*"], "http://localhost:8000", "ALLOWED_HOSTS names *"),
        (["localhost"], "https://localhost", "SITE_URL names https://localhost"),
        (["localhost"], "http://shop.example", "SITE_URL names http://shop.example"),
        (["localhost"], "", "SITE_URL names "),
    ],
)
def test_refuse_public_debug_with_a_public_setting_names_it(hosts, site, named):
    with pytest.raises(ImproperlyConfigured) as refused:
        refuse_public_debug(allowed_hosts=hosts, site_url=site)
    assert str(refused.value) == (
        f"DEBUG is on and {named}: with DEBUG the shop, its demonstration included, is for this machine alone; "
        f"set DEBUG=false for a public shop (docs/operator.md), or leave {named.split()[0]} out."
    )


def test_refuse_public_debug_with_loopback_settings_says_nothing():
    refuse_public_debug(allowed_hosts=["localhost", "127.0.0.1", "[::1]"], site_url="http://localhost:8000")


def test_processes_with_debug_in_public_do_not_start(tmp_path):
    public_host = {"DEBUG": "true", "ALLOWED_HOSTS": "shop.example"}
    public_site = {"DEBUG": "true", "SITE_URL": "https://shop.example"}
    unset = {name: value for name, value in PRODUCTION.items() if name != "DEBUG"}
    bound = {"DEBUG": "true", "DEBUG_ADDRESS": "0.0.0.0:8000"}
    cases = {
        "settings, public host": (SETTINGS, public_host),
        "settings, public address": (SETTINGS, public_site),
        "web, public host": (WEB, public_host | {"DEBUG_ADDRESS": "127.0.0.1:8000"}),
        "web, not started by run_shop": (WEB, {"DEBUG": "true"}),
        "web, bound in public": (WEB, bound),
        "run_shop, public HOST": (RUN_SHOP, {"HOST": "0.0.0.0"}),
        "run_shop, public address": (RUN_SHOP, unset),
    }
    found = start_all(tmp_path, cases)
    assert {name: (status, said.strip().splitlines()[-1]) for name, (status, said) in found.items()} == {
        "settings, public host": (1, refusal("ALLOWED_HOSTS", "shop.example", raised=True)),
        "settings, public address": (1, refusal("SITE_URL", "https://shop.example", raised=True)),
        "web, public host": (1, refusal("ALLOWED_HOSTS", "shop.example", raised=False)),
        "web, not started by run_shop": (1, NOT_BOUND),
        "web, bound in public": (1, NOT_BOUND),
        "run_shop, public HOST": (
            1,
            "CommandError: HOST=0.0.0.0 would open a shop with DEBUG, its mails and its known passwords to others: "
            "leave HOST out. For a public shop set DEBUG=false and start its processes as docs/operator.md says.",
        ),
        "run_shop, public address": (1, refusal("ALLOWED_HOSTS", "shop.example", raised=False)),
    }
    assert "Traceback" not in found["run_shop, public address"][1]


NOT_BOUND = (
    "DEBUG is on: start the shop with make run or make dev, which bind "
    "it to this machine alone, or set DEBUG=false for a public shop."
)


def refusal(name: str, value: str, *, raised: bool) -> str:
    return ("django.core.exceptions.ImproperlyConfigured: " if raised else "") + (
        f"DEBUG is on and {name} names {value}: with DEBUG the shop, its demonstration included, is for this machine "
        f"alone; set DEBUG=false for a public shop (docs/operator.md), or leave {name} out."
    )


def test_processes_where_debug_is_unset_show_no_mails_to_the_public(tmp_path):
    server = {name: value for name, value in PRODUCTION.items() if name not in ("DEBUG", "EMAIL_URL")}
    cases = {
        "server": (SHOWN, server),
        "demonstration": (SHOWN, {"DEBUG": "true", "DEBUG_ADDRESS": "localhost:8000"}),
        "sandbox": (
            ("-m", "orders.stripe_sandbox", "--secret-key", "sk_test_x", "--webhook-secret", "whsec_x"),
            {},
        ),
        "public sandbox": (
            (
                *("-m", "orders.stripe_sandbox", "--secret-key", "sk_test_x"),
                *("--webhook-secret", "whsec_x", "--host", "0.0.0.0"),
            ),
            {"DEBUG": "true"},
        ),
        "a clone's command": ((*MODE, "migrate"), {}),
        "a server's command": ((*MODE, "migrate"), {"SECRET_KEY": "x"}),
        "a clone's command, told": ((*MODE, "migrate"), {"DEBUG": "false"}),
        "make run": ((*MODE, "run_shop"), {"SECRET_KEY": "x"}),
        "make run, told": ((*MODE, "run_shop"), {"DEBUG": "false"}),
    }
    found = start_all(tmp_path, cases)
    assert {name: (status, said.strip().splitlines()[-1]) for name, (status, said) in found.items()} == {
        "server": (0, "False collection collection"),
        "demonstration": (0, "True mailbox mail_list"),
        "sandbox": (
            2,
            "The payment sandbox does not start with DEBUG off: it takes no money. Set STRIPE_SECRET_KEY and "
            "STRIPE_WEBHOOK_SECRET of a Stripe account instead.",
        ),
        "public sandbox": (
            2,
            "The payment sandbox listens on this machine alone: leave STRIPE_SANDBOX_HOST out.",
        ),
        "a clone's command": (0, "true"),
        "a server's command": (0, "None"),
        "a clone's command, told": (0, "false"),
        "make run": (0, "true"),
        "make run, told": (0, "false"),
    }


def test_a_value_that_is_none_is_one_sentence_of_every_process(tmp_path):
    """Started again every two seconds, a traceback each time would fill the log."""
    wrong = PRODUCTION | {"STAFF_SECOND_FACTOR": "nope"}
    commands = {"web": WEB, "worker": WORKER, "beat": BEAT, "command": ("manage.py", "check")}
    found = start_all(tmp_path, {name: (command, wrong) for name, command in commands.items()})
    sentence = "STAFF_SECOND_FACTOR=nope says neither true nor false."
    assert {name: (status, said.strip()) for name, (status, said) in found.items()} == dict.fromkeys(
        commands, (1, sentence)
    )
