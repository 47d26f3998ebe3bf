"""Where a page may be written: a new file, or in place of a page; never over anything else.

A line may name traces, configs and prompts in many options. None of these begins as a page does, so none
can be lost to `--html`.
"""

from __future__ import annotations

import os

from labs.base import LabError, require

BEGINNING = b"<!doctype html>"


def read_page_path(text: str, where: str) -> str:
    """The path as it is; `LabError` if something other than a page stands there."""
    require(bool(text), where, "is_empty", text)
    if os.path.isfile(text):
        try:
            with open(text, "rb") as file:
                start = file.read(len(BEGINNING))
        except OSError as error:
            raise LabError(where, "cannot_read", text, reason=error.strerror) from None
        require(start in (b"", BEGINNING), where, "not_a_page", text)
    return text
