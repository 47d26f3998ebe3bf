"""What happens outside the scheduler in one run: a connector's answers and the workers' reports.

    connector_answers       by request: (tokens, asynchronous) for each time it is asked, the last one stays;
                            tokens are a prefix length from the start, None: not known yet, ask again
    worker_reports          by step: loads and saves that ended, blocks and loads that failed
    kv_load_failure_policy  "fail" (the engine's default) ends a request whose load failed; or "recompute"
    blocks_outlive_request  requests whose blocks are kept until their save is reported

Source: the interface of vLLM 0.32.0's `kv_connector.v1.base`, as far as its scheduler sees it.
"""

from __future__ import annotations

from labs.base import LabError, Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Answer = tuple[int | None, bool]

POLICIES = ("fail", "recompute")
KEYS = ("connector_answers", "worker_reports", "kv_load_failure_policy", "blocks_outlive_request")


class Report(Record):
    """What the workers report after a step; names of requests, but for the ids of bad blocks."""

    finished_recving: tuple[str, ...] = ()
    finished_sending: tuple[str, ...] = ()
    invalid_block_ids: tuple[int, ...] = ()
    failed_recving: tuple[str, ...] = ()


class ExternalScript(Record):
    """Answers by request, reports by step; `where` it was written, for complaints."""

    answers: Mapping[str, tuple[Answer, ...]]
    reports: Mapping[int, Report]
    policy: str = "fail"
    blocks_outlive_request: frozenset[str] = frozenset()
    where: str = "--external"


def make_script(written: object, names: Collection[str], where: str) -> ExternalScript:
    """A script from its JSON values; `LabError` at `where`. `names` are the requests there are."""
    require(isinstance(written, dict), where, "not_an_object", written)
    assert isinstance(written, dict)
    for key in written:
        require(key in KEYS, where, "unknown_request_key", key, known=", ".join(KEYS))
    answers = _members(written.get("connector_answers", {}), f"{where}: connector_answers")
    reports = _members(written.get("worker_reports", {}), f"{where}: worker_reports")
    policy = written.get("kv_load_failure_policy", "fail")
    choices = ", ".join(POLICIES)
    require(policy in POLICIES, f"{where}: kv_load_failure_policy", "not_one_of", policy, choices=choices)
    kept = _names(written.get("blocks_outlive_request", []), names, f"{where}: blocks_outlive_request")
    return ExternalScript(
        {
            _known(name, names, f"{where}: connector_answers"): _answers(plan, f"{where}: {name}")
            for name, plan in answers.items()
        },
        {_step(step, where): _report(report, names, f"{where}: {step}") for step, report in reports.items()},
        policy,
        frozenset(kept),
        where,
    )


def _members(value: object, where: str) -> dict[str, object]:
    require(isinstance(value, dict), where, "not_an_object", value)
    assert isinstance(value, dict)
    return value


def _known(name: object, names: Collection[str], where: str) -> str:
    require(isinstance(name, str) and name in names, where, "no_such_request", name)
    return str(name)


def _names(value: object, names: Collection[str], where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise LabError(where, "not_a_list", value)
    return tuple([_known(name, names, where) for name in value])


def _answers(plan: object, where: str) -> tuple[Answer, ...]:
    require(isinstance(plan, list) and bool(plan), where, "not_an_answer", plan)
    assert isinstance(plan, list)
    for answer in plan:
        shape = isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], bool)
        require(shape, where, "not_an_answer", answer)
        require(answer[0] is None or _is_whole(answer[0]), where, "not_an_answer", answer)
    return tuple([(answer[0], answer[1]) for answer in plan])


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _step(text: str, where: str) -> int:
    from labs.files.numbers import read_whole

    step = read_whole(text, f"{where}: worker_reports")
    require(step >= 1, f"{where}: worker_reports", "at_least", text, least=1)
    require(str(step) == text, f"{where}: worker_reports", "not_whole", text)
    return step


def _report(value: object, names: Collection[str], where: str) -> Report:
    parts = _members(value, where)
    known = Report.field_names
    for key in parts:
        require(key in known, where, "unknown_request_key", key, known=", ".join(known))
    blocks = parts.get("invalid_block_ids", [])
    whole = isinstance(blocks, list) and all(_is_whole(block) for block in blocks)
    require(whole, f"{where}: invalid_block_ids", "not_token_list", blocks)
    assert isinstance(blocks, list)
    named = {
        key: _names(parts.get(key, []), names, f"{where}: {key}")
        for key in ("finished_recving", "finished_sending", "failed_recving")
    }
    return Report(invalid_block_ids=tuple(blocks), **named)
