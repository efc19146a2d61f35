"""Where shown lines meet lines that stay: what is beside a gap is taken for what it is, or asked about."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit
from fastapply.merge.anchors import find_anchors
from fastapply.merge.elements import read_lazy
from fastapply.merge.lines import line_table

DECORATED = """\
import pytest


def test_json(client):
    response = client.get("/json")
    assert response.json() == {}


@pytest.mark.asyncio
async def test_stream(client):
    async with client.stream("/text") as response:
        assert response.status == 200
"""
NEW_TEST = """\
@pytest.mark.parametrize("header", ["Link", "Via"])
def test_header(client, header):
    assert header in client.get("/").headers
"""
ROUTES = """\
get '/ping' do
  'pong'
end

get '/main' do
  object = Object.new
  object.name
end
"""
MACROS = """\
// See: https://example.org/issues/1
check!(issue_1, |dir: Dir| {
    dir.create("one", "1");
    assert_eq!(1, dir.len());
});

// See: https://example.org/issues/2
check!(issue_2, |dir: Dir| {
    dir.create("two", "2");
    assert_eq!(2, dir.len());
});
"""
NEW_MACRO = """\
// See: https://example.org/issues/3
check!(issue_3, |dir: Dir| {
    dir.create("three", "3");
    dir.create("four", "4");
    assert_eq!(4, dir.len());
});
"""
ASSERTS = """\
fn verify(args: &[Arg]) {
    for arg in args {
        let ok = arg.is_set(Last) || args.len() == 1;
        assert!(
            ok,
            "Only the last argument, or the one before it, \\
             may be set to .multiple(true)",
        );
        count += 1;
    }
    let ok = args.iter().all(|arg| arg.named());
    assert!(
        ok,
        "Every argument needs a name of its own",
    );
}
"""
VARIADIC = """\
package web

// Load reads files and builds the templates of the engine.
func (e *Engine) Load(pattern string) {
	left := e.delims.Left
	templ := Parse(left, pattern)
	e.Set(templ)
}

// Close ends it.
func (e *Engine) Close() {
	e.open = false
}
"""
NESTED = """\
app.render = function render(name, options, done) {
  var view;

  if (!view) {
    view = new View(name, options);

    if (!view.path) {
      var dirs = view.root.join(', ')
      var err = new Error('no view "' + name + '" in ' + dirs);
      return done(err);
    }
  }

  // render it
  tryRender(view, options, done);
};

