"""What is drawn, read from the page itself: rounds, budgets, tables, queues, chains and slots.

Expected values are the course's documented results and the engines' recorded runs. test_sabotage.py breaks
the drawing, and one of these tests must turn red.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from labs import attention, capacity, prefix, schedule
from labs.files.requests import read_request_file
from labs.view.page.markup import Figure
from labs.view.page.schedule_panels import MAX_BLOCKS
from tests.page.tree import Node, parse

ROOT = Path(__file__).parents[2]
FUZZ = json.loads((ROOT / "tests/golden/engine_fuzz.json").read_text("utf-8"))
SMALL = [
    case for case in FUZZ["scheduler"] if len(case["steps"]) <= 60 and case["config"]["usable_blocks"] <= 32
]
CASES = {f"{case['mode']}-{case['seed']}": case for case in SMALL if case["preemptions"]}
LECTURE = schedule.Params()


def drawing(figure: Figure) -> Node:
    return parse(figure.drawing)


def rows(tree: Node) -> dict[str, list[Node]]:
    """The first table's rows by the first word of their heads: the cells of the steps, in order."""
    table = next(tree.all("table"))
    found = {}
    for row in table.all("tr"):
        head, *cells = [cell for cell in row.children if isinstance(cell, Node)]
        found[(head.text().split() or [""])[0]] = cells
    return found


def texts(cells: list[Node]) -> list[str]:
    return [cell.text() for cell in cells]


def panels(tree: Node) -> list[Node]:
    return [panel for panel in tree.all("div", "panel") if panel.get("data-only")]


def chips(node: Node, kind: str = "chip") -> list[str]:
    return [chip.text() for chip in node.all("span", kind)]


def test_the_lectures_rounds() -> None:
    found = rows(drawing(schedule.figure(schedule.run(LECTURE))))
    assert texts(found["request"]) == ["1", "2", "3", "4"]
    assert texts(found["A"]) == ["d1", "d1", "d1", ""]
    assert texts(found["B"]) == ["d1", "d1", "", ""]
    assert texts(found["C"]) == ["P6", "P4", "d1", "d1"]
    assert texts(found["D"]) == ["", "P2", "d1", ""]
    assert texts(found["unused"]) == ["0", "0", "5", "7"]
    steps = [[cell.get("data-step") for cell in found[name]] for name in ("A", "C", "budget", "unused")]
    assert steps == [["1", "2", "3", "4"]] * 4


def test_colours_say_phase_and_end() -> None:
    found = rows(drawing(schedule.figure(schedule.run(LECTURE))))
    assert [cell.get("class").split() for cell in found["C"]] == [
        ["prefill"],
        ["prefill"],
        ["decode"],
        ["decode", "ended"],
    ]
    ends = {
        name: [i + 1 for i, cell in enumerate(found[name]) if "ended" in cell.get("class")] for name in "ABD"
    }
    assert ends == {"A": [3], "B": [2], "D": [3]}


def test_budgets_are_filled_from_the_decodes_up() -> None:
    """Round 1: two decodes and six prefill tokens of eight. Round 3: three decodes, no prefill."""
    found = rows(drawing(schedule.figure(schedule.run(LECTURE))))
    bars = [
        [(part.get("class"), part.get("style")) for part in cell.all("span") if part.get("title")]
        for cell in found["budget"]
    ]
    assert bars[0] == [("decode", "height:25%"), ("prefill", "height:75%")]
    assert bars[2] == [("decode", "height:37%"), ("prefill", "height:0%")]


def test_waiting_is_a_dot() -> None:
    """Budget 2: C waits two rounds, D, which comes in round 2, six."""
    found = rows(drawing(schedule.figure(schedule.run(LECTURE.replace(budget=2)))))
    assert texts(found["C"]) == [".", ".", "P1", "P2", "P2", "P2", "P2", "P1", "d1", "d1"]
    assert texts(found["D"]) == ["", *["."] * 6, "P1", "P1", "d1"]
    assert found["C"][0].get("class") == "waiting"


