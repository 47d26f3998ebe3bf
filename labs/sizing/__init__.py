"""How an engine divides a GPU's memory into KV blocks, and what its log, or a fetch, makes of them."""
