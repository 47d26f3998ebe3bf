"""Playing an engine: requests under way, decisions, steps one by one and many at once."""
