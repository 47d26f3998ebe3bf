"""Predicted rows and equalities of the attention lab against the run's, and why the first one differs.

    rows recompute 10, cached 4        rows per K or V projection: recompute 10, cached 4        recompute=10
    position 0: cached_matches_full=True        0: T        TTTT        T T F F        all True

prediction: one or more of these, parted by a newline, "|" or ";", and compared in the order in which they
stand; words in English or Chinese. A row of T and F is about all positions, from 0; dots may end it.

Causes, of rows (n tokens):

    cached_count             n predicted for recompute: it projects the whole history again at each position
    whole_square             n x n: position i projects i + 1 rows, not n
    own_row_left_out         n (n - 1) / 2: the new position's own row is projected too
    recompute_count          recompute's count predicted for cached: it projects new positions only
    both_matrices            twice: rows are counted for each of K and V
    other_rows               anything else

and of equalities:

    same_bits                no reason to differ: what was stored is what projecting again gives
    not_read_yet             a position before the damage reads no damaged row
    hidden_by_rounding       a damaged row is read, but rounding hides it
    reads_damage             a position that reads a damaged row differs
    no_such_position, positions_missing

Does not model: outputs, chunked and blockwise runs.
"""

from __future__ import annotations

import re

from labs.base import LabError, Record
from labs.predict.answer import Answer, Difference
from labs.predict.pieces import WHERE, pieces, result_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.attention import Result

RECOMPUTE, CACHED = "recompute", "cached"
ROWS = {
    RECOMPUTE: re.compile(r"(?:recompute[sd]?|重算)\s*[:：=]?\s*([0-9]{1,12})", re.IGNORECASE),
    CACHED: re.compile(r"(?:cached?|缓存)\s*[:：=]?\s*([0-9]{1,12})", re.IGNORECASE),
}
YES, NO = (
    "true|yes|same|equal|是|相同|相等|对|[ty]",
    "false|not? equal|no|different|否|不同|不等|不相等|错|[fn]",
)
ROW_WORDS = re.compile(r"^[^0-9]*$")
AT = re.compile(
    rf"(?:position|pos|位置|p)?\s*([0-9]{{1,6}})\s*[:：=]?\s*(?:cached_matches_full\s*=\s*)?(?:({YES})|{NO})",
    re.IGNORECASE,
)
ALL = re.compile(
    rf"(?:all|全部?|每个位置)\s*[:：=]?\s*(?:cached_matches_full\s*=\s*)?(?:({YES})|{NO})", re.IGNORECASE
)
WORD = re.compile(rf"[\s,，、/\[\]]*(?:({YES})|{NO})", re.IGNORECASE)
RESULTS = re.compile(r"(?:position|位置) ?[0-9]+[:：]|rows per|每个 K 或 V 投影")


class Claim(Record):
    """Rows of a path, or equalities from position `first` on: one, one for all, or a whole row of them."""

    about: str
    rows: int = 0
    first: int = 0
    equal: tuple[bool, ...] = ()
    is_all: bool = False
    is_whole: bool = False


def read_claims(text: str) -> tuple[Claim, ...]:
    """What is predicted, in its order; `LabError` names the line it cannot read.

    >>> [(claim.about, claim.rows) for claim in read_claims("recompute 10, cached 4")]
    [('recompute', 10), ('cached', 4)]
    >>> read_claims("TTF")[0].equal
    (True, True, False)
    """
    text = result_lines(text, RESULTS)
    return tuple([claim for line, piece in pieces(text) for claim in _claims(piece, f"{WHERE}, line {line}")])


def _claims(piece: str, where: str) -> list[Claim]:
    at, everywhere = AT.fullmatch(piece), ALL.fullmatch(piece)
    if at is not None:
        return [Claim("position", first=int(at[1]), equal=(at[2] is not None,))]
    if everywhere is not None:
        return [Claim("position", equal=(everywhere[1] is not None,), is_all=True)]
    equal, place = [], 0
    while word := WORD.match(piece, place):
        equal.append(word[1] is not None)
        place = word.end()
    if equal and not piece[place:].strip("] ,，、.…"):
        return [Claim("position", equal=tuple(equal), is_whole=True)]
    found = [(match.start(), path, match) for path, rows in ROWS.items() if (match := rows.search(piece))]
    rest = piece
    for _, _, match in found:
        rest = rest.replace(match[0], "", 1)
    if not found or not ROW_WORDS.match(rest):
        raise LabError(where, "predict_no_claim", piece)
    return [Claim(path, rows=int(match[1])) for _, path, match in sorted(found, key=lambda one: one[0])]


def check_paths(result: Result, claims: tuple[Claim, ...]) -> Answer:
    """The answer to what was predicted."""
    checked = 0
    for claim in claims:
        if claim.about == "position":
            found = _equalities(result, claim)
            checked += len(result.positions) if claim.is_all else len(claim.equal)
        else:
            found = _rows(result, claim)
            checked += 1
        if found is not None:
            return Answer("answers", checked, found)
    return Answer("answers", checked, None)


def _rows(result: Result, claim: Claim) -> Difference | None:
    full, kept = result.recompute_work[-1].rows_projected, result.cached_work[-1].rows_projected
    tokens, recompute = result.params.tokens, claim.about == RECOMPUTE
    actual = full if recompute else kept
    if claim.rows == actual:
        return None
    causes = {
        full: "" if recompute else "recompute_count",
        tokens * tokens: "whole_square" if recompute else "",
        tokens * (tokens - 1) // 2: "own_row_left_out" if recompute else "",
    }
    if recompute:
        causes[kept] = "cached_count"
    cause = "both_matrices" if claim.rows == 2 * actual else causes.get(claim.rows) or "other_rows"
    values = {"tokens": tokens, "path": claim.about, "kept": kept}
    return Difference(cause, {"quantity": f"rows_{claim.about}"}, claim.rows, actual, values)


def _equalities(result: Result, claim: Claim) -> Difference | None:
    tokens = len(result.positions)
    equal = claim.equal * tokens if claim.is_all else claim.equal
    for offset, guess in enumerate(equal):
        position = claim.first + offset
        if position >= tokens:
            values = {"tokens": tokens, "last": tokens - 1}
            return Difference("no_such_position", {"position": position}, None, None, values)
        actual = result.positions[position].cached_matches_full
        if guess != actual:
            return _unequal(result, position, guess)
    if claim.is_whole and len(equal) < tokens:
        values = {"tokens": tokens, "last": tokens - 1, "given": len(equal)}
        return Difference("positions_missing", {"position": len(equal)}, None, None, values)
    return None


def _unequal(result: Result, position: int, guess: bool) -> Difference:
    params = result.params
    values = {"sabotage": params.sabotage, "dtype": params.dtype, "damaged": params.first_damaged_read}
    if not guess:
        if params.sabotage is None:
            cause = "same_bits"
        else:
            cause = "not_read_yet" if position < params.first_damaged_read else "hidden_by_rounding"
    else:
        cause = "reads_damage"
    return Difference(cause, {"position": position}, guess, not guess, values)
