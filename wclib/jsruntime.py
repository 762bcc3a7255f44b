"""Where the JavaScript parts are: the painting libraries, our page scripts, and a Node to run them with.

p5.brush 2.x needs p5 2.2 or newer. With an older p5 every brush call silently paints nothing, so a wrong
pair is refused before anything is rendered.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from wclib.errors import UsageError

JS_DIR = Path(__file__).resolve().parent / "js"
NODE_MODULES = JS_DIR / "node_modules"

#: The versions every picture, pool and golden checksum of this project was made with.
LIBRARIES: dict[str, tuple[str, str]] = {
    "p5": ("2.3.2", "lib/p5.min.js"),
    "p5.brush": ("2.2.2", "dist/p5.brush.js"),
}

_INSTALL = f"run `npm ci` in {JS_DIR} (or `make .venv`, which does it)"


def library_path(name: str) -> Path:
    """The browser build of ``"p5"`` or ``"p5.brush"``.

    Raises:
        UsageError: it is not installed.
    """
    path = NODE_MODULES / name / LIBRARIES[name][1]
    if not path.is_file():
        raise UsageError(f"the JavaScript library {name} is not installed ({path} is missing); {_INSTALL}")
    return path


def check_libraries() -> None:
    """Check that the pair of libraries is the one this project is built on.

    Raises:
        UsageError: one is missing or has another version; the message says which pair is needed.
    """
    pair = " with ".join(f"{name} {version}" for name, (version, _) in LIBRARIES.items())
    for name, (version, _) in LIBRARIES.items():
        path = library_path(name)
        manifest = NODE_MODULES / name / "package.json"
        try:
            found = json.loads(manifest.read_text(encoding="utf-8"))["version"]
        except (OSError, ValueError, KeyError):
            raise UsageError(f"{manifest} cannot be read, so the version of {path} is unknown; {_INSTALL}") from None
        if found != version:
            raise UsageError(f"{name} {found} is installed, but pictures need {pair}; {_INSTALL}")


def well_formed(text: str) -> str:
    """``text`` with every lone surrogate replaced by ``?``: JavaScript's strings may hold them, UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def node_executable() -> str:
    """A Node.js: the one inside Playwright's wheel, so that nothing else need be installed, else the system's.

    Raises:
        UsageError: there is none.
    """
    try:
        import playwright
    except ImportError:
        pass
    else:
        driver = Path(playwright.__file__).parent / "driver"
        for name in ("node", "node.exe"):
            if (driver / name).is_file():
                return str(driver / name)
    found = shutil.which("node")
    if found is None:
        raise UsageError("no Node.js was found; `pip install playwright` ships one")
    return found
