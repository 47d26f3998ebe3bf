"""Reading a predicted schedule, in the form that the lab prints or shorter.

    Round 1: A decode 1, B decode 1, C prefill 6      as the lab prints it, in English or in Chinese
    Rounds 2-9, each: A decode 1                      rounds that are alike
    R1 A1 B1 C6       1: A1 B1 C6                     shorter; a phase need not be named
    A1 B1 | A1 B1 | A1 C1                             rounds without numbers, from round 1 on
    R1 A1 B1 C6 | A1 B1 C4 D2 | R3 A1 C1 D1           some with numbers

    prediction   rounds, parted by a newline, "|" or ";"; a round may say its number, and else is the next
    round        shares in any order, or "nobody is served" (also "-", "idle")
    share        NAME [prefill | decode | p | d] TOKENS, with ":", "=" or blanks between, or nothing;
                 or NAME decode

Shares are parted by blanks or commas of either language; brackets and quotes are passed over. A numbered
round goes on behind a comma at the end of its line; a number alone on its line takes all lines up to the next
number. Rounds follow one another from 1. Zero tokens is no share. Dots at the end say that the rest is not
predicted yet. Names are read in any case where that leaves no doubt. What the lab prints under a round
(preemptions, cached tokens) may stay, and so may all the rest of its output: it is passed over.
Does not model: names that hold a separator.
"""

from __future__ import annotations

import re
from itertools import pairwise

from labs.base import LabError, Record, require
from labs.engine.simulator import DECODE, PREFILL
from labs.predict.pieces import WHERE, result_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

PHASES = {"p": PREFILL, "预": PREFILL, "d": DECODE, "解": DECODE}  # by their first letter
NUMBER = "([0-9]{1,12})"
RANGE = rf"{NUMBER}(?:\s*(?:-|~|–|—|到|至)\s*{NUMBER})?"
NAMED_ROUND = re.compile(rf"(?:(?i:rounds?)|轮次?|第)\s*{RANGE}\s*轮?(?:\s*[,，]\s*(?:each|每轮))?\s*[:：.]?")
SHORT_ROUND = re.compile(rf"[Rr]{RANGE}\s*[:：]?")
SHORT_ROUND_WITH_COLON = re.compile(rf"[Rr]{RANGE}\s*[:：]")
BARE_ROUND = re.compile(rf"{RANGE}\s*(?:[:：、)）]|\.(?![0-9]))")
BETWEEN = " \t\r\n\u3000,，、;；|。[](){}（）【】\"'“”+&"
BETWEEN_WORDS = (r"and\b", "和", "与")
CHINESE_NUMBER = re.compile("(?<=第)(十?[一二三四五六七八九]|十)(?=轮)")
CHART = re.compile("^P (?:prefill tokens,|为 prefill token)", re.MULTILINE)
BLANK = " \t\r,，、。"
BETWEEN_ROUNDS = re.compile(r"[|;；]")
DOTS = ".…。"
NOBODY = re.compile(r"nobody is served|nobody|idle|没有调度任何请求|-(?=\s|[,，;；|]|$)")
TAIL = (
    r"[\"'”]?\s*[:：=(（×]?\s*(?:((?i:prefills?|decodes?)|预填充|解码|[pPdD])\s*[:：=]?\s*)?([0-9]{1,12})"
    r"(?:\s*(?i:tokens?))?(?![0-9.])"
)
DECODE_ALONE = r"\s*[:：=]?\s*((?i:decodes?)|解码)(?!\w)(?!\s*[:：=]?\s*[0-9])"
UNKNOWN_NAME = r"([^\s,，、;；|:：=.()（）×0-9\"'”\]}][^\s,，、;；|:：=.()（）×\"'”\]}]*?)"
NOTES = re.compile(
    r"^[ \t]*(?:preempted \S+: its blocks are freed|抢占 \S+，释放它的块"
    r"|\S+ starts with [0-9]+ tokens there already|\S+ 开始时已有 [0-9]+ 个 token 的 KV"
    r"|\S+ is withdrawn after this round|\S+ 在本轮之后中止"
    r"|the load of \S+ fails: [0-9]+ tokens withdrawn|\S+ 加载失败：[0-9]+ 个 token 作废)[ \t]*$",
    re.MULTILINE,
)


class Share(Record):
    """Tokens predicted for one request; the phase is None where it was not named."""

    request: str
    phase: str | None
    tokens: int


class Predicted(Record):
    """Rounds `first` to `last`, predicted alike."""

    first: int
    last: int
    shares: tuple[Share, ...]


def read_rounds(text: str, names: Sequence[str]) -> tuple[Predicted, ...]:
    """A prediction about requests of these names; `LabError` names the line and round it cannot read.

    >>> read_rounds("A1 | A decode 1, C6", ["A", "C"])[1].shares
    (Share(request='A', phase='decode', tokens=1), Share(request='C', phase=None, tokens=6))
    """
    text = result_lines(NOTES.sub("", text), NAMED_ROUND)
    text = CHART.split(text)[0].rstrip().rstrip(DOTS)
    text = CHINESE_NUMBER.sub(lambda found: str(_number(found[0])), text)
    require(bool(text.strip(BLANK + "\n;；|")), WHERE, "predict_empty", "nothing")
    return tuple(
        [Predicted(first, last, tuple(shares)) for first, last, shares in _Reader(text, names).read()]
    )


def _number(chinese: str) -> int:
    """A number up to nineteen in Chinese.

    >>> _number("九"), _number("十"), _number("十二")
    (9, 10, 12)
    """
    return 10 * chinese.startswith("十") + "十一二三四五六七八九".index(chinese[-1])


