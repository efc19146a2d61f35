// One case: what is known of it, the edit, and its differences side by side.

const SIDES = ["file to expected", "merge to expected", "hidden"];
let drawn = 0; // the last drawing that was asked for: a slower one before it is thrown away

async function drawCase() {
  const place = $("case");
  const number = ++drawn;
  if (state.at < 0) {
    place.replaceChildren(element("p", { class: "empty" }, "No case."));
    return;
  }
  const one = data.cases[state.at];
  const top = place.dataset.id === one.id ? place.scrollTop : 0;
  let detail;
  try {
    detail = await detailOf(state.at);
  } catch (error) {
    place.replaceChildren(element("p", { class: "said wrong" }, `The case cannot be read: ${error.message}`));
    return;
  }
  if (number !== drawn) return;
  place.replaceChildren(...drawHead(one), ...drawOpinions(), ...drawEdit(one, detail), drawSides(one, detail));
  place.dataset.id = one.id;
  place.scrollTop = top;
  const next = state.shown[state.shown.indexOf(state.at) + 1];
  if (next !== undefined) detailOf(next).catch(() => details.delete(next));
}

function drawHead(one) {
  const result = one.runs[state.run];
  const facts = [
    ["", one.path],
    ["format", one.format],
    ["language", one.language],
    ["repository", one.repository],
    ["lines", one.lines],
    ["seconds", result && result.seconds],
    ["method", result && result.method],
    ["model", result && result.model],
  ].filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false);
  const parts = [
    element("h2", {}, result ? resultChip(result) : "", ` ${one.id}`),
    element("p", { class: "facts" }, facts.map(([name, value]) => element("span", {}, name ? `${name} ` : "", element("b", {}, String(value))))),
  ];
  if (data.runs.length > 1) {
    const runs = data.runs.map((name, run) => {
      const show = () => showRun(run);
      return element("button", { type: "button", "aria-pressed": run === state.run ? "true" : "false", onclick: show }, `${name} `, resultChip(one.runs[run]));
    });
    parts.push(element("div", { class: "runs" }, runs));
  }
  if (one.instructions) parts.push(element("p", { class: "said" }, one.instructions));
  const words = result && [result.why, result.message].filter(Boolean).join(": ");
  if (words) parts.push(element("p", { class: `said${result.right === false ? " wrong" : ""}` }, words));
  return parts;
}

function showRun(run) {
  state.run = (run + data.runs.length) % data.runs.length;
  drawCase();
}

function drawOpinions() {
  return data.serves ? [drawRaters(), ...drawChoices()] : [drawRaters()];
}

function drawRaters() {
  const said = annotationsOf(state.at, state.run).filter((one) => one.class || one.note).map((one) => element("li", {}, `${one.who}: `, one.class ? chip(one.class) : "", one.note ? ` ${one.note}` : ""));
  const judges = judgementsOf(state.at, state.run).map((one) => element("li", {}, `judge ${one.judge}: `, one.class ? chip(one.class) : one.trouble, ` ${one.sentence} `, one.line ? element("q", {}, one.line) : ""));
  return element("ul", { class: "raters" }, said, judges);
}

function drawEdit(one, detail) {
  const rows = detail.edit.map((line, at) => element("tr", {}, element("td", { class: "no" }, String(at + 1)), element("td", {}, drawRuns(line, null))));
  const code = element("div", { class: "code" }, element("table", {}, element("tbody", {}, rows)));
  return [element("section", { class: "side edit" }, element("h3", {}, "Edit"), code)];
}

function drawSides(one, detail) {
  const result = one.runs[state.run];
  const merged = detail.merges[state.run];
  const left = merged
    ? [`File to merge`, merged.length ? drawDiff(detail.file, merged, result.line) : element("p", { class: "same" }, "Nothing changed.")]
    : ["File to merge", element("p", { class: "same" }, result ? `${outcomes.get(result.outcome).words}: nothing was written.` : "This run has no such case.")];
  const parts = [side(...left)];
  const expected = detail.expected;
  const same = merged && expected && result.decided === "bytes";
  if (expected && !same && state.side < 2) {
    const direct = state.side === 1 && merged;
    const [lines, blocks] = direct ? between(detail.file, merged, expected) : [detail.file, expected];
    parts.push(side(direct ? "Merge to expected" : "File to expected", drawDiff(lines, blocks, null)));
  } else if (same) {
    parts[0].append(element("p", { class: "same" }, "This is what was expected, to the byte."));
  }
  return element("div", { class: `sides${parts.length === 1 ? " one" : ""}` }, parts);
}

function side(title, content) {
  return element("section", { class: "side" }, element("h3", {}, title), content);
}
