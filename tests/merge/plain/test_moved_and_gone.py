"""Plain readings of moves, of what words say goes, of sorted places, and of things that are shown in part."""

from __future__ import annotations

import pytest

from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.lines import line_table
from fastapply.merge.plain.commas import with_commas
from fastapply.merge.plain.draft import splices_of
from fastapply.merge.plain.gone import told_gone
from fastapply.merge.plain.outline import Outline
from fastapply.merge.plain.readings import plain_drafts
from fastapply.merge.shortening import with_comments, with_details, with_docs
from fastapply.text import from_text, splice
from fastapply.types import Splice

STACK = """\
package stack

type Stack struct {
	items []int
}

func (s *Stack) Len() int {
	return len(s.items)
}

func New() *Stack {
	return &Stack{}
}
"""
USERS = """\
class UserService {
  list() {
    return this.http.get('/users');
  }

  get(id) {
    return this.http.get(`/users/${id}`);
  }

  createLegacy(name) {
    return this.http.post('/v1/users', { name });
  }
}
"""
SLUGS = (
    "import { slugify } from './slug.js';\n\ntest('one', () => {\n  expect(slugify('A')).toBe('a');\n});\n"
)
SUM = """\
fn sum(data: &[u8]) -> u32 {
    let mut sum = 0;
    unsafe {
        for byte in data {
            sum += 1;
        }
    }
    sum
}
"""
LIST = """\
class Playlist {
    void add(Track track) {
        tracks.add(track);
    }

    int size() {
        return tracks.size();
    }
}
"""
JOBS = """\
jobs:
  lint:
    run: npm run lint

  test:
    run: npm test

  build:
    run: npm run build
"""
SETTINGS = '{\n  "theme": "dark",\n  "autosave": true\n}\n'


def results(file: str, edit: str, said: str, language: str | None) -> list[str]:
    """The texts that the plain readings of an edit give."""
    source = from_text(file)
    table = line_table(source.lines, language)
    context = MergeContext(read_lazy(edit.splitlines(), table, language), table)
    drafts = plain_drafts(context, said, language)
    return [splice(source, splices_of(draft.changes, source.lines)).text for draft in drafts]


READ = {
    "a_function_moves_below_a_type": (
        STACK,
        "go",
        (
            "type Stack struct {\n\titems []int\n}\n\nfunc New() *Stack {\n\treturn &Stack{}\n}\n\n"
            "// ... Len unchanged ...\n"
        ),
        "I move the constructor New from the end of the file to right below the Stack type",
        STACK[: STACK.index("func (s")]
        + "func New() *Stack {\n\treturn &Stack{}\n}\n\n"
        + STACK[STACK.index("func (s") : STACK.index("\nfunc New")],
    ),
    "a_section_moves_with_what_a_marker_stands_for": (
        "# Tool\n\nCounts.\n\n## Usage\n\nRun it.\n\n## Installation\n\nGet it.\n",
        "markdown",
        (
            "Counts.\n\n## Installation\n\n<!-- existing section, moved here -->\n\n"
            "## Usage\n\n<!-- existing section -->\n"
        ),
        "move the Installation section in front of Usage",
        "# Tool\n\nCounts.\n\n## Installation\n\nGet it.\n\n## Usage\n\nRun it.\n",
    ),
    "a_member_goes_that_words_name_and_others_stay": (
        USERS,
        "javascript",
        "class UserService {\n  list(page) {\n    return this.http.get(`/users?page=${page}`);\n  }\n}\n",
        "paginate list and remove createLegacy",
        USERS[: USERS.index("\n  createLegacy")]
        .replace("list()", "list(page)")
        .replace("'/users'", "`/users?page=${page}`")
        + "}\n",
    ),
    "a_member_goes_that_a_note_names": (
        USERS,
        "javascript",
        (
            "class UserService {\n  list(page) {\n    return this.http.get('/users');\n  }\n"
            "  // createLegacy() is no longer needed\n}\n"
        ),
        "list takes a page",
        USERS[: USERS.index("\n  createLegacy")].replace("list()", "list(page)") + "}\n",
    ),
    "a_key_goes_among_sorted_ones": (
        "click==8.1\nfastapi==0.111\npydantic==2.7\nuvicorn==0.29\n",
        None,
        "httpx==0.27\n",
        "add httpx",
        "click==8.1\nfastapi==0.111\nhttpx==0.27\npydantic==2.7\nuvicorn==0.29\n",
    ),
    "a_key_goes_to_its_group": (
        "db.url=x\ndb.pool.max=20\n\nmail.host=y\n",
        "properties",
        "db.pool.timeout=30\n",
        "add a pool timeout",
        "db.url=x\ndb.pool.max=20\ndb.pool.timeout=30\n\nmail.host=y\n",
    ),
    "braces_around_a_key_only_frame_it": (
        SETTINGS,
        "json",
        '{\n  "debounceMs": 250\n}\n',
        "add debounceMs after autosave",
        '{\n  "theme": "dark",\n  "autosave": true,\n  "debounceMs": 250\n}\n',
    ),
    "an_overload_goes_behind_the_one_that_is_there": (
        LIST,
        "java",
        "    void add(int at, Track track) {\n        tracks.add(at, track);\n    }\n",
        "add an overload of add with a position",
        LIST.replace(
            "(track);\n    }\n",
            "(track);\n    }\n\n    void add(int at, Track track) {\n        tracks.add(at, track);\n    }\n",
        ),
    ),
    "a_job_goes_behind_the_second_one": (
        JOBS,
        "yaml",
        "  types:\n    run: npm run types\n",
        "add a types job after the second job",
        JOBS.replace("\n  build:", "\n  types:\n    run: npm run types\n\n  build:"),
    ),
    "all_that_follows_goes_into_a_new_block": (
        SLUGS,
        "javascript",
        SLUGS[: SLUGS.index("test")] + "describe('slugify', () => {\n  // ... existing tests ...\n});\n",
        "group all tests in a describe block",
        (
            "import { slugify } from './slug.js';\n\ndescribe('slugify', () => {\n  test('one', () => {\n"
            "    expect(slugify('A')).toBe('a');\n  });\n});\n"
        ),
    ),
    "a_block_around_what_is_shown_goes": (
        SUM,
        "rust",
        "    let mut sum = 0;\n    for byte in data {\n        // ...\n    }\n    sum\n",
        "remove the pointless unsafe block",
        (
            "fn sum(data: &[u8]) -> u32 {\n    let mut sum = 0;\n    for byte in data {\n"
            "        sum += 1;\n    }\n    sum\n}\n"
        ),
    ),
}