def test_progress() -> None:
    """Context 1 and what was decoded of A and B; of C ten prompt tokens and two decodes, of D two and one."""
    tree = drawing(schedule.figure(schedule.run(LECTURE)))
    told = [
        {
            row[0]: row[1].split()
            for row in [texts(list(r.all("th")) + list(r.all("td"))) for r in panel.all("tr")][1:]
        }
        for panel in panels(tree)
    ]
    assert told[0] == {"A": ["2", "/", "4"], "B": ["2", "/", "3"], "C": ["6", "/", "12"]}
    assert told[1]["D"] == ["2", "/", "3"]
    assert told[3] == {
        "A": ["4", "/", "4"],
        "B": ["3", "/", "3"],
        "C": ["12", "/", "12"],
        "D": ["3", "/", "3"],
    }
    widths = [
        part.get("style") for part in list(panels(tree)[2].all("tr"))[3].all("span") if part.get("style")
    ]
    assert widths == ["width:83%", "width:8%"], "C in round 3: 10 and 1 of 12"


def recorded(case: dict[str, Any], folder: Path) -> Node:
    """A recorded case under vllm, drawn."""
    path = folder / "case.json"
    path.write_text(json.dumps(case), encoding="utf-8")
    params = schedule.params(requests=read_request_file(str(path), "--requests"), rule="vllm")
    return drawing(schedule.figure(schedule.run(params)))


@pytest.mark.parametrize("name", list(CASES))
def test_recorded_runs(name: str) -> None:
    """Tokens, tables, waiting and free queue of every step, and who holds each block of the pool."""
    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        tree = recorded(case, Path(folder))
    found, drawn = rows(tree), panels(tree)
    assert len(drawn) == len(case["steps"])
    for number, (step, panel) in enumerate(zip(case["steps"], drawn), start=1):
        columns = dict(zip(FUZZ["step_columns"], step))
        got = {request["id"]: found[request["id"]][number - 1].text() for request in case["requests"]}
        served = {who: text[1:] for who, text in got.items() if text[:1] in ("P", "d")}
        assert served == {who: str(tokens) for who, tokens in columns["scheduled"]}, number
        assert {who for who, text in got.items() if text == "x"} == set(columns["preempted"]), number
        table = {
            row.children[0].text(): row
            for row in list(panel.all("tr"))[1:]
            if isinstance(row.children[0], Node)
        }
        for who, blocks in columns["block_tables"]:
            assert chips(table[who]) == list(map(str, blocks[:MAX_BLOCKS])), (number, who)
        queues = [chips(line) for line in panel.all("p") if chips(line)]
        expected = [columns["waiting_after_schedule"], list(map(str, columns["free_queue_after_step"]))]
        assert queues == [queue for queue in expected if queue], number
        held = {
            square.children[0]: next(square.all("b")).text().split() for square in panel.all("span", "square")
        }
        for who, blocks in columns["block_tables"]:
            assert all(who in held[str(block)] for block in blocks), (number, who)
        in_tables = {str(block) for _, blocks in columns["block_tables"] for block in blocks}
        free = set(map(str, columns["free_queue_after_step"]))
        assert all(held[block] == [] for block in free - in_tables), number


def test_a_bar_is_never_over_full() -> None:
    """Under nano-vllm decodes do not count against the budget: A and B decode at a budget of 1."""
    params = LECTURE.replace(rule="nano-vllm", budget=1, requests=LECTURE.requests[:2])
    found = rows(drawing(schedule.figure(schedule.run(params))))
    bars = [part.get("style") for part in found["budget"][0].all("span") if part.get("title") == "decode 2"]
    assert bars == ["height:100%"]


def test_a_large_pool_is_not_drawn() -> None:
    for blocks, drawn in ((64, True), (65, False)):
        params = LECTURE.replace(rule="vllm", kv_blocks=blocks)
        panel = panels(drawing(schedule.figure(schedule.run(params))))[0]
        assert (next(panel.all("div", "pool"), None) is not None) == drawn


def test_rounds_alike_add_up() -> None:
    """A computes a token in each of 200 rounds, which stand in one column, beside its context of 1."""
    params = LECTURE.replace(requests=(LECTURE.requests[0].replace(decode=200),))
    figure = schedule.figure(schedule.run(params))
    assert figure.lasts == (200,)
    assert "201 / 201" in panels(drawing(figure))[0].text()


