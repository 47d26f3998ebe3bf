"""Recorded traces, played again: how often a prefix cache would have hit."""
