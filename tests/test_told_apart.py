"""What looks like something else in an edit: attributes, licence heads, dots, fences; each with its twin."""

from __future__ import annotations

import pytest

from fastapply import apply_edit
from fastapply.edits.markers import is_marker

RUST = """\
/// Where it came from.
#[derive(Debug, Clone)]
pub struct OriginalUri(pub Uri);

#[async_trait]
impl FromRequest for OriginalUri {
    fn take() {}
}
"""
IMPORTS = """\
package shop;

import org.apache.http.client.methods.HttpUriRequest;
import retrofit.core.Callback;
import retrofit.core.MainThread;
import retrofit.io.ByteSink;

class Fetcher {
  void fetch(Callback callback, MainThread thread) {
    send(new HttpUriRequest(), new ByteSink(), callback, thread);
  }
}
"""
LICENCE = """\
# shop/cart.py
# Copyright 2011 The shop's people
#
# Released under the MIT License.

"""
CART = "from collections import deque\n\n\ndef total(cart):\n    return sum(cart)\n"
WEB = """\
Set the value to nil to send no such header.
It is useful behind a proxy.

```yaml
headers:
  Cache-Control: nil
```
"""


@pytest.mark.parametrize(
    "line", ['#[cfg(feature = "original-uri")]', "#![allow(unused, rest)]", "#[Remains(same)]"]
)
def test_an_attribute_is_no_marker(line):
    """It begins like a comment of other languages, and may hold a marker's words."""
    assert not is_marker(line)
    shown = f"/// Where it came from.\n{line}\n#[derive(Debug, Clone)]\npub struct OriginalUri(pub Uri);"
    edit = f"// ...\n{shown}\n// ...\n"
    merged = RUST.replace("#[derive", f"{line}\n#[derive", 1)
    assert apply_edit(RUST, edit, path="a.rs", min_certainty=0.5).text == merged


@pytest.mark.parametrize(
    "line", ["#[...]", "# [rest of the file unchanged]", "#[rest of the file unchanged]", "#..."]
)
def test_dots_and_words_in_brackets_are_still_a_marker(line):
    """A comment of Python or Ruby may put them there."""
    assert is_marker(line)


def test_imports_left_out_of_lines_that_show_nothing_new_are_a_question():
    """The names are still used, so they may have to stay; but then there is no reason to show these lines."""
    shown = "import org.apache.http.client.methods.HttpUriRequest;\nimport retrofit.io.ByteSink;"
    refused = apply_edit(IMPORTS, f"// ...\n{shown}\n// ...\n", path="Fetcher.java")
    assert (refused.status, refused.reason, refused.text) == ("refused", "uncertain", IMPORTS)


def test_imports_left_out_beside_a_new_one_may_stay():
    """A few imports around a new one are an excerpt, when the others are used: not certain, but listed."""
    new = "import retrofit.io.Clock;\n"
    edit = "// ...\nimport org.apache.http.client.methods.HttpUriRequest;\nimport retrofit.io.ByteSink;\n"
    merged = IMPORTS.replace("import retrofit.io.ByteSink;\n", f"import retrofit.io.ByteSink;\n{new}")
    refused = apply_edit(IMPORTS, f"{edit}{new}\n// ...\n", path="Fetcher.java")
    assert (refused.status, refused.reason, refused.text) == ("refused", "uncertain", IMPORTS)
    picks = [apply_edit(IMPORTS, f"{edit}{new}\n// ...\n", path="Fetcher.java", pick=[n]) for n in (1, 2)]
    assert merged in [picked.text for picked in picks]


def test_the_first_line_of_a_licence_is_content():
    """It names the file, and the lines below go on."""
    edit = f"{LICENCE}from collections import deque\n# ... rest of the file ...\n"
    assert apply_edit(CART, edit, path="lib/shop/cart.py", min_certainty=0.5).text == LICENCE + CART


def test_a_comment_that_names_the_file_is_a_label():
    """No line of the edit goes on with it."""
    edit = "# shop/cart.py\n# ...\ndef total(cart):\n    return sum(cart) + 1\n"
    merged = CART.replace("sum(cart)", "sum(cart) + 1")
    assert apply_edit(CART, edit, path="lib/shop/cart.py").text == merged


