"""Blocks are told by indentation and closing lines, in any language."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

CSHARP = """\
namespace Shop
{
    public class Basket
    {
        private readonly List<Item> items = new();

        public void Add(Item item)
        {
            items.Add(item);
        }

        public decimal Total()
        {
            decimal total = 0;
            foreach (var item in items)
            {
                total += item.Price;
            }
            return total;
        }
    }
}
"""
RUBY = """\
class Trial
  def initialize(user)
    @user = user
  end

  def remind
    return if @user.paid?

    mail = Mail.new(@user)
    mail.deliver
  end

  def finish
    @user.close
  end
end
"""
YAML = """\
name: ci
on:
  push:
    branches: [main]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make lint
"""
SQL = """\
CREATE VIEW active AS
SELECT id, name
FROM users
WHERE closed_at IS NULL;

CREATE VIEW closed AS
SELECT id, name
FROM users
WHERE closed_at IS NOT NULL;
"""
CSS = """\
:root {
  --ink: black;
}

.nav {
  display: flex;
  color: var(--ink);
}

@media print {
  .nav {
    display: none;
  }
}
"""
HTML = """\
<ul>
  <li class="a">
    <a href="/one">One</a>
  </li>
  <li class="b">
    <a href="/two">Two</a>
  </li>
</ul>
<footer>
  <p>Bye</p>
</footer>
"""
TOML = """\
[package]
name = "shop"
version = "1.0.0"

[dependencies]
serde = "1"
tokio = "1"

[dev-dependencies]
tempfile = "3"
"""
KOTLIN = """\
class Meter(val limit: Int) {
    private var used = 0

    fun use(amount: Int): Boolean {
        if (used + amount > limit) return false
        used += amount
        return true
    }

    fun kind(): String = when {
        used == 0 -> "idle"
        used < limit -> "busy"
        else -> "full"
    }
}
"""
SHELL = """\
#!/bin/sh
set -eu

build() {
  make all
  make docs
}

deploy() {
  host=$1
  if [ -z "$host" ]; then
    exit 1
  fi
  rsync -a out/ "$host:/srv"
}

