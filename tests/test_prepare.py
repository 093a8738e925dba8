"""A second `make run` installs and builds nothing; a changed requirement is never forgotten."""

import prepare
import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose commands are recorded instead of run."""
    for name, text in {
        "requirements.txt": "django==5.2.19",
        "requirements-dev.txt": "pytest",
        "requirements-tracing.txt": "opentelemetry-sdk",
        "package-lock.json": "{}",
        "package.json": "{}",
        "tsconfig.json": "{}",
        "frontend_islands/app.css": "a{}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for folder in (".venv", "node_modules", "static/build"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "static/build/manifest.json").write_text("{}")
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    monkeypatch.setattr(prepare, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(prepare, "MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(prepare, "BUILD", tmp_path / "static/build")
    monkeypatch.setattr(prepare, "works", lambda python: True)
    monkeypatch.setattr(prepare, "version_of", lambda program: "1.0")
    ran = []
    commands = []
    monkeypatch.setattr(
        prepare, "run", lambda step, command, failure: (ran.append(step), commands.append(command))
    )

    class Project:
        root = tmp_path
        steps = ran
        ran_commands = commands

        def prepare(self, kind="run"):
            ran.clear()
            prepare.prepare_python(kind)
            prepare.prepare_node()
            return list(ran)

    return Project()


def test_the_first_run_installs_and_builds_and_the_second_does_nothing(project):
    assert project.prepare() == ["Python packages", "Node packages", "Scripts and styles"]
    assert project.prepare() == []


def test_a_package_whose_file_has_another_hash_is_refused_by_the_installer(project):
    project.prepare("test")
    assert project.ran_commands[0][-5:] == [
        *("--require-hashes", "-r", "requirements.txt", "-r", "requirements-dev.txt")
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("requirements.txt", ["Python packages"]),
        ("requirements-tracing.txt", ["Python packages"]),
        ("package-lock.json", ["Node packages", "Scripts and styles"]),
        ("frontend_islands/app.css", ["Scripts and styles"]),
    ],
)
def test_a_change_repeats_its_own_steps_only(project, name, expected):
    project.prepare()
    (project.root / name).write_text("changed")
    assert project.prepare() == expected
    assert project.prepare() == []


def test_tests_add_their_packages_once_and_running_needs_none_of_them(project):
    project.prepare("run")
    assert project.prepare("test") == ["Python packages"]
    assert project.prepare("test") == []
    assert project.prepare("run") == []


def test_a_build_that_was_deleted_is_made_again(project):
    project.prepare()
    (project.root / "static/build/manifest.json").unlink()
    assert project.prepare() == ["Scripts and styles"]


def test_a_step_that_failed_is_repeated(project, monkeypatch):
    def fail(step, command, failure):
        raise prepare.StepError(failure)

    with monkeypatch.context() as broken:
        broken.setattr(prepare, "run", fail)
        with pytest.raises(prepare.StepError, match=r"could not be installed: see pip's message above"):
            prepare.prepare_python("run")
    assert project.prepare()[0] == "Python packages"
