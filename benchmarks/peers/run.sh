#!/bin/sh
# Compares sniffai with its peers: builds the project, makes .venv-peers on first use, checks the peers' game, then
# measures and plays. Arguments go to compare.py; --help lists them. With "check" as the only argument it checks only.
set -eu
cd "$(dirname "$0")/../.."

make --silent build
bin=.venv-peers/bin
stamp=.venv-peers/stamp
requirements=benchmarks/peers/requirements.txt
if ! [ "$stamp" -nt "$requirements" ]; then
    echo "==> making .venv-peers" >&2
    .venv/bin/python -m venv --clear .venv-peers
    echo '*' >.venv-peers/.gitignore
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$bin/python" -m pip install -qq --requirement "$requirements"
    # The peers' packages first, then the project as it was built: both in one process, neither in the other's venv.
    .venv/bin/python - "$($bin/python -c 'import site; print(site.getsitepackages()[0])')" <<'PYTHON'
import pathlib, site, sys
pathlib.Path(sys.argv[1], "sniffai.pth").write_text(f"import site; site.addsitedir({site.getsitepackages()[0]!r})\n")
PYTHON
    touch "$stamp"
fi

case "${1-}" in
-h | --help) ;;
*) "$bin/python" -m benchmarks.peers.check ;;
esac
[ "${1-}" = check ] || exec "$bin/python" -m benchmarks.peers.compare "$@"