def test_a_comment_that_names_the_file_is_a_label_above_a_licence_that_the_file_has():
    """The licence's lines are context there."""
    edit = f"# shop/cart.py\n{LICENCE.partition(chr(10))[2]}{CART.replace('sum(cart)', 'sum(cart) + 1')}"
    file = LICENCE.partition("\n")[2] + CART
    merged = file.replace("sum(cart)", "sum(cart) + 1")
    assert apply_edit(file, edit, path="lib/shop/cart.py").text == merged


def test_dots_that_take_the_place_of_dots_are_new():
    """Two dots become three: nothing is left out there."""
    file = 'def cut(text):\n    text = str(text)\n    return text[:40] + ".."\n\n\ndef other():\n    pass\n'
    edit = '# ...\n    text = str(text)\n    return text[:40] + "..."\n# ...\n'
    assert apply_edit(file, edit, path="a.py").text == file.replace('".."', '"..."')


def test_fences_behind_a_sign_of_a_bare_diff_are_lines_of_the_file():
    """With wrong counts the hunk goes on up to the end of the edit all the same."""
    lines = WEB.splitlines()
    body = [f" {line}" for line in lines]
    body[0:1] = [f"-{lines[0]}", "+Set the value to null to send no such header."]
    at = body.index("   Cache-Control: nil")
    body[at : at + 1] = ["-  Cache-Control: nil", "+  Cache-Control: null"]
    edit = "--- a/web.md\n+++ b/web.md\n@@ -22,12 +22,15 @@\n" + "".join(f"{line}\n" for line in body)
    assert apply_edit(WEB, edit, path="web.md").text == WEB.replace("nil", "null")


def test_a_fence_that_nothing_closes_is_found():
    """The snippet's last fence was taken for that of the file."""
    from fastapply.text import from_text
    from fastapply.types import FileEdit, Snippet
    from fastapply.verify import verify

    file = "# Shop\n\n```c\nopen();\n```\n\nThe end.\n"
    new = "Then close it.\n\n```c\nclose();\n"
    part = Snippet(("...", *new.splitlines(), "```", "", "The end."), 1)
    edit = FileEdit(None, "update", (part,))
    for merged, codes in (
        (file.replace("The end.\n", f"{new}```\n\nThe end.\n"), []),
        (file.replace("```\n\nThe", f"```\n\n{new}\nThe"), ["parse_error"]),
    ):
        found = verify(from_text(file), edit, from_text(merged), language="markdown")
        assert [one.code for one in found if one.code == "parse_error"] == codes


def test_the_end_of_a_block_behind_that_of_the_one_around_it_is_found():
    """Old closing lines stayed behind new ones that are less deep."""
    from fastapply.text import from_text
    from fastapply.types import FileEdit, Snippet
    from fastapply.verify import verify

    file = "module Shop\n  def open\n    go\n  end\nend\n"
    edit = FileEdit(None, "update", (Snippet(("module Shop", "  def open", "    stop", "  end", "end"), 1),))
    merged = "module Shop\n  def open\n    stop\n  end\nend\n  end\nend\n"
    found = verify(from_text(file), edit, from_text(merged), language=None)
    assert "doubled_line" in [one.code for one in found]
    assert verify(from_text(file), edit, from_text(file.replace("go", "stop")), language=None) == ()


NARROW = "class A {\n  int a;\n  int f() {\n    go();\n    stop();\n  }\n}"
WIDE = "class A {\n\n    int b;\n    int f() {\n        go();\n        stop();\n    }\n}"
FLAT = "int f() {\n  go();\n  stop();\n  end();\n}"
WRAPPED = "int f() {\n  if (x) {\n    go();\n    stop();\n    end();\n  }\n}"


LOG = """\
# shop

## 1.8.18

### Patch Changes

- Updated dependencies [6693b56f]
- Updated dependencies [a8c2a8f3]
  - cart@1.8.18

## 1.8.17

### Patch Changes

- First release
"""
NEXT = """\
## 1.8.19

### Patch Changes

- Updated dependencies [3fc015c2]
- Updated dependencies [f909c1c1]
  - cart@1.8.19

"""


def test_an_entry_like_its_neighbour_may_be_new_or_a_new_version_of_it():
    """Nothing below says where the entry ends that was there before."""
    edit = f"# shop\n\n{NEXT}<!-- ... rest of the file ... -->\n"
    said = "I will add the entry for 1.8.19."
    assert apply_edit(LOG, edit, path="CHANGELOG.md", instructions=said).status == "refused"


