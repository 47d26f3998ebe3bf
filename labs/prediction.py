"""`--predict`: a face that stands before a lab's own, runs it, and answers with the first difference only.

What a prediction says is read by the lab's own `predicted(result, text)`; how, stands in `labs.predict`.
"""

from __future__ import annotations

import sys

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 1 << 20
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，：；（）！？"}


def read_prediction(text: str, where: str) -> str:
    """A prediction: the text itself, what a file holds (`@FILE`), or standard input (`-`).

    Letters and digits of full width, as Chinese keyboards give them, are plain ones. In the text itself a
    typed `\\n` is a new line, as many shells leave it as it is.

    >>> read_prediction("\uff23\uff16 | A1\\\\nA1", "--predict")
    'C6 | A1\\nA1'
    """
    return _as_written(text, where).translate(FULL_WIDTH)


def _as_written(text: str, where: str) -> str:
    if text.startswith("@"):
        from labs.files.text import read_typed

        return read_typed(text[1:], where, MOST_BYTES)
    if text != "-":
        typed = text.removeprefix("\ufeff").replace("\\r\\n", "\n").replace("\\n", "\n")
        return typed.replace("\r\n", "\n")
    from labs.files.text import decoded_typed

    require(sys.stdin is not None, where, "cannot_read", "-", reason="stdin")
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    require(len(data) <= MOST_BYTES, where, "too_large", "-", most=MOST_BYTES)
    return decoded_typed(data, "stdin")


class PredictedFace:
    """The face of a lab in which a prediction is compared: nothing more is printed of the lab's own result.

    The lab's face offers `predicted(result, text) -> Answer`, and may name in `NOT_WITH_PREDICT` knobs that
    would print or write more.
    """

    def __init__(self, name: str, lab: Any) -> None:
        self.name, self.lab = name, lab
        self.Params = self.lab.Params

    def params(self, predict: str, **knobs: Any) -> tuple[Any, str]:
        """The lab's own parameters, and the prediction's text."""
        for knob in getattr(self.lab, "NOT_WITH_PREDICT", ()):
            option = "--" + knob.replace("_", "-")
            require(knob not in knobs, option, "not_with", option, other="--predict")
        return getattr(self.lab, "params", self.lab.Params)(**knobs), predict

    def run(self, predicting: tuple[Any, str]) -> Prediction:
        """Run the lab, and compare."""
        result = self.lab.run(predicting[0])
        return Prediction(result, self.lab.predicted(result, predicting[1]))

    def render(self, prediction: Prediction, lang: str) -> str:
        """Right, or the first difference and its cause."""
        from labs.view.predict import render_answer

        return render_answer(self.name, prediction.answer, lang)

    def document(self, prediction: Prediction) -> dict[str, Any]:
        """The same for `--json`, under the lab's own name."""
        from labs.view.predict import answer_document

        params = self.lab.document(prediction.result)["params"]
        return {"lab": self.name, "params": params, "prediction": answer_document(prediction.answer)}


class Prediction(Record):
    """A lab's result, and the answer to what was predicted of it."""

    result: Any
    answer: Any

    @property
    def holds(self) -> bool:
        return bool(self.answer.right)
