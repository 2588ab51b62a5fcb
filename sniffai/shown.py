"""A caller's value in a message, and foreign texts made safe: public address of :mod:`sniffai_ext.shown`."""

from sniffai_ext.shown import shown, steers, visible

__all__ = ["shown", "steers", "visible"]
