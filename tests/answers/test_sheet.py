"""Reading sheets: which values come out, and what is refused, on one line that names file and line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import inference_lab
from answers.sheet import Sheet, parse_sheet, read_sheet
from labs.base import LabError

NAMES = ("p1", "p2")


def parsed(text: str) -> Sheet:
    return parse_sheet(text, NAMES, "sheet.py")


VALUES: dict[str, tuple[str, object]] = {
    "integer": ("4", Fraction(4)),
    "underscores": ("1_000", Fraction(1000)),
    "hexadecimal": ("0x10", Fraction(16)),
    "decimal-is-exact": ("0.1", Fraction(1, 10)),
    "no-digit-before-the-point": (".5", Fraction(1, 2)),
    "no-digit-after-the-point": ("5.", Fraction(5)),
    "exponent": ("1_5e-1", Fraction(3, 2)),
    "minus": ("-3", Fraction(-3)),
    "sum": ("1 + 2 - 4", Fraction(-1)),
    "product-and-power": ("4*2**0", Fraction(4)),
    "negative-power": ("2**-2", Fraction(1, 4)),
    "quotient-is-exact": ("1/3*3", Fraction(1)),
    "floor": ("7//2", Fraction(3)),
    "remainder": ("7.5 % 2", Fraction(3, 2)),
    "text": ("'4 GiB'", "4 GiB"),
    "adjacent-texts": ("'4 ' 'GiB'", "4 GiB"),
    "list": ("[1, 2]", (Fraction(1), Fraction(2))),
    "tuple": ("(1, 2)", (Fraction(1), Fraction(2))),
    "bare-tuple": ("1, 2", (Fraction(1), Fraction(2))),
    "nested": ("[[1], ()]", ((Fraction(1),), ())),
    "blank": ("...", ...),
    "truth-value": ("True", True),
    "none": ("None", None),
    "over-two-lines": ("[1,  # one\n 2]", (Fraction(1), Fraction(2))),
    "odd-escape": (r"'\d'", r"\d"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("text", "value"), VALUES.values(), ids=VALUES.keys())
def test_values(text: str, value: object) -> None:
    answer = parsed(f"p1 = {text}\n").answer("p1")
    assert answer is not None
    assert answer.value == value
    assert type(answer.value) is type(value)


def test_lines_and_texts_are_kept() -> None:
    sheet = parsed("# 一\n\np2 = [1,\n  '二']\np1 = 0x4 * 2; \n")
    assert [(given.name, given.line, given.text) for given in sheet.answers] == [
        ("p2", 3, "[1, '二']"),
        ("p1", 5, "0x4 * 2"),
    ]


def test_a_missing_line_is_no_answer() -> None:
    assert parsed("p1 = 1\n").answer("p2") is None
    assert parsed("").answers == ()


REFUSED: dict[str, tuple[str, str]] = {
    "call": ("p1 = print(4)", "1: not_a_literal"),
    "call-on-a-later-line": ("p1 = 1\n\np2 = [1, int('2')]", "3: not_a_literal"),
    "name": ("p1 = p2", "1: not_a_literal"),
    "ellipsis-by-name": ("p1 = Ellipsis", "1: not_a_literal"),
    "attribute": ("p1 = (1).real", "1: not_a_literal"),
    "subscript": ("p1 = [4][0]", "1: not_a_literal"),
    "comprehension": ("p1 = [x for x in (4, 1)]", "1: not_a_literal"),
    "f-string": ("p1 = f'{4} GiB'", "1: not_a_literal"),
    "lambda": ("p1 = lambda: 4", "1: not_a_literal"),
    "condition": ("p1 = 1if 1 else 2", "1: not_a_literal"),
    "comparison": ("p1 = 1 < 2", "1: not_a_literal"),
    "dictionary": ("p1 = {}", "1: not_a_literal"),
    "set": ("p1 = {4, 1}", "1: not_a_literal"),
    "bytes": ("p1 = b'4'", "1: not_a_literal"),
    "complex": ("p1 = 4j", "1: not_a_literal"),
    "starred": ("p1 = [*[4], 1]", "1: not_a_literal"),
    "walrus": ("p1 = (p2 := 4)", "1: not_a_literal"),
    "shift": ("p1 = 1 << 2", "1: not_a_literal"),
    "inverted": ("p1 = ~4", "1: not_a_literal"),
    "import": ("p1 = 4\nimport os", "2: not_an_assignment"),
    "expression": ("print(4)", "1: not_an_assignment"),
    "docstring": ("'''L3'''\np1 = 4", "1: not_an_assignment"),
    "annotated": ("p1: int = 4", "1: not_an_assignment"),
    "augmented": ("p1 = 4\np1 += 1", "2: not_an_assignment"),
    "chained": ("p1 = p2 = 4", "1: not_an_assignment"),
    "unpacked": ("p1, p2 = 4, 1", "1: not_an_assignment"),
    "attribute-target": ("p1.x = 4", "1: not_an_assignment"),
    "condition-statement": ("if 1:\n    p1 = 4", "1: not_an_assignment"),
    "endless-elif": ("if 1:\n pass\n" + "elif 1:\n pass\n" * 60_000, "1: not_an_assignment"),
    "syntax": ("p1 = 4\np2 = = 1", "2: not_an_assignment"),
    "indented": ("  p1 = 4", "1: not_an_assignment"),
    "unclosed-text": ("p1 = 'abc", "1: not_an_assignment"),
    "leading-zero": ("p1 = 012", "1: not_an_assignment"),
    "bad-escape": ("p1 = '\\N{no}'", "1: not_an_assignment"),
    "full-width-bracket": ("p1 = ［4, 1］", "1: not_an_assignment"),
    "unknown-problem": ("p1 = 4\np9 = 4", "2: unknown_problem"),
    "answered-twice": ("p1 = 4\np1 = 4", "2: assigned_twice"),
    "division": ("p1 = 1/0", "1: division_by_zero"),
    "floor-division": ("p1 = 1//0.0", "1: division_by_zero"),
    "modulo": ("p1 = 1%0", "1: division_by_zero"),
    "zero-to-a-negative-power": ("p1 = 0**-1", "1: division_by_zero"),
    "root": ("p1 = 4**0.5", "1: power_not_whole"),
    "power-of-powers": ("p1 = 9**9**9", "1: number_too_large"),
    "small-power-of-powers": ("p1 = (9**9)**-9**9", "1: number_too_large"),
    "product-of-powers": ("p1 = " + "*".join(["9**99"] * 40), "1: number_too_large"),
    "text-times-number": ("p1 = 'a' * 9", "1: not_a_number"),
    "list-times-number": ("p1 = [4] * 2", "1: not_a_number"),
    "truth-value-in-a-sum": ("p1 = True + 3", "1: not_a_number"),
    "minus-text": ("p1 = -'4'", "1: not_a_number"),
    "5000-digits": ("p1 = 1\np2 = " + "9" * 5000, "2: too_many_digits"),
    "5000-hexadecimal-digits": ("p1 = 0x" + "f" * 5000, "1: too_many_digits"),
    "5000-decimals": ("p1 = ." + "9" * 5000, "1: too_many_digits"),
    "huge-exponent": ("p1 = 1e999999999", "1: too_many_digits"),
    "tiny-exponent": ("p1 = 1e-41", "1: too_many_digits"),
    "100000-brackets": ("p1 = " + "[" * 100_000 + "]" * 100_000, "1: nested_too_deeply"),
    "100000-open-brackets": ("p1 = " + "(\n" * 100_000, "21: nested_too_deeply"),
    "100000-signs": ("p1 = " + "-" * 100_000 + "1", "1: answer_too_long"),
    "100000-terms": ("p1 = " + "1+" * 100_000 + "1", "1: answer_too_long"),
    "100000-joined-lines": ("p1 = \\\n" + "1+\\\n" * 100_000 + "1", "150: answer_too_long"),
    "long-f-string": ("p1 = f'{" + "1+" * 100_000 + "1}'", "1: answer_too_long"),
    "half-a-million-quotes": ('p1 = "' + '"' * 500_000, "1: answer_too_long"),
    "line-hidden-behind-a-comment": ("p1 = 1  # note\rp2 = 2", "1: has_cr"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("text", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(text: str, error: str) -> None:
    with pytest.raises(LabError) as caught:
        parsed(text)
    line, rule = error.split(": ")
    assert (caught.value.where, caught.value.rule) == (f"sheet.py:{line}", rule)


@pytest.mark.parametrize(
    "text",
    ["-" * 290 + "1", "1+" * 145 + "1", "1**" * 95 + "1", "[" * 20 + "]" * 20, "9" * 40, "# " + "9" * 5000],
    ids=["signs", "terms", "powers", "brackets", "digits", "digits-in-a-comment"],
)
def test_within_the_bounds(text: str) -> None:
    parsed(f"p1 = 1 {text}" if text.startswith("#") else f"p1 = {text}")


FILES: dict[str, tuple[bytes, str]] = {
    "utf-16": (
        "p1 = 4\n".encode("utf-16"),
        ":1: is UTF-16, as some Windows shells write with >: save it as UTF-8",
    ),
    "carriage-return": (b"p1 = 4\r\np2 = 1\r", ":2: holds a carriage return"),
    "zero-byte": (b"p1 = 4\n\0", ":2: holds a zero byte"),
    "invalid-utf-8": (b"p1 = 4\n\n# \xff\n", ":3: is not UTF-8 text"),
    "over-one-mebibyte": (b"#" * (1 << 20) + b"\n", ": is larger than 1048576 bytes"),
    "executable": (b"import os\nos._exit(0)\n", ":1: is not NAME = ANSWER"),
    "power": (b"p1 = 9**9**9\n", ":1: makes a number of more than 4096 bits (got 9**9**9)"),
}


@pytest.mark.parametrize(("data", "what"), FILES.values(), ids=FILES.keys())
def test_a_file_that_is_no_sheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, what: str
) -> None:
    path = tmp_path / "sheet.py"
    path.write_bytes(data)
    assert inference_lab.main(["answers", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {path}{what}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_a_sheet_saved_on_another_system(tmp_path: Path, mark: bytes, end: bytes) -> None:
    path = tmp_path / "sheet.py"
    path.write_bytes(mark + end.join([b"# my answers", b"p1 = [4,", b"  1]  # GiB", b"p2 = 3", b""]))
    sheet = read_sheet(str(path), ("p1", "p2"))
    assert [(given.line, given.text) for given in sheet.answers] == [(2, "[4, 1]"), (4, "3")]


def test_no_file_and_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, what in ((tmp_path / "none.py", "no such file"), (tmp_path, "is a directory, not a file")):
        assert inference_lab.main(["answers", str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"error: {path}: {what} (got ")
        assert err.count("\n") == 1


def test_signs_of_a_chinese_keyboard(tmp_path: Path) -> None:
    """Full-width brackets, digits and quotes, the listing comma, the ellipsis; comments stay."""
    path = tmp_path / "sheet.py"
    path.write_text("# 题目（１）\np1 = ［４、１］\np2 = “１０ GiB” # 我的\np3 = …\n", "utf-8")
    sheet = read_sheet(str(path), ("p1", "p2", "p3"))
    assert [given.value for given in sheet.answers] == [(4, 1), "10 GiB", ...]
