"""Reading a run: the life of its requests, and why two rules differ."""
