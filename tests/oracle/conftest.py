"""The scripts of this folder need vLLM and are run by hand, so pytest must not import them for doctests."""

from __future__ import annotations

collect_ignore_glob = ["*.py"]
