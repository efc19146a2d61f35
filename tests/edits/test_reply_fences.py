"""Fences inside what a reply shows, and replies that show no edit at all."""

from __future__ import annotations

import pytest
from replies import APP, LAZY, LINES, README, read, refusal, shown

from fastapply import apply_edit
from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import Edit, FileEdit, Snippet


def test_a_claim_of_a_whole_file_with_markers_in_it_is_none():
    """Markers speak louder than words."""
    text = f"Here is the complete file:\n\n```python\n{LAZY}```\n"
    assert read(text) == shown(text, Snippet(LINES, 4, "python"), path=None)


def test_bare_markdown_with_fences_is_no_chat():
    """A lazy or whole Markdown file is known by its own lines."""
    whole = README.replace("pip install tool", "pipx install tool")
    lines = tuple(whole.split("\n")[:-1])
    assert read(whole, "README.md", README) == shown(whole, Snippet(lines, 1, ended=False))
    lazy = "<!-- ... -->\n\n## Usage\n\nRun it:\n\n```sh\ntool --fast file.txt\n```\n\n<!-- ... -->\n"
    assert read(lazy, "README.md", README) == shown(
        lazy, Snippet(tuple(lazy.split("\n")[:-1]), 1, ended=False)
    )


def test_markdown_that_begins_with_an_underlined_title_is_no_chat():
    """Its fences are lines of the file, also where no other is; a rule below a blank line is no title."""
    text = "Basic example\n=============\n\nTo build it:\n\n```bash\n$ make\n```\n\nThen run it.\n"
    lines = tuple(text.splitlines())
    assert read(text, "README.md", README) == shown(text, Snippet(lines, 1, ended=False))
    chat = text.replace("=============\n", "")
    ruled = text.replace("\n=============", "\n\n---")
    for reply in (chat, ruled):
        with pytest.raises(EditError, match="the fences in the reply contain no code"):
            read(reply, "README.md", README)


@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
def test_markdown_in_a_fence_keeps_its_inner_fences(fence):
    """The outer fence is told from those inside, also where they are of one length."""
    body = README.replace("pip install tool", "pipx install tool").replace("Bye.\n", "Bye!\n")
    text = f"Here is the README:\n\n{fence}markdown\n{body}{fence}\n\nThat should do.\n"
    lines = tuple(body.split("\n")[:-1])
    assert read(text, "README.md", README) == shown(text, Snippet(lines, 4, "markdown"))


def test_bare_inner_fences_of_markdown_are_found_by_their_blank_lines():
    """An inner fence without a language opens behind a blank line, right before text."""
    body = README.replace("```sh", "```")
    text = f"```markdown\n{body}```\n"
    assert read(text, "README.md", README) == shown(
        text, Snippet(tuple(body.split("\n")[:-1]), 2, "markdown")
    )


def test_code_with_fences_in_a_docstring_is_bare_code():
    """Fence lines inside bare code are code when the lines around them are."""
    text = (
        'def load_settings(path):\n    """Load.\n\n    ```python\n    load_settings("a")\n    ```\n'
        '    """\n    with open(path) as stream:\n        return parse(stream.read())\n'
    )
    assert read(text) == shown(text, Snippet(tuple(text.split("\n")[:-1]), 1, ended=False))


def test_words_full_of_code_before_a_fence_are_words():
    """`<=` and semicolons make no code of a sentence above a fence in the file's language."""
    text = (
        "`Movie.decode()` fails on API <= 18; `decode(bytes)` does not.\n\n"
        "```python\n# ...\ndef decode(movie):\n    return decode(movie.bytes)\n# ...\n```\n"
    )
    lines = ("# ...", "def decode(movie):", "    return decode(movie.bytes)", "# ...")
    assert read(text) == shown(text, Snippet(lines, 4, "python"))


def test_a_new_function_with_a_fence_in_its_docstring_is_bare_code():
    """Not one of its lines is in the file."""
    text = (
        'def brand_new(sprocket):\n    """Turn it.\n\n    ```python\n    brand_new(1)\n    ```\n'
        '    """\n    return sprocket.turned(by=90)\n'
    )
    assert read(text) == shown(text, Snippet(tuple(text.split("\n")[:-1]), 1, ended=False))


