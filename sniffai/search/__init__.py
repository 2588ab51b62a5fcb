"""Search: what a seat should play, and how sure that is.

:mod:`~sniffai.search.searcher` searches what one seat knows, :mod:`~sniffai.search.open_deal` studies rounds whose
tiles are all known, and :mod:`~sniffai.search.analysis` is the answer of both.
"""
