// Small things, by attributes:
//   form[data-auto]        is sent when one of its fields changes (filters)
//   [data-confirm="TEXT"]  of a form or a button: asked before it is sent
//   form (any, by POST)    is sent once: its button says so
//   textarea[data-send]    Ctrl and Enter (⌘ and Enter) sends its form
//   button[data-copy="ID"] copies the text of the element with that id
//   [data-width="0.4"]     has that part of the width of what it is in
//   time[data-ago]         says how long ago its datetime was, and goes on saying it
import { tell } from "./dom.js";

/** small takes care of what is there when a page came or changed. */
export function small(root) {
  for (const e of root.querySelectorAll("[data-width]")) {
    const part = Number(e.dataset.width);
    if (Number.isFinite(part)) e.style.width = `${Math.min(1, Math.max(0, part)) * 100}%`;
  }
  scrolling(root);
  times();
}

// scrolling lets keys scroll what scrolls.
function scrolling(root) {
  for (const e of root.querySelectorAll(".table, .table-wrap, pre, .diff")) {
    const more = e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1;
    if (more && !e.hasAttribute("tabindex") && getComputedStyle(e).overflowX === "auto") e.tabIndex = 0;
  }
}
document.addEventListener("toggle", (e) => e.target.open && scrolling(e.target), true); // what a <details> shows has a size only now

function ago(then) {
  const s = Math.round((Date.now() - then) / 1000);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, n] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(s) >= n) return words.format(-Math.round(s / n), unit);
  }
  return "just now";
}

function times() {
  for (const e of document.querySelectorAll("time[data-ago]")) {
    const then = Date.parse(e.dateTime);
    if (Number.isNaN(then)) continue;
    const text = ago(then);
    if (e.textContent !== text) e.textContent = text;
    e.title ||= new Date(then).toLocaleString();
  }
}
setInterval(() => document.hidden || times(), 30_000);

document.addEventListener("submit", (e) => {
  const asked = e.submitter?.dataset.confirm ?? e.target.dataset.confirm;
  if (asked && !confirm(asked)) {
    e.preventDefault();
    return;
  }
  if (e.target.method !== "post" || e.defaultPrevented) return;
  if (e.target.dataset.sent) {
    e.preventDefault();
    return;
  }
  e.target.dataset.sent = "true";
  e.submitter?.setAttribute("aria-busy", "true");
});
/** free lets forms that were sent be sent again. */
export function free(forms) {
  for (const form of forms) {
    delete form.dataset.sent;
    for (const e of form.elements) e.removeAttribute("aria-busy");
  }
}
// A page that comes back from the browser's memory can be sent again.
addEventListener("pageshow", () => {
  const sent = document.querySelectorAll("form[data-sent]");
  free(sent);
  for (const form of sent) {
    const once = form.querySelector("input[name=once]"); // another word: it is not the same form sent twice
    if (once) once.value = Array.from(crypto.getRandomValues(new Uint8Array(13)), (b) => b.toString(16).padStart(2, "0")).join("");
  }
});

document.addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.isComposing || !e.target.matches("textarea[data-send]")) return;
  e.preventDefault();
  e.target.form.requestSubmit();
});

document.addEventListener("change", (e) => {
  const form = e.target.form;
  if (form?.hasAttribute("data-auto")) form.requestSubmit();
});

document.addEventListener("click", async (e) => {
  const button = e.target.closest?.("button[data-copy]");
  if (!button) return;
  const from = document.getElementById(button.dataset.copy);
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(from.value ?? from.textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  tell(button.textContent);
  setTimeout(() => (button.textContent = words), 1500);
});
