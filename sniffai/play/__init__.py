"""Play: players by name, levels, and contests between them."""
