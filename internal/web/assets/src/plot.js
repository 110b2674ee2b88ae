// <pflow-plot label="WHAT" height="260"> draws the series in its <script type="application/json">:
//
//   {"x": {"label"?, "values": [NUMBERS or TEXTS], "time"?: true (seconds since 1970)}, "y": {"label"?, "unit"?, "from"?, "to"?},
//    "series": [{"name", "values": [NUMBER or null], "kind"?: "line|points|bars", "low"?: [], "high"?: []}]}
//
// low and high are drawn as a band around a line and as whiskers at points. Below it stands a table with the same numbers.
import uPlot from "uplot";
import { Data, el } from "./dom.js";

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [1, 4]];

class Plot extends Data {
  #plot;
  #given;
  #theme = matchMedia("(prefers-color-scheme: dark)");
  #again = () => this.#given && this.#draw(this.#given);
  #watch = new ResizeObserver(() => {
    if (!this.#plot) this.#again();
    else if (this.clientWidth && this.#plot.width !== this.#room()) this.#plot.setSize({ width: this.#room(), height: this.#tall() });
  });

  connectedCallback() {
    super.connectedCallback();
    this.#theme.addEventListener("change", this.#again);
    this.#watch.observe(this);
  }
  disconnectedCallback() {
    this.#theme.removeEventListener("change", this.#again);
    this.#watch.disconnect();
    this.#plot?.destroy();
    this.#plot = undefined;
  }
  draw(data) {
    this.#given = data;
    this.#draw(data);
  }
  #room() {
    return Math.floor(this.querySelector(":scope > .plot")?.clientWidth || this.clientWidth);
  }
  #tall() {
    return Number(this.getAttribute("height")) || 260;
  }

  #draw({ x = {}, y = {}, series = [] }) {
    const box = this.shown("plot");
    const places = x.values ?? [];
    const named = places.some((v) => typeof v !== "number");
    const label = this.getAttribute("label") || y.label || "Plot";
    this.#plot?.destroy();
    this.#plot = undefined;
    const at = el("div", { class: "plot-canvas", role: "img", "aria-label": `${label}: ${series.map((s) => s.name).join(", ")}. The table below has the numbers.` });
    const open = box.querySelector("details")?.open;
    const more = table(label, places, x, y, series);
    if (open) more.open = true;
    box.replaceChildren(at, more);
    if (places.length === 0) {
      at.replaceChildren(el("p", { class: "muted" }, "There is nothing to draw yet."));
      return;
    }
    if (!this.clientWidth) return; // drawn when it is seen
    const look = getComputedStyle(this);
    const colour = (name) => look.getPropertyValue(name).trim();
    const paint = (i) => colour(`--plot-${(i % 6) + 1}`);
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { stroke: colour("--rule"), width: 1 }, font: `12px ${look.fontFamily}`, labelFont: `600 12px ${look.fontFamily}`, labelSize: 22 };
    const limits = series.flatMap((s) => [...s.values, ...(s.low ?? []), ...(s.high ?? [])]).filter((v) => typeof v === "number");
    const least = Math.min(...limits, y.from ?? Infinity), most = Math.max(...limits, y.to ?? -Infinity);
    const bars = series.filter((s) => s.kind === "bars");
    this.#plot = new uPlot({
      width: this.#room(), height: this.#tall(), cursor: { points: { size: 8 } },
      scales: {
        x: { time: !!x.time, range: named || bars.length ? [-0.6, places.length - 0.4] : undefined },
        y: { range: (u, lo, hi) => uPlot.rangeNum(bars.length ? Math.min(0, y.from ?? least) : (y.from ?? least), y.to ?? most, 0.1, true) },
      },
      axes: [
        { ...axis, label: x.label, ...(named ? { splits: places.map((_, i) => i), values: (_, at) => at.map((i) => short(places[i])) } : {}) },
        { ...axis, label: y.label, size: 58, values: (_, at) => at.map((v) => (y.unit === "$" ? `$${v}` : y.unit ? `${v} ${y.unit}` : String(v))) },
      ],
      series: [{ label: x.label || "at", value: (_, v) => (v === null ? "–" : named ? String(places[v]) : x.time ? new Date(v * 1000).toLocaleString() : String(v)) },
        ...series.map((s, i) => ({
          label: s.name, stroke: paint(i), width: 2, dash: dashes[i % dashes.length], spanGaps: true,
          value: (_, v) => (v === null ? "–" : String(v)),
          points: { show: s.kind === "points" || places.length < 40, size: 7, fill: colour("--surface"), width: 2 },
          ...(s.kind === "points" ? { paths: () => null } : {}),
          ...(s.kind === "bars" ? { fill: paint(i), dash: [], paths: uPlot.paths.bars({ size: [0.7 / bars.length, 60], align: bars.length === 1 ? 0 : side(bars.indexOf(s), bars.length) }), points: { show: false } } : {}),
        }))],
      hooks: { draw: [(u) => intervals(u, series, paint)] },
    }, [named ? places.map((_, i) => i) : places, ...series.map((s) => s.values)], at);
  }
}

const side = (i, n) => (n === 2 ? (i === 0 ? -1 : 1) : i - (n - 1) / 2);
const short = (text) => (text === undefined ? "" : String(text).length > 16 ? `${String(text).slice(0, 15)}…` : String(text));

// intervals draws low and high of each series: a band for lines, whiskers for points and bars.
function intervals(u, series, paint) {
  const pen = u.ctx, dense = devicePixelRatio || 1;
  series.forEach((s, i) => {
    if (!s.low || !s.high || u.series[i + 1].show === false) return;
    const at = (values, k) => [u.valToPos(u.data[0][k], "x", true), u.valToPos(values[k], "y", true)];
    const there = s.values.map((_, k) => k).filter((k) => typeof s.low[k] === "number" && typeof s.high[k] === "number");
    pen.save();
    pen.beginPath();
    if (s.kind === "points" || s.kind === "bars") {
      pen.strokeStyle = paint(i);
      pen.lineWidth = 2 * dense;
      for (const k of there) {
        const [x, low] = at(s.low, k), [, high] = at(s.high, k), half = 5 * dense;
        pen.moveTo(x, low); pen.lineTo(x, high);
        for (const end of [low, high]) { pen.moveTo(x - half, end); pen.lineTo(x + half, end); }
      }
      pen.stroke();
    } else {
      for (const k of there) pen.lineTo(...at(s.high, k));
      for (const k of there.reverse()) pen.lineTo(...at(s.low, k));
      pen.globalAlpha = 0.16;
      pen.fillStyle = paint(i);
      pen.fill();
    }
    pen.restore();
  });
}

function table(label, places, x, y, series) {
  const shown = (v) => (v === null || v === undefined ? "–" : String(v));
  const cell = (s, k) => (s.low && s.high ? `${shown(s.values[k])} (${shown(s.low[k])} to ${shown(s.high[k])})` : shown(s.values[k]));
  const head = el("tr", {}, el("th", { scope: "col" }, x.label || "at"), ...series.map((s) => el("th", { scope: "col", class: "num" }, y.unit ? `${s.name} (${y.unit})` : s.name)));
  const body = places.map((v, k) => el("tr", {}, el("th", { scope: "row" }, x.time ? new Date(v * 1000).toLocaleString() : shown(v)), ...series.map((s) => el("td", { class: "num" }, cell(s, k)))));
  return el("details", { class: "plot-table" }, el("summary", {}, "As a table"),
    el("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": label }, el("table", { class: "table" }, el("thead", {}, head), el("tbody", {}, ...body))));
}

customElements.define("pflow-plot", Plot);