@pytest.mark.parametrize("name", READ)
def test_reading_is_a_candidate(name):
    """The merge that an engineer makes is among those that are read."""
    file, language, edit, said, wanted = READ[name]
    assert wanted in results(file, edit, said, language)


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("remove createLegacy", ["createLegacy"]),
        ("drop the get and createLegacy methods", ["get", "createLegacy"]),
        ("createLegacy is gone", ["createLegacy"]),
        ("I will delete the cache", []),
        ("remove the check from get", []),
        ("add a method after createLegacy", []),
    ],
)
def test_only_what_words_name_goes(told, names):
    """A place or something that the file does not define is no such thing."""
    outline = Outline(line_table(USERS.splitlines(), "javascript"), "javascript")
    assert [outline.name(number) for number in told_gone(outline, told)] == names


def test_a_move_that_changes_something_is_none():
    """An edit with a new line says itself what becomes of the file."""
    edit = "type Stack struct {\n\titems []int\n}\n\nfunc New(size int) *Stack {\n\treturn &Stack{}\n}\n"
    drafts = results(STACK, edit, "move New below the Stack type", "go")
    assert not any(
        text.index("func New") < text.index("func (s") and "size int" not in text for text in drafts
    )


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("    run(job) // slow", "    run(job)", True),
        ("static int run(void)", "int run(void)", True),
        ('cd "$DIR"', "cd $DIR", True),
        ("    run(job) // slow", "    run(job, 2)", False),
        ("static int run(void)", "int run(int n)", False),
        ("int run(void)", "static int run(void)", False),
    ],
)
def test_a_detail_that_a_line_lacks_may_stay(old, new, kept):
    """A comment behind the code, a modifier or quotes; not where the line says something else, or more."""
    found = with_details((Splice(0, 1, (new, "    more()")),), [old])
    assert found == ((Splice(0, 1, (old, "    more()")),) if kept else None)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("# Limits how far the server goes up.", "# Limits how far", True),
        ("# Limits how far the server goes up.", "# Says how far the server goes", False),
        ("class A(Base):", "class A:", True),
        ("class A(Base):", "class B:", False),
        (") {", ")", True),
    ],
)
def test_comments_bases_and_braces_that_are_cut_short_may_stay(old, new, kept):
    """Where the line says nothing else."""
    keep = with_comments if old.startswith("#") else with_details
    found = keep((Splice(0, 1, (new, "x = 1")),), [old])
    assert found == ((Splice(0, 1, (old, "x = 1")),) if kept else None)


def test_what_documents_a_definition_may_stay():
    """Above one that stays, and above one whose first line changes; not where a new comment comes."""
    lines = ["}", "", "/** Ticks. */", "@Slow", "void tick() {", "}"]
    assert with_docs((Splice(2, 4, ()),), lines) == ()
    changed = Splice(2, 5, ("void tick(int n) {",))
    assert with_docs((changed,), lines) == (Splice(2, 5, ("/** Ticks. */", "@Slow", "void tick(int n) {")),)
    assert with_docs((Splice(2, 4, ("/** Ticks once. */",)),), lines) is None


def test_a_comma_at_the_end_stays_where_the_language_has_them():
    """JSON has none behind its last entry; a dictionary of Python may have one."""
    file = line_table(["UNITS = {", '    "g": 1,', '    "kg": 1000', "}"], "python")
    new = (Splice(3, 3, ('    "oz": 28,',)),)
    mended = (Splice(2, 3, ('    "kg": 1000,', '    "oz": 28,')),)
    assert with_commas(new, file, "python", trailing=True) == mended
    assert with_commas(new, file, "python") == (Splice(2, 3, ('    "kg": 1000,', '    "oz": 28')),)
    data = line_table(["{", '    "g": 1,', '    "kg": 1000', "}"], "json")
    assert with_commas(new, data, "json", trailing=True) == (
        Splice(2, 3, ('    "kg": 1000,', '    "oz": 28')),
    )
