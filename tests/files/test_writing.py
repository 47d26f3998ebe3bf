"""A file is written whole or not at all, and a refusal is one error at the option.

Turned red by: writing into the target itself, a draft left behind after an error, a link replaced by a file,
the mode of a new or an old file not as any other program leaves it, a device replaced by a file.
"""

from __future__ import annotations

import errno
import os
import resource
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from labs.base import LabError
from labs.files.writing import write_together, write_whole

NOBODY = 65534


def refusal(path: str | Path, text: str = "new\n") -> tuple[str, str, object]:
    """Where, which rule and what was got, of a path that cannot be written."""
    with pytest.raises(LabError) as caught:
        write_whole(str(path), text, "--timeline")
    return caught.value.where, caught.value.rule, caught.value.got


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, where the tests run as root."""
    if os.getuid() != 0:
        yield
        return
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


def test_a_new_file(tmp_path: Path) -> None:
    """Bytes as they are, in UTF-8, with the permissions of any new file."""
    path = tmp_path / "new.json"
    with umask(0o027):
        write_whole(str(path), "a\r\n\u5757\n", "--timeline")
    assert path.read_bytes() == b"a\r\n\xe5\x9d\x97\n"
    assert mode(path) == 0o640
    assert os.listdir(tmp_path) == ["new.json"]


def test_an_old_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text("old, and longer than the new one\n")
    path.chmod(0o604)
    with open(path) as reader:
        write_whole(str(path), "new\n", "--timeline")
        assert reader.read() == "old, and longer than the new one\n"  # who reads it sees one whole text
    assert path.read_text() == "new\n"
    assert mode(path) == 0o604
    assert os.listdir(tmp_path) == ["old.json"]


def test_a_path_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("here.json", "new\n", "--timeline")
    write_whole("-", "new\n", "--timeline")
    assert sorted(os.listdir(tmp_path)) == ["-", "here.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target.json", tmp_path / "link.json"
    target.write_text("old\n")
    link.symlink_to(target)
    write_whole(str(link), "new\n", "--timeline")
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    assert not target.is_symlink()


def test_a_link_to_nothing_makes_what_it_points_to(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to("target.json")
    write_whole(str(link), "new\n", "--timeline")
    assert link.is_symlink()
    assert (tmp_path / "target.json").read_text() == "new\n"


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old\n")
    (tmp_path / "circle").symlink_to("circle")
    for path, rule in (
        ("", "is_empty"),
        (str(tmp_path), "is_a_directory"),
        (str(tmp_path / "new.json") + "/", "is_a_directory"),
        (str(tmp_path / "none" / "new.json"), "no_such_folder"),
        (str(tmp_path / "file" / "new.json"), "cannot_write_file"),
        (str(tmp_path / "circle"), "cannot_write_file"),
        (str(tmp_path / ("n" * 300)), "cannot_write_file"),
        (str(tmp_path / "a\0b"), "cannot_write_file"),
    ):
        assert refusal(path) == ("--timeline", rule, path)
    assert sorted(os.listdir(tmp_path)) == ["circle", "file"]
    assert (tmp_path / "file").read_text() == "old\n"


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="no way to be somebody else for a while")
def test_a_file_that_may_not_be_written() -> None:
    """Replacing it would only need rights in the folder, but its mode says no."""
    with TemporaryDirectory() as folder:  # pytest's own is closed to others
        path = Path(folder) / "old.json"
        path.write_text("old\n")
        path.chmod(0o444)
        os.chmod(folder, 0o777)
        with as_nobody():
            write_whole(f"{folder}/new.json", "new\n", "--timeline")
            assert refusal(path)[1] == "cannot_write_file"
        assert path.read_text() == "old\n"
        assert sorted(os.listdir(folder)) == ["new.json", "old.json"]


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="no way to be somebody else for a while")
def test_a_folder_that_may_not_be_written() -> None:
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        with as_nobody():
            assert refusal(f"{folder}/new.json")[1] == "cannot_write_file"
        assert os.listdir(folder) == []


def test_the_rights_of_the_file_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where everything may be written: as on a medium that is mounted read-only."""
    path = tmp_path / "old.json"
    path.write_text("old\n")
    monkeypatch.setattr(os, "access", lambda target, rights: False)
    assert refusal(path)[1] == "cannot_write_file"
    assert path.read_text() == "old\n"


