// <pflow-graph label="WHAT" direction="tb|lr"> draws the graph in its <script type="application/json">:
//
//   {"label"?, "nodes": [{"id", "label"?, "kind"?, "note"?, "href"?, "state"?, "step"?, "count"?: WORDS}],
//    "edges": [{"from", "to", "label"?, "action"?, "id"?, "taken"?, "caught"?}], "start"?: ID}
//
// kind is step, call, map, repeat, branch, model, approval or end. The first node is the start, if none is named. A node has data-step (step, or its id) and data-state, an edge data-from, data-to, data-action (action, or its label), data-edge (its
// id) and data-taken, which live.js changes. Nodes with href are links; others are buttons that fire "pflow-node" with {id}. Arrow keys go
// from node to node. Without a direction the one that fits better is taken.
import { Data, el, safeHref, setState, svg } from "./dom.js";
import { column, curve, layout } from "./layout.js";

const wide = 240, narrow = 84, tall = 46; // of nodes
const smallest = 0.7; // what a graph is shrunk to before it is scrolled
const few = 560; // pixels, in which little stands beside each other

class Graph extends Data {
  #shape; // nodes and edges without what changes while a run goes on
  #size; // of the drawing, unscaled
  #scale = 1;
  #chosen = false; // whether a person chose the scale
  #data; // as it was drawn
  #narrow; // whether it was drawn where little stands beside each other
  #hidden; // data that came while nothing of this was to be seen, and nothing could be measured
  #watch = new ResizeObserver(() => {
    if (this.#hidden && this.clientWidth) this.draw(this.#hidden);
    else if (this.#data && this.clientWidth && this.clientWidth < few !== this.#narrow) this.#again();
    else this.#fit();
  });

  draw(data) {
    this.#hidden = undefined;
    if (!this.clientWidth) {
      this.#hidden = data;
      this.#watch.observe(this);
      return;
    }
    this.#draw(data);
  }

  disconnectedCallback() {
    this.#watch.disconnect();
  }

