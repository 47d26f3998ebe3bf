"""Reconciling a V1 log: which deployment makes its memory, token and concurrency lines come out.

Verdicts
    no config; neither line; nothing comes out   identity_only
    plain model without a memory figure          identity_only: any memory would do
    plain model, memory printed                  within_rounding; exact if it leaves one number of blocks
    groups, older token line, both lines         mismatch_explained: the two disagree by design
    groups, older token line, one of the lines   within_rounding with a memory figure, else identity_only
    groups, newer token line, memory printed     exact if one number of blocks makes all lines come out
    config's head dim not the print's            mismatch_explained

A plain model's token line grows by a block's tokens from one number of blocks to the next, so it proves
little beyond the range; that of a model with groups comes out by chance once in hundreds.

Does not model: several starts in one file, engines that print per-layer memory.
"""

from __future__ import annotations

from fractions import Fraction

from labs.sizing.log.assumed import assumed_deployment
from labs.sizing.log.deployments import DEFAULT_BLOCK, NEWER, OLDER, hypotheses
from labs.sizing.log.matching import likeliest
from labs.sizing.log.outcome import EXACT, EXPLAINED, IDENTITY, WITHIN, Assumption, Check, Outcome
from labs.sizing.log.pools import Pools
from labs.sizing.log.v1_figures import grouped_figures, identity_figures, naive_figures, plain_figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.known import Known
    from labs.sizing.log.matching import Match
    from labs.sizing.log.outcome import Figure
    from labs.sizing.log.printed import Printed

GENERATIONS = {OLDER: "0.8 to 0.23 (V1)", NEWER: "0.24 on (V1)"}
ONE_LINE, ANY_V1 = "0.32 (V1)", "0.8 on (V1)"
FIRST_V1 = (0, 8)
FIRST_NEWER = (0, 24)


def reconcile_v1(printed: Printed, stack: ModelStack | None, known: Known) -> Outcome:
    """The outcome for the figures of a V1 log."""
    definitions = definitions_of(printed)
    checks = printed_checks(printed, known.max_model_len)
    if stack is None:
        figures = identity_figures(printed, known.max_model_len)
        return Outcome(IDENTITY, generation_of(printed, definitions), figures, checks=checks)
    pools = Pools(stack)
    matches = likeliest(printed, pools, known, definitions)
    if matches:
        return _of_matches(matches, printed, pools, known, checks)
    divided = stack.with_divided_head_dim()
    if divided is not None:
        outcome = _of_another_head_dim(printed, divided, known, checks)
        if outcome is not None:
            return outcome
    return _unexplained(printed, pools, known, definitions, checks)


def definitions_of(printed: Printed) -> tuple[str, ...]:
    """What the token line may mean, by the version or by the numbers alone."""
    if printed.one_line:
        return (NEWER,)
    if printed.version is not None:
        numbers = [int(part) for part in printed.version.lstrip("v").split(".")[:2] if part.isdigit()]
        if len(numbers) == 2 and tuple(numbers) >= FIRST_V1:  # a build without tags calls itself 0.1.dev
            return (NEWER,) if tuple(numbers) >= FIRST_NEWER else (OLDER,)
    tokens = printed.kv_tokens
    if tokens is not None and tokens % DEFAULT_BLOCK:
        return (NEWER,)  # the older line counts whole blocks
    return (OLDER, NEWER)


def generation_of(printed: Printed, definitions: tuple[str, ...]) -> str:
    """The engine's generation, as far as the log tells."""
    if printed.one_line:
        return ONE_LINE
    return GENERATIONS[definitions[0]] if len(definitions) == 1 else ANY_V1


def printed_checks(printed: Printed, max_model_len: int | None) -> tuple[Check, ...]:
    """Tokens over the longest request against the concurrency line; an older engine with groups fails it."""
    tokens, concurrency = printed.kv_tokens, printed.concurrency
    if tokens is None or concurrency is None or max_model_len is None:
        return ()
    low, high = Fraction(tokens, max_model_len), Fraction(tokens + 1, max_model_len)
    holds = low <= concurrency.high and concurrency.low <= high
    return (Check("tokens_and_concurrency", concurrency.value, low, high, holds, decides=False),)


