"""The files of the page that people play and study on, with headers that keep everything foreign out of it."""

import mimetypes
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from sniffai.packaged import read_packaged

FOLDER: Final = Path(__file__).parent / "static"
"""The files that are served, ``index.html`` for the folder itself."""
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The page uses only files of this server: no script or style inside the HTML, nothing of others, no frame."""
SHARED: Final = {"palette.css": "data/palette.css"}
"""Files of the library that are served as well, by path: the colours, which the report of a review has, too."""
PARTS: Final = ("sniffai", "data/web")
"""A folder of the library that is served as well: what the replayer in the report of a review is made of."""
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",  # kept, but asked for each time: the answer is 304 until the server is updated
}
"""The headers of every answer."""
TYPES: Final = {".js": "text/javascript", ".woff2": "font/woff2", ".webmanifest": "application/manifest+json"}
"""Content types that a system may know otherwise, or not at all."""

for _ending, _type in TYPES.items():
    mimetypes.add_type(_type, _ending)


class Pages(StaticFiles):
    """An ASGI application that serves the files of a folder, by GET and HEAD."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(directory=folder, packages=[PARTS], html=True, check_dir=False)

    async def get_response(self, path: str, scope: Any) -> Response:
        """A file, or a short text with the status 404 or 405."""
        try:
            shared = SHARED.get(path)
            if shared is not None:
                return Response(read_packaged(shared), media_type="text/css", headers=HEADERS)
            response = await super().get_response(path, scope)
        except HTTPException as error:
            response = PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)
        response.headers.update(HEADERS)
        return response
