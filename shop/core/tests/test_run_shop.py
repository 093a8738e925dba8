"""What `run_shop` decides before it starts anything."""

import json
import socket
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from shop.core.management.commands import run_shop
from shop.core.management.commands.run_shop import (
    PaymentSandbox,
    port_is_free,
    programs,
    refuse_unknown_migrations,
    stored_sandbox,
)
from shop.core.supervisor import Run, Supervisor
from shop.loopback import free_port

SANDBOX = PaymentSandbox(port=8123, secret_key="sk_test_1", webhook_secret="whsec_1")


@pytest.fixture
def taken_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_taken_port_is_told_in_one_sentence_and_nothing_starts(settings, taken_port, monkeypatch):
    settings.PORT = taken_port
    monkeypatch.setattr(run_shop.Command, "_prepare_data", lambda self: pytest.fail("too late"))
    with pytest.raises(CommandError) as refused:
        call_command("run_shop")
    assert str(refused.value) == (
        f"Port {taken_port} is taken by another program: stop it, or choose another one with "
        f"PORT={taken_port + 1} make run."
    )


def test_contradictory_settings_stop_the_start(settings, monkeypatch):
    settings.PORT = free_port()
    settings.DEBUG = True
    settings.STRIPE_SECRET_KEY = "sk_live_1"
    settings.STRIPE_WEBHOOK_SECRET = "whsec_1"
    monkeypatch.setattr(run_shop.Command, "_prepare_data", lambda self: pytest.fail("too late"))
    with pytest.raises(CommandError, match=r"shop\.E003: A live Stripe key is set while DEBUG is on"):
        call_command("run_shop")


@pytest.mark.django_db
@pytest.mark.parametrize("app", ["orders", "blog", "integrations"])
def test_a_database_of_another_version_is_refused_in_one_sentence(app):
    # Databases of the version before migrations were folded again have this one too, and migrate as they are.
    MigrationRecorder(connection).record_applied("pages", "0001_page_rows")
    refuse_unknown_migrations()
    MigrationRecorder(connection).record_applied(app, "0002_elsewhere")
    with pytest.raises(CommandError, match=rf"does not know \({app}\.0002_elsewhere\).*another DATA_DIR\.$"):
        refuse_unknown_migrations()


def test_every_python_file_of_the_shop_is_watched(settings):
    folders = {path.relative_to(settings.BASE_DIR).parts[0] for path in run_shop.source_times()}
    assert folders == {"shop", "catalog", "orders", "accounts", "blog"}


def test_the_sandbox_keeps_its_keys_and_port(tmp_path):
    first = stored_sandbox(tmp_path)
    assert first.secret_key.startswith("sk_test_")
    assert first.webhook_secret.startswith("whsec_")
    assert stored_sandbox(tmp_path) == first
    assert (tmp_path / "stripe-sandbox.json").stat().st_mode & 0o077 == 0


def test_the_sandbox_moves_when_its_port_is_taken_and_keeps_its_keys(tmp_path, taken_port):
    (tmp_path / "stripe-sandbox.json").write_text(
        json.dumps({"port": taken_port, "secret_key": "sk_test_1", "webhook_secret": "whsec_1"})
    )
    moved = stored_sandbox(tmp_path)
    assert moved.port != taken_port
    assert port_is_free(moved.port)
    assert (moved.secret_key, moved.webhook_secret) == ("sk_test_1", "whsec_1")
    assert stored_sandbox(tmp_path) == moved


@pytest.mark.parametrize("text", ["", "not json", "[]", '{"port": 1}', '{"unknown": true}'])
def test_a_damaged_sandbox_file_is_made_again(tmp_path, text):
    (tmp_path / "stripe-sandbox.json").write_text(text)
    assert stored_sandbox(tmp_path).secret_key.startswith("sk_test_")


