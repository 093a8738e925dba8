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

# What `engines` of package.json says, as packages of the tests ask for it: npm refuses all others.
nodes='20.19+, 22.12+ or 24+'
node=${NODE:-node}
command -v "$node" >/dev/null 2>&1 ||
    stop "Node.js $nodes is needed and $node was not found: install it from nodejs.org, or name it with make NODE=/path/to/node."
version=$("$node" -v 2>&1)
major=${version#v} && minor=${major#*.}
major=${major%%.*} && minor=${minor%%.*}
case $major in
    20) least=19 ;;
    22) least=12 ;;
    2[4-9] | [3-9][0-9]) least=0 ;;
    *) least=none ;;
esac
[ "$minor" -ge "$least" ] 2>/dev/null ||
    stop "Node.js $nodes is needed, and $node is $version: install another one, or name it with make NODE=/path/to/node."
# npm comes with Node and stands beside it.
PATH="$(dirname "$(command -v "$node")"):$PATH"
command -v npm >/dev/null 2>&1 || stop "npm is needed and was not found beside $node: it comes with Node.js from nodejs.org."

printf '%s\n' "$python"
