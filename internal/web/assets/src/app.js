// The page's script. What every page has is here; what some have is loaded when an element asks for it.
import "./timeline.js";
import "./live.js";
import "./shortcuts.js";
import "./unsent.js";
import { small } from "./small.js";

const parts = {
  "pflow-graph": () => import("./graph.js"),
  "pflow-editor": () => import("./editor.js"),
};

function load() {
  for (const [name, part] of Object.entries(parts)) {
    if (!customElements.get(name) && document.querySelector(name)) {
      // What the element holds without its script (a text, a list, a table) stays where the script cannot be had.
      part().catch((e) => console.error(`${name}: its script cannot be loaded:`, e));
    }
  }
}

load();
small(document);
document.addEventListener("pflow:changed", () => {
  load();
  small(document);
});