def test_the_programs_of_a_machine_with_nothing_on_it():
    started = {program.name: program for program in programs(host="127.0.0.1", sandbox=SANDBOX, reload=False)}
    assert list(started) == ["sandbox", "worker-1", "worker-2", "pictures", "beat", "web"]
    assert started["sandbox"].environment == {
        "STRIPE_API_BASE": "http://127.0.0.1:8123",
        "STRIPE_SECRET_KEY": "sk_test_1",
        "STRIPE_WEBHOOK_SECRET": "whsec_1",
        "STRIPE_SANDBOX_PORT": "8123",
        "STRIPE_SANDBOX_WEBHOOK_URL": "http://127.0.0.1:8000/webhooks/stripe",
    }
    assert started["web"].environment == {
        **SANDBOX.environment,
        "MALLOC_ARENA_MAX": "2",
        "MALLOC_MMAP_THRESHOLD_": "1048576",
        "MALLOC_TRIM_THRESHOLD_": "4194304",
    }
    for name in ("worker-1", "worker-2", "pictures", "beat"):
        assert SANDBOX.environment.items() <= started[name].environment.items()
    web = started["web"].command
    assert {"gthread", "--no-control-socket", "127.0.0.1:8000"} <= set(web)


def test_no_sandbox_with_keys_of_ones_own():
    started = list(programs(host="127.0.0.1", sandbox=None, reload=False))
    assert [program.name for program in started] == ["worker-1", "worker-2", "pictures", "beat", "web"]
    assert not any("STRIPE_SECRET_KEY" in program.environment for program in started)


def test_reloading_runs_the_development_server_and_the_bundler():
    names = [program.name for program in programs(host="127.0.0.1", sandbox=SANDBOX, reload=True)]
    assert names == ["sandbox", "worker-1", "worker-2", "pictures", "beat", "web", "assets"]


@pytest.mark.parametrize(
    ("debug", "key", "wanted"), [(True, "", True), (True, "sk_test_1", False), (False, "", False)]
)
def test_the_sandbox_is_for_development_without_keys_only(settings, debug, key, wanted):
    settings.DEBUG, settings.STRIPE_SECRET_KEY = debug, key
    assert run_shop.Command()._wants_sandbox() is wanted


def test_the_welcome_names_every_address_and_account(settings):
    settings.DEBUG = True
    text = run_shop.Command()._welcome(SANDBOX)
    for part in (
        "http://localhost:8000\n",
        "http://localhost:8000/_mails",
        "http://127.0.0.1:8123",
        "admin@example.com / figurine-atelier-2026",
        "client@example.com / figurine-atelier-2026",
    ):
        assert part in text


def test_production_is_told_no_password(settings):
    settings.DEBUG = False
    assert "figurine-atelier" not in run_shop.Command()._welcome(None)


def test_restarts_when_no_job_ended_for_minutes_are_due_for_the_background(settings, monkeypatch, tmp_path):
    output = StringIO()
    supervisor = Supervisor(folder=tmp_path, output=output)
    restarts = run_shop.Restarts(supervisor, reload=False)
    monkeypatch.setattr(run_shop, "background_work_is_late", lambda: pytest.fail("asked too early"))
    assert restarts.due() == []
    start = run_shop.monotonic()
    late = True
    monkeypatch.setattr(run_shop, "background_work_is_late", lambda: late)
    monkeypatch.setattr(run_shop, "monotonic", lambda: start + 181)
    assert restarts.due() == ["worker-1", "worker-2", "beat"]
    assert output.getvalue() == (
        "shop     | No job ended for minutes; the workers and the beat start again.\n"
    )
    assert restarts.due() == []
    late = False
    monkeypatch.setattr(run_shop, "monotonic", lambda: start + 400)
    assert restarts.due() == []


def test_restarts_when_the_database_is_away_wait(monkeypatch, tmp_path):
    def refuse():
        raise OperationalError("away")

    restarts = run_shop.Restarts(Supervisor(folder=tmp_path), reload=False)
    start = run_shop.monotonic()
    monkeypatch.setattr(run_shop, "background_work_is_late", refuse)
    monkeypatch.setattr(run_shop, "monotonic", lambda: start + 181)
    assert restarts.due() == []


def test_restarts_when_a_source_changes_are_due_for_what_reloads(monkeypatch, tmp_path):
    supervisor = Supervisor(folder=tmp_path)
    supervisor.runs = {
        program.name: Run(program) for program in programs(host="127.0.0.1", sandbox=SANDBOX, reload=True)
    }
    times = {tmp_path: 1}
    monkeypatch.setattr(run_shop, "source_times", lambda: times)
    restarts = run_shop.Restarts(supervisor, reload=True)
    assert restarts.due() == []
    times = {tmp_path: 2}
    assert restarts.due() == ["sandbox", "worker-1", "worker-2", "pictures", "beat"]
    assert restarts.due() == []
