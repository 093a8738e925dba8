#!/bin/sh
# Is what the shop needs on this machine? One clear sentence when it is not, before anything is installed.
# Prints the Python to use. PYTHON and NODE name other binaries than those found on the PATH.
set -u

stop() {
    printf '%s\n' "$1" >&2
    exit 1
}

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
python=${PYTHON:-}
if [ -z "$python" ]; then
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c "$new_enough" >/dev/null 2>&1; then
            python=$candidate
            break
        fi
    done
fi
[ -n "$python" ] || stop "Python 3.11 or newer is needed and was not found: install it, or name it with make PYTHON=/path/to/python3.11."
command -v "$python" >/dev/null 2>&1 || stop "PYTHON=$python is not a program on this machine: Python 3.11 or newer is needed."
"$python" -c "$new_enough" >/dev/null 2>&1 ||
    stop "Python 3.11 or newer is needed, and $python is $("$python" -V 2>&1): install a newer one, or name it with make PYTHON=/path/to/python3.11."
"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    stop "Python's venv module is needed and $python has none: on Debian and Ubuntu, install the package python3-venv."

node=${NODE:-node}
command -v "$node" >/dev/null 2>&1 ||
    stop "Node.js 20 or newer is needed and $node was not found: install it from nodejs.org, or name it with make NODE=/path/to/node."
major=$("$node" -p 'process.versions.node.split(".")[0]' 2>/dev/null)
[ "${major:-0}" -ge 20 ] 2>/dev/null ||
    stop "Node.js 20 or newer is needed, and $node is $("$node" -v 2>&1): install a newer one, or name it with make NODE=/path/to/node."
# npm comes with Node and stands beside it.
PATH="$(dirname "$(command -v "$node")"):$PATH"
command -v npm >/dev/null 2>&1 || stop "npm is needed and was not found beside $node: it comes with Node.js from nodejs.org."

printf '%s\n' "$python"
