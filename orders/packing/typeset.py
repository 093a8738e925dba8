"""Typesetting in a process of its own: `python -m orders.packing.typeset slip.typ < view.json > slip.pdf`.

The typesetter takes 30 MB that a web process never gives back, and staff print a few sheets a day. Nothing of Django
is imported here.
"""

import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).parent
_FONTS = _HERE.parent / "invoices" / "fonts"
_ROOT = _HERE.parent.parent
SECONDS = 20


def typeset(template: str, view: str) -> bytes:
    """Return the PDF of a template of this folder, filled with `view`, which is JSON. About 0.3 s.

    Raises CalledProcessError or TimeoutExpired.
    """
    command = [sys.executable, "-m", "orders.packing.typeset", template]
    ended = subprocess.run(  # noqa: S603 - our own module, and a name of ours
        command, input=view.encode(), stdout=subprocess.PIPE, cwd=_ROOT, timeout=SECONDS, check=True
    )
    return ended.stdout


def _main(template: str) -> None:
    import typst

    pdf = typst.compile(
        _HERE / template,
        root=_HERE,
        font_paths=[_FONTS],
        ignore_system_fonts=True,
        sys_inputs={"view": sys.stdin.buffer.read().decode()},
    )
    sys.stdout.buffer.write(pdf)


if __name__ == "__main__":
    _main(sys.argv[1])
