"""Use an installed wheel, the library and commands that need no server: for cibuildwheel and `make release-check`.

It needs nothing but what `pip install sniffai` brings, and runs outside of the clone, or the clone would be tested.
"""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

COMMAND: Final = Path(sysconfig.get_path("scripts")) / ("sniffai.exe" if sys.platform == "win32" else "sniffai")


def use_library() -> None:
    """Deal, search, explain and draw; nothing of the wheel may come from elsewhere."""
    import sniffai
    import sniffai_ext.search
    from sniffai.draw import position_svg

    packages = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    for module in (sniffai, sniffai_ext.search):
        assert packages & set(Path(str(module.__file__)).resolve().parents), module.__file__
    table = sniffai.Round.deal(2, seed=1)
    view = table.view(table.seat)
    analysis = sniffai.analyze(view, sniffai.Limits(simulations=500))
    assert analysis.moves and position_svg(view).startswith("<svg")
    print(f"sniffai {sniffai.__version__} on Python {sys.version.split()[0]}: {analysis.moves[0].move}")


def use_command() -> None:
    """The command line, with text and with JSON."""
    with tempfile.TemporaryDirectory() as folder:
        view = Path(folder) / "view.txt"

        def sniffai(*words: str) -> str:
            done = subprocess.run(
                [str(COMMAND), *words], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
            )
            assert done.returncode == 0, (words, done.stdout, done.stderr)
            return done.stdout

        view.write_text(sniffai("deal", "--players", "2", "--seed", "1", "--view", "0"), encoding="utf-8")
        assert sniffai("recommend", str(view), "--simulations", "200")
        assert sniffai("recommend", str(view), "--simulations", "200", "--json").lstrip().startswith("{")
        assert "<svg" in sniffai("draw", str(view))
        assert sniffai("info")


if __name__ == "__main__":
    use_library()
    use_command()
