"""Where a page may be written: a new file, or in place of a page of ours; never over anything else.

A line may name traces, configs and prompts in many options. None of these has a page's mark, so none can be
lost to `--html`.
"""

from __future__ import annotations

import os

from labs.base import LabError, require

MARK = b'content="inference_lab"'  # stands in the head of every page that is written here
HEAD_BYTES = 1024


def read_page_path(text: str, where: str) -> str:
    """The path as it is; `LabError` if something other than a page stands there."""
    require(bool(text), where, "is_empty", text)
    if os.path.isfile(text):
        try:
            with open(text, "rb") as file:
                head = file.read(HEAD_BYTES)
        except OSError as error:
            raise LabError(where, "cannot_read", text, reason=error.strerror) from None
        require(not head or MARK in head, where, "not_a_page", text)
    return text
