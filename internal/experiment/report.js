"use strict";
// The table of cases with its filters, and what a cell opens to. Every text of the experiment goes in as text, never as
// markup. What is filtered and opened stands in the fragment of the address, so that a view can be linked.

const data = JSON.parse(document.getElementById("data").textContent);
const { variants, outcomes, words } = data;
const $ = id => document.getElementById(id);

// h makes an element: h("a", {href: "#"}, "text", child, …).
function h(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (typeof v === "function") e.addEventListener(k, v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children.flat().filter(c => c != null && c !== false && c !== ""));
  return e;
}

const counted = (n, thing) => n + " " + thing + (n === 1 ? "" : "s");

// The cases. share is how often a cell passes, NaN if it was not made.
const cases = data.cases.map(([id, group, request, expected, block, cells], index) => {
  const c = { index, id, group, request, expected: outcomes[expected] || "", block };
  c.cells = cells.map(([passes, runs, outcome, plan, failed]) => ({
    passes, runs, share: passes / runs, outcome: runs ? outcomes[outcome] : "", plan: words[plan], failed: failed.map(i => words[i]),
  }));
  c.text = [id, group, request, ...c.cells.flatMap(x => [x.plan, ...x.failed])].join("\n").toLowerCase();
  return c;
});

// What cells can differ in. of is the variant that is looked at, -1 for all.
const looked = (c, of) => (of < 0 ? c.cells : [c.cells[of]]).filter(x => x.runs);
const others = (c, of) => (of < 0 ? c.cells.slice(1) : [c.cells[of]]).filter(x => x.runs && c.cells[0].runs);
const differences = [
  ["all", "all", () => true],
  ["differ", "variants differ", (c, of) => of < 0 ? new Set(looked(c, of).map(x => x.share)).size > 1 : others(c, of).some(x => x.share !== c.cells[0].share)],
  ["fixed", "fixed", (c, of) => others(c, of).some(x => x.share > c.cells[0].share)],
  ["broken", "broken", (c, of) => others(c, of).some(x => x.share < c.cells[0].share)],
  ["fails", "fail everywhere", (c, of) => looked(c, of).length > 0 && looked(c, of).every(x => x.passes === 0)],
  ["passes", "pass everywhere", (c, of) => looked(c, of).length > 0 && looked(c, of).every(x => x.passes === x.runs)],
  ["unsteady", "vary between runs", (c, of) => looked(c, of).some(x => x.passes > 0 && x.passes < x.runs)],
  ["missing", "not all made", (c, of) => (of < 0 ? c.cells : [c.cells[of]]).some(x => x.runs < data.repeats)],
].filter(([key]) => (variants.length > 1 || !["differ", "fixed", "broken"].includes(key)) && (data.repeats > 1 || key !== "unsteady") && (data.missing || key !== "missing"));
const difference = Object.fromEntries(differences.map(([key, , holds]) => [key, holds]));

// The state, and its form as a fragment.
const initial = { q: "", of: "", group: "", diff: "all", outcome: [], case: "", variant: "", beside: "", repeat: "" };
let state = { ...initial };
const step = 100;
let most = step;

function readFragment() {
  const p = new URLSearchParams(location.hash.slice(1));
  state = { ...initial };
  for (const key of Object.keys(initial)) if (key !== "outcome" && p.has(key)) state[key] = p.get(key);
  state.outcome = (p.get("outcome") || "").split(",").filter(o => outcomes.includes(o));
  if (!variants.includes(state.of)) state.of = "";
  if (!difference[state.diff]) state.diff = "all";
}

function writeFragment() {
  const p = new URLSearchParams();
  for (const key of Object.keys(initial)) {
    const v = key === "outcome" ? state.outcome.join(",") : state[key];
    if (v && v !== initial[key]) p.set(key, v);
  }
  const hash = p.toString();
  if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
}

// What filters ask of a case is worked out once for each variant that is looked at: a bit for each difference and for each outcome.
const known = new Map();
function facts(of) {
  if (!known.has(of)) known.set(of, {
    diff: cases.map(c => differences.reduce((bits, [, , holds], i) => holds(c, of) ? bits | 1 << i : bits, 0)),
    outcome: cases.map(c => looked(c, of).reduce((bits, x) => bits | 1 << outcomes.indexOf(x.outcome), 0)),
  });
  return known.get(of);
}