def test_fenced_code_with_an_indented_fence_inside_ends_at_the_margin():
    """A deeper fence line closes nothing."""
    body = (
        'def load_settings(path):\n    """Load.\n\n    ```\n    load_settings("a")\n    ```\n'
        '    """\n    # ...\n'
    )
    text = f"Change:\n\n```python\n{body}```\n"
    assert read(text) == shown(text, Snippet(tuple(body.split("\n")[:-1]), 4, "python"))


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("python", 'PROMPT = """\nReply with\n```\ncode\n```\n"""\n# ... existing code ...\n'),
        ("ts", "const prompt = `\nReply with\n\\`\\`\\`\n```\ncode\n```\n`;\n// ... existing code ...\n"),
    ],
)
def test_a_bare_fence_line_inside_a_string_closes_nothing(language, body):
    """Prompts hold fences: the code's own fence ends where no string is open."""
    text = f"Change the prompt:\n\n```{language}\n{body}```\n\nDone.\n"
    assert read(text, "app." + language[:2]) == shown(
        text, Snippet(tuple(body.split("\n")[:-1]), 4, language)
    )


def test_first_lines_of_lists_of_names_are_content():
    """In a file of names a name is a line like any other, and a comment may name another file."""
    text = "dist/app.js\nnode_modules\n"
    assert read(text, ".gitignore", "*.pyc\nnode_modules\n") == shown(
        text, Snippet(("dist/app.js", "node_modules"), 1, ended=False)
    )
    text = "# scripts/build.sh\nimport logging\nimport re\n"
    assert read(text).files[0].parts == (
        Snippet(("# scripts/build.sh", "import logging", "import re"), 1, ended=False),
    )


def test_removed_lines_behind_a_diffs_end_are_refused():
    """A part of a bare diff that a sentence cuts off would be lost."""
    text = (
        "@@ ... @@\n-import logging\n+import os\n\nAnd then this one too.\n"
        "-log = logging.getLogger(__name__)\n+log = 1\n"
    )
    assert refusal(text) == "ambiguous_edit"
    prose = "@@ ... @@\n-import logging\n+import os\n\nThese are the changes.\n- Removed logging\n"
    assert len(read(prose).files[0].parts) == 1


def test_a_name_that_the_file_itself_holds_stays_a_line():
    """A first comment with the file's name is content where the original has it."""
    original = "# app.py\nimport os\n"
    text = "# app.py\nimport os\nimport re\n"
    assert read(text, original=original) == shown(
        text, Snippet(("# app.py", "import os", "import re"), 1, ended=False)
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "empty_edit", id="empty"),
        pytest.param(" \n\t\n", "empty_edit", id="blank"),
        pytest.param("I have updated the function as you asked.\n", "no_edit", id="a sentence"),
        pytest.param("Sure! I can do that.\n\nWhich file is it?\n", "no_edit", id="a question"),
        pytest.param("Run the tests:\n\n```sh\npytest -q\n```\n", "no_edit", id="only a command"),
        pytest.param("```\n```\n", "no_edit", id="an empty fence"),
        pytest.param("```python\n" + LAZY, "truncated", id="a fence without an end"),
        pytest.param(f"```python\n{LAZY}```\n\n```python\ndef f(", "truncated", id="a second one without"),
        pytest.param("In `x.json`:\n\n```json\n{}\n```\n", "other_file", id="another language"),
        pytest.param(
            f"```python\n{LAZY}```\n\nAlternatively:\n\n```python\nload_settings = parse\n```\n",
            "ambiguous_edit",
            id="alternatives",
        ),
        pytest.param(
            "`a.py`\n```python\nx = 11111\n```\n`b.py`\n```python\ny = 22222\n```\n",
            "several_files",
            id="other files",
        ),
    ],
)
def test_what_is_no_edit_is_refused_with_a_reason(text, reason):
    """The reason is a stable code."""
    assert refusal(text) == reason


def test_words_are_content_of_a_text_file():
    """In a text file a sentence can be the edit; the opening of a chat is unclear there."""
    text = "We just want this content\nand nothing else.\n"
    lines = ("We just want this content", "and nothing else.")
    assert read(text, "notes.txt", "old\n") == shown(text, Snippet(lines, 1, ended=False))
    assert (
        refusal("Here is the change you wanted.\n\nAll is new.\n", "notes.txt", "old\n") == "ambiguous_edit"
    )


def test_without_a_file_each_fence_names_its_own():
    """An edit for several files gives one entry a file, by label, heading or mention."""
    text = "Here is a new version of `a.txt` for you:\n\n```\nafter a\n```\n\n### b.txt\n```\nafter b\n```\n"
    assert parse_edit(text) == Edit(
        "mixed",
        (
            FileEdit("a.txt", "update", (Snippet(("after a",), 4, said_whole=True),)),
            FileEdit("b.txt", "update", (Snippet(("after b",), 9),)),
        ),
        text,
    )


