"""What git is asked about a working tree, whatever its names, its configuration and its history."""

import subprocess

import pytest

from roofstat.cli.revisions import changed_lines, export_revision, renamed_files, repository_root
from roofstat.errors import UsageError

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")


def git(directory, *arguments):
    command = ["git", "-C", str(directory), *IDENTITY, *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A repository with one file."""
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return commit(root, {"k.cu": TEXT})


def commit(root, files):
    for name, text in files.items():
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "change")
    return root


def changes(root, revision="HEAD"):
    found = changed_lines(root, revision)
    return {
        file.relative_to(root).as_posix(): lines and sorted(lines) for file, lines in found.items()
    }


@pytest.mark.parametrize(
    "name", ['q"uote.cu', "tab\tname.cu", "ü.cu", "back\\slash.cu", " blanks .cu", "new\nline.cu"]
)
def test_names_are_read_as_they_are(repository, name):
    commit(repository, {name: TEXT})
    (repository / name).write_text(TEXT.replace("three", "3"))
    assert changes(repository) == {name: [3]}


def test_a_renamed_file_has_the_lines_that_were_edited(repository):
    git(repository, "mv", "k.cu", "new.cu")
    assert changes(repository) == {}
    (repository / "new.cu").write_text(TEXT.replace("five", "5"))
    assert changes(repository) == {"new.cu": [5]}
    assert renamed_files(repository, "HEAD") == {repository / "new.cu": repository / "k.cu"}


def test_changed_line_ends_are_no_change(repository):
    (repository / "k.cu").write_bytes(TEXT.replace("two", "2").replace("\n", "\r\n").encode())
    assert changes(repository) == {"k.cu": [2]}


def test_the_configuration_of_the_user_changes_nothing(repository):
    for name, value in {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.renames": "false", "diff.relative": "true",
        "diff.interHunkContext": "50", "diff.external": "false", "color.ui": "always", "core.quotePath": "true",
    }.items():  # fmt: skip
        git(repository, "config", name, value)
    (repository / ".gitattributes").write_text("*.cu binary\n")
    git(repository, "mv", "k.cu", "new.cu")
    (repository / "new.cu").write_text(TEXT.replace("one", "1").replace("seven", "7"))
    assert changes(repository) == {"new.cu": [1, 7], ".gitattributes": None}


def test_lines_that_look_like_those_of_a_diff_are_content(repository):
    (repository / "k.cu").write_text(f"++ b/other.cu\n@@ -1 +1,99 @@\n\f@@ -1 +1,99 @@\n{TEXT}")
    assert changes(repository) == {"k.cu": [1, 2, 3]}


def test_deleted_files_have_no_lines(repository):
    commit(repository, {"other.cu": TEXT})
    (repository / "k.cu").unlink()
    (repository / "other.cu").write_text(TEXT.replace("six", "6"))
    assert changes(repository) == {"other.cu": [6]}


def test_what_is_new_since_a_branch_was_left_is_told_from_what_the_branch_has_got_since(repository):
    git(repository, "checkout", "-q", "-b", "topic")
    commit(repository, {"k.cu": TEXT.replace("one", "1")})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"k.cu": TEXT.replace("seven", "7")})
    git(repository, "checkout", "-q", "topic")
    assert changes(repository, "main") == {"k.cu": [1, 7]}
    assert changes(repository, "main...") == changes(repository, "main...HEAD") == {"k.cu": [1]}
    with pytest.raises(UsageError, match=r"BRANCH\.\.\. for what is new"):
        changes(repository, "main..HEAD")
    git(repository, "checkout", "-q", "--orphan", "unrelated")
    git(repository, "commit", "-q", "-m", "root")
    with pytest.raises(UsageError, match="no commit in common"):
        changes(repository, "main...")


def test_a_shallow_clone_is_said_to_be_one(repository, tmp_path):
    commit(repository, {"k.cu": "1\n"})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    with pytest.raises(UsageError, match=r"shallow.*fetch-depth: 0"):
        changes(clone, "HEAD~1")


def test_a_hook_in_a_linked_work_tree_sees_the_tree_that_its_files_are_in(
    repository, tmp_path, monkeypatch
):
    """Git tells its hooks the directory of the repository; from a folder below, that would make the folder its top."""
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked))
    (linked / "src").mkdir()
    monkeypatch.setenv("GIT_DIR", str(repository / ".git" / "worktrees" / "linked"))
    monkeypatch.setenv("GIT_INDEX_FILE", "absent")
    assert repository_root([linked / "src"]) == linked


def test_paths_in_several_repositories_are_refused(repository, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    assert repository_root([repository / "k.cu", repository]) == repository
    with pytest.raises(UsageError, match="several repositories"):
        repository_root([repository / "k.cu", other / "k.cu"])


def test_the_files_of_a_revision_are_complete_whatever_archives_leave_out(repository, tmp_path):
    commit(repository, {"data.h": "1\n", ".gitattributes": "data.h export-ignore\n"})
    (repository / "k.cu").write_text("changed\n")
    before = tmp_path / "before"
    before.mkdir()
    export_revision(repository, "HEAD", before)
    assert sorted(file.name for file in before.iterdir()) == [".gitattributes", "data.h", "k.cu"]
    assert (before / "k.cu").read_text() == TEXT
    assert changes(repository) == {"k.cu": [1]}  # the index is as before
