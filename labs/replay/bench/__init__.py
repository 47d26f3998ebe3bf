"""A result of `vllm bench serve`: recomputed, checked against itself, and put beside others."""
