// The table of cases: filters, order, and which row is chosen.

const COLUMNS = [
  { name: "class", width: "7.1em", value: (one) => rank(one.runs[0]), cell: (one) => resultChip(one.runs[0]) },
  ...data.runs.slice(1).map((name, number) => ({
    name,
    width: "7.1em",
    value: (one) => rank(one.runs[number + 1]),
    cell: (one) => resultChip(one.runs[number + 1]),
  })),
  { name: "case", width: "auto", value: (one) => one.id, cell: (one) => idCell(one) },
  { name: "format", width: "4.8em", value: (one) => one.format, cell: (one) => one.format },
  { name: "language", width: "5.8em", value: (one) => one.language, cell: (one) => one.language },
  { name: "reason", width: "5.4em", value: (one) => reasonOf(one), cell: (one) => reasonOf(one) },
  { name: "lines", width: "3.4em", number: true, value: (one) => one.lines, cell: (one) => String(one.lines) },
  { name: "s", width: "3.4em", number: true, value: (one) => secondsOf(one), cell: (one) => secondsOf(one).toFixed(2) },
];
if (data.runs.length > 1) COLUMNS[0].name = data.runs[0];

// What needs a look comes first.
const WORST = ["functional_error", "hallucination", "truncation", "crashed", "timed_out", "smoothing", "refused", "non_functional", "correct", "not_applicable"];

function rank(result) {
  return result ? WORST.indexOf(result.outcome) : WORST.length;
}

function resultChip(result) {
  return result ? chip(result.outcome, result.decided === "suggested") : "";
}

function idCell(one) {
  const index = byId.get(one.id);
  const annotated = data.runs.some((_, run) => annotationsOf(index, run).some((said) => said.class || said.note));
  return annotated ? `✎ ${one.id}` : one.id;
}

function reasonOf(one) {
  const result = one.runs[state.run];
  return result ? result.reason || "" : "";
}

function secondsOf(one) {
  const result = one.runs[state.run];
  return result ? result.seconds : 0;
}

const FILTERS = {
  "by-outcome": (one, value) => one.runs.some((result) => result && result.outcome === value),
  "by-format": (one, value) => one.format === value,
  "by-language": (one, value) => one.language === value,
  "by-reason": (one, value) => one.runs.some((result) => result && result.reason === value),
  "by-disagreement": (one, value) => disagrees(one, value),
};

function disagrees(one, value) {
  const index = byId.get(one.id);
  const runs = data.runs.map((_, run) => run);
  const said = (run) => opinions(index, run);
  if (value === "runs") return new Set(one.runs.map((result) => result && result.outcome)).size > 1;
  if (value === "raters") return runs.some((run) => differ(said(run)));
  if (value === "judge-answer") return runs.some((run) => differ(said(run).filter((by) => by.who !== "person")));
  if (value === "people") {
    return runs.some((run) => new Set(said(run).filter((by) => by.who === "person").map((by) => by.class)).size > 1);
  }
  if (value === "mine") return !(mine(index) && mine(index).class);
  return one.runs.some((result, run) => result && result.decided === "suggested" && !annotationsOf(index, run).some((by) => by.class));
}

function fillFilters() {
  const counts = { "by-outcome": new Map(), "by-format": new Map(), "by-language": new Map(), "by-reason": new Map() };
  const add = (name, value) => value && counts[name].set(value, (counts[name].get(value) || 0) + 1);
  for (const one of data.cases) {
    add("by-format", one.format);
    add("by-language", one.language);
    for (const value of new Set(one.runs.map((result) => result && result.outcome))) add("by-outcome", value);
    for (const value of new Set(one.runs.map((result) => result && result.reason))) add("by-reason", value);
  }
  for (const [name, found] of Object.entries(counts)) {
    const values = [...found.keys()].sort();
    if (name === "by-outcome") values.sort((a, b) => [...outcomes.keys()].indexOf(a) - [...outcomes.keys()].indexOf(b));
    for (const value of values) {
      const words = name === "by-outcome" ? outcomes.get(value).words : value;
      $(name).append(element("option", { value }, `${words} (${found.get(value)})`));
    }
  }
}

function filterCases() {
  const words = $("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = Object.keys(FILTERS).map((name) => [FILTERS[name], $(name).value]).filter(([, value]) => value);
  const fits = (one) =>
    chosen.every(([filter, value]) => filter(one, value)) &&
    words.every((word) => `${one.id} ${one.path}`.toLowerCase().includes(word));
  const column = COLUMNS[state.sort.column];
  const keyed = data.cases.map((one, index) => [index, one]).filter(([, one]) => fits(one)).map(([index, one]) => [index, column.value(one)]);
  keyed.sort(([a, x], [b, y]) => (x < y ? -1 : x > y ? 1 : a - b));
  if (state.sort.down) keyed.reverse();
  state.shown = keyed.map(([index]) => index);
  drawRows();
}

function drawHeads() {
  $("heads").replaceChildren(
    ...COLUMNS.map((column, number) => {
      const sorted = state.sort.column === number ? (state.sort.down ? "descending" : "ascending") : null;
      return element("th", { scope: "col", "aria-sort": sorted, style: `width:${column.width}`, title: `sort by ${column.name}`, onclick: () => sortBy(number) }, column.name);
    }),
  );
}

function sortBy(number, down) {
  state.sort = { column: number, down: down === undefined ? state.sort.column === number && !state.sort.down : down };
  drawHeads();
  filterCases();
}

function makeRow(index) {
  const one = data.cases[index];
  const cells = COLUMNS.map((column) => element("td", { class: column.number ? "number" : null, title: column.name === "case" ? one.path : null }, column.cell(one)));
  return element("tr", { "data-index": index, "aria-selected": index === state.at ? "true" : "false" }, cells);
}

function drawRows() {
  $("body").replaceChildren(...state.shown.map(makeRow));
  $("count").textContent = `${state.shown.length} of ${data.cases.length}`;
  if (!state.shown.includes(state.at)) choose(state.shown.length ? state.shown[0] : -1);
  else markRow();
}

function rowOf(index) {
  return $("body").querySelector(`tr[data-index="${index}"]`);
}

function redrawRow(index) {
  const row = rowOf(index);
  if (row) row.replaceWith(makeRow(index));
}

function markRow() {
  for (const row of $("body").querySelectorAll('tr[aria-selected="true"]')) row.setAttribute("aria-selected", "false");
  const row = rowOf(state.at);
  if (!row) return;
  row.setAttribute("aria-selected", "true");
  row.scrollIntoView({ block: "nearest" });
}

function choose(index) {
  state.at = index;
  markRow();
  if (index >= 0) history.replaceState(null, "", `#${encodeURIComponent(data.cases[index].id)}`);
  drawCase();
}

function step(by) {
  const place = state.shown.indexOf(state.at);
  const next = Math.min(Math.max(place + by, 0), state.shown.length - 1);
  if (next >= 0 && state.shown[next] !== state.at) choose(state.shown[next]);
}
