// A difference drawn as lines: three of context around each change, the rest folded until it is asked for.

const CONTEXT = 3;
const FEWEST = 5; // lines that are worth a fold

// Lines of a text given by another one's lines and blocks [first, deleted, inserted, old marks, new marks].
function applied(lines, blocks) {
  const made = [];
  let at = 0;
  for (const [first, deleted, inserted] of blocks) {
    made.push(...lines.slice(at, first), ...inserted);
    at = first + deleted;
  }
  return made.concat(lines.slice(at));
}

// From one text to the next, where both are given by blocks on a third: lines are compared by their words.
function between(lines, one, other) {
  const old = applied(lines, one);
  const fresh = applied(lines, other);
  const text = (line) => line.filter((_, at) => at % 2).join("");
  const a = old.map(text);
  const b = fresh.map(text);
  return [old, blocksOf(a, b, fresh)];
}

// The longest common subsequence of what lies between equal ends; two long and different texts are one block.
function blocksOf(a, b, fresh) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const n = a.length - end - start;
  const m = b.length - end - start;
  if (!n && !m) return [];
  if (n * m > 4e6) return [[start, n, fresh.slice(start, start + m), {}, {}]];
  const width = m + 1;
  const table = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[start + i] === b[start + j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const blocks = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && a[start + i] === b[start + j]) {
      i += 1;
      j += 1;
      continue;
    }
    const [first, from] = [i, j];
    while ((i < n || j < m) && !(i < n && j < m && a[start + i] === b[start + j])) {
      if (j >= m || (i < n && table[(i + 1) * width + j] >= table[i * width + j + 1])) i += 1;
      else j += 1;
    }
    blocks.push([start + first, i - first, fresh.slice(start + from, start + j), {}, {}]);
  }
  return blocks;
}

// Rows: [kind, old number or "", new number or "", line, marks], 1-based.
function rowsOf(lines, blocks) {
  const rows = [];
  let at = 0;
  let fresh = 1;
  const keep = (until) => {
    for (; at < until; at += 1, fresh += 1) rows.push(["", at + 1, fresh, lines[at], null]);
  };
  for (const [first, deleted, inserted, oldMarks, newMarks] of blocks) {
    keep(first);
    for (let i = 0; i < deleted; i += 1, at += 1) rows.push(["del", at + 1, "", lines[at], oldMarks[i]]);
    inserted.forEach((line, i) => rows.push(["ins", "", fresh++, line, newMarks[i]]));
  }
  keep(lines.length);
  return rows;
}

function drawDiff(lines, blocks, here) {
  const rows = rowsOf(lines, blocks);
  const shown = new Uint8Array(rows.length);
  rows.forEach((row, at) => {
    if (row[0] || (here && row[2] === here)) {
      for (let i = Math.max(0, at - CONTEXT); i <= Math.min(rows.length - 1, at + CONTEXT); i += 1) shown[i] = 1;
    }
  });
  const body = element("tbody");
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && shown[end] === shown[at]) end += 1;
    if (shown[at] || end - at < FEWEST || state.unfolded) rows.slice(at, end).forEach((row) => body.append(drawRow(row, here)));
    else body.append(fold(rows.slice(at, end), here));
    at = end;
  }
  return element("div", { class: "code" }, element("table", {}, body));
}

function fold(hidden, here) {
  const unfold = (event) => event.currentTarget.closest("tr").replaceWith(...hidden.map((row) => drawRow(row, here)));
  return element("tr", { class: "fold" }, element("td", { colspan: 4 }, element("button", { type: "button", onclick: unfold }, `⋯ ${hidden.length} lines that stay`)));
}

function drawRow([kind, old, fresh, line, marks], here) {
  const sign = { del: "−", ins: "+" }[kind] || "";
  const name = [kind, here && fresh === here ? "here" : ""].join(" ").trim();
  return element("tr", { class: name || null }, element("td", { class: "no" }, String(old)), element("td", { class: "no" }, String(fresh)), element("td", { class: "sign" }, sign), element("td", {}, drawRuns(line, marks)));
}

// Runs [class, text, class, text ...] as spans; marks are stretches [start, end] of the line.
function drawRuns(runs, marks) {
  const parts = [];
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    for (const [text, marked] of cut(runs[i + 1], at, marks)) {
      const span = runs[i] ? element("span", { class: `t-${runs[i]}` }, text) : document.createTextNode(text);
      parts.push(marked ? element("mark", {}, span) : span);
    }
    at += runs[i + 1].length;
  }
  return parts;
}

function cut(text, start, marks) {
  if (!marks || !marks.length) return [[text, false]];
  const parts = [];
  let at = 0;
  for (const [from, to] of marks) {
    const [a, b] = [Math.max(from - start, at), Math.min(to - start, text.length)];
    if (b <= a) continue;
    if (a > at) parts.push([text.slice(at, a), false]);
    parts.push([text.slice(a, b), true]);
    at = b;
  }
  if (at < text.length) parts.push([text.slice(at), false]);
  return parts;
}
