// What the page knows: all cases, what people and judges said, which case and run is looked at.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = new Map(data.cases.map((one, index) => [one.id, index]));
const outcomes = new Map(data.outcomes.map((one) => [one.name, one]));
const CLASSES = data.outcomes.slice(0, 6).map((one) => one.name);
const RIGHT = new Set(CLASSES.slice(0, 3));

const state = {
  shown: [], // indexes of the cases that the filters let through, in order
  at: -1, // index of the case that is looked at
  run: 0,
  side: 0,
  unfolded: false,
  sort: { column: 0, down: false },
  who: data.who,
};

const $ = (id) => document.getElementById(id);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child);
  return made;
}

function chip(outcome, guess) {
  const known = outcomes.get(outcome);
  const title = known ? known.words + (guess ? ", suggested" : "") : outcome;
  const name = `chip chip-${outcome}${guess ? " guess" : ""}`;
  return element("span", { class: name, title }, known ? known.short : outcome);
}

function remember(name, value) {
  try {
    localStorage.setItem(`fastapply-evaluate-${name}`, value);
  } catch {
    // a browser that keeps nothing
  }
}

function remembered(name) {
  try {
    return localStorage.getItem(`fastapply-evaluate-${name}`);
  } catch {
    return null;
  }
}

// The annotations of a run on a case, one a person, and the judgements.
const annotated = data.annotations.map((some) => grouped(some));
const judged = data.judgements.map((some) => grouped(some));

function grouped(some) {
  const groups = new Map();
  for (const one of some) {
    if (!groups.has(one.case)) groups.set(one.case, []);
    groups.get(one.case).push(one);
  }
  return groups;
}

function annotationsOf(index, run) {
  return annotated[run].get(data.cases[index].id) || [];
}

function judgementsOf(index, run) {
  return judged[run].get(data.cases[index].id) || [];
}

function mine(index) {
  return annotationsOf(index, state.run).find((one) => one.who === state.who);
}

// What each one who has an opinion says: the known answer, judges, people.
function opinions(index, run) {
  const result = data.cases[index].runs[run];
  const found = [];
  if (result && data.cases[index].known && result.written) {
    const decided = result.decided !== "suggested";
    found.push({ who: "answer", class: result.outcome, right: decided ? RIGHT.has(result.outcome) : false });
  }
  for (const one of judgementsOf(index, run)) {
    if (one.class) found.push({ who: "judge", class: one.class, right: RIGHT.has(one.class) });
  }
  for (const one of annotationsOf(index, run)) {
    if (one.class) found.push({ who: "person", class: one.class, right: RIGHT.has(one.class) });
  }
  return found;
}

function differ(some) {
  return new Set(some.map((one) => one.right)).size > 1;
}

const details = new Map(); // index of a case: a promise of its details

function detailOf(index) {
  if (!details.has(index)) details.set(index, loadDetail(index));
  return details.get(index);
}

async function loadDetail(index) {
  const packed = $(`packed-${index}`);
  if (packed) return unpack(packed.textContent);
  return ask(`case/${index}`);
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

const token = new URLSearchParams(location.search).get("token");

async function ask(path, body) {
  const headers = { "X-Token": token || "" };
  const options = body ? { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(path, { ...options, cache: "no-store" });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json();
}

function complain(error) {
  let box = $("trouble");
  if (!box) {
    box = element("div", { id: "trouble", role: "alert" });
    document.body.append(box);
  }
  box.textContent = `Not kept: ${error.message}`;
  setTimeout(() => box.remove(), 8000);
}
