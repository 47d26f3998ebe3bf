"""A predicted prefix look-up against the lab's: the first block or figure that differs, and why.

    [True, False, False]    TFF    1 0 0    hit miss miss    the matches, block by block; also T | F | F
    block 0: hit, block 1: miss                              with their blocks, from 0
    matches: TFF            block matches: [True, False, False]
    other namespace: FFF    without the salt: FFF            the other look-ups
    reusable: 2             reusable tokens of B: 2 of 6     tokens that need not be computed

prediction: one or more of these, parted by a newline, "|" or ";", and compared in the order in which they
stand. Words and labels are read in English and Chinese, in any case; what the lab prints is read too.

Causes, of a block that was predicted to match and does not:

    tokens_differ        its own tokens differ
    parent_differs       its tokens are equal, but the chain parted before it
    not_full             a prompt has no full block there, so there is no key
    namespace_differs    another namespace, that is another model
    salt_differs         another salt, in the first block

and else:

    equal_prefix         everything that the key covers is equal, so the block matches
    bound_not_match      the same, for a block that only the bound num_tokens - 1 keeps from being reused
    no_such_block, blocks_missing        more or fewer blocks than there are
    num_tokens_bound     reuse beyond num_tokens - 1: nothing would be left to compute for the logits
    blocks_not_tokens    the number of blocks was given, not of tokens
    part_of_a_block      tokens of a block that is not full, or differs further on, were counted
    behind_the_miss      blocks behind the first miss were counted
    other_reuse          anything else

Does not model: the keys themselves; nobody is asked to predict a hash.
"""

from __future__ import annotations

import re

from labs.base import LabError, Record
from labs.predict.answer import Answer, Difference
from labs.predict.pieces import WHERE, pieces, result_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.prefix import Block, Comparison, Result

REUSE = "reusable_tokens"
LABELS = (  # the first that is found in a piece says what it is about
    (REUSE, re.compile(r"reus|复用", re.IGNORECASE)),
    ("other_namespace_matches", re.compile(r"namespace", re.IGNORECASE)),
    ("other_salt_matches", re.compile(r"salt", re.IGNORECASE)),
    (
        "matches",
        re.compile(r"matches|match\s*[:：=]|块匹配|匹配\s*[:：=]|^(?:hits?|命中)\s*[:：=]", re.IGNORECASE),
    ),
)
WORD = re.compile(
    r"(?i:false|miss(?:es)?|no[ -]?match|mismatch|no\b)|[未不](?:命中|匹配)|[否错]"
    r"|(?P<match>(?i:true|hits?|yes|match(?:ed)?)|命中|匹配|[是对])"
    r"|(?P<sign>[THYthy1✓✔])|[FMNfmn0✗✘×]"
)
BETWEEN = re.compile(r"[\s,，、/.…\[\]]*")
BLOCK = re.compile(r"(?:\b(?i:block)|块)\s*([0-9]{1,6})\s*[:：=]?|第\s*([0-9]{1,6})\s*块\s*[:：=]?")
THEN_REUSE = re.compile(
    r"(?<![A-Za-z0-9])(true\]?|false\]?|[TF]+|[01]+|miss)[\s,，]+(?=reus|可?复用)", re.IGNORECASE
)
RESULTS = re.compile(r".{0,30}(?:block matches|块匹配)|reusable|B 可复用")


class Guess(Record):
    """What a piece says: matches of a look-up, or a number of tokens."""

    about: str
    matches: tuple[bool, ...] = ()
    tokens: int = 0


def read_guesses(text: str) -> tuple[Guess, ...]:
    """What is predicted, in its order; `LabError` names the line it cannot read.

    >>> read_guesses("TF | reusable 2")[0].matches
    (True, False)
    """
    text = THEN_REUSE.sub(r"\1 | ", result_lines(text, RESULTS))
    blocks = [int(found[1] or found[2]) for found in BLOCK.finditer(text)]
    if blocks != list(range(len(blocks))):
        raise LabError(WHERE, "predict_block_order", ", ".join(map(str, blocks)))
    found = [_guess(piece, f"{WHERE}, line {line}") for line, piece in pieces(BLOCK.sub(" ", text))]
    if all(guess.about == "matches" and len(guess.matches) == 1 for guess in found):  # a block a piece
        return (Guess("matches", tuple([guess.matches[0] for guess in found])),)
    return tuple(found)


