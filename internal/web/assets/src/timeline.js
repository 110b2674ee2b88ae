// <pflow-timeline label="WHAT"> shows when steps ran, from its <script type="application/json">:
//
//   {"rows": [{"name", "from_ms", "to_ms" or null, "state", "href"?, "step"?, "note"?}], "now_ms"?: NUMBER}
//
// Times are counted from the beginning of the run; to_ms is null while a step runs. Only the rows in sight are in the document, so
// that many thousands stay light. The strip above shows all of them. Of very many, the time that is seen is that of the rows in sight
// and goes with them; another part is chosen in the strip, by the wheel with Ctrl, or by keys: + − zoom, arrows move, 0 shows all.
import { Data, el, safeHref, setState, stateWord, took } from "./dom.js";

const many = 120; // rows, from which on the time goes with the rows in sight
const beside = 64; // px that the words of a bar want
const spare = 6; // rows above and below what is in sight
const orders = {
  start: ["by start", (a, b) => a.from_ms - b.from_ms || a.at - b.at],
  long: ["longest first", (a, b) => b.long - a.long || a.at - b.at],
  state: ["failed first", (a, b) => rank(a) - rank(b) || a.from_ms - b.from_ms],
  name: ["by name", (a, b) => a.name.localeCompare(b.name, "en", { numeric: true })],
};
const rank = (r) => ({ failed: 0, invalid: 0, running: 1, open: 1, waiting: 2, done: 4 })[r.state] ?? 3;

class Timeline extends Data {
  #rows = [];
  #shown = []; // rows that are left by the filter, in order
  #all = 1; // how long the run took
  #from = 0;
  #to = 1; // the part of the time that is seen
  #order = "start";
  #words = "";
  #follow = false; // whether the time that is seen is that of the rows in sight
  #small = matchMedia("(max-width: 48rem)"); // names stand above their bars
  #parts; // elements
  #frame;
  #width = 0; // of the part where bars are
  #watch = new ResizeObserver(() => this.#soon());
  #theme = matchMedia("(prefers-color-scheme: dark)");
  #themed = () => this.#parts && this.#choose();

