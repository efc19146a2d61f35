"""What it costs, in an alignment, to read an edit as leaving out, moving or putting in lines.

The worth of a shared line is about 1 to 2.4; only the ratios count.
"""

from __future__ import annotations

IMPOSSIBLE = 1e6
LONG = 30
"""Lines that say something which a marker near by stands for, even if it is indented too deep for them."""
EDGE = 0.15
"""Cost of leaving out the file's start or end without a marker."""
MARK = 0.05
"""Cost of a gap at a marker."""
SKIP = 2.5
"""Cost of a gap where no marker stands, in an edit that has markers."""
SKIP_BARE = 0.7
"""The same in an edit without any marker: only what changed is shown."""
SKIP_INSIDE = 4.0
"""The same where what follows begins no definition: inside one, nothing is left out without a word."""
LEAVES_BLOCK = 4.0
"""Cost of a gap that leaves a block of the file which the edit does not leave."""
LEAVES_SHOWN = 20.0
"""The same where the edit shows the line that opens that block, and the line defines something."""
UNPLACED = 1.5
"""Cost of new lines between two markers, with nothing beside them."""
SHIFTED = 0.4
"""Cost of two anchors that stand at different relative depths in edit and file."""
NEW_PARENT = 0.5
"""Cost of an anchor whose block is opened by a line that is not in the file."""
NEW_DEFINITION = 3.0
"""The same where that line defines something."""
UNCLOSED = 1.5
"""Cost of a new closing line for a block whose opening line is the file's."""
PASSED = 1.5
"""Cost of a line that stands once in edit and file alike and is not made one."""
REWRITTEN = 0.6
"""Most that a rewritten body costs under a header that stands once in edit and file, however long it was."""
STOLEN = 1.5
"""Cost of an annotation or comment that is the file's above a line that is not."""
