"""Writing text files whole or not at all, and several of them together or none.

The text goes to a file of its own in the same folder, which then takes the target's place in one move: who
reads the target sees the old text or the new one, and after an error only the old. A link stays a link, and
what it points to is replaced; the target keeps its mode. What is no regular file (a pipe, a device) cannot
be replaced and is written to as it is, before any file takes its place.
Does not model: owner and access lists of the old file, hard links to it; surviving a power cut; a
folder that changes between the moves of several files.
"""

from __future__ import annotations

import os
import stat

from labs.base import LabError, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ATTEMPTS = 100


def write_whole(path: str, text: str, where: str) -> None:
    """Put a text in place of a file, as UTF-8 with its line ends as they are; `LabError` at `where`."""
    write_together({where: (path, text)})


def write_together(files: Mapping[str, tuple[str, str]]) -> None:
    """Put texts in place of files, option -> (path, text): all, or none after a `LabError` at one's option.

    Every draft is there before the first is moved; a device gets its text before any of them is.
    """
    taken: dict[str, str] = {}  # targets, by which option
    drafts: list[tuple[_Refusals, str, str]] = []
    devices: list[tuple[_Refusals, str, bytes]] = []
    try:
        for where, (path, text) in files.items():
            with _Refusals(path, where) as refusals:
                target, mode = _target(path, where)
                data = text.encode("utf-8")
                if mode is None or stat.S_ISREG(mode):
                    other = taken.setdefault(target, where)
                    require(other == where, where, "is_same_output", path, other=other)
                    drafts.append((refusals, _draft(target, data, mode), target))
                else:
                    devices.append((refusals, target, data))
        for refusals, target, data in devices:
            with refusals, open(target, "wb", buffering=0) as file:
                _write_all(file.fileno(), data)
        while drafts:
            refusals, draft, target = drafts[0]
            with refusals:
                os.replace(draft, target)
            del drafts[0]
    finally:
        for _, draft, _ in drafts:
            os.unlink(draft)


class _Refusals:
    """What the system refuses within, as a `LabError` at the option."""

    def __init__(self, path: str, where: str) -> None:
        self.path, self.where = path, where

    def __enter__(self) -> _Refusals:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, LabError) or not isinstance(error, (OSError, ValueError)):
            return
        if isinstance(error, FileNotFoundError):
            raise LabError(self.where, "no_such_folder", self.path) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise LabError(self.where, "cannot_write_file", self.path, reason=reason) from None


def _target(path: str, where: str) -> tuple[str, int | None]:
    """What a path leads to, and its kind and permissions; `LabError` if nothing can be written there."""
    require(bool(path), where, "is_empty", path)
    require(not path.endswith(os.sep), where, "is_a_directory", path)
    target = os.path.realpath(path)
    mode = _mode(target)
    if mode is not None:
        require(not _is_standard_output(target), where, "is_standard_output", path)
        require(not stat.S_ISDIR(mode), where, "is_a_directory", path)
    return target, mode


def is_same_file(path: str, other: str) -> bool:
    """Whether two paths lead to one file, through links as well."""
    return os.path.realpath(path) == os.path.realpath(other)


def _is_standard_output(target: str) -> bool:
    """Whether standard output goes to this very file: both would write over each other."""
    try:
        return os.path.samestat(os.stat(target), os.fstat(1))
    except OSError:
        return False


def _mode(target: str) -> int | None:
    """Kind and permissions of a file, None if there is none; `PermissionError` if it may not be written."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        import errno

        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode


def _draft(target: str, data: bytes, mode: int | None) -> str:
    """A file beside the target that holds what shall be there; none is left behind if that fails."""
    draft, descriptor = _draft_beside(target)
    try:
        try:
            _write_all(descriptor, data)
            if mode is not None and mode != os.fstat(descriptor).st_mode:
                os.chmod(draft, stat.S_IMODE(mode))
        finally:
            os.close(descriptor)
    except BaseException:
        os.unlink(draft)
        raise
    return draft


def _draft_beside(target: str) -> tuple[str, int]:
    """A new file in the target's folder, with the permissions that any new file gets, and open to write."""
    folder = os.path.dirname(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for attempt in range(ATTEMPTS):
        draft = os.path.join(folder, f".inference_lab-{os.getpid()}-{attempt}.tmp")
        try:
            return draft, os.open(draft, flags, 0o666)
        except FileExistsError:
            continue
    raise FileExistsError(f"{ATTEMPTS} drafts are there already")


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
