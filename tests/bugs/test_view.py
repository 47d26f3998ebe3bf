"""Pages and documents of `--bug`: what they say of a run, where a shorter reading would say it wrong.

Turned red by: a reason that is not this run's, text and JSON that disagree, a table cut too early, an input
that the document leaves out.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.bugs import BUGS, module_of
from labs.bugs.account import Case
from labs.bugs.budget_before_hit import CASE as OWN
from labs.command_line import face
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.simulator import PREFILL, Round, Run, Work
from labs.schedule_bug import Params, Result, first_difference
from labs.view.bug_figures import MAX_FIGURES, figures
from labs.view.bug_prefix import MAX_BLOCKS
from labs.view.catalog.bugs import TEXTS
from labs.view.languages import texts

SAME = (1, 2, 3, 4, 5, 6, 7, 8)


def run(bug: str, case: Case) -> Result:
    found: Result = face("schedule --bug").run(Params(bug=BUGS[bug], is_own=False, case=case))
    return found


def page(bug: str, case: Case, lang: str = "en") -> str:
    """In one line, as paragraphs break anywhere."""
    text = face("schedule --bug").render(run(bug, case), lang)
    return " ".join(text.split()) if lang == "en" else text.replace("\n", "")


def document(bug: str, case: Case) -> dict[str, Any]:
    found: dict[str, Any] = face("schedule --bug").document(run(bug, case))
    return found


def sharing(a_prompt: int, b_prompt: int, budget: int = 12) -> Case:
    """A and B begin with the same 8 tokens, two blocks; B comes while A decodes."""
    prompts = [(*SAME, *range(first, first + n - 8)) for first, n in ((100, a_prompt), (200, b_prompt))]
    a, b = Request("A", a_prompt, 5, prompt=prompts[0]), Request("B", b_prompt, 1, 2, prompt=prompts[1])
    return Case((a, b), Knobs(budget=budget, block_size=4))


# B's prompt, what of it is left to compute after a hit of 8, and whether that fits in the 11 tokens left over
LEFT = [(12, 4, "whole"), (19, 11, "whole"), (20, 12, "part"), (22, 14, "part")]


@pytest.mark.parametrize(("b_prompt", "left", "how"), LEFT)
def test_the_reason_is_that_of_the_values(b_prompt: int, left: int, how: str) -> None:
    first = document("budget-before-hit", sharing(12, b_prompt))["result"]["first"]
    assert (first["round"], first["unused"], first["hit"], first["left"]) == (2, 11, 8, left)
    assert first["how"] == how
    english, chinese = [page("budget-before-hit", sharing(12, b_prompt), lang) for lang in ("en", "zh")]
    assert f"so B needs {left} tokens of the budget and not {b_prompt}. In round 2 there are 11: " in english
    assert ("enough for what it has to compute" in english) == (how == "whole")
    assert ("a part could be computed now and the rest later" in english) == (how == "part")
    assert ("够它计算余下的部分" in chinese) == (how == "whole")
    assert ("可以先计算一部分" in chinese) == (how == "part")


@pytest.mark.parametrize("rounds", [2, 3, 1000])
def test_text_and_document_tell_the_same_hit(rounds: int) -> None:
    """The broken run admits B in round 5 only, so what it hits there is not always known."""
    case = OWN.replace(rounds=rounds)
    assert document("budget-before-hit", case)["result"]["first"]["hit"] == 8
    assert "B waits with 12 tokens, of which 8 are hit" in page("budget-before-hit", case)


def test_a_hit_is_that_of_the_round_in_which_it_is_waited_for() -> None:
    """Withdrawn right after it; and preempted before, when the right run has computed and cached more."""
    a, b, c = OWN.requests
    assert (
        document("budget-before-hit", OWN.replace(requests=(a, b.replace(abort=2), c)))["result"]["first"][
            "hit"
        ]
        == 8
    )
    requests = (
        Request("A", 11, 2, arrive=2, prompt=(*SAME, 100, 101, 102)),
        Request("B", 6, 7, arrive=2, prompt=(1, 2, 3, 200, 201, 202), priority=1),
        Request("C", 6, 7, arrive=3, priority=1),
    )
    case = Case(requests, Knobs(budget=3, block_size=2, kv_blocks=8, policy="priority"))
    first = document("budget-before-hit", case)["result"]["first"]
    assert [first[key] for key in ("name", "unused", "tokens", "hit", "left", "how")] == [
        *("B", 3, 6, 2, 4, "part")
    ]  # B and A share a block of 2


def counted(number: int) -> list[str]:
    """The lines of the counters' table of so many requests, one a round."""
    requests = tuple(Request(f"R{n}", 1, 0, arrive=n) for n in range(1, number + 1))
    return figures(run("preempted-as-hits", Case(requests, Knobs())), texts(TEXTS, "en"))[1].split("\n")


def test_the_table_of_counters_is_cut() -> None:
    full, cut = counted(MAX_FIGURES), counted(MAX_FIGURES + 1)
    assert [line.split()[0] for line in full[1:]] == [str(n) for n in range(1, MAX_FIGURES + 1)]
    assert [line.split()[0] for line in cut[1:]] == [*[str(n) for n in range(1, MAX_FIGURES + 1)], "..."]
    assert full[-1].split() == ["30", "30", "0", "30", "0"]


