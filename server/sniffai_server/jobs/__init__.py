"""Jobs of bulk work, each in a process of its own, on the server's slots."""
