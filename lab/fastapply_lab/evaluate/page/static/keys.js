// Keys, buttons, and the beginning.

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  remember("theme", name);
}

function otherTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

function showSums(wanted) {
  $("cases").hidden = wanted;
  $("sums").hidden = !wanted;
  $("tab-cases").setAttribute("aria-pressed", wanted ? "false" : "true");
  $("tab-sums").setAttribute("aria-pressed", wanted ? "true" : "false");
}

function clearFilters() {
  $("filters").reset();
  filterCases();
}

function sortNext() {
  sortBy((state.sort.column + 1) % COLUMNS.length, false);
}

const KEYS = {
  j: () => step(1),
  ArrowDown: () => step(1),
  k: () => step(-1),
  ArrowUp: () => step(-1),
  g: () => step(-data.cases.length),
  G: () => step(data.cases.length),
  J: () => $("case").scrollBy({ top: 200 }),
  K: () => $("case").scrollBy({ top: -200 }),
  r: () => annotate("refused"),
  0: () => annotate(null),
  n: () => $("note") && $("note").focus(),
  d: () => {
    state.side = (state.side + 1) % SIDES.length;
    drawCase();
  },
  x: () => {
    state.unfolded = !state.unfolded;
    drawCase();
  },
  w: () => document.body.classList.toggle("wrap"),
  "[": () => showRun(state.run - 1),
  "]": () => showRun(state.run + 1),
  "/": () => $("words").focus(),
  f: () => $("by-outcome").focus(),
  c: clearFilters,
  s: sortNext,
  S: () => sortBy(state.sort.column, !state.sort.down),
  o: () => showSums($("sums").hidden),
  t: otherTheme,
  "?": () => $("help").showModal(),
};
CLASSES.forEach((name, number) => {
  KEYS[number + 1] = () => annotate(name);
});

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (field && event.key === "Escape") {
    event.preventDefault(); // a browser would empty a search field, and the filter stay
    field.blur();
    $("rows").focus();
    return;
  }
  if (field || $("help").open || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

$("body").addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row) choose(Number(row.dataset.index));
});
$("filters").addEventListener("input", filterCases);
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("tab-cases").addEventListener("click", () => showSums(false));
$("tab-sums").addEventListener("click", () => showSums(true));
$("theme").addEventListener("click", otherTheme);
$("ask-help").addEventListener("click", () => $("help").showModal());

setTheme(remembered("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
fillFilters();
drawHeads();
state.at = byId.get(decodeURIComponent(location.hash.slice(1))) ?? -1;
filterCases();
if (state.at >= 0) drawCase();
document.documentElement.dataset.ready = "yes";
