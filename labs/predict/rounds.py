"""Reading a predicted schedule, in the form that the lab prints or shorter.

    Round 1: A decode 1, B decode 1, C prefill 6      as the lab prints it, in English or in Chinese
    Rounds 2-9, each: A decode 1                      rounds that are alike
    R1 A1 B1 C6       1: A1 B1 C6                     shorter; a phase need not be named
    A1 B1 | A1 B1 | A1 C1                             rounds without numbers, from round 1 on

    prediction   numbered rounds; or plain rounds, parted by a newline, "|" or ";"
    round        shares in any order, or "nobody is served" (also "-", "idle")
    share        NAME [prefill | decode | p | d] TOKENS, with ":", "=" or blanks between, or nothing

Shares are parted by blanks, commas of either language, and in numbered rounds also by a newline, "|" or ";".
Rounds follow one another from 1. Zero tokens is no share. What the lab prints under a round (preemptions,
cached tokens) may stay: it is passed over.
Does not model: names that hold a separator.
"""

from __future__ import annotations

import re
from itertools import pairwise

from labs.base import LabError, Record, require
from labs.engine.simulator import DECODE, PREFILL
from labs.predict.pieces import WHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

PHASES = {"p": PREFILL, "预": PREFILL, "d": DECODE, "解": DECODE}  # by their first letter
NUMBER = "([0-9]{1,12})"
RANGE = rf"{NUMBER}(?:\s*(?:-|~|–|—|到|至)\s*{NUMBER})?"
NAMED_ROUND = re.compile(rf"(?:(?i:rounds?)|轮次?|第)\s*{RANGE}\s*轮?(?:\s*[,，]\s*(?:each|每轮))?\s*[:：.]?")
SHORT_ROUND = re.compile(rf"R{RANGE}\s*[:：]?")
SHORT_ROUND_WITH_COLON = re.compile(rf"R{RANGE}\s*[:：]")
BARE_ROUND = re.compile(rf"{RANGE}\s*[:：]")
BETWEEN = re.compile(r"[\s,，、;；|。]*")
BETWEEN_ROUNDS = re.compile(r"[|;；]")
NOBODY = re.compile(r"nobody is served|nobody|idle|没有调度任何请求|-(?=\s|[,，;；|]|$)")
TAIL = (
    r"\s*[:：=]?\s*(?:((?i:prefill|decode)|预填充|解码|[pPdD])\s*[:：=]?\s*)?([0-9]{1,12})(?:\s*tokens?)?"
    r"(?![0-9.])"
)
UNKNOWN_NAME = r"([^\s,，、;；|:：=.0-9][^\s,，、;；|:：=.]*?)"
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
    text = NOTES.sub("", text)
    start = BETWEEN.match(text)
    at = start.end() if start else 0
    require(at < len(text), WHERE, "predict_empty", "nothing")
    reader = _Reader(text, names)
    return tuple(reader.numbered() if reader.mark(at) else reader.plain())


class _Reader:
    """Goes over the text once; `round` is the number it is in."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        longest_first = sorted(names, key=len, reverse=True)
        alternatives = "|".join([re.escape(name) for name in longest_first])
        self.text = text
        self.shares = [re.compile(f"({alternatives}){TAIL}"), re.compile(UNKNOWN_NAME + TAIL)]
        looks_short = any(re.fullmatch("R[0-9]*", name) for name in names)
        self.marks = [NAMED_ROUND, SHORT_ROUND_WITH_COLON if looks_short else SHORT_ROUND]
        if not any(name[0] in "0123456789" for name in names):
            self.marks.append(BARE_ROUND)
        self.round = 1

    def mark(self, at: int) -> re.Match[str] | None:
        """The number of a round that begins here, if one does."""
        return next(filter(None, (mark.match(self.text, at) for mark in self.marks)), None)

    def numbered(self) -> Iterator[Predicted]:
        """Rounds that say their numbers."""
        at, end, due = 0, len(self.text), 1
        marks: list[tuple[int, int, list[Share]]] = []
        while (at := self._skip(at)) < end:
            mark = self.mark(at)
            if mark is not None:
                first, last = int(mark[1]), int(mark[2] or mark[1])
                self.round = first
                if first != due or last < first:
                    self._refuse("predict_round_order", at, mark[0].strip(), due=due)
                due = last + 1
                marks.append((first, last, []))
                at = mark.end()
            else:
                at = self._share(at, end, marks[-1][2])
        for first, last, shares in marks:
            yield Predicted(first, last, tuple(shares))

    def plain(self) -> Iterator[Predicted]:
        """Rounds in their order, without numbers."""
        at = 0
        for line in self.text.split("\n"):
            places = [0, *[match.end() for match in BETWEEN_ROUNDS.finditer(line)], len(line) + 1]
            for start, stop in pairwise(places):
                piece = line[start : stop - 1]
                if not piece.strip(" \t,，、。"):
                    if line[stop:].strip():
                        self._refuse("predict_empty_round", at + start, piece)
                    continue
                shares: list[Share] = []
                place, end = self._skip(at + start), at + stop - 1
                while place < end:
                    if self.mark(place):
                        self._refuse("predict_late_number", place, self._shown(place))
                    place = self._skip(self._share(place, end, shares))
                yield Predicted(self.round, self.round, tuple(shares))
                self.round += 1
            at += len(line) + 1

    def _skip(self, at: int) -> int:
        between = BETWEEN.match(self.text, at)
        return between.end() if between else at

    def _share(self, at: int, end: int, shares: list[Share]) -> int:
        """Read the share that begins here into the list; where it ends."""
        nobody = NOBODY.match(self.text, at, end)
        if nobody is not None and not shares:
            return nobody.end()
        share = next(filter(None, (share.match(self.text, at, end) for share in self.shares)), None)
        if share is None:
            self._refuse("predict_no_share", at, self._shown(at))
        name, phase, tokens = share[1], share[2], int(share[3])
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
