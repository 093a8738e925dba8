"""The decoder's own process: its limits, its turn, and what the shop does when it fails."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from time import monotonic

import pytest
from image_bombs import jpeg
from PIL import Image

from shop.core import image_decoding, image_drawing
from shop.core.image_decoding import LOCK_NAME, UndecodableImage, draw_all
from shop.core.images import draw_image
from shop.core.problems import Problem

PICTURE = (jpeg((60, 40)), "JPEG", 1_000_000)
BUSY = "Trop de demandes. Réessayez dans un instant."


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def decoder(monkeypatch, tmp_path):
    """Puts another program in the decoder's place: the real one, changed by these lines."""

    def replace(lines: str) -> None:
        program = tmp_path / "decoder.py"
        program.write_text(
            "import os, sys, time\n"
            f"sys.path.insert(0, {str(Path(image_drawing.__file__).parent)!r})\n"
            f"import image_drawing\n{lines}\nsys.exit(image_drawing.main())\n"
        )
        monkeypatch.setattr(image_decoding, "PROGRAM", str(program))

    return replace


def busy(call) -> bool:
    with pytest.raises(Problem) as refusal:
        call()
    return (refusal.value.code, refusal.value.status, refusal.value.detail) == ("busy", 503, BUSY)


def test_pictures_are_drawn_in_the_order_given():
    drawn = draw_all([PICTURE, (jpeg((30, 20)), "JPEG", 1_000_000)])
    assert [(image.width, image.height, image.colour) for image in drawn] == [
        (60, 40, "#787878"),
        (30, 20, "#787878"),
    ]
    assert Image.open(BytesIO(drawn[0].content)).size == (60, 40)
    assert (drawn[0].source_width, drawn[0].source_height) == (60, 40)


def test_a_large_photograph_tells_its_own_size_too():
    drawn = draw_all([(jpeg((4800, 3200)), "JPEG", 25_000_000)])[0]
    assert (drawn.width, drawn.height, drawn.source_width, drawn.source_height) == (2400, 1600, 4800, 3200)


def test_more_pixels_than_allowed_are_not_decoded():
    with pytest.raises(UndecodableImage):
        draw_all([(jpeg((60, 40)), "JPEG", 2399)])


def test_a_decoder_that_hangs_is_killed_and_the_next_picture_is_drawn(monkeypatch, tmp_path, caplog):
    program = tmp_path / "hangs.py"
    program.write_text(
        f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    )
    with monkeypatch.context() as changed:
        changed.setattr(image_decoding, "PROGRAM", str(program))
        changed.setattr(image_decoding, "TIME_LIMIT", 2.0)
        started = monotonic()
        assert busy(lambda: draw_all([PICTURE]))
        assert monotonic() - started < 30
    pid = int((tmp_path / "pid").read_text())
    # Gone, and no zombie of it is left.
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert "was not drawn in time" in caplog.text
    assert draw_all([PICTURE])[0].width == 60


@pytest.mark.parametrize(
    "lines",
    [
        "image_drawing.CPU_SECONDS = 1\nimage_drawing.draw = lambda *_: [0 for _ in iter(int, 1)]",
        "image_drawing.draw = lambda *_: bytearray(4 << 30)",
        "image_drawing.draw = lambda *_: os.abort()",
        "image_drawing.draw = lambda *_: open('/tmp/never-written', 'wb', 0).write(b'x' * 100_000)",
    ],
    ids=["computes", "allocates", "crashes", "writes a file"],
)
def test_a_decoder_that_goes_too_far_means_a_broken_file(decoder, lines):
    decoder(lines)
    with pytest.raises(Problem, match=r"^Fichier invalide$"):
        draw_image(file=BytesIO(PICTURE[0]), name="a.jpg")


def test_a_decoder_that_nobody_waits_for_ends_by_itself(decoder):
    decoder("image_drawing.draw = lambda *_: time.sleep(60)")
    ended = subprocess.run(
        [sys.executable, "-I", image_decoding.PROGRAM, "JPEG", "1000", "1"],
        input=b"",
        timeout=30,
        check=False,
    )
    assert ended.returncode == -signal.SIGALRM


def test_the_decoder_knows_no_secrets_and_loads_nothing_of_the_shop(decoder, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "secret")
    decoder(
        "loaded = [name for name in sys.modules if name.partition('.')[0] in ('django', 'celery', 'shop')]\n"
        f"open({str(tmp_path / 'seen')!r}, 'w').write(f'{{loaded}} {{\"SECRET_KEY\" in os.environ}}')"
    )
    draw_all([PICTURE])
    assert (tmp_path / "seen").read_text() == "[] False"


def test_a_decoder_that_cannot_start_is_an_error_of_ours(decoder):
    decoder("import no_such_module")
    with pytest.raises(RuntimeError, match="no_such_module"):
        draw_all([PICTURE])


def test_two_requests_are_served_one_after_the_other(decoder, tmp_path):
    times = tmp_path / "times"
    decoder(
        "draw = image_drawing.draw\n"
        "def slowly(*given):\n"
        "    os.write(log, b'begin ')\n    time.sleep(0.2)\n    os.write(log, b'end ')\n    return draw(*given)\n"
        f"log = os.open({str(times)!r}, os.O_CREAT | os.O_APPEND | os.O_WRONLY)\n"
        "image_drawing.draw = slowly\n"
        "image_drawing.resource.setrlimit = lambda *_: None"
    )
    with ThreadPoolExecutor(2) as pool:
        drawn = list(pool.map(lambda _: draw_all([PICTURE])[0].width, range(2)))
    assert drawn == [60, 60]
    assert times.read_text().split() == ["begin", "end", "begin", "end"]


def test_of_eight_at_once_six_are_told_at_once_to_come_back(decoder, tmp_path):
    decoder(f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.02)")
    waiting = threading.Semaphore(0)

    def ask(_):
        try:
            return draw_all([PICTURE])[0].width
        except Problem as problem:
            waiting.release()
            return problem.status

    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(ask, range(8))
        # While the decoder still works for the first.
        assert all(waiting.acquire(timeout=30) for _ in range(6))
        (tmp_path / "go").touch()
        assert sorted(answers) == [60, 60, *[503] * 6]
    assert draw_all([PICTURE])[0].width == 60


def test_the_turn_is_shared_with_other_processes_and_waited_for_a_while(monkeypatch, folder):
    monkeypatch.setattr(image_decoding, "WAIT_LIMIT", 0.1)
    with (folder / LOCK_NAME).open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert busy(lambda: draw_all([PICTURE]))
    assert draw_all([PICTURE])[0].width == 60


def test_a_refused_picture_gives_its_turn_back():
    for _ in range(3):
        with pytest.raises(UndecodableImage):
            draw_all([(b"\xff\xd8\xff", "JPEG", 1_000_000)])
    assert draw_all([PICTURE])[0].width == 60
