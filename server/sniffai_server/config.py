"""Settings from the command line, the environment and a file, in this order of precedence, each with its source."""

import difflib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass
from pathlib import Path
from typing import Any, Final

from sniffai.checks import shown, steers
from sniffai_server.files import decode, read_file, read_toml
from sniffai_server.settings import (
    SettingError,
    Settings,
    default_of,
    is_of,
    kind_of,
    rule_of,
    settings_fields,
    type_name,
)

PREFIX: Final = "SNIFFAI_"
"""The prefix of all environment variables."""
FILE_VARIABLE: Final = "SNIFFAI_CONFIG"
"""The variable with the path of the file."""
FOREIGN: Final = frozenset({FILE_VARIABLE, "SNIFFAI_API_KEY", "SNIFFAI_BUILD"})
"""Variables with the prefix that are not settings."""
SERVICE: Final = re.compile(
    rf"{PREFIX}([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
    rf"|{PREFIX}([A-Z0-9_]+_)?ENV_.+",
    re.DOTALL,
)
"""Variables that Kubernetes and Docker links set for a service whose name begins with sniffai."""
SERVICE_VALUES: Final = {"_PORT": re.compile(r"(tcp|udp|sctp)://.*"), "_NAME": re.compile(r"/[^/]+/[^/]+")}
"""The values of such variables whose names are also settings, such as ``SNIFFAI_PORT`` of a service called sniffai."""
FLAGS: Final = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


class ConfigError(Exception):
    """An invalid setting; ``str()`` names the file and line, the variable or the flag."""


@dataclass(frozen=True, slots=True)
class Config:
    """Settings, each with its source."""

    settings: Settings
    sources: Mapping[str, str]
    """By setting: ``"flag --port"``, ``"variable SNIFFAI_PORT"``, ``"file a.toml, line 3"`` or ``"default"``."""


@dataclass(frozen=True, slots=True)
class _Given:
    """One value and its source."""

    value: Any
    source: str


def read_config(flags: Mapping[str, Any], environment: Mapping[str, str] = os.environ, file: str = "") -> Config:
    """The settings from all sources.

    :param flags: the settings given on the command line, by name.
    :param file: a TOML file; empty for the one in :data:`FILE_VARIABLE`, if it is set.
    :raises ConfigError: an unknown name or a bad value.
    """
    file = file or environment.get(FILE_VARIABLE, "").strip()
    values = _from_file(Path(file)) if file else {}
    values |= _from_environment(environment)
    values |= {name: _Given(value, f"flag {flag_of(name)}") for name, value in flags.items()}
    try:
        settings = Settings(**{name: spec.value for name, spec in values.items()})
    except SettingError as error:
        source = values[error.name].source if error.name in values else f"setting {error.name}"
        raise ConfigError(f"{source}: {error}") from None
    sources = {spec.name: values[spec.name].source if spec.name in values else "default" for spec in settings_fields()}
    return Config(settings, sources)


def flag_of(name: str) -> str:
    """The flag of a setting, such as ``--max-seconds``."""
    return "--" + name.replace("_", "-")


def variable_of(name: str) -> str:
    """The environment variable of a setting, such as ``SNIFFAI_MAX_SECONDS``."""
    return PREFIX + name.upper()


def from_text(spec: "Field[Any]", text: str) -> Any:
    """A setting's value from a flag or a variable.

    Whitespace around it is ignored.

    :raises ValueError: the text is not of the setting's type, or out of range.
    """
    text = text.strip()
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"UTF-8 text is expected, not {ascii(text)[:80]}") from None
    kind = kind_of(spec)
    if kind is str:
        value: Any = text
    elif kind is bool:
        value = FLAGS.get(text.lower())
    else:
        value = _number(kind, text)
    if value is None:
        raise ValueError(f"{type_name(spec)} is expected, not {shown(text)}")
    if fault := rule_of(spec).fault(value):
        raise ValueError(f"{fault}, not {shown(text)}")
    return value


def to_toml(config: Config) -> str:
    """The settings as a TOML file with their sources. Reading the file gives the same settings."""
    lines = ["# Precedence: flags, variables, file, defaults."]
    for spec in settings_fields():
        value = getattr(config.settings, spec.name)
        source = config.sources[spec.name]
        shown_value = f"# {spec.name} is unset" if value is None else f"{spec.name} = {toml_value(value)}"
        lines.append(f"{shown_value}  # {source}{_meaning(spec, value)}")
    return "\n".join(lines)


def toml_value(value: Any) -> str:
    """A value in TOML."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(f"\\U{ord(sign):08X}" if steers(sign) else sign for sign in text)


def _meaning(spec: "Field[Any]", value: Any) -> str:
    words = rule_of(spec).shown_default
    return f": {words}" if words and value == default_of(spec) else ""


def _number(kind: type, text: str) -> Any:
    if not re.fullmatch(r"-?[0-9]+" if kind is int else r"-?[0-9]+(\.[0-9]+)?", text) or len(text) > 30:
        return None
    return kind(text)


def _from_environment(environment: Mapping[str, str]) -> dict[str, _Given]:
    known = {variable_of(spec.name): spec for spec in settings_fields()}
    values = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in FOREIGN or _of_service(variable, text):
            continue
        if variable not in known:
            raise ConfigError(f"variable {variable}: unknown setting{_suggestion(variable, known)}")
        try:
            value = from_text(known[variable], text)
        except ValueError as error:
            raise ConfigError(f"variable {variable}: {error}") from None
        values[known[variable].name] = _Given(value, f"variable {variable}")
    return values


def _of_service(variable: str, text: str) -> bool:
    """Whether a container platform has set a variable for one of its services."""
    value = SERVICE_VALUES.get(variable[-5:])
    return bool(SERVICE.fullmatch(variable) or (value and value.fullmatch(text.strip())))


def _from_file(file: Path) -> dict[str, _Given]:
    try:
        text = decode(read_file(file))
        table = read_toml(text)
    except OSError as error:
        raise ConfigError(f"file {file}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"file {file}: {error}") from None
    known = {spec.name: spec for spec in settings_fields()}
    values = {}
    for name, value in table.items():
        source = f"file {file}{_line_of(name, text)}"
        if name not in known:
            raise ConfigError(f"{source}: unknown setting {shown(name)}{_suggestion(name, known)}")
        if value is None or not is_of(known[name], value):
            raise ConfigError(f"{source}: {name}: {type_name(known[name])} is expected, not {shown(value)}")
        if fault := rule_of(known[name]).fault(value):
            raise ConfigError(f"{source}: {name}: {fault}, not {shown(value)}")
        values[name] = _Given(value, source)
    return values


def _line_of(name: str, text: str) -> str:
    """The line of a key as text; empty if it cannot be found."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(rf"""\s*\[*\s*["']?{re.escape(name)}["']?\s*[=.\]]""", line):
            return f", line {number}"
    return ""


def _suggestion(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
