"""An engine's start-up log against the arithmetic of its KV cache."""
