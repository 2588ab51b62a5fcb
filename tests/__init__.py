"""The tests, room by room, and the slow twin of the rules that they compare with."""