app.listen = function listen() {
  return server.listen.apply(server, arguments);
};
"""
SCRIPT = (
    "package gen\n\nvar script = `\n" + "".join(f"  line {n}\n" for n in range(12)) + "`\n\n"
    "func required(flags []Flag) {\n\tvisit(flags, func(flag *Flag) {\n\t\tif hidden(flag) {\n"
    "\t\t\treturn\n\t\t}\n"
    "\t\tfor key := range flag.Notes {\n\t\t\tswitch key {\n\t\t\tcase OneRequired:\n"
    '\t\t\t\tformat := "--%s"\n\t\t\t\tif flag.Value.Type() != "bool" {\n\t\t\t\t\tformat += "="\n\t\t\t\t}\n'
    "\t\t\t\twrite(format, flag.Name)\n\t\t\t}\n\t\t}\n\t})\n}\n\nfunc nouns(names []string) {\n"
    "\tsort(names)\n}\n"
)
STARS = (
    "import { a, b } from './constants';\nimport options from './options';\n\n"
    "export function f() {\n\treturn a + b;\n}\n"
)

CALLS = """\
func TestFiles(t *testing.T) {
	rec = NewRecorder()
	err = c.HTML(rec, "<b>text</b>")
	check(err)

	// File
	rec = NewRecorder()
	err = c.File(rec)
	check(err)

	// Done
	c.Close()
}
"""

REWRITES = [
    pytest.param(
        "a_test.go",
        CALLS,
        "// ...\n\trec = NewRecorder()\n\terr = c.File(rec, true)\n\tcheck(err)\n\n\t// Done\n// ...\n",
        changed(CALLS, ("c.File(rec)", "c.File(rec, true)")),
        id="a statement that sets a passing name is the one that calls the same",
    ),
    pytest.param(
        "test_a.py",
        DECORATED,
        '# ...\n    response = client.get("/json")\n    assert response.json() == {}\n\n\n'
        + NEW_TEST
        + "\n\n# ...\n",
        changed(DECORATED, ("@pytest.mark.asyncio\n", NEW_TEST + "\n\n@pytest.mark.asyncio\n")),
        id="a new test above a decorated one leaves it its decorator",
    ),
    pytest.param(
        "app.rb",
        ROUTES,
        "# ...\nget '/ping' do\n  'pong'\nend\n\nget '/stream' do\n  stream do |out|\n    out << 'a'\n"
        "  end\nend\n\n# ...\n",
        changed(
            ROUTES,
            ("get '/main'", "get '/stream' do\n  stream do |out|\n    out << 'a'\n  end\nend\n\nget '/main'"),
        ),
        id="a new block above another leaves it its first line",
    ),
    pytest.param(
        "a.rs",
        MACROS,
        '// ...\n    dir.create("one", "1");\n    assert_eq!(1, dir.len());\n});\n\n'
        + NEW_MACRO
        + "\n// ...\n",
        changed(
            MACROS,
            ("// See: https://example.org/issues/2", NEW_MACRO + "\n// See: https://example.org/issues/2"),
        ),
        id="a new macro with a comment leaves the next one its comment",
    ),
    pytest.param(
        "a.rs",
        ASSERTS,
        "fn verify(args: &[Arg]) {\n    // ...\n            ok,\n"
        '            "Only the last argument, or the one before it, \\\n'
        '             may be set to .many(true)",\n        );\n        count += 1;\n    // ...\n}\n',
        changed(ASSERTS, (".multiple(true)", ".many(true)")),
        id="a line that stands often is the one beside the changed line",
    ),
    pytest.param(
        "a.go",
        VARIADIC,
        "// ...\nfunc (e *Engine) Load(pattern ...string) {\n\tleft := e.delims.Left\n"
        "\ttempl := Parse(left, pattern...)\n\te.Set(templ)\n}\n\n// ...\n",
        changed(
            VARIADIC, ("(pattern string)", "(pattern ...string)"), ("left, pattern)", "left, pattern...)")
        ),
        id="the dots of variadic parameters elide nothing",
    ),
    pytest.param(
        "a.js",
        NESTED,
        "app.render = function render(name, options, done) {\n      // ...\n"
        "      var dirs = view.root.join(', ');\n"
        "      var err = new Error('no view \"' + name + '\" in ' + dirs);\n// ...\n};\n// ...\n",
        changed(NESTED, ("join(', ')\n", "join(', ');\n")),
        id="a marker deeper than the gap stays in the definition that is shown",
    ),
    pytest.param(
        "a.go",
        SCRIPT,
        "// ...\nfunc required(flags []Flag) {\n\tvisit(flags, func(flag *Flag) {\n\t\tif hidden(flag) {\n"
        "\t\t\treturn\n\t\t}\n"
        '\t\tif _, ok := flag.Notes[OneRequired]; ok {\n\t\t\tformat := "--%s"\n'
        '\t\t\tif flag.Value.Type() != "bool" {\n\t\t\t\tformat += "="\n\t\t\t}\n'
        "\t\t\twrite(format, flag.Name)\n\t\t}\n\t})\n}\n\nfunc nouns(names []string) {\n// ...\n",
        changed(
            SCRIPT,
            (
                (
                    "\t\tfor key := range flag.Notes {\n\t\t\tswitch key {\n\t\t\tcase OneRequired:\n"
                    "\t\t\t\tformat"
                ),
                "\t\tif _, ok := flag.Notes[OneRequired]; ok {\n\t\t\tformat",
            ),
            ("\t\t\t\tif flag.Value", "\t\t\tif flag.Value"),
            (
                '\t\t\t\t\tformat += "="\n\t\t\t\t}\n\t\t\t\twrite(format, flag.Name)\n\t\t\t}\n',
                '\t\t\t\tformat += "="\n\t\t\t}\n\t\t\twrite(format, flag.Name)\n',
            ),
        ),
        id="lines unwrapped in a file of tabs that holds a text indented with blanks",
    ),
    pytest.param(
        "a.js",
        STARS,
        "/**\n * @typedef {import('./a').A} A\n */\n\nimport { a, b } from './constants';\n"
        "import options from './options';\n// ...\n",
        "/**\n * @typedef {import('./a').A} A\n */\n\n" + STARS,
        id="the blank before a doc comment's star is no level",
    ),
    pytest.param(
        "test_a.py",
        DECORATED,
        "# ...\n\n\n@pytest.mark.asyncio\nasync def test_stream(client):\n"
        '    async with client.stream("/bytes") as response:\n        # ...\n',
        changed(DECORATED, ('"/text"', '"/bytes"')),
        id="a decorator shown above its own test is context",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_line_beside_a_gap_is_taken_for_what_it_is(path, original, edit, merged):
    """Whole results: what was put in, and all that stays."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged), result.message


ROWS = """\
def rows():
    yield {"id": 1}
    log("row")
    yield {"id": 2}
    log("row")
    check()
    close()
    log("row")
    done()
"""


