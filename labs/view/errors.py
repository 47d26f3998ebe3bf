"""The one line that bad input gets: `error: WHERE: WHAT (got X)`."""

from __future__ import annotations

from labs.base import LabError
from labs.view.catalog.errors import RULES as GENERAL_RULES
from labs.view.catalog.errors_bench import BENCH_RULES
from labs.view.catalog.errors_cost import COST_RULES
from labs.view.catalog.errors_models import MODEL_RULES
from labs.view.catalog.errors_predict import PREDICT_RULES
from labs.view.catalog.errors_replay import REPLAY_RULES
from labs.view.catalog.errors_traces import TRACE_RULES
from labs.view.languages import texts

RULES = {
    **GENERAL_RULES,
    **MODEL_RULES,
    **TRACE_RULES,
    **COST_RULES,
    **REPLAY_RULES,
    **BENCH_RULES,
    **PREDICT_RULES,
}

MAX_SHOWN = 60


def error_line(error: LabError, lang: str) -> str:
    """The line for stderr, in one piece whatever the input held."""
    what = texts(RULES, lang)[error.rule].format(**{k: shown(v, 400) for k, v in error.values.items()})
    got = "nothing" if error.got in (None, "") else shown(error.got)
    return f"error: {shown(error.where, 200)}: {what} (got {got})"


def shown(value: object, limit: int = MAX_SHOWN) -> str:
    """A value on one line, as JSON has it: control characters escaped, long ones cut in the middle.

    >>> shown("a\\nb"), shown("9" * 5000)
    ('a\\\\nb', '999999999999999999999999999999...999999999999999999999999999')
    """
    if value is None or isinstance(value, (bool, list, dict)):
        import json

        value = json.dumps(value, ensure_ascii=False, default=str)
    text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(value))
    if len(text) <= limit:
        return text
    return text[: limit // 2] + "..." + text[-(limit // 2 - 3) :]
