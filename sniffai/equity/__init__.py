"""Match equity: every team's chance to win the match, from the scores between two rounds and who leads next.

>>> from sniffai import equity
>>> table = equity.load(2)
>>> leading, other = table.chance((120, 95), leader=0)
>>> leading > other
True

A table is computed from rounds of self-play; docs/equity.md describes how, and how accurate it is. The search looks
tables up, so this package must not import players; ``sniffai.lab.equity`` makes tables and checks them.
"""

from sniffai.equity.table import Equity, lead_value, load, read_equity, save_equity

__all__ = ["Equity", "lead_value", "load", "read_equity", "save_equity"]