// filtered gives the cases that are shown, and how many each choice of a filter would show.
function filtered() {
  const { diff, outcome } = facts(variants.indexOf(state.of));
  const parts = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const ofDiff = 1 << differences.findIndex(([key]) => key === state.diff);
  const ofOutcome = state.outcome.reduce((bits, o) => bits | 1 << outcomes.indexOf(o), 0);
  const found = { list: [], diff: differences.map(() => 0), outcome: outcomes.map(() => 0), group: new Map(), groups: 0 };
  const add = (counts, bits) => { for (let i = 0; i < counts.length; i++) if (bits >> i & 1) counts[i]++; };
  cases.forEach((c, i) => {
    if (!parts.every(p => c.text.includes(p))) return;
    const inGroup = !state.group || c.group === state.group, inDiff = diff[i] & ofDiff, inOutcome = !ofOutcome || outcome[i] & ofOutcome;
    if (inGroup && inOutcome) add(found.diff, diff[i]);
    if (inGroup && inDiff) add(found.outcome, outcome[i]);
    if (!inDiff || !inOutcome) return;
    found.groups++;
    found.group.set(c.group, (found.group.get(c.group) || 0) + 1);
    if (inGroup) found.list.push(c);
  });
  return found;
}

let list = []; // the cases that are shown

function chip(type, name, value, label) {
  const input = h("input", { type, name, value, change: changed });
  return h("label", { class: "chip" }, input, label, h("span", { class: "count" }));
}

function makeFilters() {
  const groups = [...new Set(cases.map(c => c.group).filter(Boolean))].sort();
  $("of").append(...variants.map(v => h("option", { value: v }, v)));
  $("group").append(...groups.map(g => h("option", { value: g }, g)));
  $("group").parentElement.hidden = !groups.length;
  $("of").parentElement.hidden = variants.length < 2;
  $("diff").append(...differences.map(([key, label]) => chip("radio", "diff", key, label)));
  $("outcome").append(...outcomes.filter(o => cases.some(c => c.cells.some(x => x.outcome === o))).map(o => chip("checkbox", "outcome", o, o)));
  $("q").addEventListener("input", changed);
  $("of").addEventListener("change", changed);
  $("group").addEventListener("change", changed);
  $("filters").addEventListener("submit", e => e.preventDefault());
  $("filters").addEventListener("reset", e => { e.preventDefault(); state = { ...initial }; most = step; show(); $("q").focus(); });
  $("filters").hidden = false;
}

function changed() {
  state.q = $("q").value;
  state.of = $("of").value;
  state.group = $("group").value;
  state.diff = document.querySelector("[name=diff]:checked").value;
  state.outcome = [...document.querySelectorAll("[name=outcome]:checked")].map(e => e.value);
  most = step;
  show();
}

const symbol = x => !x.runs ? "·" : x.passes === x.runs ? "✓" : x.passes ? "±" : "✗";
const kind = x => !x.runs ? "none" : x.passes === x.runs ? "pass" : x.passes ? "part" : "fail";
const passing = x => !x.runs ? "not made yet" : x.runs === 1 ? (x.passes ? "pass" : "fail") : x.passes + " of " + x.runs + " pass";

// row is drawn once, and taken again whenever its case is shown.
function row(c) {
  return c.row ||= h("tr", {},
    h("th", { scope: "row", class: "case" }, h("div", { class: "what" }, h("span", { class: "id" }, c.id), h("span", { class: "request", title: c.request.length > 200 ? c.request.slice(0, 1000) : null }, c.request.slice(0, 400)),
      h("span", { class: "about" }, [c.expected && "expects " + c.expected, c.group && "group " + c.group].filter(Boolean).join(" · ")))),
    c.cells.map((x, v) => h("td", {}, h("button", {
      type: "button", class: "cell " + kind(x), "data-case": c.index, "data-variant": v,
      "aria-label": `${c.id} under ${variants[v]}: ${passing(x)}${x.runs ? ", " + x.outcome : ""}. ${x.plan}`,
    }, h("b", { "aria-hidden": "true" }, symbol(x)), x.runs > 1 ? x.passes + "/" + x.runs + " " : "", h("span", { class: "words" }, x.runs ? x.plan : "not made yet")))));
}

