"""What a model costs: config.json to layer groups, bytes, blocks and transfers."""
