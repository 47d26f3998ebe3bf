"""Blocks and who holds them: pools, keys, allocation."""