def test_states_of_loads() -> None:
    """The course's four paths: what waits for its KV says so."""
    params = schedule.params(external=True)
    first = panels(drawing(schedule.figure(schedule.run(params))))[0]
    table = [texts([cell for cell in row.children if isinstance(cell, Node)]) for row in first.all("tr")][1:]
    assert {row[0]: row[-1] for row in table} == {
        "miss": "RUNNING",
        "sync": "RUNNING",
        "async": "WAITING_FOR_REMOTE_KVS",
        "failed": "WAITING_FOR_REMOTE_KVS",
    }


def test_a_prompt_under_way_has_no_decodes() -> None:
    tree = drawing(schedule.figure(schedule.run(LECTURE)))
    row = list(panels(tree)[0].all("tr"))[3]
    assert [part.get("style") for part in row.all("span") if part.get("style")] == ["width:50%", "width:0%"]


def test_what_is_not_drawn_is_said() -> None:
    long = attention.figure(attention.run(attention.Params(tokens=50)))
    assert len(long.lasts) == 48
    assert "2 more positions are not drawn." in drawing(long).text()
    tokens = tuple(range(67 * 2))
    chains = prefix.figure(prefix.run(prefix.Params(a=tokens, b=tokens)))
    assert len(chains.lasts) == 64 + 1
    assert "3 more blocks are not drawn." in drawing(chains).text()


def test_hits_are_marked() -> None:
    """Nine tokens again, blocks of four: two of three blocks are hit, and only when the request begins."""
    again = [
        f"{name}:prompt=1;2;3;4;5;6;7;8;9,decode=1,arrive={arrive}" for name, arrive in (("A", 1), ("B", 2))
    ]
    from labs.files.requests import read_request

    params = schedule.params(
        request=[read_request(text, "--request") for text in again], rule="vllm", block_size=4
    )
    drawn = panels(drawing(schedule.figure(schedule.run(params))))
    tables = [
        {row.children[0].text(): row for row in list(p.all("tr"))[1:] if isinstance(row.children[0], Node)}
        for p in drawn
    ]
    assert chips(tables[0]["A"], "hit") == []
    assert chips(tables[1]["B"], "hit") == chips(tables[1]["B"])[:2] == chips(tables[0]["A"])[:2]


def test_a_long_run_is_drawn_by_rounds_alike() -> None:
    """A and B decode for ever, C waits: a thousand rounds in one column, or in few."""
    from labs.files.requests import read_request

    lines = ("A:prefill=0,decode=inf", "B:prefill=0,decode=inf", "C:prefill=10,decode=2")
    params = schedule.params(request=[read_request(line, "--request") for line in lines], budget=2)
    figure = schedule.figure(schedule.run(params))
    assert (figure.first, figure.lasts) == (1, (1000,))
    assert texts(rows(drawing(figure))["request"]) == ["1-1000"]


def test_too_many_rounds_are_cut_and_said() -> None:
    from labs.engine.requests import Request

    requests = tuple(Request(f"R{i}", prefill=1, decode=1, arrive=3 * i + 1) for i in range(60))
    result = schedule.run(LECTURE.replace(requests=requests))
    figure = schedule.figure(result)
    assert len(figure.lasts) == 4000 // 40, "forty rows, four thousand cells"
    text = drawing(figure).text()
    assert f"rounds up to {figure.lasts[-1]} of {result.run.num_rounds}" in text
    assert "20 more requests are not drawn" in text


def test_rows_of_both_paths() -> None:
    tree = drawing(attention.figure(attention.run(attention.Params())))
    table = list(next(tree.all("table")).all("tr"))[1:]
    squares = [
        [len(list(cell.all("span", kind))) for kind in ("prefill", "empty")]
        for row in table
        for cell in list(row.all("td"))[:2]
    ]
    assert squares == [[1, 0], [1, 0], [2, 0], [1, 1], [3, 0], [1, 2], [4, 0], [1, 3]]
    assert [list(row.all("td"))[2].text() for row in table] == ["1 / 1", "3 / 2", "6 / 3", "10 / 4"]


