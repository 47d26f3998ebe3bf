"""Reconciling a V1 log: which deployment makes its memory, token and concurrency lines come out.

Verdicts
    no config                            identity_only: tokens / max_model_len against the concurrency
    plain model, memory printed          within_rounding; exact if the range leaves one number of blocks
    groups, older token line, two lines  mismatch_explained: the two lines disagree by design
    groups, newer line, memory printed   exact: one number of blocks makes all lines come out
    nothing that was tried comes out     identity_only, unexplained

Does not model: several starts in one file, engines that print per-layer memory.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.deployments import AS_LIKELY, BLOCKS, NEWER, OLDER, hypotheses
from labs.sizing.log.outcome import EXACT, EXPLAINED, IDENTITY, WITHIN, Assumption, Check, Figure, Outcome
from labs.sizing.log.token_lines import matching_blocks, pool_of
from labs.sizing.log.v1_figures import grouped_figures, identity_figures, naive_figures, plain_figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.deployments import Hypothesis
    from labs.sizing.log.known import Known
    from labs.sizing.log.printed import Printed
    from labs.sizing.log.token_lines import Pool

GENERATIONS = {OLDER: "0.8 to 0.23 (V1)", NEWER: "0.24 on (V1)"}
ONE_LINE, ANY_V1 = "0.32 (V1)", "0.8 on (V1)"
FIRST_NEWER = (0, 24)


class Match(Record):
    """A hypothesis that makes every printed line come out, its pool and the numbers of blocks that do."""

    hypothesis: Hypothesis
    pool: Pool
    blocks: tuple[int, ...]


def reconcile_v1(printed: Printed, stack: ModelStack | None, known: Known) -> Outcome:
    """The outcome for the figures of a V1 log."""
    definitions = definitions_of(printed)
    checks = printed_checks(printed, known.max_model_len)
    if stack is None:
        figures = identity_figures(printed, known.max_model_len)
        return Outcome(IDENTITY, generation_of(printed, definitions), figures, checks=checks)
    matches = _cheapest(printed, stack, known, definitions)
    if not matches:
        divided = stack.with_divided_head_dim()
        if divided is not None and _cheapest(printed, divided, known, definitions):
            return _of_another_head_dim(printed, divided, known, checks)
        return _unexplained(printed, stack, known, definitions, checks)
    match = matches[0]
    definition = match.hypothesis.definition
    generation = generation_of(printed, (definition,) if not match.pool.is_plain else definitions)
    figures_of = plain_figures if match.pool.is_plain else grouped_figures
    return Outcome(
        verdict=_verdict(match, printed),
        generation=generation,
        figures=figures_of(match.pool, definition, match.blocks[0], printed, stack, known),
        assumptions=assumptions_of(match, stack, known, printed),
        checks=(*checks, *_config_checks(match, printed)),
        alternatives=tuple(assumptions_of(other, stack, known, printed) for other in matches[1:]),
    )


def definitions_of(printed: Printed) -> tuple[str, ...]:
    """What the token line may mean, by the version or by the numbers alone."""
    if printed.one_line:
        return (NEWER,)
    if printed.version is not None:
        numbers = [int(part) for part in printed.version.lstrip("v").split(".")[:2] if part.isdigit()]
        if len(numbers) == 2:
            return (NEWER,) if tuple(numbers) >= FIRST_NEWER else (OLDER,)
    tokens = printed.kv_tokens
    if tokens is not None and tokens % BLOCKS[0][1]:
        return (NEWER,)  # the older line counts whole blocks
    return (OLDER, NEWER)


def generation_of(printed: Printed, definitions: tuple[str, ...]) -> str:
    """The engine's generation, as far as the log tells."""
    if printed.one_line:
        return ONE_LINE
    return GENERATIONS[definitions[0]] if len(definitions) == 1 else ANY_V1


def printed_checks(printed: Printed, max_model_len: int | None) -> tuple[Check, ...]:
    """Tokens over the longest request against the concurrency line; engines with groups may fail it."""
    tokens, concurrency = printed.kv_tokens, printed.concurrency
    if tokens is None or concurrency is None or max_model_len is None:
        return ()
    low, high = Fraction(tokens, max_model_len), Fraction(tokens + 1, max_model_len)
    holds = low <= concurrency.high and concurrency.low <= high
    return (Check("tokens_and_concurrency", concurrency.value, low, low, holds, of_config=True),)


def _cheapest(printed: Printed, stack: ModelStack, known: Known, definitions: tuple[str, ...]) -> list[Match]:
    """The likeliest hypothesis that comes out, then those about as likely that differ in ranks or dtype."""
    pools: dict[object, Pool | None] = {}
    found: list[Match] = []
    for hypothesis in hypotheses(stack, known, definitions):
        if found and hypothesis.price > found[0].hypothesis.price + AS_LIKELY:
            break
        key = (hypothesis.deployment, hypothesis.windows_in_full)
        if key not in pools:
            pools[key] = pool_of(stack, *key)
        pool = pools[key]
        if pool is None:
            continue
        blocks = matching_blocks(pool, hypothesis, printed, known.max_model_len)
        if blocks and not any(_same(found_one, pool) for found_one in found):
            found.append(Match(hypothesis, pool, tuple(blocks)))
    return found