  #draw({ label, nodes = [], edges = [], start }) {
    const known = new Set(nodes.map((n) => n.id));
    edges = edges.filter((e) => known.has(e.from) && known.has(e.to));
    this.#data = { label, nodes, edges, start };
    this.#narrow = this.clientWidth < few;
    const shape = JSON.stringify([nodes.map((n) => [n.id, n.label, n.kind, n.note, n.href, !n.count]), edges.map((e) => [e.from, e.to, e.label, e.action, e.id]), start]);
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#make(nodes, edges, start, label);
    }
    const byStep = new Map(nodes.map((n) => [n.step ?? n.id, n]));
    for (const e of this.querySelectorAll(".node, .graph-list li")) {
      const n = byStep.get(e.dataset.step);
      setState(e, n?.state ?? "");
      const count = e.querySelector(":scope > .times");
      if (count && count.textContent !== n.count) count.textContent = n.count;
    }
    this.querySelectorAll("svg .edge").forEach((e, i) => (edges[i].taken ? (e.dataset.taken = "true") : delete e.dataset.taken));
  }

  // again draws for another width what is to be seen now.
  #again() {
    const states = new Map(Array.from(this.querySelectorAll(".node"), (n) => [n.dataset.step, n.dataset.state]));
    for (const n of this.#data.nodes) n.state = states.get(n.step ?? n.id) ?? n.state;
    this.querySelectorAll("svg .edge").forEach((e, i) => (this.#data.edges[i].taken = e.dataset.taken === "true"));
    this.#shape = undefined;
    this.#draw(this.#data);
  }

  #make(nodes, edges, start, given) {
    const box = this.shown("graph-box");
    const label = this.getAttribute("label") || this.getAttribute("aria-label") || (given && `Graph of ${given}`) || "Graph";
    if (nodes.length === 0) {
      box.replaceChildren(el("p", { class: "muted" }, "There are no steps yet."));
      return;
    }
    const canvas = el("div", { class: "graph-canvas" });
    const view = el("div", { class: "graph-view", role: "group", "aria-label": label, tabindex: "0" }, canvas);
    for (const n of nodes) canvas.append((n.element = node(n, n.id === (start ?? nodes[0].id))));
    box.replaceChildren(this.#tools(view), view, list(nodes, edges, label));
    this.#place(view, canvas, nodes, edges, start);
    canvas.addEventListener("click", (e) => {
      const at = e.target.closest(".node");
      if (at?.localName === "button") this.dispatchEvent(new CustomEvent("pflow-node", { bubbles: true, detail: { id: at.dataset.node } }));
    });
    view.addEventListener("keydown", (e) => this.#key(e));
    this.#watch.observe(this);
  }

  // place measures the nodes, lays them out and draws the edges.
  #place(view, canvas, nodes, edges, start) {
    for (const n of nodes) {
      const r = n.element.getBoundingClientRect();
      n.width = Math.min(wide, Math.max(narrow, Math.ceil(r.width)));
      n.height = Math.max(tall, Math.ceil(r.height));
    }
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `12px ${getComputedStyle(this).fontFamily}`;
    for (const e of edges) {
      if (e.label) Object.assign(e, { width: Math.min(160, Math.ceil(pen.measureText(short(e.label)).width) + 12), height: 18 });
    }
    this.#size = this.#best(nodes, edges);
    const lines = svg("svg", { "aria-hidden": "true", width: this.#size.width, height: this.#size.height });
    for (const e of edges) {
      const { d, tip } = curve(e.points, e.square);
      const g = svg("g", { class: e.caught ? "edge caught" : "edge", "data-from": e.from, "data-to": e.to, "data-action": e.action ?? e.label, "data-edge": e.id },
        svg("path", { class: "line", d }), svg("path", { class: "tip", d: tip }));
      if (e.label) {
        const text = svg("text", { x: e.at.x, y: e.at.y, "text-anchor": "middle", "dominant-baseline": "central" }, short(e.label));
        if (short(e.label) !== e.label) g.append(svg("title", {}, e.label));
        g.append(svg("rect", { class: "under", x: e.at.x - e.width / 2, y: e.at.y - 9, width: e.width, height: 18, rx: 4 }), text);
      }
      lines.append(g);
    }
    canvas.prepend(lines);
    for (const n of nodes) {
      const s = n.element.style;
      s.left = `${n.x - n.width / 2}px`;
      s.top = `${n.y - n.height / 2}px`;
      s.width = `${n.width}px`;
      s.height = `${n.height}px`;
      delete n.element;
    }
    canvas.classList.add("placed");
    this.#chosen = false;
    this.#fit();
    // What runs, or else the start, is in sight.
    const at = nodes.find((n) => n.state === "running" || n.state === "open") ?? nodes.find((n) => n.id === start) ?? nodes[0];
    view.scrollLeft = at.x * this.#scale - view.clientWidth / 2;
    view.scrollTop = at.y * this.#scale - view.clientHeight / 2;
  }

  // best lays out in the direction that is given, or in the one that needs less shrinking. What is too wide either way goes in a column.
  #best(nodes, edges) {
    const asked = this.getAttribute("direction")?.toUpperCase();
    if (asked === "TB" || asked === "LR") return layout(nodes, edges, asked);
    const down = layout(nodes, edges, "TB");
    const room = this.clientWidth || 600;
    const fits = (s) => s.width * smallest <= room;
    if (room < few && !fits(down)) return column(nodes, edges);
    if (room < few || nodes.length > 120 || (down.width <= room && down.height <= 420)) return down;
    const across = layout(nodes, edges, "LR");
    const shrink = (s) => Math.min(1, room / s.width, 620 / s.height);
    if (fits(across) && (shrink(across) >= shrink(down) || !fits(down))) return across;
    layout(nodes, edges, "TB"); // they stand as that says, again
    return fits(down) ? down : column(nodes, edges);
  }

  #fit() {
    if (!this.#size || this.#chosen) return;
    const view = this.querySelector(".graph-view");
    this.#zoom(Math.min(1, Math.max(smallest, (view.clientWidth - 18) / this.#size.width)), false);
  }

  // all shrinks the graph until all of it is in sight.
  #all() {
    const view = this.querySelector(".graph-view");
    this.#zoom(Math.min(1, (view.clientWidth - 24) / this.#size.width, Math.max(300, innerHeight * 0.7) / this.#size.height));
  }

  #zoom(scale, chosen = true) {
    this.#scale = Math.min(2.5, Math.max(0.2, scale));
    this.#chosen = chosen;
    const canvas = this.querySelector(".graph-canvas");
    canvas.style.width = `${this.#size.width}px`;
    canvas.style.height = `${this.#size.height}px`;
    canvas.style.zoom = this.#scale;
  }

  #tools() {
    const button = (words, sign, act) => {
      const b = el("button", { type: "button", class: "button small", "aria-label": words, title: words }, sign);
      b.addEventListener("click", act);
      return b;
    };
    return el("div", { class: "graph-tools" },
      button("Smaller", "−", () => this.#zoom(this.#scale / 1.25)), button("Larger", "+", () => this.#zoom(this.#scale * 1.25)),
      button("Fit all of it", "Fit", () => this.#all()));
  }

  #key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (e.key === "+" || e.key === "=") this.#zoom(this.#scale * 1.25);
    else if (e.key === "-") this.#zoom(this.#scale / 1.25);
    else if (e.key === "0") this.#all();
    else if (way && e.target.matches(".node")) nearest(this.querySelectorAll(".node"), e.target, way)?.focus();
    else return;
    e.preventDefault();
  }
}

const short = (label) => (label.length > 24 ? `${label.slice(0, 23)}…` : label);

function node(n, first) {
  const href = safeHref(n.href);
  const label = n.label || n.id;
  const says = n.kind === "end" ? "" : n.note || (n.kind === "step" ? "" : n.kind);
  // It is measured with the icon that it has once it has a state.
  return el(href ? "a" : "button", { class: first ? "node first" : "node", href, type: href ? undefined : "button", title: [label, n.kind, n.note].filter(Boolean).join("\n"), "data-kind": n.kind, "data-node": n.id, "data-step": n.step ?? n.id, "data-state": "queued" },
    el("span", { class: "state-icon", "aria-hidden": "true" }),
    el("span", { class: "name" }, label),
    says ? el("span", { class: "says" }, says) : null,
    n.count ? el("span", { class: "times" }, n.count) : null,
    el("span", { class: "state-word visually-hidden" }));
}

// list says the graph in words, with the same states.
function list(nodes, edges, label) {
  const name = new Map(nodes.map((n) => [n.id, n.label || n.id]));
  const items = nodes.map((n) => {
    const out = edges.filter((e) => e.from === n.id).map((e) => el("li", {}, e.label ? `${e.label} → ` : "→ ", name.get(e.to)));
    const href = safeHref(n.href);
    return el("li", { "data-step": n.step ?? n.id, "data-state": "" },
      el("span", { class: "state-icon", "aria-hidden": "true" }), " ",
      href ? el("a", { href }, name.get(n.id)) : el("strong", {}, name.get(n.id)), " ",
      n.note ? el("span", { class: "muted" }, n.note) : null, " ",
      el("span", { class: "state-word" }), " ",
      n.count ? el("span", { class: "times muted" }, n.count) : null,
      out.length ? el("ul", {}, ...out) : null);
  });
  return el("details", { class: "graph-list" }, el("summary", {}, "The graph as a list"), el("ol", { "aria-label": label }, ...items));
}

// nearest is the node that one comes to from another by going that way.
function nearest(nodes, from, [dx, dy]) {
  const middle = (e) => ({ x: e.offsetLeft + e.offsetWidth / 2, y: e.offsetTop + e.offsetHeight / 2 });
  const at = middle(from);
  let best, least = Infinity;
  for (const n of nodes) {
    const m = middle(n);
    const along = (m.x - at.x) * dx + (m.y - at.y) * dy, aside = Math.abs((m.x - at.x) * dy) + Math.abs((m.y - at.y) * dx);
    if (n !== from && along > 4 && along + 2 * aside < least) [best, least] = [n, along + 2 * aside];
  }
  return best;
}

customElements.define("pflow-graph", Graph);