class _Reader:
    """Goes over the text once: `rounds` holds first, last and shares of each, `round` is the number it is in.

    `says` tells whether the last round, which `began` there, has said what it holds, `is_numbered` whether
    some round had a number.
    """

    def __init__(self, text: str, names: Sequence[str]) -> None:
        longest_first = sorted(names, key=len, reverse=True)
        alternatives = "|".join([re.escape(name) for name in longest_first])
        self.text = text
        self.names = {**{name.lower(): name for name in names}, **{name: name for name in names}}
        in_any_case = "(?i:{})" if len({name.lower() for name in names}) == len(names) else "{}"
        known = [f"({alternatives})", f"({in_any_case.format(alternatives)})"]
        patterns = [*[name + TAIL for name in known], *[name + DECODE_ALONE for name in known]]
        self.shares = [re.compile(pattern) for pattern in (*patterns, UNKNOWN_NAME + TAIL)]
        signs = "".join([sign for sign in BETWEEN if not any(name.startswith(sign) for name in names)])
        words = [word for word in BETWEEN_WORDS if not any(re.match(word, name) for name in names)]
        self.between = re.compile("(?:" + "|".join([f"[{re.escape(signs)}]", *words]) + ")*")
        looks_short = any(re.fullmatch("[Rr][0-9]*", name) for name in names)
        self.marks = [NAMED_ROUND, SHORT_ROUND_WITH_COLON if looks_short else SHORT_ROUND]
        if not any(name[0] in "0123456789" for name in names):
            self.marks.append(BARE_ROUND)
        self.rounds: list[tuple[int, int, list[Share]]] = []
        self.round, self.began, self.says, self.is_numbered = 1, 0, True, False

    def read(self) -> list[tuple[int, int, list[Share]]]:
        """The rounds of the text, in their order."""
        takes_lines = False
        for start, end, begins_line in self._pieces():
            goes_on = begins_line and (takes_lines or self._is_behind_a_comma(start))
            takes_lines = takes_lines and goes_on
            at = self._skip(start)
            if not goes_on and not self._mark(at, end):
                self._begin(self._due, self._due, start, "")
            while at < end:
                mark = self._mark(at, end)
                if mark is None:
                    at = self._share(at, end, self.rounds[-1][2])
                else:
                    self._begin(int(mark[1]), int(mark[2] or mark[1]), at, mark[0].strip())
                    self.is_numbered, at = True, mark.end()
                at = self._skip(at)
            takes_lines = takes_lines or not self.says
        self._check_says()
        return self.rounds

    def _pieces(self) -> Iterator[tuple[int, int, bool]]:
        """Where each piece stands that is not blank, and whether a line begins with it."""
        at = 0
        for line in self.text.split("\n"):
            places = [0, *[match.end() for match in BETWEEN_ROUNDS.finditer(line)], len(line) + 1]
            for start, stop in pairwise(places):
                piece = line[start : stop - 1]
                if piece.strip(BLANK):
                    skipped = len(piece) - len(piece.lstrip(BLANK))
                    yield at + start + skipped, at + stop - 1, start == 0
                elif start and line[stop:].strip(BLANK):
                    self.round = self._due
                    self._refuse("predict_empty_round", at + start, piece)
            at += len(line) + 1

    def _mark(self, at: int, end: int) -> re.Match[str] | None:
        """The number of a round that begins here, if one does."""
        return next(filter(None, (mark.match(self.text, at, end) for mark in self.marks)), None)

    @property
    def _due(self) -> int:
        """The round that comes next."""
        return self.rounds[-1][1] + 1 if self.rounds else 1

    def _begin(self, first: int, last: int, at: int, written: str) -> None:
        self._check_says()
        self.round, due = first, self._due
        if first != due or last < first:
            self._refuse("predict_round_order", at, written, due=due)
        self.rounds.append((first, last, []))
        self.says, self.began = False, at

    def _check_says(self) -> None:
        """Refuse a number with nothing behind it."""
        if not self.says:
            self._refuse("predict_empty_round", self.began, self._shown(self.began))

    def _is_behind_a_comma(self, at: int) -> bool:
        """Whether a numbered round goes on from the line before."""
        return self.is_numbered and self.text[:at].rstrip().endswith((",", "，", "、"))

    def _skip(self, at: int) -> int:
        between = self.between.match(self.text, at)
        return between.end() if between else at

    def _share(self, at: int, end: int, shares: list[Share]) -> int:
        """Read the share that begins here into the list; where it ends."""
        self.says = True
        nobody = NOBODY.match(self.text, at, end)
        if nobody is not None and not shares:
            return nobody.end()
        share = next(filter(None, (share.match(self.text, at, end) for share in self.shares)), None)
        if share is None:
            self._refuse("predict_no_share", at, self._shown(at))
        name, phase = share[1], share[2]
        tokens = int(share[3]) if share.re.groups == 3 else 1
        name = self.names.get(name) or self.names.get(name.lower(), name)
        if any(other.request == name for other in shares):
            self._refuse("predict_twice", at, name)
        if tokens:
            shares.append(Share(name, PHASES[phase[0].lower()] if phase else None, tokens))
        return share.end()

    def _shown(self, at: int) -> str:
        """What stands here, up to the next separator."""
        return re.split(r"[\n,，、;；|]", self.text[at:], maxsplit=1)[0].strip()

    def _refuse(self, rule: str, at: int, got: str, **values: object) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        raise LabError(f"{WHERE}, line {line}, round {self.round}", rule, got, **values)
