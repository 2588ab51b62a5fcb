"""URLs as they may be shown."""


def without_secrets(text: str) -> str:
    """A value as it may be shown: of a URL neither the password nor the options, which can hold one."""
    scheme, is_url, rest = text.partition("://")
    if not is_url:
        return text
    place, options, _ = rest.partition("?")
    who, at, host = place.rpartition("@")
    user, has_password, _ = who.partition(":")
    return f"{scheme}://{user}{':***' if has_password else ''}{at}{host}{'?***' if options else ''}"
