"""The closing line of the test run is a sum that can be trusted."""

import json
import sys
import threading

import pytest
import run_tests
from run_tests import Count, count_junit, count_vitest, find_chromium, main

JUNIT = '<testsuites><testsuite tests="10" failures="{failures}" errors="{errors}" skipped="{skipped}"/></testsuites>'


@pytest.fixture
def report(tmp_path):
    return tmp_path / "report"


@pytest.mark.parametrize(
    ("failures", "errors", "skipped", "status", "expected"),
    [
        (0, 0, 0, 0, "10 passed, 0 failed"),
        (2, 1, 0, 1, "7 passed, 3 failed"),
        (0, 0, 1, 0, "9 passed, 0 failed, 1 skipped"),
        # Every test passed and the run still ended badly: that is a failure.
        (0, 0, 0, 3, "10 passed, 1 failed"),
    ],
)
def test_counts_a_pytest_run(report, failures, errors, skipped, status, expected):
    report.write_text(JUNIT.format(failures=failures, errors=errors, skipped=skipped))
    assert str(count_junit(report, status)) == expected


def test_a_run_that_broke_before_reporting_has_failed(report):
    assert str(count_junit(report, 4)) == "0 passed, 1 failed"
    assert str(count_vitest(report, 1)) == "0 passed, 1 failed"
    report.write_text("{}")
    assert str(count_vitest(report, 0)) == "0 passed, 1 failed"


def vitest(*results, **numbers):
    file = {"name": str(run_tests.ROOT / "cart.test.tsx"), "status": "failed", "message": "SyntaxError: no }"}
    tests = [{**file, "assertionResults": list(results)}]
    return json.dumps({"numPassedTests": 5, "numPendingTests": 1, "testResults": tests, **numbers})


def test_counts_a_vitest_run(report):
    report.write_text(vitest(numFailedTests=2, numTodoTests=1))
    assert str(count_vitest(report, 1)) == "5 passed, 2 failed, 2 skipped"


def test_names_what_failed_and_why(report):
    report.write_text(
        """<testsuite tests="3" failures="1" errors="1" skipped="0">
        <testcase classname="orders.tests.test_cart" name="test_adds"/>
        <testcase classname="orders.tests.test_cart" name="test_takes">
          <failure message="assert 1 == 2&#10;a second line">…</failure>
        </testcase>
        <testcase classname="orders.tests.test_cart" name="test_drops"><error>…</error></testcase>
        </testsuite>"""
    )
    assert count_junit(report, 1).failures == (
        "orders.tests.test_cart::test_takes: assert 1 == 2",
        "orders.tests.test_cart::test_drops: ",
    )
    passed = {"fullName": "cart adds", "status": "passed", "failureMessages": []}
    failed = {
        "fullName": "cart takes",
        "status": "failed",
        "failureMessages": ["Error: expected 1 to be 2\n    at cart.test.tsx"],
    }
    report.write_text(vitest(passed, failed, numFailedTests=1))
    assert count_vitest(report, 1).failures == ("cart.test.tsx: cart takes: Error: expected 1 to be 2",)
    report.write_text(vitest(numFailedTests=0))
    assert count_vitest(report, 1).failures == ("cart.test.tsx: SyntaxError: no }",)


def test_sums_add_up():
    assert str(Count(1, 2, 3) + Count(10, 20, 30)) == "11 passed, 22 failed, 33 skipped"


def test_an_unknown_part_is_refused(capsys):
    assert main(["everything"]) == 2
    assert "Unknown part: everything." in capsys.readouterr().err


def test_parts_run_in_their_order_and_add_up(capsys, monkeypatch):
    def part(name, count):
        return lambda extra: print(f"from {name} {extra}") or count

    parts = {
        "sqlite": ("SQLite", part("SQLite", Count(passed=1, failed=1, failures=("test_a: why",)))),
        "postgres": ("PostgreSQL", part("PostgreSQL", Count(passed=2))),
    }
    monkeypatch.setattr(run_tests, "PARTS", parts)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert main(["--", "-x"]) == 1
    printed = capsys.readouterr().out
    said = [
        "── SQLite",
        "from SQLite ['-x']",
        "── PostgreSQL",
        "from PostgreSQL ['-x']",
        "✗ test_a: why\n",
        "3 passed, 1 failed\n",
    ]
    places = [printed.index(each) for each in said]
    assert places == sorted(places)
    assert printed.endswith(said[-1])


def test_the_islands_begin_beside_the_checks_last_beside_what_follows_and_print_at_the_end(
    capsys, monkeypatch
):
    begun, followed = threading.Event(), threading.Event()

    def checks(extra):
        assert begun.wait(60)
        print("from the checks")
        return Count(passed=1)

    def islands(extra, output):
        begun.set()
        assert followed.wait(60)
        print("from the islands", file=output)
        return Count(passed=2)

    def sqlite(extra):
        followed.set()
        print("from SQLite")
        return Count(passed=4)

    parts = {
        "checks": ("Checks", checks),
        "islands": ("Islands", islands),
        "sqlite": ("SQLite", sqlite),
    }
    monkeypatch.setattr(run_tests, "PARTS", parts)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert main([]) == 0
    printed = capsys.readouterr().out
    said = [
        *("── Checks", "from the checks", "── SQLite", "from SQLite", "── Islands", "from the islands"),
        *("Checks   ", "Islands   ", "SQLite   ", "7 passed, 0 failed"),
    ]
    places = [printed.index(each) for each in said]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("chosen", "meanwhile"), [(["sqlite", "browser"], True), (["browser"], False), (["sqlite"], False)]
)
def test_the_data_of_the_browser_load_while_other_parts_run(monkeypatch, chosen, meanwhile):
    loaders = []
    given = []

    class Loader:
        def __init__(self, command, **_):
            loaders.append(command[-1])

        def terminate(self):
            pass

        wait = terminate

    def part(extra):
        given.append(run_tests.os.environ.get("DEMONSTRATION"))
        return Count(passed=1)

    monkeypatch.setattr(run_tests.subprocess, "Popen", Loader)
    monkeypatch.setattr(run_tests, "PARTS", {name: (name, part) for name in ("sqlite", "browser")})
    monkeypatch.delenv("DEMONSTRATION", raising=False)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert main(chosen) == 0
    assert given == (loaders * 2 if meanwhile else [None])
    assert len(loaders) == int(meanwhile)
    assert "DEMONSTRATION" not in run_tests.os.environ


@pytest.mark.parametrize(("user", "installer"), [(0, "apt-get"), (1000, sys.executable)])
def test_chromium_missing_says_what_is_installed_and_how_to_prevent_it(capsys, monkeypatch, user, installer):
    commands = []
    monkeypatch.setattr(run_tests, "PYTHON", sys.executable)
    monkeypatch.setattr(run_tests, "chromium_here", lambda: None)
    monkeypatch.setattr(run_tests, "run", lambda command, **_: commands.append(command) or 1)
    monkeypatch.setattr(run_tests.os, "geteuid", lambda: user)
    monkeypatch.setattr(run_tests.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert find_chromium() is None
    assert commands[0][0] == installer
    printed = capsys.readouterr().out
    assert printed.startswith(
        f"There is no Chromium: {'apt-get' if user == 0 else 'Playwright'} installs one now."
    )
    assert "CHROMIUM=/path/to/chromium" in printed
