"""Match equity: every team's chance to win the match, from the scores between two rounds and who leads next.

>>> from sniffai import equity
>>> table = equity.load(2)
>>> leading, other = table.chance((120, 95), leader=0)
>>> leading > other
True

A table rests on rounds of self-play; docs/equity.md says how, and how far it holds. The search looks tables up, so this
package knows nothing of players; ``sniffai.lab.equity`` makes tables and checks them.
"""

from sniffai.equity.table import Equity, lead_value, load, read_equity, save_equity

__all__ = ["Equity", "lead_value", "load", "read_equity", "save_equity"]
