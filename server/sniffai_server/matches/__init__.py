"""Hosted matches: stored, played and watched."""