def test_a_damaged_cache_is_seen() -> None:
    """stale, four tokens: the write of position 2 is lost, so 2 and 3 differ."""
    tree = drawing(attention.figure(attention.run(attention.Params(sabotage="stale"))))
    verdicts = [list(row.all("td"))[3] for row in list(next(tree.all("table")).all("tr"))[1:]]
    assert [cell.text() for cell in verdicts] == ["True", "True", "False", "False"]
    assert [next(cell.all("span", "bad"), None) is not None for cell in verdicts] == [
        False,
        False,
        True,
        True,
    ]


def test_the_cache_fills_in_the_order_of_the_block_table() -> None:
    result = attention.run(attention.Params(tokens=5, block_size=2))
    drawn = panels(drawing(attention.figure(result)))
    first, second, third = result.block_table
    blocks = list(drawn[3].all("div", "block"))
    assert [chips(blocks[block]) for block in (first, second, third)] == [["0", "1"], ["2", "3"], []]
    assert len(list(blocks[third].all("span", "empty"))) == 2


def test_chains_show_parent_and_key() -> None:
    """The digests of the lecture's blocks, as the README documents them."""
    tree = drawing(prefix.figure(prefix.run(prefix.Params())))
    chain_a, chain_b, verdicts = next(tree.all("table")).all("tr")
    assert [cell.text() for cell in chain_a.all("td")] == [
        "[1, 2]root \u2192 6897abd3",
        "[3, 4]6897abd3 \u2192 9b2f3fa1",
        "[5, 6]9b2f3fa1 \u2192 bf73e04f",
    ]
    assert [cell.text() for cell in chain_b.all("td")] == [
        "[1, 2]root \u2192 6897abd3",
        "[9, 4]6897abd3 \u2192 9f7f5f30",
        "[5, 6]9f7f5f30 \u2192 86201e06",
    ]
    assert [cell.text() for cell in verdicts.all("td")] == [
        "match",
        "miss: tokens_differ",
        "miss: parent_differs",
    ]
    assert [block.get("class") for block in chain_b.all("div", "block")] == [
        "block match",
        "block miss",
        "block miss",
    ]


def test_what_can_be_reused_is_the_last_step() -> None:
    figure = prefix.figure(prefix.run(prefix.Params(a=(1, 2, 3, 4), b=(1, 2, 3, 4))))
    (reach,) = drawing(figure).all("p", "panel")
    assert (reach.get("data-step"), figure.lasts) == ("3", (0, 1, 2))
    assert reach.text() == "the look-up reaches 4 tokens, the bound is 2: 2 of 4 are reusable"


def test_a_block_that_is_not_full_has_no_key() -> None:
    _, chain_b, _ = next(drawing(prefix.figure(prefix.run(prefix.Params(b=(1, 2, 3))))).all("table")).all(
        "tr"
    )
    assert [cell.text() for cell in chain_b.all("td")][1:] == ["[3]not full: no key", "(no tokens)"]


def test_slots_of_seventeen_and_thirty_one_tokens() -> None:
    """17/31 tokens, block=16: 4 blocks, 64 reserved slots."""
    tree = drawing(capacity.figure(capacity.run(capacity.Params())))
    requests = [line for line in tree.all("p") if list(line.all("span", "slot"))]
    blocks = [
        [[len(list(b.all("span", k))) for k in ("decode", "empty")] for b in line.all("span", "block")]
        for line in requests
    ]
    assert blocks == [[[16, 0], [1, 15]], [[16, 0], [15, 1]]]
    assert [line.text() for line in requests] == ["17 tokens", "31 tokens"]


def test_lines_to_work_out() -> None:
    tree = drawing(capacity.figure(capacity.run(capacity.Params())))
    heads = [head.text() for head in tree.all("h2")]
    assert heads == [
        "1. KV per token",
        "2. KV of 8192 tokens",
        "3. blocks of 17/31 tokens, block=16",
        "4. transfer at 400 Gbit/s",
    ]
    answers = ["= 131072 B per token", "= 1 GiB", "= 4 blocks", "= 21.47 ms"]
    for step, (panel, answer) in enumerate(zip(tree.all("div", "panel"), answers, strict=True), start=1):
        assert panel.get("data-step") == str(step)
        assert answer in panel.text()
    assert not any(answer in head for head, answer in zip(heads, answers))