build
deploy "$@"
"""

REWRITES = [
    pytest.param(
        "a.cs",
        CSHARP,
        "// ...\n        public decimal Total()\n        {\n"
        "            return items.Sum(item => item.Price);\n"
        "        }\n// ...\n",
        changed(
            CSHARP,
            (
                (
                    "            decimal total = 0;\n            foreach (var item in items)\n            {\n"
                    "                total += item.Price;\n            }\n            return total;\n"
                ),
                "            return items.Sum(item => item.Price);\n",
            ),
        ),
        id="C#: a body between braces on their own lines",
    ),
    pytest.param(
        "a.cs",
        CSHARP,
        "// ...\n    public class Basket\n    {\n        // ...\n\n        public void Clear()\n        {\n"
        "            items.Clear();\n        }\n    }\n}\n",
        changed(
            CSHARP,
            (
                "            return total;\n        }\n",
                (
                    "            return total;\n        }\n\n        public void Clear()\n        {\n"
                    "            items.Clear();\n        }\n"
                ),
            ),
        ),
        id="C#: a method at the end of a class",
    ),
    pytest.param(
        "a.rb",
        RUBY,
        "# ...\n\n  def remind\n    return if @user.paid? || @user.closed?\n\n    # ...\n  end\n\n# ...\n",
        changed(RUBY, ("@user.paid?\n", "@user.paid? || @user.closed?\n")),
        id="Ruby: the first line of a method",
    ),
    pytest.param(
        "a.rb",
        RUBY,
        "class Trial\n  # ...\n\n  def finish\n    @user.close\n    @user.notify\n  end\nend\n",
        changed(RUBY, ("    @user.close\n", "    @user.close\n    @user.notify\n")),
        id="Ruby: the last method of a class",
    ),
    pytest.param(
        "a.yaml",
        YAML,
        "# ...\njobs:\n  # ...\n  lint:\n    # ...\n    steps:\n      - uses: actions/checkout@v4\n"
        "      - run: make fix\n      - run: make lint\n",
        changed(YAML, ("      - run: make lint\n", "      - run: make fix\n      - run: make lint\n")),
        id="YAML: a step of the second of two jobs",
    ),
    pytest.param(
        "a.yaml",
        YAML,
        "name: ci\non:\n  push:\n    branches: [main, next]\n# ...\n",
        changed(YAML, ("[main]", "[main, next]")),
        id="YAML: a value near the top",
    ),
    pytest.param(
        "a.sql",
        SQL,
        "-- ...\n\nCREATE VIEW closed AS\nSELECT id, name, closed_at\nFROM users\n"
        "WHERE closed_at IS NOT NULL;\n",
        changed(
            SQL,
            (
                "CREATE VIEW closed AS\nSELECT id, name\n",
                "CREATE VIEW closed AS\nSELECT id, name, closed_at\n",
            ),
        ),
        id="SQL: the second of two views",
    ),
    pytest.param(
        "a.css",
        CSS,
        "/* ... */\n\n@media print {\n  .nav {\n    display: none;\n    color: black;\n  }\n}\n",
        changed(CSS, ("    display: none;\n", "    display: none;\n    color: black;\n")),
        id="CSS: a rule inside a media query",
    ),
    pytest.param(
        "a.html",
        HTML,
        '<ul>\n  <!-- ... -->\n  <li class="b">\n    <a href="/two">Two</a>\n    <small>new</small>\n'
        "  </li>\n</ul>\n"
        "<!-- ... -->\n",
        changed(HTML, ("Two</a>\n", "Two</a>\n    <small>new</small>\n")),
        id="HTML: inside the second of two items",
    ),
    pytest.param(
        "a.toml",
        TOML,
        '# ...\n\n[dependencies]\nserde = "1"\ntokio = { version = "1", features = ["full"] }\n\n# ...\n',
        changed(TOML, ('tokio = "1"', 'tokio = { version = "1", features = ["full"] }')),
        id="TOML: a value of a table",
    ),
    pytest.param(
        "a.toml",
        TOML,
        '# ...\n\n[dev-dependencies]\ntempfile = "3"\ninsta = "1"\n',
        TOML + 'insta = "1"\n',
        id="TOML: a key at the end of the last table",
    ),
    pytest.param(
        "a.kt",
        KOTLIN,
        "class Meter(val limit: Int) {\n    // ...\n\n    fun kind(): String = when {\n"
        '        used == 0 -> "idle"\n'
        '        used < 0 -> "broken"\n        used < limit -> "busy"\n        // ...\n    }\n}\n',
        changed(KOTLIN, ('"idle"\n', '"idle"\n        used < 0 -> "broken"\n')),
        id="Kotlin: an arm of a when",
    ),
    pytest.param(
        "a.sh",
        SHELL,
        '# ...\n\ndeploy() {\n  host=$1\n  if [ -z "$host" ]; then\n    echo "no host" >&2\n    exit 1\n'
        "  fi\n  # ...\n}\n\n# ...\n",
        changed(SHELL, ("    exit 1\n", '    echo "no host" >&2\n    exit 1\n')),
        id="shell: inside an if",
    ),
    pytest.param(
        "a.unknown",
        RUBY,
        "# ...\n\n  def remind\n    return if @user.paid? || @user.closed?\n\n    # ...\n  end\n\n# ...\n",
        changed(RUBY, ("@user.paid?\n", "@user.paid? || @user.closed?\n")),
        id="a file of an unknown language",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_lazy_edit_is_put_into_a_file_of_any_language(path, original, edit, merged):
    """Only the shown change arrives."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_lazy_edit_of_any_language_changes_nothing_twice(path, original, edit, merged):
    """The same edit a second time is unchanged."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status, result.text) == ("unchanged", merged)


def test_rule_at_top_level_is_never_taken_for_its_twin_inside_another_rule():
    """It is changed where it stands at the edit's depth, or the edit is refused."""
    edit = "/* ... */\n\n.nav {\n  display: grid;\n  /* ... */\n}\n\n/* ... */\n"
    result = apply_edit(CSS, edit, path="a.css")
    assert (result.status, result.text) in {("refused", CSS), ("applied", changed(CSS, ("flex", "grid")))}


@pytest.mark.parametrize(
    ("path", "original", "edit"),
    [
        pytest.param(
            "a.yaml",
            YAML,
            "# ...\n      - uses: actions/checkout@v4\n      - uses: actions/cache@v4\n# ...\n",
            id="YAML: a step that two jobs have",
        ),
        pytest.param(
            "a.sql",
            SQL,
            "-- ...\nSELECT id, name, email\nFROM users\n-- ...\n",
            id="SQL: a line of two views",
        ),
        pytest.param(
            "a.css",
            CSS,
            "/* ... */\n  .card {\n    /* ... */\n    color: red;\n  }\n/* ... */\n",
            id="CSS: a rule that is not there",
        ),
        pytest.param(
            "a.kt",
            KOTLIN,
            '// ...\n        else -> "over"\n        // ...\n    fun use(amount: Int): Boolean {\n',
            id="Kotlin: parts in the wrong order",
        ),
    ],
)
def test_lazy_edit_whose_place_is_open_is_refused_in_any_language(path, original, edit):
    """The text stays."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("refused", original)