  connectedCallback() {
    super.connectedCallback();
    this.#small.addEventListener("change", this.#themed);
    this.#theme.addEventListener("change", this.#themed);
  }
  disconnectedCallback() {
    this.#watch.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#theme.removeEventListener("change", this.#themed);
    this.#small.removeEventListener("change", this.#themed);
  }
  get #row() {
    return this.#small.matches ? 44 : 30;
  }

  draw({ rows = [], now_ms }) {
    const whole = this.#from === 0 && this.#to === this.#all;
    const last = Math.max(1, now_ms ?? 0, ...[0].concat(rows.length < 50_000 ? rows.map((r) => Math.max(r.from_ms, r.to_ms ?? 0)) : []));
    this.#rows = rows.map((r, at) => ({ ...r, at, end: r.to_ms ?? last, long: (r.to_ms ?? last) - r.from_ms }));
    this.#all = last;
    if (whole || !this.#parts) [this.#from, this.#to] = [0, last];
    if (!this.#parts) {
      this.#make();
      this.#go(rows.length > many);
    }
    this.#choose();
  }

  #make() {
    const label = this.getAttribute("label") || "Timeline";
    const filter = el("input", { type: "search", "aria-label": "Steps whose name has", placeholder: "Filter steps" });
    const order = el("select", { "aria-label": "Order" }, ...Object.entries(orders).map(([k, [words]]) => el("option", { value: k }, words)));
    const count = el("span", { class: "muted small", role: "status" });
    const all = el("button", { type: "button", class: "button small", hidden: true }, "All the time");
    const follow = el("button", { type: "button", class: "button small", "aria-pressed": "false" }, "Time of the rows in sight");
    const strip = el("canvas", { class: "strip", "aria-hidden": "true" });
    const axis = el("div", { class: "axis", "aria-hidden": "true" });
    const list = el("div", { class: "rows", role: "list", "aria-label": label });
    const view = el("div", { class: "view", tabindex: "0", role: "group", "aria-label": `${label}: + and − zoom, arrows move, 0 shows all` }, list);
    this.shown("timeline").replaceChildren(el("div", { class: "toolbar" }, filter, order, follow, all, count), strip, axis, view);
    this.#parts = { filter, order, count, all, follow, strip, axis, list, view };
    filter.addEventListener("input", () => ((this.#words = filter.value.trim().toLowerCase()), this.#choose()));
    order.addEventListener("change", () => ((this.#order = order.value), this.#choose()));
    all.addEventListener("click", () => this.#see(0, this.#all));
    follow.addEventListener("click", () => (this.#follow ? this.#see(0, this.#all) : this.#go(true)));
    view.addEventListener("scroll", () => this.#soon(), { passive: true });
    view.addEventListener("keydown", (e) => this.#key(e));
    view.addEventListener("wheel", (e) => this.#wheel(e), { passive: false });
    strip.addEventListener("pointerdown", (e) => this.#drag(e));
    this.#watch.observe(view);
  }

  #choose() {
    const words = this.#words;
    this.#shown = this.#rows.filter((r) => !words || r.name.toLowerCase().includes(words) || stateWord(r.state).includes(words)).sort(orders[this.#order][1]);
    const { count, list, view } = this.#parts;
    const failed = this.#rows.filter((r) => rank(r) === 0).length;
    const n = this.#shown.length === this.#rows.length ? `${this.#rows.length} steps` : `${this.#shown.length} of ${this.#rows.length} steps`;
    const says = `${n} in ${took(this.#all)}${failed ? `, ${failed} failed` : ""}`;
    if (count.textContent !== says) count.textContent = says;
    this.#parts.follow.hidden = this.#rows.length <= 20;
    list.style.height = `${this.#shown.length * this.#row}px`;
    view.style.maxHeight = `${Math.max(3, this.#shown.length) * this.#row + 2}px`;
    this.#soon();
  }

  // go says whether the time that is seen goes with the rows.
  #go(follow) {
    this.#follow = follow;
    this.#parts.follow.setAttribute("aria-pressed", follow);
    this.#soon();
  }

  // see chooses the part of the time that is seen.
  #see(from, to, follow = false) {
    if (follow !== this.#follow) this.#go(follow);
    const least = Math.min(this.#all, Math.max(this.#all / 20_000, 1));
    const span = Math.min(this.#all, Math.max(least, to - from));
    this.#from = Math.min(this.#all - span, Math.max(0, from));
    this.#to = this.#from + span;
    this.#parts.all.hidden = span >= this.#all;
    this.#soon();
  }

  #zoom(by, at = (this.#from + this.#to) / 2) {
    this.#see(at - (at - this.#from) * by, at + (this.#to - at) * by);
  }

  #key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = (this.#to - this.#from) / 5;
    if (e.key === "+" || e.key === "=") this.#zoom(0.5);
    else if (e.key === "-") this.#zoom(2);
    else if (e.key === "0") this.#see(0, this.#all);
    else if (e.key === "ArrowLeft") this.#see(this.#from - step, this.#to - step);
    else if (e.key === "ArrowRight") this.#see(this.#from + step, this.#to + step);
    else return;
    e.preventDefault();
  }

  #wheel(e) {
    if (!e.ctrlKey) return;
    e.preventDefault();
    const track = this.#parts.axis.getBoundingClientRect();
    const at = this.#from + ((e.clientX - track.left) / track.width) * (this.#to - this.#from);
    this.#zoom(e.deltaY > 0 ? 1.25 : 0.8, at);
  }

  #drag(e) {
    const { strip } = this.#parts;
    const box = strip.getBoundingClientRect();
    const at = (x) => (Math.min(1, Math.max(0, (x - box.left) / box.width)) * this.#all);
    const begun = at(e.clientX);
    strip.setPointerCapture(e.pointerId);
    const move = (m) => Math.abs(m.clientX - e.clientX) > 4 && this.#see(Math.min(begun, at(m.clientX)), Math.max(begun, at(m.clientX)));
    strip.addEventListener("pointermove", move);
    strip.addEventListener("lostpointercapture", () => strip.removeEventListener("pointermove", move), { once: true });
    if (this.#order === "start") {
      const row = this.#shown.findIndex((r) => r.end >= begun);
      this.#parts.view.scrollTop = Math.max(0, row) * this.#row;
    }
  }

  // along makes the time that is seen that of the rows in sight.
  #along() {
    const { view } = this.#parts;
    const first = Math.floor(view.scrollTop / this.#row), last = Math.ceil((view.scrollTop + view.clientHeight) / this.#row);
    const rows = this.#shown.slice(first, last);
    if (rows.length === 0) return;
    const from = Math.min(...rows.map((r) => r.from_ms)), to = Math.max(...rows.map((r) => r.end));
    const edge = (to - from) * 0.02;
    this.#see(from - edge, to + edge * 4, true);
  }

  #soon() {
    this.#frame ??= requestAnimationFrame(() => {
      if (this.isConnected && this.#parts && this.#follow) this.#along();
      this.#frame = undefined; // what follows asks for no other frame
      if (!this.isConnected || !this.#parts) return;
      this.#axis();
      this.#visible();
      this.#strip();
    });
  }

  #axis() {
    const span = this.#to - this.#from;
    const width = this.#parts.axis.clientWidth || 300;
    const wanted = span / Math.max(2, Math.floor(width / 90));
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted);
    const ticks = [];
    for (let t = Math.ceil(this.#from / step) * step; t < this.#to - span * 0.04; t += step) {
      const tick = el("span", { class: "tick" }, took(Math.round(t * 1000) / 1000));
      tick.style.left = `${((t - this.#from) / span) * 100}%`;
      ticks.push(tick);
    }
    this.#parts.axis.replaceChildren(...ticks);
  }

  // visible puts the rows in sight into the document. A row that has the focus stays there.
  #visible() {
    const { view, list } = this.#parts;
    const first = Math.max(0, Math.floor(view.scrollTop / this.#row) - spare);
    const last = Math.min(this.#shown.length, Math.ceil((view.scrollTop + (view.clientHeight || 400)) / this.#row) + spare);
    this.#width = this.#parts.axis.clientWidth;
    const kept = new Map([...list.children].map((e) => [Number(e.dataset.at), e]));
    const focused = document.activeElement?.closest?.(".timeline-row");
    const now = [];
    for (let i = first; i < last; i++) {
      const r = this.#shown[i];
      const e = kept.get(r.at) ?? line(r);
      kept.delete(r.at);
      this.#set(e, r, i);
      now.push(e);
    }
    for (const e of kept.values()) if (e !== focused) e.remove();
    // Elements that stay are not moved, since that would take the focus from them.
    for (const e of now) if (e.parentNode !== list) list.append(e);
  }

  #set(e, r, i) {
    const span = this.#to - this.#from;
    e.style.top = `${i * this.#row}px`;
    e.setAttribute("aria-posinset", i + 1);
    e.setAttribute("aria-setsize", this.#shown.length);
    setState(e, r.state);
    const bar = e.querySelector(".run");
    const left = Math.max(-0.02, (r.from_ms - this.#from) / span), right = Math.min(1.02, (r.end - this.#from) / span);
    bar.hidden = right < 0 || left > 1;
    bar.style.left = `${left * 100}%`;
    bar.style.width = `${Math.max(0, right - left) * 100}%`;
    const time = e.querySelector(".took");
    time.textContent = r.to_ms === null || r.to_ms === undefined ? `${took(r.long)}…` : took(r.long);
    // After the bar, before it, or at the end of it where it leaves no room.
    const after = (1 - right) * this.#width >= beside, before = !after && left * this.#width >= beside;
    time.style.left = after ? `${Math.max(0, right) * 100}%` : "";
    time.style.right = after ? "" : before ? `${(1 - left) * 100}%` : "4px";
    time.classList.toggle("inside", !after && !before);
    time.hidden = bar.hidden;
  }

  // strip draws all rows above each other as lanes, aggregated, and marks what is seen.
  #strip() {
    const { strip } = this.#parts;
    const width = strip.clientWidth, height = strip.clientHeight, dense = devicePixelRatio || 1;
    if (!width) return;
    strip.width = width * dense;
    strip.height = height * dense;
    const pen = strip.getContext("2d");
    pen.scale(dense, dense);
    const look = getComputedStyle(this);
    const colours = ["--bad", "--busy", "--wait", "--idle", "--good"].map((name) => look.getPropertyValue(name));
    const counts = colours.map(() => new Uint32Array(Math.ceil(width) + 1));
    for (const r of this.#shown) {
      const row = counts[rank(r)];
      const a = Math.floor((r.from_ms / this.#all) * (width - 1)), b = Math.max(a, Math.floor((r.end / this.#all) * (width - 1)));
      row[a]++;
      row[b + 1]--; // differences: summed up below
    }
    let most = 1;
    const total = new Uint32Array(Math.ceil(width) + 1);
    for (const row of counts) for (let x = 1; x < row.length; x++) row[x] += row[x - 1];
    for (let x = 0; x < total.length; x++) most = Math.max(most, (total[x] = counts.reduce((n, row) => n + row[x], 0)));
    for (let x = 0; x < width; x++) {
      let y = height;
      for (const i of [4, 3, 2, 1, 0]) {
        if (!counts[i][x]) continue;
        const tall = Math.max(i === 0 ? 4 : 1.5, (counts[i][x] / most) * (height - 4));
        pen.fillStyle = colours[i];
        pen.globalAlpha = i === 0 ? 1 : 0.75;
        pen.fillRect(x, Math.max(0, y - tall), 1, tall);
        y -= tall;
      }
    }
    pen.globalAlpha = 1;
    if (this.#to - this.#from < this.#all) {
      const a = (this.#from / this.#all) * width, b = (this.#to / this.#all) * width;
      pen.fillStyle = look.getPropertyValue("--surface");
      pen.globalAlpha = 0.7;
      pen.fillRect(0, 0, a, height);
      pen.fillRect(b, 0, width - b, height);
      pen.globalAlpha = 1;
      pen.strokeStyle = look.getPropertyValue("--accent");
      pen.lineWidth = 2;
      pen.strokeRect(a + 1, 1, Math.max(2, b - a - 2), height - 2);
    }
  }
}

function line(r) {
  const href = safeHref(r.href);
  return el("div", { class: "timeline-row", role: "listitem", "data-at": r.at, "data-step": r.step ?? r.name },
    el("span", { class: "state-icon", "aria-hidden": "true" }),
    el(href ? "a" : "span", { class: "name", href, title: r.note ? `${r.name}\n${r.note}` : r.name }, r.name),
    el("span", { class: "state-word visually-hidden" }),
    el("span", { class: "track" }, el("span", { class: "run" }), el("span", { class: "took" })));
}

customElements.define("pflow-timeline", Timeline);