def test_an_entry_like_its_neighbour_is_a_question_without_a_word_too():
    """Nobody said that an entry is added."""
    edit = f"# shop\n\n{NEXT}<!-- ... rest of the file ... -->\n"
    assert apply_edit(LOG, edit, path="CHANGELOG.md").status == "refused"


def test_an_entry_with_both_neighbours_shown_is_new():
    """The next entry's own head stands below it."""
    edit = f"# shop\n\n{NEXT}## 1.8.18\n\n### Patch Changes\n<!-- ... rest of the file ... -->\n"
    applied = apply_edit(LOG, edit, path="CHANGELOG.md", min_certainty=0.5)
    assert (applied.status, applied.text) == ("applied", LOG.replace("## 1.8.18", f"{NEXT}## 1.8.18"))


SITE = "---\nlayout: tutorial\npermalink: /start/\ntitle: Start\nauthor: none\n---\n\nBegin here.\n"


def test_a_first_line_that_the_file_begins_with_is_not_put_in_again():
    """What stands between it and the next shown line was left out, or is to go."""
    edit = "---\ntitle: Start here\nauthor: none\n---\n\nBegin here.\n"
    result = apply_edit(SITE, edit, path="start.md")
    assert result.status == "refused" or not result.text.startswith(
        "---\nlayout: tutorial\npermalink: /start/\n---"
    )


def test_the_beginning_of_a_file_alone_is_a_question():
    """It changes nothing, or the rest of the file is to go."""
    file = "language: python\n\nscript: make\n\nmail:\n  to: me\n  irc:\n    channels:\n    - a\n"
    refused = apply_edit(file, file[: file.index("  irc")], path=".travis.yml")
    assert (refused.status, refused.text) == ("refused", file)
    refused = apply_edit(file, file[: file.index("  irc")] + "\n", path=".travis.yml")
    assert (refused.status, refused.text) == ("refused", file)
    assert (
        apply_edit(file, file[: file.index("  irc")] + "  # ...\n", path=".travis.yml").status == "unchanged"
    )


@pytest.mark.xfail(strict=True, reason="the file's doc comment is kept, link and all")
def test_a_doc_comment_that_loses_a_link_is_new():
    """Words of a comment may be left out of context; what stands in brackets may not."""
    file = (
        "//! To send it, a [`Form`](crate::multipart::Form) is built up, adding fields.\n\npub fn send() {}\n"
    )
    edit = "//! To send it, a [`Form`] is built up, adding fields.\n\npub fn send() {}\n"
    merged = file.replace("(crate::multipart::Form)", "")
    assert apply_edit(file, edit, path="a.rs").text == merged


JSOUP = """\
public class Jsoup {
    /**
     * Creates a new connection to a URL.
     * @param url URL to connect to
     * @return the connection
     */
    public static Connection connect(String url) {
        return HttpConnection.connect(url);
    }

    public static void close() {
    }
}
"""
OVERLOAD = """\
    /**
     * Creates a new connection to a URL.
     * @param url URL to connect to
     * @param plain whether it is as it stands
     * @return the connection
     */
    public static Connection connect(String url, boolean plain) {
        return HttpConnection.connect(url, plain);
    }
"""


def test_an_overload_does_not_take_the_comment_of_the_old_one():
    """Its comment is a copy of that one, of which the edit shows only the method."""
    head = JSOUP[JSOUP.index("    public static Connection") : JSOUP.index("\n    public static void")]
    edit = (
        f"public class Jsoup {{\n    // ...\n{head}\n{OVERLOAD}\n    public static void close() {{\n// ...\n"
    )
    result = apply_edit(JSOUP, edit, path="Jsoup.java")
    merged = JSOUP.replace(head, f"{head}\n{OVERLOAD}")
    assert (result.status, result.text) in {("applied", merged), ("refused", JSOUP)}


def test_an_overload_behind_the_whole_old_one_comes_in():
    """The old comment is shown as well, so that there are two of them."""
    old = JSOUP[JSOUP.index("    /**") : JSOUP.index("    public static void")]
    edit = f"public class Jsoup {{\n{old}{OVERLOAD}\n    public static void close() {{\n// ...\n"
    applied = apply_edit(JSOUP, edit, path="Jsoup.java")
    assert (applied.status, applied.text) == ("applied", JSOUP.replace(old, f"{old}{OVERLOAD}\n"))