def test_counters_side_by_side() -> None:
    found = run("preempted-as-hits", module_of("preempted-as-hits").CASE)
    lines = figures(found, texts(TEXTS, "en"))[1].split("\n")
    assert lines[-1].split() == ["7", "11", "0", "18", "2", "<-", "broken"]


def test_the_table_of_tpots_is_cut() -> None:
    requests = tuple(Request(f"R{n}", 1, 1) for n in range(MAX_FIGURES + 1))
    found = run("tpot-by-n", Case(requests, Knobs(budget=99)))
    lines = figures(found, texts(TEXTS, "en"))[1].split("\n")
    assert len(lines) == 1 + MAX_FIGURES + 1
    assert lines[-1].split() == ["..."]


def test_the_table_of_blocks_is_cut() -> None:
    lab = face("prefix --bug")
    for blocks in (MAX_BLOCKS, MAX_BLOCKS + 1):
        tokens = tuple(range(blocks))
        found = lab.run(lab.params(bug="full-hit", a=tokens, b=tokens, block_size=1))
        lines = lab.render(found, "en").split("\n")
        assert sum([line.startswith("  ...") for line in lines]) == blocks - MAX_BLOCKS
        assert sum(["hit: block " in line for line in lines]) == MAX_BLOCKS


A1, B1 = Work("A", PREFILL, 1), Work("B", PREFILL, 1)
FIRST, SECOND = Round(1, (A1,), 0, ()), Round(2, (A1,), 0, ())


@pytest.mark.parametrize(
    ("other", "parted"),
    [
        pytest.param([FIRST, SECOND], None, id="the-same"),
        pytest.param([FIRST, SECOND.replace(work=(B1,))], 2, id="work"),
        pytest.param([FIRST, SECOND.replace(preempted=("B",))], 2, id="preempted"),
        pytest.param([FIRST.replace(finished=("B",)), SECOND], 1, id="finished"),
        pytest.param([FIRST, SECOND.replace(aborted=("B",))], 2, id="aborted"),
        pytest.param([FIRST], 2, id="ended"),
        pytest.param([FIRST, SECOND, SECOND.replace(round=3)], 3, id="goes-on"),
    ],
)
def test_where_two_runs_part(other: list[Round], parted: int | None) -> None:
    runs = [Run(tuple(rounds), (), ()) for rounds in ([FIRST, SECOND], other)]
    assert first_difference(*runs) == parted
    assert first_difference(*runs[::-1]) == parted


def test_quotients_to_six_places() -> None:
    """6 outputs, one in each of rounds 1 to 6: 5/5 and 5/6 rounds."""
    result = document("tpot-by-n", Case((Request("A", 4, 5),), Knobs()))["result"]
    assert result["first"]["rounds"] == 0.833333
    assert [result[key]["tpot"][0]["rounds"] for key in ("right", "broken")] == [1.0, 0.833333]
    assert (result["first"]["place"], result["first"]["request"]) == (1, "A")


LOADS = Case(
    tuple(Request(name, 9, 1, prompt=(n, *SAME)) for n, name in enumerate(("A", "B", "C"), 10)),
    Knobs(budget=64, block_size=4),
    ExternalScript(
        dict.fromkeys(("A", "B", "C"), ((8, True),)),
        {3: Report(finished_recving=("A",)), 5: Report(finished_recving=("B",))},
    ),
)


def test_each_load_has_its_own_report() -> None:
    lines = page("in-flight-hit", LOADS)
    assert "loads 8 tokens for A in the background; the workers report it after round 3." in lines
    assert "loads 8 tokens for B in the background; the workers report it after round 5." in lines
    assert "loads 8 tokens for C in the background; no report of it comes." in lines


def test_the_document_holds_the_script_and_the_rule() -> None:
    params = document("in-flight-hit", LOADS)["params"]
    assert params["rule"] == "vllm"
    assert params["external"]["connector_answers"]["C"] == [[8, True]]
    assert sorted(params["external"]["worker_reports"]) == ["3", "5"]
    assert "external" not in document("oversized", OWN)["params"]


def test_requests_without_end_and_without_more_are_written_short() -> None:
    case = Case((Request("A", 4, None), Request("B", 4, 1, abort=3)), Knobs(), rounds=5)
    endless, withdrawn = document("tpot-by-n", case)["params"]["requests"]
    assert endless["decode"] == "inf"
    assert "abort" not in endless
    assert (withdrawn["decode"], withdrawn["abort"]) == (1, 3)


def test_tables_are_recorded_where_they_are_read() -> None:
    case = Case((Request("A", 4, 3),), Knobs())
    for bug, detail in (("tpot-by-n", False), ("oversized", False), ("pooled-rounding", True)):
        found = run(bug, case)
        for account in (found.right, found.broken):
            assert account is not None
            assert {round.columns is not None for round in account.run.rounds} == {detail}
        for side in ("right", "broken"):
            assert "block_tables" in document(bug, case)["result"][side]["rounds"][0]
