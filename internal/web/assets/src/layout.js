// Where the nodes of a graph stand.
import dagre from "@dagrejs/dagre";

const most = 400; // nodes that dagre is asked to place; it takes a quarter of a second for 500

/** layout places sized nodes and their edges: {width, height}, x and y (middles) on nodes, points and at (of the label) on edges. */
export function layout(nodes, edges, direction) {
  return nodes.length <= most ? ranked(nodes, edges, direction) : rows(nodes, edges);
}

function ranked(nodes, edges, direction) {
  const g = new dagre.graphlib.Graph({ multigraph: true });
  g.setGraph({ rankdir: direction, nodesep: 22, ranksep: direction === "LR" ? 46 : 34, edgesep: 14, marginx: 6, marginy: 6 });
  for (const n of nodes) g.setNode(n.id, { width: n.width, height: n.height });
  edges.forEach((e, i) => g.setEdge(e.from, e.to, { width: e.width ?? 0, height: e.height ?? 0, labelpos: "c" }, String(i)));
  dagre.layout(g);
  for (const n of nodes) Object.assign(n, { x: g.node(n.id).x, y: g.node(n.id).y });
  edges.forEach((e, i) => {
    const placed = g.edge(e.from, e.to, String(i));
    Object.assign(e, { points: placed.points, at: { x: placed.x, y: placed.y } });
  });
  return { width: g.graph().width, height: g.graph().height };
}

// rows places very many nodes: below each other as they come after each other, at most eight in a row.
function rows(nodes, edges) {
  const across = 8, gap = 24;
  const width = Math.max(...nodes.map((n) => n.width)) + gap;
  const height = Math.max(...nodes.map((n) => n.height)) + 2 * gap;
  nodes.forEach((n, i) => {
    n.x = (i % across) * width + width / 2;
    n.y = Math.floor(i / across) * height + height / 2;
  });
  const by = new Map(nodes.map((n) => [n.id, n]));
  for (const e of edges) {
    const a = by.get(e.from), b = by.get(e.to);
    const beside = a.y === b.y;
    const from = beside ? { x: a.x + (Math.sign(b.x - a.x) * a.width) / 2, y: a.y } : { x: a.x, y: a.y + (Math.sign(b.y - a.y) * a.height) / 2 };
    const to = beside ? { x: b.x - (Math.sign(b.x - a.x) * b.width) / 2, y: b.y } : { x: b.x, y: b.y - (Math.sign(b.y - a.y) * b.height) / 2 };
    e.points = [from, { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }, to];
    e.at = e.points[1];
  }
  return { width: across * width, height: Math.ceil(nodes.length / across) * height };
}

/** curve is a path through the points of an edge, and the tip of its arrow. */
export function curve(points) {
  const end = points.at(-1), before = points.at(-2) ?? end;
  const long = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const u = { x: (end.x - before.x) / long, y: (end.y - before.y) / long };
  const base = { x: end.x - u.x * 8, y: end.y - u.y * 8 };
  const p = [...points.slice(0, -1), base];
  let d = `M${xy(p[0])}`;
  for (let i = 1; i < p.length - 1; i++) {
    const mid = { x: (p[i].x + p[i + 1].x) / 2, y: (p[i].y + p[i + 1].y) / 2 };
    d += `Q${xy(p[i])} ${xy(i === p.length - 2 ? p[i + 1] : mid)}`;
  }
  if (p.length === 2) d += `L${xy(p[1])}`;
  const tip = `M${xy(end)}L${xy({ x: base.x - u.y * 4.5, y: base.y + u.x * 4.5 })}L${xy({ x: base.x + u.y * 4.5, y: base.y - u.x * 4.5 })}Z`;
  return { d, tip };
}

const xy = (p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`;
