"""Which Chromium, started how, and what paints its WebGL.

Why these flags. With ``--use-angle=swiftshader`` alone, as the published recipe starts it, Chromium takes the
software rasteriser for a graphics card and "accelerates" the 2D canvas with it too. p5.brush builds its masks from
10^4 to 10^6 path segments on a 2D canvas, and each becomes software GL draws: 97 % of a render. Without
accelerated 2D the CPU rasteriser does them some 20 times faster, and Mesa's llvmpipe then does the few WebGL draws
that are left faster than SwiftShader does.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from wclib.errors import UsageError

_COMMON = (
    "--ignore-gpu-blocklist",
    "--disable-accelerated-2d-canvas",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--no-pings",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=768",
)


#: What we change on a page, each for itself so that `bench cures` can say what it is worth: 2D masks in half floats
#: (host.js); in :mod:`wclib.render.patches` a cheaper pigment shader, shorter outlines, unused random numbers skipped
#: and masks uploaded in place.
CHANGES = ("masks", "shader", "outlines", "draws", "uploads")


@dataclass(frozen=True)
class Backend:
    """One way to start Chromium: ``name``, command line ``args`` and extra environment variables ``env``.

    ``changes``: which of :data:`CHANGES` are made on its pages; fewer only for comparison.
    """

    name: str
    args: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict, hash=False)
    changes: tuple[str, ...] = CHANGES

    def accepts(self, identity: str) -> bool:
        """Whether ``identity``, the GL renderer string, is what this backend should have given."""
        software = "llvmpipe" in identity or "SwiftShader" in identity or "softpipe" in identity
        return not software if self.name == "gpu" else self.name in identity.lower()


BACKENDS = {
    "llvmpipe": Backend(
        "llvmpipe",
        ("--use-gl=angle", "--use-angle=gl-egl", "--disable-gpu-sandbox", "--enable-unsafe-swiftshader", *_COMMON),
        {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"},
    ),
    "swiftshader": Backend(
        "swiftshader", ("--use-gl=angle", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader", *_COMMON)
    ),
    "gpu": Backend("gpu", ("--use-gl=angle", "--use-angle=gl-egl", "--enable-gpu", *_COMMON)),
}

#: What is tried, in this order, when nothing is asked for. A real GPU is only used when asked for: its pictures
#: differ from machine to machine, and the pools and checksums here were painted in software.
AUTO = ("llvmpipe", "swiftshader")


def candidates(choice: str | None) -> list[Backend]:
    """The backends to try for ``choice`` (``auto``, ``llvmpipe``, ``swiftshader`` or ``gpu``).

    ``None`` and ``"auto"`` defer to the environment variable ``WATERCOLOUR_BACKEND``.

    Raises:
        UsageError: the name is unknown.
    """
    if choice in (None, "auto"):
        choice = os.environ.get("WATERCOLOUR_BACKEND") or "auto"
    if choice == "auto":
        return [BACKENDS[name] for name in AUTO]
    if choice not in BACKENDS:
        raise UsageError(f"there is no backend {choice!r}; choose one of: auto, {', '.join(BACKENDS)}")
    return [BACKENDS[choice]]


_SYSTEM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_REMEDY = (
    "install one with `apt-get install chromium-headless-shell` or `python -m playwright install chromium`, "
    "or give its path in WATERCOLOUR_CHROMIUM"
)


def find_chromium(playwrights_own: str | None = None) -> str:
    """Path of the Chromium to start.

    Looks at ``WATERCOLOUR_CHROMIUM``, then for the system's headless shell, Chromium or Chrome, then at
    ``playwrights_own`` (the path Playwright would use).

    Raises:
        UsageError: there is none; the message says how to get one.
    """
    asked = os.environ.get("WATERCOLOUR_CHROMIUM")
    if asked:
        if not (os.path.isfile(asked) and os.access(asked, os.X_OK)):
            raise UsageError(f"WATERCOLOUR_CHROMIUM names {asked}, which is not a program; {_REMEDY}")
        return asked
    if found := next(filter(None, map(shutil.which, _SYSTEM)), None):
        return found
    if playwrights_own:
        own = Path(playwrights_own)
        shells = (
            sorted(own.parents[2].glob("chromium_headless_shell-*/*/*headless*shell*")) if len(own.parents) > 2 else []
        )
        for path in (*reversed(shells), own):
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    raise UsageError(f"no Chromium was found; {_REMEDY}")


#: Evaluated in a page: the unmasked WebGL 2 renderer, or "" where there is no WebGL.
IDENTITY_JS = """(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return "";
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
})()"""


def short_identity(renderer: str) -> str:
    """``"llvmpipe (LLVM 15.0.6, 256 bits)"`` out of ANGLE's long renderer string; unknown ones stay as they are."""
    found = re.search(r"(?:llvmpipe|SwiftShader|softpipe)(?:\([^()]*\)|[^(),])*", renderer)
    return found[0].strip() if found else renderer
