"""Scheduling rules, one a module: which engine each models stands in its docstring."""
