"""How engines behave.

attention.py, online_softmax.py, kv_store.py ...   lab A: cached attention equals recomputing
hash_chain.py, cbor_ids.py                         lab B: chained block hashes
requests.py, knobs.py, simulator.py                lab C: what is asked, under which knobs, round by round
rules/      who gets tokens, one rule a module
kv/         blocks and who holds them: pools, keys, allocation
run/        playing an engine: requests under way, decisions, one step or many at once
external/   KV that another store holds
explain/    reading a run: the life of its requests, and why two rules differ
"""
