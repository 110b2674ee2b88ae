// Pages that change while one looks: <main data-events="ADDRESS"> names a stream of server-sent events.
//
//   event: state    data: {"steps": [{"step": NAME, "state": STATE}, …]}: how things stand when the stream begins
//   event: step     data: {"step": NAME, "state": STATE, "action"?: OUTCOME}: every [data-step="NAME"] has that state, and the
//                   edges of graphs that leave the step by its outcome are taken
//   event: message  data: {"line": TEXT}: a line more in every [data-lines]
//   event: refresh  the page is fetched again and main becomes what it says; at most once in two seconds
//   event: stop     the server ends
//   event: end      the same at once, and the stream is over; data: {"status"?: STATE}
//
// Nothing is heard or fetched while the page is hidden.
import { Idiomorph } from "idiomorph";
import { changed, el, setState, stateWord, tell } from "./dom.js";

const pause = 2000; // between two fetches, in ms
const patience = 3000; // until a lost connection is told of

let source, address, fetching, again, last = 0, timer, lost;

const said = el("div", { class: "live-message", role: "status", "aria-live": "polite" });

function say(...what) {
  said.replaceChildren(...what);
}

function connect() {
  const main = document.querySelector("main[data-events]");
  const want = document.hidden ? undefined : main?.dataset.events;
  if (want === address && source) return;
  source?.close();
  source = undefined;
  address = want;
  if (!want) return;
  source = new EventSource(want);
  source.onopen = () => {
    clearTimeout(lost);
    lost = undefined;
    if (said.childNodes.length) {
      say();
      refresh(); // what was missed
    }
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
      clearTimeout(lost);
      say("This page no longer hears of changes. ", el("a", { href: location.href }, "Load it again"), ", or open the address that pflow serve printed.");
    } else {
      lost ??= setTimeout(() => say("pflow does not answer. This page goes on trying; what it shows may be old."), patience);
    }
  };
  source.addEventListener("state", (e) => {
    for (const s of parsed(e).steps ?? []) step(s);
  });
  source.addEventListener("step", (e) => step(parsed(e)));
  source.addEventListener("message", (e) => line(parsed(e)));
  source.addEventListener("refresh", () => refresh());
  source.addEventListener("stop", () => {
    source.close();
    source = undefined;
    say("pflow serve has ended. Start it again, and open the address that it prints; what you see here stays.");
  });
  source.addEventListener("end", (e) => {
    source.close();
    source = undefined;
    end(parsed(e));
  });
}

function parsed(event) {
  try {
    return JSON.parse(event.data || "{}");
  } catch {
    return {};
  }
}

function step({ step, state, action }) {
  if (step === undefined || !state) return;
  const name = CSS.escape(step);
  for (const e of document.querySelectorAll(`[data-step="${name}"]`)) setState(e, state);
  if (action === undefined && state !== "done" && state !== "kept") return; // it leads nowhere yet
  for (const graph of document.querySelectorAll("pflow-graph svg")) {
    const out = [...graph.querySelectorAll(`[data-from="${name}"]`)];
    const named = out.filter((e) => e.dataset.action === (action ?? "default"));
    const others = out.filter((e) => !e.dataset.action || e.dataset.action === "*");
    for (const e of named.length ? named : others) e.dataset.taken = "true";
  }
}

const mostLines = 2000; // that stay in the page

function line(data) {
  if (typeof data.line !== "string") return;
  for (const e of document.querySelectorAll("[data-lines]")) {
    const down = e.scrollTop + e.clientHeight > e.scrollHeight - 4;
    e.append(`${data.line}\n`);
    while (e.childNodes.length > mostLines) e.firstChild.remove();
    if (down) e.scrollTop = e.scrollHeight;
  }
}

async function end({ status }) {
  address = document.querySelector("main[data-events]")?.dataset.events; // not opened again, unless the page then names another
  while (fetching) await fetching; // that page may be of before the end
  await fetchPage();
  if (status) tell(`Ended: ${stateWord(status)}`);
}

// refresh fetches the page soon: once for all that asks within the pause.
function refresh() {
  if (document.hidden || fetching) {
    again = true;
    return;
  }
  timer ??= setTimeout(() => {
    timer = undefined;
    fetchPage();
  }, Math.max(0, last + pause - Date.now()));
}

function fetchPage() {
  clearTimeout(timer);
  timer = undefined;
  if (fetching) return fetching;
  again = false;
  fetching = new Promise((resolve) => {
    const r = new XMLHttpRequest(); // gives a document without a sink of trusted types
    r.open("GET", location.href);
    r.responseType = "document";
    r.onload = () => {
      const main = r.responseXML?.querySelector("main");
      if (r.status === 200 && main) morph(main, r.responseXML.title);
      else say(`pflow answered ${r.status} when this page was fetched again. `, el("a", { href: location.href }, "Load it again"));
      resolve();
    };
    r.onerror = () => resolve(); // the stream tells of it, too
    r.send();
  }).finally(() => {
    fetching = undefined;
    last = Date.now();
    if (again) refresh();
  });
  return fetching;
}

// morph makes main what it is in another document. What is open, focused, scrolled to or typed stays.
function morph(main, title) {
  const old = document.querySelector("main");
  // Trusted types let nobody fill a <script>, not even one of data: what it has goes by an attribute.
  for (const script of main.querySelectorAll("script")) {
    if (script.type === "application/json") script.parentElement.dataset.json = script.textContent;
    script.remove();
  }
  const focused = document.activeElement;
  const seen = scrollY > 0 ? document.elementFromPoint(innerWidth / 2, innerHeight / 2) : null;
  const top = seen?.getBoundingClientRect().top;
  Idiomorph.morph(old, main, {
    morphStyle: "outerHTML",
    ignoreActiveValue: true,
    callbacks: { beforeNodeMorphed, beforeAttributeUpdated },
  });
  if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
  for (const e of document.querySelectorAll("pflow-editor")) e.start?.();
  if (title) document.title = title;
  document.dispatchEvent(new CustomEvent("pflow:changed"));
  if (seen?.isConnected) scrollBy({ top: seen.getBoundingClientRect().top - top, behavior: "instant" });
  if (source) connect();
  else if (document.querySelector("main")?.dataset.events !== address) connect();
}

function beforeNodeMorphed(old, now) {
  if (old.nodeType !== Node.ELEMENT_NODE) return true;
  if (old.localName.startsWith("pflow-") && now.localName === old.localName) {
    // It looks after what is in it, unless it has only just been made.
    for (const a of now.attributes) if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
    return old.childElementCount === 0;
  }
  return !changed(old);
}

function beforeAttributeUpdated(name, e) {
  return !(name === "open" && (e.localName === "details" || e.localName === "dialog"));
}

function seen() {
  if (document.hidden) {
    source?.close();
    source = undefined;
    address = undefined;
    return;
  }
  if (!document.querySelector("main[data-events]")) return;
  connect();
  refresh();
}

document.body.append(said);
connect();
document.addEventListener("visibilitychange", seen);
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", (e) => {
  if (e.persisted) {
    source = address = undefined;
    seen();
  }
});
