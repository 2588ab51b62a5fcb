"""Records of rounds and matches: as values, as a text file, and as JSON."""
