"""Workers that report at random what could be reported: loads and saves that end, loads that lost blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

from labs.engine.external.script import Report
from labs.engine.run.live_request import RUNNING, WAITING_FOR_REMOTE_KVS, LiveRequest
from labs.engine.run.stepper import EngineStepper

LAST_REPORT = 60


class Workers(dict[int, Report]):
    """Reports by step, made when asked for; `draws` are numbers from 0 to 9, used again and again."""

    def __init__(self, draws: Sequence[int]) -> None:
        super().__init__({step: Report() for step in range(1, LAST_REPORT + 1)})
        self.draws: Iterator[int] = cycle(draws)
        self.stepper: EngineStepper | None = None
        self.made: set[int] = set()

    def get(self, step: int, default: Report | None = None) -> Report | None:  # type: ignore[override]
        """Drawn the first time."""
        if step in self and step not in self.made:
            self.made.add(step)
            self[step] = self._report(step == LAST_REPORT)
        return super().get(step, default)

    def _report(self, last: bool) -> Report:
        assert self.stepper is not None
        external = self.stepper.scheduler.external
        assert external is not None
        received, sent, failed, bad = [], [], [], []
        for live in self.stepper.everybody:
            draw = next(self.draws)
            if live in external.kept:
                if draw < 5 or last:
                    sent.append(live.name)
            elif live.status is WAITING_FOR_REMOTE_KVS and not external.has_loaded(live):
                received += [live.name] if draw < 6 or last else []
                failed += [live.name] if draw == 0 else []
                bad += self._block(live) if draw in (1, 2, 6) else []
            elif live.status is RUNNING and draw == 9:
                bad += self._block(live)
        return Report(tuple(received), tuple(sent), tuple(bad), tuple(failed))

    def _block(self, live: LiveRequest) -> list[int]:
        return [live.block_table[next(self.draws) % len(live.block_table)]]