def _of_matches(
    matches: list[Match], printed: Printed, pools: Pools, known: Known, checks: tuple[Check, ...]
) -> Outcome:
    """The likeliest match's figures and assumptions; what the others assume are the alternatives."""
    match = matches[0]
    definition = match.hypothesis.definition
    settled = definitions_of(printed) if match.pool.is_plain else (definition,)
    figures = plain_figures if match.pool.is_plain else grouped_figures
    first, *others = (_assumptions(each, printed, pools.stack, known) for each in matches)
    return Outcome(
        verdict=_verdict(match, printed),
        generation=generation_of(printed, settled),
        figures=figures(match, printed, pools, known),
        assumptions=first,
        checks=(*checks, *_range_checks(match, printed, known)),
        alternatives=tuple(others),
    )


def _verdict(match: Match, printed: Printed) -> str:
    """By the table above."""
    tokens, concurrency, memory = printed.kv_tokens, printed.concurrency, printed.kv_gib
    older = match.hypothesis.definition == OLDER
    if tokens is None and concurrency is None:
        return IDENTITY
    if not match.pool.is_plain and older and tokens is not None and concurrency is not None:
        return EXPLAINED
    if printed.num_gpu_blocks_override is not None:
        return EXACT  # the blocks are told
    if memory is None:
        return IDENTITY
    if match.pool.is_plain:
        return EXACT if len(match.pool.blocks_in(memory)) == 1 else WITHIN
    return EXACT if not older and len(match.blocks) == 1 else WITHIN


def _assumptions(match: Match, printed: Printed, stack: ModelStack, known: Known) -> tuple[Assumption, ...]:
    found = assumed_deployment(match.hypothesis, match.pool, stack, known)
    if not match.pool.is_plain:
        found.append(Assumption("token_definition", match.hypothesis.definition))
    if printed.kv_gib is not None and len({rank.value for rank in printed.ranks}) > 1:
        found.append(Assumption("smallest_rank", printed.kv_gib.value))
    return tuple(found)


def _range_checks(match: Match, printed: Printed, known: Known) -> tuple[Check, ...]:
    """The token line, or else the concurrency, against what the rounded memory leaves."""
    if printed.kv_gib is None or printed.num_gpu_blocks_override is not None:
        return ()
    possible = match.pool.blocks_in(printed.kv_gib)
    ends, length = (possible[0], possible[-1]), known.max_model_len
    if printed.kv_tokens is not None:
        low, high = (match.pool.tokens_line(end, match.hypothesis.definition, length) for end in ends)
        return (Check("kv_tokens", printed.kv_tokens, low, high, holds=True, of_config=True),)
    if printed.concurrency is not None and length is not None:
        per_request = match.pool.blocks_of_request(length)
        low_x, high_x = (Fraction(end, per_request) for end in ends)
        return (Check("concurrency", printed.concurrency.value, low_x, high_x, holds=True, of_config=True),)
    return ()


def _of_another_head_dim(
    printed: Printed, divided: ModelStack, known: Known, checks: tuple[Check, ...]
) -> Outcome | None:
    """The outcome with hidden size / query heads as the head dim; None if nothing comes out then either."""
    pools = Pools(divided)
    matches = likeliest(printed, pools, known, definitions_of(printed))
    if not matches:
        return None
    outcome = _of_matches(matches, printed, pools, known, checks)
    assumed = (Assumption("head_dim", divided.shape.head_dim), *outcome.assumptions)
    return outcome.replace(verdict=EXPLAINED, assumptions=assumed)


def _unexplained(
    printed: Printed, pools: Pools, known: Known, definitions: tuple[str, ...], checks: tuple[Check, ...]
) -> Outcome:
    """Nothing that was tried comes out: the plain formula's figures stand beside the print."""
    figures: tuple[Figure, ...] = ()
    tried = hypotheses(pools.stack, known, definitions)
    pool = pools.of(tried[0].deployment) if tried else None
    if pool is not None:
        figures = naive_figures(pool, printed, pools.stack)
    return Outcome(
        IDENTITY, generation_of(printed, definitions), figures=figures, checks=checks, explained=False
    )
