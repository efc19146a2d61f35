"""Where shown lines meet lines that stay and both readings are good: the edit is refused with a question."""

from __future__ import annotations

import pytest

from fastapply import apply_edit

PHASES = """\
class SpyTest {
    void delegates() {
        when(spy.foo()).thenCall();
        //then
        assertThat(spy.foo(), is("bar"));
        verify(spy).foo();
    }

    void other() {
        //then
        verify(spy).bar();
    }
}
"""
PLATFORMS = """\
impl Printer {
    fn flush(&mut self) {
        self.out.flush();
    }

    #[cfg(unix)]
    fn write_path(&mut self, path: &Path) {
        self.write(path.as_os_str().as_bytes());
    }

    #[cfg(not(unix))]
    fn write_path(&mut self, p: &Path) {
        self.write(path.to_string_lossy().as_bytes());
    }
}
"""
ARMS = """\
impl Analysis {
    fn visit(&mut self, ast: &Ast) {
        match *ast {
            Ast::Literal(ref x) => {
                self.literal(x);
            }
            Ast::Class(Class::Bracketed(ref x)) => {
                self.class_set(&x.kind);
            }
            Ast::Repetition(ref x) => {
                self.visit(&x.ast);
            }
        }
    }
}
"""
TYPES = """\
/**
 * @public
 */
export type Selector<T> = (model: T) => Id

/**
 * @public
 */
export interface Definition<T> {
  selectId: IdSelector<T>
  sortComparer: false | Comparer<T>
}

export type Prevent<S, T> = Cast<
  S,
  T
>
"""
COMMENTS = """\
req.get = function(name){
  return this.headers[name];
};

/**
 * Check if the given types are acceptable.
 *
 * @param {String} types
 * @return {String}
 * @api public
 */

req.accepts = function(types){
  return utils.accepts(types);
};

/**
 * Check if the charset is acceptable.
 *
 * @param {String} charset
 * @return {Boolean}
 * @api public
 */

req.charset = function(charset){
  return true;
};
"""
IMPORTS = """\
import { useState } from 'react'
import { applyPatches } from 'immer'
import { merge } from './merge'

export function build(state, patches) {
  return merge(applyPatches(state, patches))
}
"""
EVENTS = """\
class Event(Message):
    kind: str

    def __init__(self, sender):
        self.sender = sender

    def __enter__(self):
        return self
"""
SERIAL = """\
package pipe

import (
	"testing"
)

func TestSerial(t *testing.T) {
	for i := 0; i < 10; i++ {
		closeWhileReading(t)
	}
}

func closeWhileReading(t *testing.T) {
	newPipe(t).Close()
}
"""
PARSER = """\
module App
  class Parser
    class Errors
      def write(text)
        raise text
      end
    end

    DEFAULTS = {
      one: 1,
    }.freeze

    def initialize(app)
      @app = app
    end

    def close
      @app = nil
    end
  end
end
"""
MACHINE = """\
#define UNARY(name) "def " #name ";"
static const char *const table =
#include "list.h"
;
#undef UNARY
#undef BINARY

static int bind(state *s) {
    return load(s, table);
}
"""

REFUSED = [
    pytest.param(
        "SpyTest.java",
        PHASES,
        "class SpyTest {\n    void delegates() {\n        // ...\n        //then\n"
        '        Assertions.check(spy.foo()).isEqualTo("bar");\n        verify(spy).foo();\n    }\n'
        "    // ...\n}\n",
        "uncertain",
        id="a run's first line stands right above one old line",
    ),
    pytest.param(
        "a.rs",
        PLATFORMS,
        "impl Printer {\n    // ...\n    }\n\n    #[cfg(not(unix))]\n"
        "    fn write_path(&mut self, path: &Path) {\n"
        "        self.write(path.to_string_lossy().as_bytes());\n    }\n    // ...\n}\n",
        "uncertain",
        id="a line that stands in the file would take another one's place",
    ),
    pytest.param(
        "a.rs",
        ARMS,
        "impl Analysis {\n    fn visit(&mut self, ast: &Ast) {\n            // ...\n"
        "            Ast::Literal(ref x) => {\n"
        "                self.literal(x);\n            }\n            Ast::Bracketed(ref x) => {\n"
        "                self.class_set(&x.kind);\n            }\n            // ...\n    }\n}\n",
        "uncertain",
        id="a new block differs from the old one in its first line alone",
    ),
    pytest.param(
        "a.ts",
        TYPES,
        "// ...\n\n/**\n * @public\n */\nexport interface Options<T> {\n  selectId?: IdSelector<T>\n"
        "  sortComparer?: false | Comparer<T>\n}\n\nexport type Prevent<S, T> = Cast<\n// ...\n",
        "uncertain",
        id="a new type has the members of the one above it",
    ),
    pytest.param(
        "a.js",
        COMMENTS,
        "// ...\n\n/**\n * Check if the encoding is accepted.\n *\n * @param {String} encoding\n"
        " * @return {Boolean}\n"
        " * @api public\n */\n\nreq.encoding = function(encoding){\n  return this.has(encoding);\n};\n\n/**\n"
        " * Check if the charset is acceptable.\n *\n * @param {String} charset\n * @return {Boolean}\n"
        "// ...\n",
        "uncertain",
        id="a new function with a doc comment like that of its neighbour",
    ),
    pytest.param(
        "a.ts",
        IMPORTS,
        "import { useState } from 'react'\nimport { merge } from './merge'\n\n// ...\n"
        "  return merge(state.applyPatches(patches))\n// ...\n",
        "unmarked_gap",
        id="one import alone is left out of the shown ones while its name still stands somewhere",
    ),
    pytest.param(
        "a.py",
        EVENTS,
        "class Event(Message):\n    kind: str\n\n    def __enter__(self):\n        return self\n",
        "uncertain",
        id="nothing is changed but that a method is not shown",
    ),
    pytest.param(
        "a_test.go",
        SERIAL,
        '// ...\n\t"testing"\n)\n\nfunc TestBoth(t *testing.T) {\n\tgo testSerial(t)\n\ttestSerial(t)\n}\n\n'
        "func testSerial(t *testing.T) {\n\tfor i := 0; i < 10; i++ {\n\t\tcloseWhileReading(t)\n\t}\n}\n\n"
        "// ...\n",
        "uncertain",
        id="the last of two new functions has the body of the one below",
    ),
    pytest.param(
        "a.rb",
        PARSER,
        "# ...\n  class Parser\n    # ...\n      end\n    end\n\n    def initialize(app)\n"
        "      @app = app.dup\n    end\n    # ...\n",
        "uncertain",
        id="a run begins with closing lines of a block that ends further up",
    ),
    pytest.param(
        "a.c",
        MACHINE,
        '/* ... */\n#include "list.h"\n#undef UNARY\n#undef BINARY\n#define UNARY(name)\n'
        '#include "rest.h"\n;\n\n#undef UNARY\n/* ... */\n',
        "uncertain",
        id="a run ends with a line that the file has once and the edit twice",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "reason"), REFUSED)
def test_seam_with_two_readings_is_asked_about(path, original, edit, reason):
    """The old version may have been left behind, or the new one may be one more."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.reason, result.text) == ("refused", reason, original)
