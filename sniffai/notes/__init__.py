"""The notes of a table: what one player writes down of a round, or of the rounds of a match, as it comes.

docs/notation.md describes the form. Tiles stand in any order of halves, attachment points may be left out where they
are unique, seats follow from the turns, and draws of the others have no tiles. Every event is played by the rules while
it is read, so that an error names its line and offers what would fit there.
"""

from sniffai.notes.text import NotedRound, Notes, looks_like_notes, parse_notes

__all__ = ["NotedRound", "Notes", "looks_like_notes", "parse_notes"]
