"""The page that `--html` writes: one file without network, drawn here; its script covers and uncovers."""
