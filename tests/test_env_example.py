"""Every setting is documented by a line, and nothing documented is gone."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READ_ELSEWHERE = {"HOST"}


def test_the_example_names_exactly_the_settings_that_are_read():
    source = "".join(path.read_text() for path in (ROOT / "shop/settings").glob("*.py"))
    read = set(re.findall(r'\benv\.\w+\(\s*"([A-Z_0-9]+)"', source))
    documented = re.findall(r"^#([A-Z_0-9]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert len(documented) == len(set(documented))
    assert set(documented) - READ_ELSEWHERE == read


def test_every_setting_of_the_example_has_a_line_that_explains_it():
    lines = (ROOT / ".env.example").read_text().splitlines()
    for number, line in enumerate(lines):
        if re.match(r"#[A-Z_0-9]+=", line):
            above = [earlier for earlier in lines[:number] if not re.match(r"#[A-Z_0-9]+=", earlier)][-1]
            assert re.match(r"# [A-Z(]", above), line