def test_lines_left_out_between_repeated_lines_go_where_their_neighbours_stand_once():
    """A repeated line is sure of its place when equal lines lead from it to one that stands once."""
    edit = '# ...\n    yield {"id": 2}\n    log("row")\n    log("row")\n    done()\n'
    result = apply_edit(ROWS, edit, path="a.py")
    assert (result.status, result.text) == ("applied", changed(ROWS, ("    check()\n    close()\n", "")))


def test_lines_left_out_between_lines_that_stand_anywhere_are_asked_about():
    """With repeated lines alone around them nothing says which are meant."""
    edit = '# ...\n    log("row")\n    log("row")\n# ...\n'
    assert apply_edit(ROWS, edit, path="a.py").status == "refused"


def test_snippet_as_long_as_the_file_with_its_first_and_last_line_may_be_the_file():
    """A rewritten test with another name is the whole new file, or one more test: that is asked."""
    old = (
        'package web\n\nimport "testing"\n\nfunc TestOld(t *testing.T) {\n'
        + "".join(f"\told({n})\n" for n in range(9))
        + "}\n"
    )
    new = (
        'package web\n\nimport "testing"\n\nfunc TestNew(t *testing.T) {\n'
        + "".join(f"\tcurrent({n})\n" for n in range(9))
        + "}\n"
    )
    result = apply_edit(old, new, path="a_test.go")
    assert (result.status, result.reason) == ("refused", "unnamed_loss")
    assert apply_edit(old, new, path="a_test.go", pick=[1]).text == new


SIGNALS = """\
from .globals import session
from .signals import flashed

# what separators does this system have that are not a slash?
# this is used by the function below to ensure that nobody
# is able to read files from outside of the folder
_separators = list(
    one for one in [os.sep, os.altsep] if one not in (None, "/")
)


def send(name):
    return read(name)
"""


def test_few_lines_left_out_between_lines_that_stand_once_go():
    """The edit has markers, and none there; the lines on both sides leave no doubt."""
    edit = "from .globals import session\nfrom .signals import flashed\n\n\ndef send(name):\n    # ...\n"
    result = apply_edit(SIGNALS, edit, path="a.py")
    start = SIGNALS.index("# what separators")
    assert result.text == SIGNALS[:start].rstrip("\n") + "\n\n\n" + SIGNALS[SIGNALS.index("def send") :]


def test_wrapped_lines_below_a_doc_comment_keep_the_width_of_a_level():
    """The one column before a comment's star is not what the file indents with."""
    file = (
        "/**\n * Makes one.\n */\nexport default ((make) => {\n"
        "  warn(\n    'old: use the other',\n  )\n  return create(make)\n})\n"
    )
    edit = (
        "// ...\nexport default ((make) => {\n  if (DEV) {\n    warn(\n      'old: use the other',\n    )\n"
        "  }\n"
        "  return create(make)\n// ...\n"
    )
    merged = file.replace(
        "  warn(\n    'old: use the other',\n  )\n",
        "  if (DEV) {\n    warn(\n      'old: use the other',\n    )\n  }\n",
    )
    result = apply_edit(file, edit, path="a.ts")
    assert (result.status, result.text) == ("applied", merged)


def documented(count: int, changed: int = -1) -> str:
    """Methods with doc comments that are alike but for one word, one of them changed."""
    return "".join(
        "    /**\n     * <p>Gives a value.</p>\n     *\n     * @param name the name\n"
        "     * @return the value\n     */\n"
        f"    public String value{n}(String name) {{\n"
        f"        return get(name, {n}{', true' if n == changed else ''});\n    }}\n\n"
        for n in range(count)
    )


def test_lines_that_stand_everywhere_are_looked_for_beside_those_that_tell():
    """Not at the first places in the file: the methods that the edit shows may be far down."""
    original = documented(60)
    shown = documented(60, 50).split("    /**\n")[41:56]
    edit = "// ...\n" + "".join(f"    /**\n{method}" for method in shown) + "// ...\n"
    file = line_table(original.splitlines())
    lazy = read_lazy(edit.splitlines(), file)
    texts = [i for i, kind in enumerate(lazy.kinds) if kind == "text"]
    anchors = find_anchors(lazy.table, file, texts, lazy.openers, lazy.block_ends)
    where = file.where()
    everywhere = sum(len(where.get(lazy.table.keys[i], ())) for i in texts)
    assert len(anchors) < everywhere
    for i in texts:
        places = where.get(lazy.table.keys[i], ())
        if len(places) > 1 and lazy.table.weights[i] > 0.1:
            assert any(anchor.i == i and anchor.start > 400 for anchor in anchors), lazy.table.lines[i]
    result = apply_edit(original, edit, path="A.java")
    assert (result.status, result.text) == ("applied", documented(60, 50))
