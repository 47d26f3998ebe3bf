"""Scheduling rules by name, one a module: which engine each models stands in its docstring."""

from __future__ import annotations

from labs.engine.rules.decode_first import decode_first

RULES = {"decode-first": decode_first}
