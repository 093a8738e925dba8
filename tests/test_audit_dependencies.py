"""A known advisory fails the check by its name; a service that is away is named and fails nothing."""

import json
from datetime import date

import audit_dependencies
import pytest
from audit_dependencies import Answer, judge, read_npm_audit, read_pip_audit

TODAY = date(2026, 11, 23)
PIP = {
    "dependencies": [
        {"name": "anyascii", "version": "0.3.3", "vulns": []},
        {"name": "lonely", "skip_reason": "Dependency not found on PyPI"},
        {
            "name": "django",
            "version": "5.2.1",
            "vulns": [{"id": "PYSEC-2026-7", "fix_versions": ["5.2.2"], "aliases": ["CVE-2026-1"]}],
        },
    ],
    "fixes": [],
}
NPM = {
    "vulnerabilities": {
        "three": {
            "via": [{"name": "three", "url": "https://github.com/advisories/GHSA-aaaa-bbbb-cccc"}, "other"]
        },
        "uses-three": {"via": ["three"]},
    },
    "metadata": {"dependencies": {"total": 281}},
}


def test_advisories_fail_by_their_names():
    answers = [read_pip_audit(json.dumps(PIP)), read_npm_audit(json.dumps(NPM))]
    assert judge(answers, {}, TODAY) == (
        [
            ": 2 packages, 1 advisories.",
            "NOT CHECKED: PyPI did not know lonely.",
            "django 5.2.1: PYSEC-2026-7 = CVE-2026-1",
            ": 281 packages, 1 advisories.",
            "three: GHSA-aaaa-bbbb-cccc",
        ],
        False,
    )


@pytest.mark.parametrize(("until", "passes"), [("2026-11-24", True), ("2026-11-23", False)])
def test_an_accepted_advisory_counts_again_on_its_day(until, passes):
    text = f"# Why\n\nCVE-2026-1 {until} The shop never calls it.\nGHSA-aaaa-bbbb-cccc 2027-01-01 Only in tests.\n"
    accepted = audit_dependencies.accepted_advisories(text)
    answers = [read_pip_audit(json.dumps(PIP)), read_npm_audit(json.dumps(NPM))]
    lines, passed = judge(answers, accepted, TODAY)
    assert passed is passes
    assert (f"django 5.2.1: PYSEC-2026-7 = CVE-2026-1, accepted until {until}" in lines) is not passes


@pytest.mark.parametrize(
    "line", ["CVE-2026-1", "CVE-2026-1 2027-01-01", "CVE-2026-1 soon why", "CVE-2026-1 2027-02-31 why"]
)
def test_an_accepted_advisory_without_day_or_reason_is_refused(line):
    with pytest.raises(ValueError):
        audit_dependencies.accepted_advisories(line)


def test_a_service_that_is_away_or_answers_for_nothing_is_named_and_fails_nothing(monkeypatch):
    nothing = {"dependencies": [{"name": "django", "skip_reason": "Dependency not found on PyPI"}]}
    away = read_npm_audit(json.dumps({"statusCode": 405, "error": {}}))
    monkeypatch.setattr(audit_dependencies, "run", lambda command: "")
    assert judge(
        [read_pip_audit(json.dumps(nothing)), away, audit_dependencies.ask("package-lock.json")], {}, TODAY
    ) == (
        [
            "NOT CHECKED: , the advisory service of PyPI was not reached: it answered for no package.",
            "NOT CHECKED: , the advisory service of npm was not reached: 405.",
            "NOT CHECKED: package-lock.json, the advisory service of npm was not reached: no report (JSONDecodeError).",
        ],
        True,
    )


def test_a_silent_service_is_given_up_after_its_time(monkeypatch):
    monkeypatch.setattr(audit_dependencies, "SERVICE_SECONDS", 0.05)
    monkeypatch.setattr(audit_dependencies, "ask_npm", lambda: audit_dependencies.run(["sleep", "5"]))
    assert audit_dependencies.ask("package-lock.json") == Answer(
        "npm", failure="no answer within 0.05 s", file="package-lock.json"
    )
