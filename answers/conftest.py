"""How pytest looks at this folder: tests only, and with the reason of every skip."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Keep pytest's doctest search out of here: it would execute a learner's sheet to look inside."""
    is_other = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if is_other else None


def pytest_configure(config: pytest.Config) -> None:
    """Let the summary list skips: a blank answer is one, and its reason says where to write."""
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"