@pytest.mark.skipif(sys.platform != "linux", reason="limits on the size of files differ")
@pytest.mark.parametrize("old", [None, "old\n"], ids=["new file", "old file"])
def test_a_disk_that_gets_full(tmp_path: Path, old: str | None) -> None:
    """Part of the text is written, then no more: a limit on the size of files stands in for the disk's."""
    path = tmp_path / "file.json"
    if old is not None:
        path.write_text(old)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        refused = refusal(path, "x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert refused == ("--timeline", "cannot_write_file", str(path))
    assert [entry.name for entry in tmp_path.iterdir()] == ([] if old is None else ["file.json"])
    assert old is None or path.read_text() == old


@pytest.mark.parametrize("step", ["write", "chmod", "replace"])
def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Whatever fails on the way, the old file is there as before, and nothing else."""
    path = tmp_path / "old.json"
    path.write_text("old\n")
    path.chmod(0o600)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with umask(0o022):
        monkeypatch.setattr(os, step, fail)
        assert refusal(path)[1] == "cannot_write_file"
    assert path.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["old.json"]


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(str(tmp_path / "new.json"), "new\n", "--timeline")
    assert os.listdir(tmp_path) == []


def test_a_draft_of_another_run_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / f".inference_lab-{os.getpid()}-0.tmp"
    other.write_text("not ours\n")
    write_whole(str(tmp_path / "new.json"), "new\n", "--timeline")
    assert other.read_text() == "not ours\n"
    assert sorted(os.listdir(tmp_path)) == [other.name, "new.json"]


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(str(pipe), "new\n", "--timeline")
    assert os.read(reader, 100) == b"new\n"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_device() -> None:
    """It is refused, and still a device."""
    assert refusal("/dev/full") == ("--timeline", "cannot_write_file", "/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def together(*files: tuple[Path, str]) -> None:
    write_together({f"--file{n}": (str(path), text) for n, (path, text) in enumerate(files)})


def test_two_texts_for_one_file(tmp_path: Path) -> None:
    """The second option is named, also if it comes by a link; a device takes any number."""
    (tmp_path / "link").symlink_to("a.csv")
    for path in (tmp_path / "a.csv", tmp_path / "link", tmp_path / "." / "a.csv"):
        with pytest.raises(LabError) as raised:
            together((tmp_path / "a.csv", "a\n"), (path, "b\n"))
        assert (raised.value.where, raised.value.rule) == ("--file1", "is_same_output")
        assert sorted(os.listdir(tmp_path)) == ["link"]
    together((Path(os.devnull), "a\n"), (Path(os.devnull), "b\n"))


def test_several_files_are_written_together(tmp_path: Path) -> None:
    together((tmp_path / "a.csv", "a\n"), (tmp_path / "b.json", "b\n"))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.csv": "a\n", "b.json": "b\n"}


LATER_REFUSALS = [
    pytest.param("none/b.json", id="no folder"),
    pytest.param("/dev/full", id="a full device"),
]


@pytest.mark.parametrize("second", LATER_REFUSALS)
@pytest.mark.parametrize("old", [None, "old\n"], ids=["new file", "old file"])
def test_none_is_written_if_one_cannot_be(tmp_path: Path, second: str, old: str | None) -> None:
    first = tmp_path / "a.csv"
    if old is not None:
        first.write_text(old)
    with pytest.raises(LabError) as refused:
        together((first, "new\n"), (tmp_path / second, "new\n"))
    assert refused.value.where == "--file1"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == (
        {} if old is None else {"a.csv": old}
    )


def test_an_interrupt_leaves_no_draft_of_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        together((tmp_path / "a.csv", "a\n"), (tmp_path / "b.json", "b\n"))
    assert os.listdir(tmp_path) == []
