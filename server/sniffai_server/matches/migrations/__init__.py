"""Alembic's migrations of the tables of hosted matches.

A new one: change ``tables.py``, write a file in ``versions`` by hand, and let the tests compare the two.
"""
