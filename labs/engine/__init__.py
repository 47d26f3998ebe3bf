"""How engines behave: hash chains, requests, scheduling rules, the simulator."""
