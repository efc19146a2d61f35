"""Which repositories data may be made of."""

from __future__ import annotations

import pytest
from histories import MIT, make_repo

from fastapply_lab.data.licence import licences_of, permissive_licence

pytestmark = pytest.mark.usefixtures("licences")

OPENING = "Copyright (c) 2020, The Shop and its friends. All rights reserved.\n\n"
BSD = (
    OPENING
    + "Redistribution and use in source and binary forms, with or without modification, are permitted "
    "provided that the following conditions are met: the list of the shop is kept.\n"
)
NEITHER = "Neither the name of the shop nor the names of its friends may be used to endorse anything.\n"
ZLIB = OPENING + "1. The origin of this software must not be misrepresented; you did not write it.\n"
APACHE = "Apache License\nVersion 2.0, January 2004\n\nwith an appendix of the shop's own\n"
OWN_MIT = OPENING + MIT.partition("\n\n")[2].partition("\n\n")[2].replace("THE SOFTWARE IS", "All of this is")
GPL = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n\nThe GNU General Public License is a free one.\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [(MIT, "MIT"), (OWN_MIT, "MIT"), (BSD, "BSD-2-Clause"), (BSD + NEITHER, "BSD-3-Clause"), (ZLIB, "Zlib"),
     (APACHE, "Apache-2.0")],
    ids=["MIT", "MIT in words of its own", "BSD of two clauses", "BSD of three", "zlib", "Apache"],
)  # fmt: skip
def test_permissive_licence_is_known_by_its_sentences(tmp_path, text, name):
    """Also where names, years and clauses of its own stand in it."""
    repo = make_repo(tmp_path / "shop", {"LICENSE.txt": text})
    assert licences_of(repo) == (name,)
    assert permissive_licence(repo) == name


@pytest.mark.parametrize(
    "files",
    [
        {"COPYING": GPL},
        {"README": "free to use\n"},
        {"LICENSE": "You may look at it.\n"},
        {"LICENSE": MIT + "\nThe Software shall be used for Good, not Evil.\n" * 9},
        {"LICENSE": '"Commons Clause" License Condition v1.0\n\n' + OWN_MIT},
        {"LICENSE": BSD + "All advertising materials mentioning features must say so.\n" + NEITHER},
        {"LICENSE": OWN_MIT, "COPYING": GPL},
        {"LICENSE": OWN_MIT + "\nThe folder gui is under the GNU General Public License.\n"},
        {"docs/LICENSE": MIT},
        {"LICENSE-docs": MIT},
    ],
    ids=[
        *("GPL", "none", "unknown", "for good", "Commons Clause", "advertising", "MIT beside GPL"),
        *("a GPL part", "not at the root", "of the docs"),
    ],
)
def test_repository_without_a_permissive_licence_is_refused(tmp_path, files):
    """The GPL, none, an unknown one, one with a condition more, and one that is only for a part."""
    assert permissive_licence(make_repo(tmp_path / "shop", files)) is None


def test_two_permissive_licences_are_as_good_as_one(tmp_path):
    """And so is one beside a text that only says which they are."""
    files = {"LICENSE-MIT": MIT, "LICENSE-ZLIB": ZLIB, "COPYING": "Dual-licensed, see the other files.\n"}
    repo = make_repo(tmp_path / "shop", files)
    assert licences_of(repo) == ("", "MIT", "Zlib")
    assert permissive_licence(repo) == "MIT"


def test_licence_that_is_named_is_taken_too(tmp_path):
    """As with --licence; any other is not."""
    repo = make_repo(tmp_path / "shop", {"LICENSE": GPL})
    (name,) = licences_of(repo)
    assert permissive_licence(repo, frozenset({name})) == name
    assert permissive_licence(repo, frozenset({"MPL-2.0"})) is None


def test_repository_without_a_commit_has_no_licence(tmp_path):
    """It is refused like any other without one."""
    repo = make_repo(tmp_path / "shop")
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/none\n")
    assert licences_of(repo) == ()
    assert permissive_licence(repo) is None
