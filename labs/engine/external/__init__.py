"""KV that another store holds: the connector, what is scripted for it, the lecture case."""
