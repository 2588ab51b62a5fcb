"""The interceptor that identifies the caller by API key, if the server has keys, and applies quotas.

Health checks need no key and count towards no quota.
"""

from typing import Any, Final

import grpc

from sniffai_server.access.keys import Keys
from sniffai_server.access.quotas import Quotas
from sniffai_server.calls.callers import CALLER, CERTIFICATE, Caller
from sniffai_server.calls.current import current_call
from sniffai_server.calls.handlers import HEALTH, Continuation, Interceptor, MaybeHandler, Proceed
from sniffai_server.calls.refusals import KeyRefusedError
from sniffai_server.settings import Settings

HEADER: Final = "authorization"
SCHEME: Final = "bearer "


class Auth(Interceptor):
    """Identifies callers, refuses unknown ones, and counts the calls of the others.

    :param keys: the API keys; ``None`` if anyone may call.
    """

    def __init__(self, settings: Settings, keys: Keys | None, quotas: Quotas) -> None:
        self._settings = settings
        self._keys = keys
        self._quotas = quotas

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, wrapped by :meth:`around`; that of a health check as it is."""
        if handler_call_details.method.lstrip("/").startswith(f"{HEALTH}/"):
            return await continuation(handler_call_details)
        return await super().intercept_service(continuation, handler_call_details)

    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        """Answer the call if its caller is known and within its quotas. Otherwise nothing of the request is read.

        :raises KeyRefusedError: the call has no valid key, and the server has keys.
        :raises QuotaError: the caller has used up its quota.
        """
        if self._keys is not None:
            CALLER.set(self._keys.caller_of(_key_in(context.invocation_metadata())))
        caller = CALLER.get(None)
        if caller is None:
            settings = self._settings
            name = current_call().client
            caller = Caller(
                name,
                calls=settings.client_calls,
                rate=settings.client_rate,
                known=name.startswith(CERTIFICATE),
            )
            CALLER.set(caller)
        current_call().client = caller.name
        with self._quotas.call(caller):
            return await proceed()


def _key_in(metadata: Any) -> str:
    """The API key of a call.

    :raises KeyRefusedError: it has none.
    """
    for name, value in metadata or ():
        if name == HEADER and isinstance(value, str) and value.lower().startswith(SCHEME):
            return value[len(SCHEME) :].strip()
    raise KeyRefusedError("KEY_MISSING", "an API key is required: send it as metadata 'authorization: Bearer KEY'")
