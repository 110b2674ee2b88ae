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
    Object.assign(e, { points: placed.points, at: { x: placed.x, y: placed.y }, square: false });
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

/** column places nodes that layout has ranked below each other, where there is no room beside each other: edges to the next go straight
 * down, others pass by, forward at the right and back at the left. Those to the same node go the same way. */
export function column(nodes, edges) {
  const order = [...nodes].sort((a, b) => a.y - b.y || a.x - b.x);
  const place = new Map(order.map((n, i) => [n.id, i]));
  const passing = { right: new Map(), left: new Map() }; // the node that they go to, and from where to where they pass
  for (const e of edges) {
    const [from, to] = [place.get(e.from), place.get(e.to)];
    e.side = to > from + 1 ? "right" : to <= from ? "left" : "";
    if (!e.side) continue;
    const lane = passing[e.side].get(e.to) ?? { first: Math.min(from, to), last: Math.max(from, to) };
    passing[e.side].set(e.to, Object.assign(lane, { first: Math.min(lane.first, from), last: Math.max(lane.last, from) }));
  }
  const apart = 11, stem = 16, row = 21;
  const [left, right] = [lanes(passing.left), lanes(passing.right)];
  const x = left ? 14 + left * apart : 8;
  const widest = Math.max(...order.map((n) => n.width), ...edges.map((e) => stem + 12 + (e.width ?? 0)));
  let y = 14;
  for (const n of order) {
    Object.assign(n, { x: x + n.width / 2, y: y + n.height / 2 });
    y += n.height + 8;
    for (const e of edges) {
      if (e.from !== n.id || (!e.side && !e.label)) continue;
      e.row = y + row / 2;
      y += row;
    }
    y += 18;
  }
  for (const e of edges) {
    const a = order[place.get(e.from)], b = order[place.get(e.to)];
    const from = { x: x + stem, y: a.y + a.height / 2 };
    if (e.side) {
      const beside = e.side === "left" ? x - 13 - passing.left.get(e.to).lane * apart : x + widest + 12 + passing.right.get(e.to).lane * apart;
      const end = { x: e.side === "left" ? x : x + b.width, y: b.y };
      e.points = [from, { x: from.x, y: e.row }, { x: beside, y: e.row }, { x: beside, y: end.y }, end];
    } else {
      e.points = [from, { x: from.x, y: b.y - b.height / 2 }];
    }
    e.at = { x: from.x + 10 + (e.width ?? 0) / 2, y: e.row };
    e.square = true;
  }
  return { width: x + widest + 20 + right * apart, height: y };
}

// lanes gives ways that pass the same nodes different lanes, the shorter the nearer, and says how many there are.
function lanes(passing) {
  const taken = [];
  for (const way of [...passing.values()].sort((a, b) => a.last - a.first - (b.last - b.first))) {
    way.lane = taken.findIndex((others) => others.every((o) => o.last < way.first || way.last < o.first));
    if (way.lane < 0) way.lane = taken.push([]) - 1;
    taken[way.lane].push(way);
  }
  return taken.length;
}

// square is a path along points, with round corners.
function square(points) {
  let d = `M${xy(points[0])}`;
  for (let i = 1; i < points.length - 1; i++) {
    const [a, c, b] = [points[i - 1], points[i], points[i + 1]];
    const toward = (to) => {
      const long = Math.hypot(to.x - c.x, to.y - c.y) || 1, r = Math.min(6, long / 2);
      return { x: c.x + ((to.x - c.x) / long) * r, y: c.y + ((to.y - c.y) / long) * r };
    };
    d += `L${xy(toward(a))}Q${xy(c)} ${xy(toward(b))}`;
  }
  return `${d}L${xy(points.at(-1))}`;
}

/** curve is a path through the points of an edge, and the tip of its arrow. */
export function curve(points, squared) {
  const end = points.at(-1), before = points.at(-2) ?? end;
  const long = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const u = { x: (end.x - before.x) / long, y: (end.y - before.y) / long };
  const base = { x: end.x - u.x * 8, y: end.y - u.y * 8 };
  const p = [...points.slice(0, -1), base];
  const tip = `M${xy(end)}L${xy({ x: base.x - u.y * 4.5, y: base.y + u.x * 4.5 })}L${xy({ x: base.x + u.y * 4.5, y: base.y - u.x * 4.5 })}Z`;
  if (squared) return { d: square(p), tip };
  let d = `M${xy(p[0])}`;
  for (let i = 1; i < p.length - 1; i++) {
    const mid = { x: (p[i].x + p[i + 1].x) / 2, y: (p[i].y + p[i + 1].y) / 2 };
    d += `Q${xy(p[i])} ${xy(i === p.length - 2 ? p[i + 1] : mid)}`;
  }
  if (p.length === 2) d += `L${xy(p[1])}`;
  return { d, tip };
}

const xy = (p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`;
