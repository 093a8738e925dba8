"""Every Python package that is installed is named with the hashes of its files, and none by the address of an index."""

import re
from pathlib import Path

import lock_requirements
import pytest

ROOT = Path(__file__).resolve().parent.parent
each_file = pytest.mark.parametrize("name", lock_requirements.FILES)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@each_file
def test_every_package_has_its_version_and_hashes(name):
    lines = lock_requirements.without_hashes(read(name)).splitlines()
    packages = [line for line in lines if line and not line.startswith(("#", "-r"))]
    assert packages
    assert [line for line in packages if not lock_requirements.name_of(line)] == []
    blocks = lock_requirements.locked_packages(read(name))
    assert set(blocks) == {lock_requirements.name_of(line) for line in packages}
    assert re.findall(r"^[A-Za-z].*==.*[^\\]$", read(name), re.MULTILINE) == []


@each_file
def test_no_address_of_an_index_is_named(name):
    assert re.findall(r"https?:|file:|--(?:extra-)?index|--find-links|--trusted-host", read(name)) == []


def test_no_file_gives_a_package_another_version():
    seen = {}
    for name in lock_requirements.FILES:
        for package, block in lock_requirements.locked_packages(read(name)).items():
            version = lock_requirements.without_hashes(block)
            assert seen.setdefault(package, version) == version


def test_what_is_named_by_hand_is_read_back_without_its_hashes():
    text = "# Why\n-r other.txt\ndjango==5.2.19 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n\n"
    text += f"{lock_requirements.DIVIDER}\nasgiref==3.13.0 \\\n    --hash=sha256:cc\n"
    assert lock_requirements.direct_lines(text) == ["# Why", "-r other.txt", "django==5.2.19"]
    assert list(lock_requirements.locked_packages(text)) == ["django", "asgiref"]
    # One for each version of Python that needs another.
    forked = "networkx==3.6.1 ; python_full_version < '3.12' \\\n    --hash=sha256:aa\n"
    forked += "networkx==3.7 ; python_full_version >= '3.12' \\\n    --hash=sha256:bb"
    assert lock_requirements.locked_packages(forked + "\n") == {"networkx": forked}
    # A line that was just added, without hashes, is one too.
    assert lock_requirements.direct_lines("boto3==1.0\n") == ["boto3==1.0"]
