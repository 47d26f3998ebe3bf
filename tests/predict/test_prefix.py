"""Predicted look-ups: the forms they may have, and each cause with its block and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from labs.base import LabError
from labs.parsed_line import parsed_line
from labs.predict.prefix import Guess, read_guesses
from labs.prefix import Params, predicted, render, run
from labs.view.predict import render_answer

if TYPE_CHECKING:
    from labs.predict.answer import Answer

TFF = Guess("matches", (True, False, False))

FORMS = [
    ("[True, False, False]", TFF),
    ("TFF", TFF),
    ("t f f", TFF),
    ("1 0 0", TFF),
    ("100", TFF),
    ("hit miss miss", TFF),
    ("hit, misses，Miss", TFF),
    ("HMM", TFF),
    ("命中 未命中 未命中", TFF),
    ("命中、未命中、不命中", TFF),
    ("是否否", TFF),
    ("yes no no", TFF),
    ("match, no match, mismatch", TFF),
    ("匹配 不匹配 未匹配", TFF),
    ("对错错", TFF),
    ("T/F/F", TFF),
    ("✓✗✗", TFF),
    ("T F F ...", TFF),
    ("block 0: True, block 1: False, block 2: False", TFF),
    ("block 0 hit, block 1 miss, block 2 miss", TFF),
    ("第0块命中，第1块未命中，第2块未命中", TFF),
    ("块 0：命中，块 1：未命中，块 2：未命中", TFF),
    ("block matches: [True, False, False]", TFF),
    ("块匹配：[True, False, False]", TFF),
    ("matches TFF", TFF),
    ("hits = 1 0 0", TFF),
    ("命中：1 0 0", TFF),
    ("block matches, other namespace: FFF", Guess("other_namespace_matches", (False,) * 3)),
    ("更换 namespace 后块匹配：[False, False, False]", Guess("other_namespace_matches", (False,) * 3)),
    ("namespace FFF", Guess("other_namespace_matches", (False,) * 3)),
    ("block matches, B without the salt: [False]", Guess("other_salt_matches", (False,))),
    ("B 不加 salt 时块匹配：[False]", Guess("other_salt_matches", (False,))),
    ("reusable 2", Guess("reusable_tokens", tokens=2)),
    ("reusable tokens of B: 2 of 6 (matching prefix 2, bound 4)", Guess("reusable_tokens", tokens=2)),
    ("B 可复用的 token：2/6（匹配前缀 2，上限 4）", Guess("reusable_tokens", tokens=2)),
    ("可复用 2", Guess("reusable_tokens", tokens=2)),
]


@pytest.mark.parametrize(("text", "guess"), FORMS, ids=[text for text, _ in FORMS])
def test_forms(text: str, guess: Guess) -> None:
    assert read_guesses(text) == (guess,)
    assert read_guesses(f"{text}\nTFF") == (guess, TFF)


@pytest.mark.parametrize(
    ("text", "where", "rule"),
    [
        ("", "--predict", "predict_empty"),
        ("2", "--predict, line 1", "predict_no_matches"),
        ("TFF\nmaybe", "--predict, line 2", "predict_no_matches"),
        ("foo: TFF", "--predict, line 1", "predict_no_matches"),
        ("matches:", "--predict, line 1", "predict_no_matches"),
        ("block 1: True, block 2: False", "--predict", "predict_block_order"),
        ("reusable: two", "--predict, line 1", "predict_no_reuse"),
        ("without the salt: FFF", "--predict", "predict_no_salt"),
    ],
)
def test_refused(text: str, where: str, rule: str) -> None:
    with pytest.raises(LabError) as refused:
        predicted(run(Params()), text)
    assert (refused.value.where, refused.value.rule) == (where, rule)


@pytest.mark.parametrize(
    "text", ["T | F | F", "hit\nmiss\nmiss", "block 0: hit\nblock 1: miss\nblock 2: miss"]
)
def test_a_block_a_piece(text: str) -> None:
    assert read_guesses(text) == (TFF,)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("knobs", ["", "--salt x --scheme sha256_cbor"])
def test_the_whole_output_is_right(lang: str, knobs: str) -> None:
    result = run(Params(**parsed_line(["prefix", *knobs.split()], "en").knobs))
    answer = predicted(result, render(result, lang))
    assert (answer.right, answer.checked) == (True, 10 if knobs else 7)


def test_matches_and_reuse_without_a_bar() -> None:
    for text in ("TFF reusable 2", "[True, False, False], reusable: 2", "TFF，可复用 2", "T/F/F reusable 2"):
        assert read_guesses(text) == (TFF, Guess("reusable_tokens", tokens=2))


def asked(knobs: str, text: str) -> Answer:
    return predicted(run(Params(**parsed_line(["prefix", *knobs.split()], "en").knobs)), text)


FULL_HIT = "--block-size 16 --a " + ",".join(map(str, range(32))) + " --b " + ",".join(map(str, range(32)))

CAUSES: list[Any] = [
    # knobs, prediction, cause, place, predicted, actual, values among those told
    (
        *("", "TTF", "tokens_differ", {"quantity": "matches", "block": 1}, True, False),
        {"position": 2, "a": 3, "b": 9},
    ),
    (
        *("", "TFT", "parent_differs", {"quantity": "matches", "block": 2}, True, False),
        {"tokens": [5, 6], "parent": 1, "first_reason": "tokens_differ"},
    ),
    (
        *("--a 1,2,3 --b 1,2,3", "TT", "not_full", {"quantity": "matches", "block": 1}, True, False),
        {"a_length": 3, "b_length": 3, "block_size": 2, "until": 3},
    ),
    (
        *("", "TFF|namespace TFF", "namespace_differs"),
        *({"quantity": "other_namespace_matches", "block": 0}, True, False, {"a": "model-a", "b": "model-b"}),
    ),
    (
        *("--salt s", "without salt: TFF", "salt_differs"),
        *({"quantity": "other_salt_matches", "block": 0}, True, False, {"a": "s", "b": ""}),
    ),
    (
        *("--salt s --b 1,2,3,4", "without salt: FTF", "parent_differs"),
        *({"quantity": "other_salt_matches", "block": 1}, True, False),
        {"parent": 0, "first_reason": "salt_differs"},
    ),
    (
        *("--lora ad:/x", "FFF", "equal_prefix", {"quantity": "matches", "block": 0}, False, True),
        {"until": 1, "lora": "ad:/x", "namespace": "model-a"},
    ),
    (
        *(FULL_HIT, "TF", "bound_not_match", {"quantity": "matches", "block": 1}, False, True),
        {"bound": 16, "total": 32},
    ),
    ("", "TFFF", "no_such_block", {"quantity": "matches", "block": 3}, None, None, {"given": 4, "blocks": 3}),
    ("", "TF", "blocks_missing", {"quantity": "matches", "block": 2}, None, None, {"given": 2, "blocks": 3}),
    (
        *(FULL_HIT, "reusable 32", "num_tokens_bound", {"quantity": "reusable_tokens"}, 32, 16),
        {"matching": 32, "bound": 16, "total": 32, "block_size": 16},
    ),
    (FULL_HIT, "reusable 31", "num_tokens_bound", {"quantity": "reusable_tokens"}, 31, 16, {"bound": 16}),
    (FULL_HIT, "reusable 1", "blocks_not_tokens", {"quantity": "reusable_tokens"}, 1, 16, {"block_size": 16}),
    ("", "reusable 4", "behind_the_miss", {"quantity": "reusable_tokens"}, 4, 2, {"miss": 1, "matching": 2}),
    ("", "reusable 3", "part_of_a_block", {"quantity": "reusable_tokens"}, 3, 2, {"matching": 2, "bound": 4}),
    ("", "reusable 0", "other_reuse", {"quantity": "reusable_tokens"}, 0, 2, {"matching": 2, "bound": 4}),
]


@pytest.mark.parametrize(
    ("knobs", "text", "cause", "place", "guess", "actual", "values"),
    CAUSES,
    ids=[f"{case[2]}-{case[1]}" for case in CAUSES],
)
def test_causes(
    knobs: str,
    text: str,
    cause: str,
    place: dict[str, object],
    guess: object,
    actual: object,
    values: dict[str, object],
) -> None:
    difference = asked(knobs, text).difference
    assert difference is not None
    assert (difference.cause, difference.place) == (cause, place)
    assert (difference.predicted, difference.actual) == (guess, actual)
    assert {key: difference.values.get(key) for key in values} == values


@pytest.mark.parametrize("case", CAUSES, ids=[f"{case[2]}-{case[1]}" for case in CAUSES])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_cause_is_told(case: Any, lang: str) -> None:
    """With its name, and in a sentence that has all its values."""
    params = Params(**parsed_line(["prefix", *case[0].split()], "en").knobs)
    text = render_answer("prefix", predicted(run(params), case[1]), lang)
    assert case[2] in text
    assert "{" not in text
    assert text.isascii() is (lang == "en")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "knobs", ["", "--salt s", "--scheme sha256_cbor", "--a 1,2,3,4 --b 1,2,3,4", FULL_HIT]
)
def test_what_the_lab_prints_is_right(lang: str, knobs: str) -> None:
    params = Params(**parsed_line(["prefix", *knobs.split()], "en").knobs)
    lines = render(run(params), lang).splitlines()
    mine = [line for line in lines if line.startswith(("block matches", "块匹配", "更换", "B ", "reusable"))]
    mine = [line for line in mine if not line.startswith(("B (", "B（"))]
    assert len(mine) == (4 if params.salt else 3)
    assert predicted(run(params), "\n".join(mine)).right
