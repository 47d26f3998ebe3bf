"""argparse with this project's manners: one error line, no abbreviations, help in two languages."""

from __future__ import annotations

import argparse

from labs.base import LabError
from labs.view.languages import LANGUAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class HelpAskedError(Exception):
    """Carries the help text to the one place that writes, instead of argparse writing it."""


class LabParser(argparse.ArgumentParser):
    """An ArgumentParser that raises `LabError` instead of printing its usage and leaving."""

    def __init__(self, *, lang: str, **settings: Any) -> None:
        self.lang = lang
        # lines of help that we broke ourselves stay as they are
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """As in argparse, but `help` may be a pair (English, Chinese)."""
        help = settings.get("help")
        if isinstance(help, tuple):
            settings["help"] = help[LANGUAGES.index(self.lang)].replace("%", "%%")
        return super().add_argument(*names, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in argparse, but an option that is not known comes before what other words may be wrong."""
        if self._subparsers is None:
            for word in args or ():
                option = word.partition("=")[0]
                if option[:2] == "--" and option[2:] and option not in self._option_string_actions:
                    raise LabError(word, "unknown_option", word)
        return super().parse_known_args(args, namespace)

    def print_help(self, file: Any = None) -> NoReturn:
        raise HelpAskedError(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Turn argparse's wording, which varies with the version of Python, into ours, which does not."""
        if message.startswith("unrecognized arguments: "):
            word = message.partition(": ")[2].split(" ")[0]
            rule = "unknown_option" if word.startswith("-") else "surplus_word"
            raise LabError(word, rule, word)
        if message.startswith("argument "):
            name, _, what = message.removeprefix("argument ").partition(": ")
            if what.startswith("expected"):
                raise LabError(name, "needs_value", "nothing")
            if what.startswith("ignored explicit argument"):
                raise LabError(name, "takes_no_value", what.partition("argument ")[2].strip("'"))
            if what.startswith("not allowed with argument "):
                raise LabError(name, "not_with", name, other=what.removeprefix("not allowed with argument "))
            if what.startswith("invalid choice: "):
                raise LabError(
                    name,
                    "unknown_command",
                    what.split("'")[1] if "'" in what else what,
                    choices=", ".join(self._command_names()),
                )
        raise LabError("command line", "usage", message=message)

    def _command_names(self) -> list[str]:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return [name for name in action.choices if " " not in name]  # without sub-words
        return []
