// Annotation: a class and a note, sent at once; what others say meanwhile comes with each answer.

function drawChoices() {
  const own = mine(state.at);
  const result = data.cases[state.at].runs[state.run];
  if (!result) return [];
  const button = (key, name) =>
    element("button", { type: "button", "data-class": name, "aria-pressed": own && own.class === name ? "true" : "false", onclick: () => annotate(name) }, element("kbd", {}, key), name === "refused" ? "had to be refused" : outcomes.get(name).words);
  const buttons = [...CLASSES.map((name, number) => button(String(number + 1), name)), button("r", "refused")];
  const field = element("textarea", { id: "note", placeholder: `note by ${state.who} (n)`, "aria-label": "Note", onkeydown: noteKey, onblur: keepNote });
  field.value = own ? own.note : "";
  return [element("div", { class: "choices" }, buttons), element("div", { class: "note" }, field)];
}

function noteKey(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.blur();
  if (event.key === "Escape") {
    const own = mine(state.at);
    event.target.value = own ? own.note : "";
    event.target.blur();
    event.stopPropagation();
  }
}

function keepNote(event) {
  const own = mine(state.at);
  const text = event.target.value;
  if (text !== (own ? own.note : "")) send(state.at, own ? own.class : null, text);
}

function annotate(name) {
  if (!data.serves || state.at < 0 || !data.cases[state.at].runs[state.run]) return;
  const own = mine(state.at);
  const field = $("note");
  const note = field ? field.value : own ? own.note : "";
  const again = own && own.class === name;
  if (name !== null && again) return;
  if (name === null && !(own && own.class)) return;
  send(state.at, name, note);
}

let sending = Promise.resolve(); // one after the other: the last one sent is the last one kept

function send(index, name, note) {
  const body = { run: state.run, case: data.cases[index].id, who: state.who, class: name, note };
  sending = sending.then(() => ask("annotations", body)).then(take).catch(complain);
  return sending;
}

// Take over what the server has: the annotations of all people, of all runs.
function take(answer) {
  answer.annotations.forEach((some, run) => {
    const fresh = grouped(some);
    const touched = new Set([...annotated[run].keys(), ...fresh.keys()].filter((id) => JSON.stringify(annotated[run].get(id)) !== JSON.stringify(fresh.get(id))));
    annotated[run] = fresh;
    for (const id of touched) if (byId.has(id)) redrawRow(byId.get(id));
    if (state.at >= 0 && touched.has(data.cases[state.at].id)) redrawOpinions();
  });
  markRow();
}

// What others and I say, in place: the note that is being written stays as it is.
function redrawOpinions() {
  const list = document.querySelector("#case .raters");
  if (!list || $("case").dataset.id !== data.cases[state.at].id) return;
  list.replaceWith(drawRaters());
  const own = mine(state.at);
  for (const button of document.querySelectorAll("#case .choices button")) {
    button.setAttribute("aria-pressed", own && own.class === button.dataset.class ? "true" : "false");
  }
  const field = $("note");
  if (field && field !== document.activeElement) field.value = own ? own.note : "";
}

function refresh() {
  if (document.hidden || (document.activeElement && document.activeElement.id === "note")) return;
  ask("annotations").then(take).catch(() => {}); // the server may have ended; the next annotation says so
}

if (data.serves) {
  window.addEventListener("focus", refresh);
  setInterval(refresh, 5000);
}