function show() {
  $("q").value = state.q;
  $("of").value = state.of;
  $("group").value = state.group;
  const count = (input, n) => { input.parentElement.querySelector(".count").textContent = n; };
  const found = filtered();
  for (const input of document.querySelectorAll("[name=diff]")) {
    input.checked = input.value === state.diff;
    count(input, found.diff[differences.findIndex(([key]) => key === input.value)]);
  }
  for (const input of document.querySelectorAll("[name=outcome]")) {
    input.checked = state.outcome.includes(input.value);
    count(input, found.outcome[outcomes.indexOf(input.value)]);
  }
  for (const option of $("group").options) option.textContent = option.value ? `${option.value} (${found.group.get(option.value) || 0})` : `any (${found.groups})`;
  list = found.list;
  const text = list.length === cases.length ? counted(cases.length, "case") : `${list.length} of ${counted(cases.length, "case")}`;
  if ($("shown").textContent !== text) $("shown").textContent = text;
  const visible = list.slice(0, most);
  $("matrix").replaceChildren(h("table", {},
    h("caption", { class: "unseen" }, "Each row is a case, each column a variant. A cell opens to its plan, route, prompts and replies."),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "case" }, "case"), variants.map((v, i) => h("th", { scope: "col" }, v, i === 0 && variants.length > 1 ? " (baseline)" : "")))),
    h("tbody", {}, visible.map(row))));
  $("further").replaceChildren(...(list.length > visible.length ? [
    `The first ${visible.length} are shown. `,
    h("button", { type: "button", click: () => further(most + 400) }, "Show more"),
    h("button", { type: "button", click: () => further(list.length) }, "Show all"),
  ] : []));
  writeFragment();
}

function further(n) {
  const next = list[most];
  most = n;
  show();
  document.querySelector(`[data-case="${next.index}"]`)?.focus();
}

// The table is walked with the arrow keys.
function walk(e) {
  const at = e.target.closest(".cell");
  const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
  if (!at || !move) return;
  const rows = [...$("matrix").querySelectorAll("tbody tr")];
  const y = rows.indexOf(at.closest("tr")) + move[0], x = Number(at.dataset.variant) + move[1];
  const to = rows[y]?.querySelectorAll(".cell")[x];
  if (to) { e.preventDefault(); to.focus(); }
}