def _guess(piece: str, where: str) -> Guess:
    about = next((name for name, label in LABELS if label.search(piece)), None)
    value = piece if about is None else re.split(r"[:：=]", piece, maxsplit=1)[-1]
    if about == REUSE:
        number = re.search(r"[0-9]{1,12}", value)
        if number is None:
            raise LabError(where, "predict_no_reuse", piece)
        return Guess(REUSE, tokens=int(number[0]))
    if about and not re.search(
        r"[:：=]", piece
    ):  # a label without a colon ends at the last blank before [TF01]
        value = re.sub(r"(?i).*?(?:matches|match|namespace|salt|匹配)", "", piece, count=1)
    at, matches = _skip(value, 0), []
    while at < len(value):
        word = WORD.match(value, at)
        if word is None:
            raise LabError(where, "predict_no_matches", piece)
        matches.append(bool(word["match"] or word["sign"]))
        at = _skip(value, word.end())
    if not matches:
        raise LabError(where, "predict_no_matches", piece)
    return Guess(about or "matches", tuple(matches))


def _skip(text: str, at: int) -> int:
    between = BETWEEN.match(text, at)
    return between.end() if between else at


def check_look_up(result: Result, guesses: tuple[Guess, ...]) -> Answer:
    """The answer to what was predicted; `LabError` for a look-up that this run does not have."""
    looked_up = {
        "matches": result.same,
        "other_namespace_matches": result.other_namespace,
        "other_salt_matches": result.other_salt,
    }
    checked = 0
    for guess in guesses:
        if guess.about == REUSE:
            found = _reuse(result, guess.tokens)
            checked += 1
        else:
            comparison = looked_up[guess.about]
            if comparison is None:
                raise LabError(WHERE, "predict_no_salt", "salt")
            found = _matches(result, comparison, guess)
            checked += len(guess.matches)
        if found is not None:
            return Answer("answers", checked, found)
    return Answer("answers", checked, None)


def _matches(result: Result, comparison: Comparison, guess: Guess) -> Difference | None:
    blocks = comparison.blocks
    for block, match in zip(blocks, guess.matches):
        if block.match != match:
            cause, values = _cause(result, comparison, block)
            place = {"quantity": guess.about, "block": block.index}
            return Difference(cause, place, match, block.match, values)
    predicted, actual = len(guess.matches), len(blocks)
    if predicted == actual:
        return None
    place = {"quantity": guess.about, "block": min(predicted, actual)}
    lengths = {"a_tokens": len(result.params.a), "b_tokens": len(result.params.b)}
    values = {**lengths, "block_size": result.params.block_size, "given": predicted, "blocks": actual}
    return Difference("no_such_block" if predicted > actual else "blocks_missing", place, None, None, values)


def _cause(result: Result, comparison: Comparison, block: Block) -> tuple[str, dict[str, object]]:
    """Why a block matches or does not, and the values that show it."""
    params, size = result.params, result.params.block_size
    values: dict[str, object] = {"tokens": list(block.a_tokens), "b_tokens": list(block.b_tokens)}
    values |= {"block_size": size, "until": (block.index + 1) * size - 1}
    if block.match:
        beyond = (block.index + 1) * size > result.bound_tokens
        bound = {"total": len(params.b), "bound": result.bound_tokens}
        adapter = ":".join(params.lora) if params.lora else ""
        keys = {"lora": adapter, "salt": params.salt, "namespace": params.namespace}
        return "bound_not_match" if beyond else "equal_prefix", {**values, **bound, **keys}
    first = comparison.first_miss
    assert first is not None  # this block is one
    reason = str(block.reason)
    if reason == "tokens_differ":
        offset = next(i for i, pair in enumerate(zip(block.a_tokens, block.b_tokens)) if pair[0] != pair[1])
        found = {"position": block.index * size + offset}
        return reason, {**values, **found, "a": block.a_tokens[offset], "b": block.b_tokens[offset]}
    if reason == "not_full":
        return reason, {**values, "a_length": len(params.a), "b_length": len(params.b)}
    if reason == "parent_differs":
        return reason, {**values, "parent": first.block, "first_reason": first.reason}
    return reason, {**values, "a": first.a_value, "b": first.b_value, "scheme": params.scheme}


def _reuse(result: Result, tokens: int) -> Difference | None:
    """Why so many tokens cannot be reused, or more can."""
    actual, size = result.reusable_tokens, result.params.block_size
    if tokens == actual:
        return None
    blocks = result.same.blocks
    alike = [b for b in blocks if b.a_hash and b.b_hash and b.a_tokens == b.b_tokens]
    matching, bound, total = result.matching_tokens, result.bound_tokens, len(result.params.b)
    if bound < matching and tokens in (matching, total, total - 1):
        cause = "num_tokens_bound"
    elif tokens == actual // size:
        cause = "blocks_not_tokens"
    elif tokens == len(alike) * size and len(alike) * size > matching:
        cause = "behind_the_miss"
    else:
        cause = "part_of_a_block" if tokens % size and tokens > actual else "other_reuse"
    missed = None if result.same.first_miss is None else result.same.first_miss.block
    values = {"block_size": size, "matching": matching, "bound": bound, "total": total, "miss": missed}
    return Difference(cause, {"quantity": REUSE}, tokens, actual, values)
