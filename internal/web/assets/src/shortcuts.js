// Shortcuts of single keys. They can be turned off in their dialog (WCAG 2.1.4), which is remembered.
import { el } from "./dom.js";

const places = { a: ["Ask", "/"], r: ["Runs", "/runs"], l: ["Library", "/library"], p: ["Planner", "/planner"], e: ["Experiments", "/experiments"], s: ["Settings", "/settings"] };
const kept = "pflow-shortcuts";
let going = false;
let dialog;

const on = () => {
  try {
    return localStorage.getItem(kept) !== "off";
  } catch {
    return true;
  }
};

const typing = (e) => e.isContentEditable || e.matches("input:not([type=checkbox], [type=radio]), textarea, select, [role=textbox]");

function help() {
  if (!dialog) {
    const rows = [["?", "This help"], ["/", "The search or the request"], ...Object.entries(places).map(([k, [name]]) => [`g ${k}`, name])];
    const box = el("input", { type: "checkbox", id: "shortcuts-on" });
    box.addEventListener("change", () => localStorage.setItem(kept, box.checked ? "on" : "off"));
    const close = el("button", { class: "button", type: "button" }, "Close");
    close.addEventListener("click", () => dialog.close());
    dialog = el("dialog", { "aria-labelledby": "shortcuts-title", class: "shortcuts" },
      el("h2", { id: "shortcuts-title" }, "Shortcuts"),
      el("dl", { class: "facts keys" }, ...rows.flatMap(([keys, what]) => [
        el("dt", {}, ...keys.split(" ").flatMap((k) => [el("kbd", {}, k), " "])), el("dd", {}, what)])),
      el("p", {}, "In graphs the arrow keys go from step to step, + and − zoom, 0 fits. In editors Escape and then Tab leaves."),
      el("div", { class: "row spread" }, el("label", { class: "row", for: "shortcuts-on" }, box, "Shortcuts of single keys"), close));
    document.body.append(dialog);
    dialog.querySelector("input").checked = on();
  }
  dialog.showModal();
}

document.addEventListener("keydown", (e) => {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
  if (e.key === "?") {
    e.preventDefault();
    if (!dialog?.open) help();
    return;
  }
  if (!on() || document.querySelector("dialog[open]")) return;
  if (going) {
    going = false;
    const place = places[e.key];
    if (place) {
      e.preventDefault();
      location.assign(place[1]);
    }
    return;
  }
  if (e.key === "g") going = true;
  if (e.key === "/") {
    const search = document.querySelector("main input[type=search], main textarea[autofocus], main .ask textarea");
    if (search) {
      e.preventDefault();
      search.focus();
    }
  }
});