// Blocks of details are unpacked when they are needed.
const unpacked = new Map();
function block(n) {
  if (!unpacked.has(n)) unpacked.set(n, (async () => {
    const packed = Uint8Array.from(atob($("block-" + n).textContent), c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  })());
  return unpacked.get(n);
}

// plansOf gives the repeats of a case under a variant, with their texts.
async function plansOf(c, variant) {
  const b = await block(c.block);
  const text = (kind, i) => i < 0 ? "" : b.texts[kind][i];
  return b.cases[c.index].cells[variant].map(p => ({
    ...p, plan: text("plan", p.plan),
    steps: p.steps.map(([node, visit, action, because, result, calls]) => ({
      node, visit, action, because: text("because " + node, because), result: text("result " + node, result),
      calls: calls.map(([model, prompt, reply, error]) => ({ model, prompt: text("prompt " + node, prompt), reply: text("reply " + node, reply), error })),
    })),
  }));
}

// parting is the first place where two runs went different ways: a visit of a node at which they took different actions, or else
// the first step that one has and the other has not.
function parting(a, b) {
  const key = s => s.node + "\n" + s.visit;
  const there = new Map(b.map(s => [key(s), s]));
  for (const s of a) {
    const other = there.get(key(s));
    if (other && other.action !== s.action) return [s, other];
  }
  for (let i = 0; i < Math.max(a.length, b.length); i++) if (!a[i] || !b[i] || a[i].node !== b[i].node) return [a[i], b[i]];
  return null;
}

// parted says it in words.
function parted(parts) {
  if (!parts) return "Every node took the same action.";
  const [a, b] = parts, action = s => s.action || "failed";
  if (a && b && a.node === b.node) return `They part at ${a.node}: ${action(a)}, and ${action(b)} beside it.`;
  const took = s => s ? s.node + " → " + action(s) : "had ended";
  return `The flows part: ${took(a)}, and ${took(b)} beside it.`;
}

function pretty(text) {
  try {
    const v = JSON.parse(text), short = JSON.stringify(v);
    return short.length < 100 ? short : JSON.stringify(v, null, 2);
  } catch { return text; }
}

// beside shows a text, with the lines marked that the other side has not.
function beside(text, other) {
  if (other == null || text === other) return h("pre", { tabindex: "0" }, text);
  const known = new Set(other.split("\n"));
  return h("pre", { tabindex: "0" }, text.split("\n").flatMap((line, i) => [i ? "\n" : "", known.has(line) ? line : h("mark", {}, line)]));
}

const fold = (title, open, ...inside) => h("details", { open }, h("summary", {}, title), ...inside);

function planTable(text) {
  let plan;
  try { plan = JSON.parse(text); } catch { return null; }
  const nodes = plan?.workflow_ir?.nodes;
  if (!Array.isArray(nodes) || !nodes.length) return null;
  return h("table", { class: "nodes" }, h("thead", {}, h("tr", {}, ["node", "type", "params"].map(t => h("th", { scope: "col" }, t)))),
    h("tbody", {}, nodes.map(n => h("tr", {}, h("th", { scope: "row" }, String(n?.id ?? "")), h("td", {}, String(n?.type ?? "")), h("td", {}, n?.params ? JSON.stringify(n.params) : "")))));
}

function side(c, variant, plans, repeat, other, parts) {
  const x = c.cells[variant], p = plans.find(p => p.repeat === repeat);
  const head = [h("h3", {}, variants[variant]), h("p", {}, h("span", { class: "tag " + (p ? (p.pass ? "pass" : "fail") : "none") }, p ? (p.pass ? "✓ passes" : "✗ fails") : "not made yet"),
    x.runs > 1 ? ` ${x.passes} of ${x.runs} runs pass` : "")];
  if (!p) return h("div", {}, head);
  const numbers = Object.entries(p.took).map(([k, v]) => `${k} ${+v.toPrecision(6)}`).join(", ");
  const twin = s => other && other.steps.find(o => o.node === s.node && o.visit === s.visit);
  return h("div", {}, head,
    h("p", {}, h("b", {}, p.outcome), ": ", p.words),
    p.failed.length ? [h("h4", {}, "Not as expected"), h("ul", { class: "findings" }, p.failed.map(f => h("li", {}, f)))] : null,
    numbers && h("p", { class: "soft" }, numbers),
    h("h4", {}, "Plan"), planTable(p.plan), fold("Plan as JSON", false, beside(pretty(p.plan), other && pretty(other.plan))),
    h("h4", {}, "Route"),
    h("ol", { class: "route" }, p.steps.map(s => {
      const here = parts.includes(s), t = twin(s);
      return h("li", { class: here ? "parts" : null }, h("b", {}, s.node), s.visit > 1 ? ` (visit ${s.visit})` : "", " → ", s.action || "failed",
        here ? h("i", {}, " they part here") : "", s.because && h("div", { class: "soft" }, "because " + s.because),
        s.calls.map((call, i) => fold(`Prompt to ${call.model}, and reply`, here, h("h4", {}, "Prompt"), beside(call.prompt, t && (t.calls[i]?.prompt ?? "")),
          h("h4", {}, call.error ? "Error" : "Reply"), beside(call.error || call.reply, t && (t.calls[i]?.error || t.calls[i]?.reply || "")))),
        s.result && fold("Result", here && !s.calls.length, beside(pretty(s.result), t && pretty(t.result))));
    })));
}

let drawn = 0; // what is drawn last counts, whichever block comes first

async function showCell() {
  const c = cases.find(c => c.id === state.case), variant = variants.indexOf(state.variant), dialog = $("cell");
  if (!c || variant < 0) {
    if (dialog.open) dialog.close();
    return;
  }
  const turn = ++drawn, two = variants.indexOf(state.beside);
  const at = list.indexOf(c), held = document.activeElement?.id;
  const go = n => { state.case = list[n].id; state.repeat = ""; showCell(); };
  const choose = (id, label, value, options, set) => h("label", { for: id }, label, h("select", { id, change: e => { set(e.target.value); showCell(); } },
    options.map(([v, text]) => h("option", { value: v, selected: v === value }, text))));
  const all = variants.map(v => [v, v]);
  const top = h("div", { class: "top" }, h("h2", { id: "cell-head" }, c.id),
    choose("cell-variant", "Variant", state.variant, all, v => { state.variant = v; }),
    variants.length > 1 && choose("cell-beside", "Beside", two < 0 ? "" : state.beside, [["", "nothing"], ...all], v => { state.beside = v; }),
    data.repeats > 1 && choose("cell-repeat", "Run", state.repeat, [["", "first that fails"], ...Array.from({ length: data.repeats }, (_, i) => [String(i), `${i + 1} of ${data.repeats}`])], v => { state.repeat = v; }),
    h("button", { id: "cell-before", type: "button", disabled: at <= 0, click: () => go(at - 1) }, "Case before"),
    h("button", { id: "cell-next", type: "button", disabled: at < 0 || at >= list.length - 1, click: () => go(at + 1) }, "Next case"),
    h("button", { id: "cell-close", type: "button", click: () => dialog.close() }, "Close"));
  const body = h("div", { class: "body", tabindex: "0", role: "region", "aria-label": "What happened" });
  body.append(h("h4", {}, "Request"), h("pre", { tabindex: "0" }, c.request));
  dialog.replaceChildren(top, body);
  if (!dialog.open) dialog.showModal();
  const again = held && $(held);
  (again && dialog.contains(again) && !again.disabled ? again : $("cell-close")).focus();
  writeFragment();
  if (c.block < 0) {
    const shown = [variant, ...(two < 0 || two === variant ? [] : [two])];
    body.append(h("div", { class: "sides" + (shown.length > 1 ? " two" : "") }, shown.map(v => h("div", {}, h("h3", {}, variants[v]),
      h("p", {}, h("span", { class: "tag " + kind(c.cells[v]) }, passing(c.cells[v])), " ", h("b", {}, c.cells[v].outcome), " ", c.cells[v].plan),
      h("ul", { class: "findings" }, c.cells[v].failed.map(f => h("li", {}, f))),
      h("p", {}, "Its route, prompts and replies are left out of this page, which would be too large with them. They are shown by:"),
      h("pre", { tabindex: "0" }, `pflow experiment show ${data.ids[v]} ${quoted(c.id)} --variant ${quoted(variants[v])}`)))));
    return;
  }
  try {
    const said = (await block(c.block)).cases[c.index].case;
    const left = await plansOf(c, variant), right = two < 0 || two === variant ? null : await plansOf(c, two);
    if (turn !== drawn) return;
    const repeat = state.repeat !== "" ? Number(state.repeat) : ([...left, ...(right || [])].find(p => !p.pass) || left[0])?.repeat ?? 0;
    const a = left.find(p => p.repeat === repeat), b = right?.find(p => p.repeat === repeat);
    const parts = a && b ? parting(a.steps, b.steps) : null;
    body.append(h("p", {}, c.expected ? "Expects: " + c.expected + "." : "", c.group ? " Group: " + c.group + "." : ""), fold("The case", true, h("pre", { tabindex: "0" }, pretty(said))));
    if (a && b) body.append(h("p", { class: "parting" }, parted(parts)));
    body.append(h("div", { class: "sides" + (right ? " two" : "") }, side(c, variant, left, repeat, b, parts || []), right && side(c, two, right, repeat, a, parts || [])));
  } catch (problem) {
    body.append(h("p", { class: "warning" }, "The details cannot be unpacked by this browser: " + problem));
  }
}

// quoted is a word for a shell.
const quoted = s => /^[\w./@:+-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'";

function openCell(e) {
  const cell = e.target.closest(".cell");
  if (!cell) return;
  const c = cases[cell.dataset.case], variant = Number(cell.dataset.variant);
  Object.assign(state, { case: c.id, variant: variants[variant], repeat: "" });
  state.beside = variants.length > 1 ? variants[variant ? 0 : c.cells.findIndex((x, v) => v > 0 && x.share !== c.cells[0].share)] || variants[1] : "";
  showCell();
}

function closed() {
  drawn++;
  const c = cases.find(c => c.id === state.case), variant = variants.indexOf(state.variant);
  Object.assign(state, { case: "", variant: "", beside: "", repeat: "" });
  writeFragment();
  if (c) document.querySelector(`[data-case="${c.index}"][data-variant="${variant}"]`)?.focus();
}

function arrive() {
  if (location.hash && !location.hash.includes("=")) return; // a link to a part of the page
  readFragment();
  most = step;
  show();
  showCell();
}

makeFilters();
readFragment();
show();
showCell();
$("matrix").addEventListener("click", openCell);
$("matrix").addEventListener("keydown", walk);
$("cell").addEventListener("close", closed);
window.addEventListener("hashchange", arrive);
document.addEventListener("click", e => {
  if (e.target.closest("a[href*='=']")) { $("cases").scrollIntoView(); setTimeout(() => $("shown").scrollIntoView({ block: "start" })); }
});
