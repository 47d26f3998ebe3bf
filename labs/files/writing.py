"""Writing a text file whole or not at all.

The text goes to a file of its own in the same folder, which then takes the target's place in one move: who
reads the target sees the old text or the new one, and after an error only the old. A link stays a link, and
what it points to is replaced; the target keeps its mode. What is no regular file (a pipe, a device) cannot
be replaced and is written to as it is.
Does not model: owner and access lists of the old file, hard links to it; surviving a power cut.
"""

from __future__ import annotations

import os
import stat

from labs.base import LabError

ATTEMPTS = 100


def write_whole(path: str, text: str, where: str) -> None:
    """Put a text in place of a file, as UTF-8 with its line ends as they are; `LabError` at `where`."""
    if not path:
        raise LabError(where, "is_empty", path)
    if path.endswith(os.sep):
        raise LabError(where, "is_a_directory", path)
    try:
        target = os.path.realpath(path)
        mode = _mode(target)
        if mode is not None and _is_standard_output(target):
            raise LabError(where, "is_standard_output", path)
        if mode is not None and stat.S_ISDIR(mode):
            raise LabError(where, "is_a_directory", path)
        if mode is None or stat.S_ISREG(mode):
            _replace(target, text.encode("utf-8"), mode)
        else:
            with open(target, "wb", buffering=0) as file:
                _write_all(file.fileno(), text.encode("utf-8"))
    except (OSError, ValueError) as error:
        if isinstance(error, LabError):
            raise
        if isinstance(error, FileNotFoundError):
            raise LabError(where, "no_such_folder", path) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise LabError(where, "cannot_write_file", path, reason=reason) from None


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


def _replace(target: str, data: bytes, mode: int | None) -> None:
    """Write beside the target, then move over it; nothing is left behind if that fails."""
    draft, descriptor = _draft_beside(target)
    try:
        try:
            _write_all(descriptor, data)
            if mode is not None and mode != os.fstat(descriptor).st_mode:
                os.chmod(draft, stat.S_IMODE(mode))
        finally:
            os.close(descriptor)
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise


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