def test_without_a_file_a_part_that_names_none_is_refused_beside_others():
    """Which file an unnamed lazy fence is for is not guessed."""
    text = f"`a.py`\n```python\nx = 1\n```\n\nAnd:\n\n```python\n{LAZY}```\n"
    with pytest.raises(EditError, match="line 8") as caught:
        parse_edit(text)
    assert caught.value.reason == "bad_edit"


@pytest.mark.parametrize("name", ["search_replace", "udiff", "v4a", "str_replace"])
def test_a_forced_format_is_the_only_one_that_is_tried(name):
    """What can't be read as the format that was asked for is refused."""
    with pytest.raises(EditError):
        parse_edit(LAZY, path="app.py", original=from_text(APP), format_name=name)


def test_forced_to_lazy_or_whole_blocks_are_text():
    """`--format` skips detection: the lines are content, whatever they look like."""
    text = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    lines = tuple(text.split("\n")[:-1])
    edit = parse_edit(text, path="a.txt", original=from_text("x\n"), format_name="whole")
    assert edit == shown(text, Snippet(lines, 1, said_whole=True, ended=False), form="whole")
    edit = parse_edit(text, path="a.txt", original=from_text("x\n"), format_name="lazy")
    assert edit == shown(text, Snippet(lines, 1, ended=False))


def test_a_diff_in_a_fence_of_a_markdown_file_is_content():
    """A changelog may show one: it is no edit of the file it names."""
    log = "# Changes\n\n## 1.0\n\n* the first\n\n## 0.9\n\n* a trial\n"
    names = "diff --git a/x.yaml b/x.yaml\n--- a/x.yaml\n+++ b/x.yaml\n"
    diff = f"```diff\n{names}@@ -1,2 +1,2 @@\n a: 1\n-b: 1\n+b: 2\n```\n"
    edit = f"# Changes\n\n## 1.1\n\n* a new default\n\n{diff}\n<!-- ... 1.0 and older entries ... -->\n"
    lines = tuple(edit.split("\n")[:-1])
    assert read(edit, "CHANGES.md", log) == shown(edit, Snippet(lines, 1, ended=False))


TWICE = (
    'Plain:\n\n```swift\nuse("shop", 8)\n```\n\n'
    'All of it:\n\n```swift\nlet a = App(\n    use("shop", 8)\n)\n```\n'
)


def test_a_fence_that_repeats_a_line_of_another_may_be_about_another_place():
    """Where the file has its line twice it is a part of its own; where once, an excerpt."""
    first, second = '```swift\nuse("shop", 9)\n```\n', '```swift\nlet a = App(\n    use("shop", 9)\n)\n```\n'
    said = f"First the plain line:\n\n{first}\nand the example:\n\n{second}"
    both = read(said, "guide.md", TWICE).files[0].parts
    assert [len(part.lines) for part in both if isinstance(part, Snippet)] == [1, 3]
    once = TWICE.replace('use("shop", 8)\n```\n\nAll', "nothing\n```\n\nAll")
    one = read(said, "guide.md", once).files[0].parts
    assert [len(part.lines) for part in one if isinstance(part, Snippet)] == [3]
    refused = apply_edit(TWICE, said, path="guide.md")
    assert (refused.status, refused.text) == ("refused", TWICE)


def test_code_in_a_text_file_is_known_by_lines_that_are_nearly_its_own():
    """Of a change of one line nothing else is in the file."""
    load, start = 'ks.load(open("/trust"), "pass")', 'kmf.init(ks, "pass")'
    text = f"Load it:\n\n```scala\n{load}\n```\n\nThen:\n\n```scala\n{start}\n```\n"
    load, start = load.replace("pass", "password"), start.replace("pass", "password")
    said = f"One:\n\n```scala\n{start}\n```\n\nTwo:\n\n```scala\n{load}\n// ...\n```\n"
    parts = read(said, "ssl.md", text).files[0].parts
    assert [part.lines[0] for part in parts if isinstance(part, Snippet)] == [start, load]


def test_a_diff_without_a_fence_goes_on_over_a_fence_of_the_file():
    """A context line may have lost its blank; what is behind it is not left out."""
    text = "# Tool\n\nRun it:\n\n```sh\ntool a\n```\n\nThen stop it now.\n"
    head = "--- a/README.md\n+++ b/README.md\n@@ -1,9 +1,9 @@\n # Tool\n \n-Run it:\n+Start it:\n \n"
    diff = f"{head}```sh\n tool a\n```\n \n-Then stop it now.\n+Then stop it later.\n"
    result = apply_edit(text, f"Then stop it now.\n\n{diff}", path="README.md")
    assert result.text == text.replace("Run it", "Start it").replace("now.", "later.")
