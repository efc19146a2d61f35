"""Which repositories a list and a command line name."""

from __future__ import annotations

import pytest
from histories import git, make_repo

from fastapply.errors import FileTrouble, UsageError
from fastapply_lab.data.sources import Sources, read_sources


def test_list_says_who_is_held_out(tmp_path):
    """Paths begin at the list's own folder; comments and blank lines say nothing."""
    for name in ("tea", "salt", "wool", "iron"):
        make_repo(tmp_path / name)
    listed = tmp_path / "list.txt"
    listed.write_text("# all of them\ntea  # the first\n\ntrain salt\nvalid wool\n\ttest iron\n")
    names = ("tea", "salt", "wool", "iron")
    assert read_sources([], listed) == Sources(
        tuple(tmp_path / name for name in names), ("salt",), ("wool",), ("iron",)
    )


def test_paths_of_a_list_begin_at_the_root_that_is_named(tmp_path):
    """And those of the command line, which come first, where the command is called."""
    (tmp_path / "lists").mkdir()
    listed = tmp_path / "lists" / "list.txt"
    listed.write_text("tea\n")
    make_repo(tmp_path / "tea")
    other = make_repo(tmp_path / "salt")
    assert read_sources([str(other)], listed, tmp_path).paths == (other, tmp_path / "tea")
    with pytest.raises(FileTrouble, match="tea is not a git repository"):
        read_sources([], listed)


def test_address_is_cloned_once_and_named_by_its_owner(tmp_path):
    """Bare, into the cache folder; the clone stays as it is when its source goes on."""
    shop = make_repo(tmp_path / "people" / "shop", {"a.txt": "one\n"})
    (first,) = read_sources([f"file://{shop}"], None).paths
    assert first.name == "people+shop.git"
    assert git(first, "show", "HEAD:a.txt") == "one\n"
    git(shop, "rm", "--quiet", "a.txt")
    git(shop, "commit", "--quiet", "--message=none")
    (second,) = read_sources([f"file://{shop}/"[:-1]], None).paths
    assert (second, git(second, "show", "HEAD:a.txt")) == (first, "one\n")


def test_addresses_that_end_alike_are_two_clones(tmp_path):
    """Each holds what its own address has."""
    texts = []
    for host in ("here", "there"):
        shop = make_repo(tmp_path / host / "people" / "shop", {"a.txt": f"{host}\n"})
        (clone,) = read_sources([f"file://{shop}"], None).paths
        texts.append(git(clone, "show", "HEAD:a.txt"))
    assert texts == ["here\n", "there\n"]


def test_clone_that_was_stopped_is_made_again(tmp_path, state_dir):
    """What it left behind is in nobody's way."""
    shop = make_repo(tmp_path / "people" / "shop")
    (clone,) = read_sources([f"file://{shop}"], None).paths
    clone.rename(clone.with_suffix(".part"))
    (clone.with_suffix(".part") / "HEAD").unlink()
    assert read_sources([f"file://{shop}"], None).paths == (clone,)
    assert [path.name for path in clone.parent.iterdir()] == ["people+shop.git"]
    assert state_dir in clone.parents


def test_address_that_cannot_be_cloned_is_named(tmp_path):
    """With what git says about it."""
    with pytest.raises(FileTrouble, match=r"cannot clone file:///.*none: fatal: .*\w"):
        read_sources([f"file://{tmp_path}/none"], None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("validation tea\n", "list.txt:1: 'validation tea' is not a repository"),
        ("# x\ntest tea salt\n", "list.txt:2: 'test tea salt' is not a repository"),
        ("tea\nvalid tea\n", "the repository tea is named twice"),
        ("tea\nother/tea\n", "the repository tea is the name of two"),
    ],
    ids=["unknown split", "three words", "twice", "two of one name"],
)
def test_list_that_could_be_meant_otherwise_is_refused(tmp_path, text, said):
    """A repository held out by a slip of the pen would be trained on, and nobody would see it."""
    make_repo(tmp_path / "tea")
    make_repo(tmp_path / "other" / "tea")
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_sources([], tmp_path / "list.txt")
    assert said in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"], ids=["absent", "not text"])
def test_list_that_cannot_be_read_is_named(tmp_path, content):
    """Absent, or no text."""
    if content is not None:
        (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(FileTrouble, match=r"list\.txt"):
        read_sources([], tmp_path / "list.txt")
