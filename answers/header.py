"""The header line of a sheet that was made from a seed: which sheet, which seed, in which language.

    # sheet: l3  seed: 7  lang: en

The line is found wherever it stands, in any case and spacing, as long as one comment names both the sheet
and the seed. The questions' numbers derive from it again: what the file says of them is for the reader only.

Does not model: sheets whose seed was changed on purpose; they are judged by the seed they name.
"""

from __future__ import annotations

import re

from answers.sheets import SHEETS
from labs.base import LabError, Record, check_bounds, require

MAX_SEED = 10**9
MAX_SEED_DIGITS = 12
NAMED = {
    word: re.compile(rf"\b{word}\b[\s:\uff1a=]*([A-Za-z0-9]+)", re.IGNORECASE)
    for word in ("sheet", "seed", "lang")
}


class Header(Record):
    """What a sheet was made from; `lang` is None where the line names no language."""

    sheet: str
    seed: int
    lang: str | None = None

    def check(self) -> None:
        require(self.sheet in SHEETS, "SHEET", "unknown_sheet", self.sheet, choices=", ".join(SHEETS))
        check_bounds(self.seed, "--seed", 0, MAX_SEED)


def header_line(header: Header) -> str:
    """The line that stands first in a sheet.

    >>> header_line(Header("l3", 7, "en"))
    '# sheet: l3  seed: 7  lang: en'
    """
    return f"# sheet: {header.sheet}  seed: {header.seed}  lang: {header.lang}"


def header_of(text: str, path: str) -> Header | None:
    """The header of a sheet's text, None if there is none; `LabError` if it names what cannot be.

    >>> header_of("p1 = 4\\n  ## Seed=7, SHEET : L3\\n", "my.py")
    Header(sheet='l3', seed=7, lang=None)
    """
    damaged: LabError | None = None
    for number, line in enumerate(text.split("\n"), 1):
        comment = line.strip()
        if not comment.startswith("#"):
            continue
        found = {word: pattern.search(comment) for word, pattern in NAMED.items()}
        sheet, seed, lang = [match[1].lower() if match else "" for match in found.values()]
        where = f"{path}:{number}"
        if not sheet or not seed.isdigit():
            if sheet in SHEETS and seed and comment.lower().lstrip("# ").startswith("sheet"):
                damaged = damaged or LabError(where, "seed_is_no_number", seed)
            continue
        require(len(seed) <= MAX_SEED_DIGITS, where, "at_most", seed, most=MAX_SEED)
        try:
            return Header(sheet, int(seed), lang if lang in ("en", "zh") else None)
        except LabError as error:
            raise LabError(where, error.rule, error.got, **error.values) from None
    if damaged is not None:
        raise damaged
    return None
