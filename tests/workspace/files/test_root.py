from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.errors import FileTrouble
from fastapply.workspace import files


@pytest.fixture
def root(tmp_path):
    """A folder with files, links within it, and links out of it."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"a\n")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_bytes(b"k\n")
    (root / "in.py").symlink_to("src/a.py")
    (root / "in").symlink_to("src")
    (root / "out.py").symlink_to("../secret/key")
    (root / "out").symlink_to("../secret")
    (root / "out_to_nothing").symlink_to("../nothing")
    (root / "loop").symlink_to("loop")
    (tmp_path / "root2").mkdir()
    return root


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../src/a.py", "src/a.py"),
        ("new/folder/b.py", "new/folder/b.py"),
        ("in.py", "in.py"),
        ("in/a.py", "src/a.py"),
        ("in/new.py", "src/new.py"),
        ("..a", "..a"),
        ("a..b/...", "a..b/..."),
        ("-n", "-n"),
        ("~backup~", "~backup~"),
        ("with space/ü 名.py", "with space/ü 名.py"),
        (".github/x.yml", ".github/x.yml"),
        (".gitignore", ".gitignore"),
        ("aux.c", "aux.c"),
        ("nul", "nul"),
        ("a:b", "a:b"),
        ("out/../src/a.py", None),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="these names are POSIX names")
def test_a_path_inside_is_found(root, path, expected):
    """Folders are resolved, a last link is not, and what does not exist yet is fine."""
    if expected is None:  # through a link that leads out and back again: not inside on the way
        with pytest.raises(FileTrouble):
            files.inside(root, path, windows=False)
    else:
        assert files.inside(root, path, windows=False) == root / expected


def test_an_absolute_path_inside_is_found(root):
    """Agents often write the whole path."""
    assert files.inside(root, str(root / "src" / "a.py")) == root / "src" / "a.py"


def test_a_root_behind_a_link_is_the_folder_behind_it(root, tmp_path):
    """Either name of the root may stand before the path."""
    (tmp_path / "also").symlink_to("root")

    found = [
        files.inside(root, str(tmp_path / "also" / "src" / "a.py")),
        files.inside(tmp_path / "also", "src/a.py"),
    ]

    assert found == [root / "src" / "a.py"] * 2


@pytest.mark.parametrize("windows", [False, True], ids=["posix", "windows"])
@pytest.mark.parametrize(
    "path",
    [
        "", " ", "a\0b", "..", "../x", "src/../../x", "../root2/x", "/etc/passwd", "/", "//server/share/x",
        "..\\x", "src\\..\\..\\x", "\\x", "\\\\server\\share\\x", "C:\\x", "c:/x", "C:", "~/x", "~", "~u/x",
        "out.py", "out/key", "out/new", "out_to_nothing", "out_to_nothing/x", "in/../../secret/key",
        ".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", "src/../.git/x", ".git",
    ],
)  # fmt: skip
def test_a_path_that_leads_out_is_refused(root, path, windows):
    """By its text, by a link, or because git would run what is written there."""
    with pytest.raises(FileTrouble) as caught:
        files.inside(root, path, windows=windows)

    assert (caught.value.reason, caught.value.exit_status) == ("outside_root", 4)


@pytest.mark.parametrize(
    "path",
    [
        "aux.c",
        "NUL",
        "src/con",
        "com1.txt",
        "LPT¹",
        "a:b",
        "a.py:stream",
        "what?",
        "a*",
        "end.",
        "end /x",
        'a"',
        "C:x",
    ],
)
def test_names_that_windows_reserves_are_refused_there(root, path):
    """They would open a device, a stream of another file, or fail."""
    with pytest.raises(FileTrouble) as caught:
        files.inside(root, path, windows=True)

    assert caught.value.reason == "outside_root"


@pytest.mark.parametrize("path", ["auxiliary.c", "console.py", "com10.txt", "src/./a.py", "a b.py", "x.nul"])
def test_names_that_only_look_reserved_are_fine(root, path):
    """The twin: a reserved name must be the whole stem."""
    assert files.inside(root, path, windows=True) == root / os.path.normpath(path)


@pytest.mark.parametrize("path", [".", "src/..", "./"])
def test_the_root_itself_is_not_a_file(root, path):
    """An edit cannot mean the folder."""
    with pytest.raises(FileTrouble) as caught:
        files.inside(root, path)

    assert caught.value.reason == "not_a_file"


def test_an_absolute_path_beside_the_root_is_refused(root, tmp_path):
    """A common beginning of the name is not the same folder."""
    for path in (tmp_path / "root2" / "x", tmp_path / "secret" / "key", tmp_path / "root" / ".." / "root2"):
        with pytest.raises(FileTrouble) as caught:
            files.inside(root, str(path))
        assert caught.value.reason == "outside_root"


def test_a_loop_of_links_is_no_way_out(root):
    """A link to itself is inside; reading it is what fails."""
    assert files.inside(root, "loop") == root / "loop"
    with pytest.raises(FileTrouble) as caught:
        files.read(root / "loop")
    assert caught.value.reason == "unreadable"


_PIECES = [
    "..",
    "/",
    "\\",
    ".",
    "a",
    "~",
    "C:",
    "\0",
    "\ud800",
    ".git",
    " ",
    "\n",
    "x" * 300,
    "é",
    "con",
    ":",
]


@pytest.fixture(scope="module")
def empty_root(tmp_path_factory):
    """A folder without any links."""
    return tmp_path_factory.mktemp("empty")


@given(pieces=st.lists(st.sampled_from(_PIECES), max_size=7), windows=st.booleans())
def test_any_text_is_a_place_inside_or_refused(empty_root, pieces, windows):
    """No text crashes, and none leads out."""
    try:
        place = files.inside(empty_root, "".join(pieces), windows=windows)
    except FileTrouble:
        return
    assert empty_root in place.parents