def _same(match: Match, pool: Pool) -> bool:
    """Whether two deployments differ in nothing that a rank or a dtype would show."""
    one, other = match.pool.deployment, pool.deployment
    return (one.tp, one.kv_dtype, one.dcp) == (other.tp, other.kv_dtype, other.dcp)


def _verdict(match: Match, printed: Printed) -> str:
    pool = match.pool
    if printed.kv_tokens is None and printed.concurrency is None:
        return IDENTITY  # nothing to hold the config's figures against
    if pool.is_plain:
        if printed.kv_gib is None:
            return IDENTITY
        return EXACT if len(pool.blocks_in(printed.kv_gib)) == 1 else WITHIN
    if match.hypothesis.definition == OLDER:
        two_lines = printed.kv_tokens is not None and printed.concurrency is not None
        return EXPLAINED if two_lines else WITHIN if printed.kv_gib is not None else IDENTITY
    if printed.kv_gib is None:
        return IDENTITY
    return EXACT if len(match.blocks) == 1 else WITHIN


def assumptions_of(match: Match, stack: ModelStack, known: Known, printed: Printed) -> tuple[Assumption, ...]:
    """What had to be assumed beyond what is known, and beyond a plain formula."""
    deployment, pool = match.hypothesis.deployment, match.pool
    windows, linear = bool(stack.kinds & {"sliding", "chunked"}), stack.state is not None
    found = []
    if known.tp is None and deployment.tp > 1:
        found.append(Assumption("tp", deployment.tp))
    if known.kv_dtype is None and DTYPE_BYTES[deployment.kv_dtype] != 2:
        found.append(Assumption("kv_dtype", deployment.kv_dtype))
    if known.dcp is None and deployment.dcp > 1:
        found.append(Assumption("dcp", deployment.dcp))
    if known.block_size is None and pool.block_size != BLOCKS[0][1]:
        found.append(Assumption("block_size", pool.block_size))
    if not pool.is_plain:
        found.append(Assumption("hybrid_groups", len(pool.groups)))
        found.append(Assumption("token_definition", match.hypothesis.definition))
    if match.hypothesis.windows_in_full:
        found.append(Assumption("windows_in_full", True))
    elif windows and known.max_num_batched_tokens is None:
        found.append(Assumption("max_num_batched_tokens", deployment.max_num_batched_tokens))
    if windows and known.async_scheduling is None and deployment.async_scheduling:
        found.append(Assumption("async_scheduling", True))
    if linear:
        found.append(Assumption("state_blocks_per_group", 2 if deployment.aligned_states else 1))
    if len({rank.value for rank in printed.ranks}) > 1:
        found.append(Assumption("smallest_rank", printed.kv_gib.value if printed.kv_gib else None))
    return tuple(found)


def _config_checks(match: Match, printed: Printed) -> tuple[Check, ...]:
    checks = []
    if printed.kv_gib is not None:
        possible = match.pool.blocks_in(printed.kv_gib)
        low, high = possible[0], possible[-1]
        checks.append(Check("num_blocks", match.blocks[0], low, high, True, of_config=True))
    return tuple(checks)


def _of_another_head_dim(
    printed: Printed, divided: ModelStack, known: Known, checks: tuple[Check, ...]
) -> Outcome:
    """The print comes out with hidden size / query heads in place of the config's own head dim."""
    outcome = reconcile_v1(printed, divided, known)
    (one, *_) = (one for layer in divided.layers for one in layer if one.k_dim is not None)
    assumed = (Assumption("head_dim", one.k_dim), *outcome.assumptions)
    return outcome.replace(verdict=EXPLAINED, assumptions=assumed, checks=checks)


def _unexplained(
    printed: Printed, stack: ModelStack, known: Known, definitions: tuple[str, ...], checks: tuple[Check, ...]
) -> Outcome:
    """Nothing that was tried comes out: the plain formula's figures stand beside the print."""
    first = hypotheses(stack, known, definitions)
    pool = pool_of(stack, first[0].deployment) if first else None
    figures: tuple[Figure, ...] = ()
    if pool is not None and pool.is_plain:
        figures = plain_figures(pool, OLDER, None, printed, stack, known)
    elif pool is not None:
        figures = naive_figures(pool, printed, stack)
    nothing = printed.kv_tokens is None and printed.concurrency is None
    return Outcome(
        IDENTITY, generation_of(printed, definitions), figures=figures, checks=checks, explained=nothing
    )
