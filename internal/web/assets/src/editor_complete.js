// What can be typed at a place of a text: options that the server gives once, chosen by where the cursor stands.
import { el } from "./dom.js";

/** pathAt gives the keys of YAML or JSON that a line is under, by its indentation: ["nodes", "read", "params"]. */
export function pathAt(doc, number, column) {
  const path = [];
  let least = column;
  for (let i = number; i > 0 && least > 0; i--) {
    const text = doc.line(i).text;
    const key = /^(\s*)(?:-\s+)?("[^"]*"|'[^']*'|[^\s#:{}[\],"'-][^:{}[\],]*)\s*:/.exec(text);
    if (!key || (i === number && key[1].length >= column)) continue;
    const inset = text.length - text.trimStart().replace(/^-\s+/, "").length;
    if (i !== number ? inset < least : false) {
      path.unshift(key[2].replace(/^["']|["']$/g, "").trim());
      least = inset;
    }
  }
  return path;
}

/** under reports whether a path matches a pattern such as "nodes.*.params"; "" is the top. */
export function under(path, pattern) {
  const parts = pattern === "" ? [] : pattern.split(".");
  return parts.length === path.length && parts.every((p, i) => p === "*" || p === path[i]);
}

/** options gives a source of completions, fetched when they are first asked for. */
export function options(address, language) {
  let known, asked;
  const get = () => (asked ??= fetch(address).then((r) => (r.ok ? r.json() : Promise.reject(new Error(`${address} answered ${r.status}`)))).then((a) => (known = a.options ?? []))
    .catch((e) => { asked = undefined; console.error("completions:", e.message); return []; }));
  return {
    words: () => known ?? (get(), []),
    async complete(context) {
      const word = context.matchBefore(/[\w.$/-]+/);
      const line = context.state.doc.lineAt(context.pos);
      const before = line.text.slice(0, context.pos - line.from);
      const where = placeOf(before, language);
      if (!context.explicit && !word && where.as !== "template") return null;
      const all = await get();
      if (context.aborted) return null;
      const path = language === "prompt" || language === "text" ? [] : pathAt(context.state.doc, line.number, where.inset);
      if (where.key) path.push(where.key);
      const fit = all.filter((o) => (!o.as || o.as === where.as) && (o.under === undefined || under(path, o.under)));
      return fit.length === 0 ? null : { from: word ? word.from : context.pos, validFor: /^[\w.$/-]*$/,
        options: fit.map(({ label, detail, info, type, apply }) => ({ label, detail, info: info || undefined, type, apply: apply ?? (where.as === "key" && language === "yaml" ? `${label}: ` : undefined) })) };
    },
  };
}

// placeOf says what stands at the end of a line so far: within {{ }} or ${ }, a key, or the value of one.
function placeOf(before, language) {
  const inset = before.length - before.trimStart().replace(/^-\s+/, "").length;
  if (/(\{\{|\$\{)[^}]*$/.test(before)) return { as: "template", inset };
  if (language !== "yaml" && language !== "json") return { as: "text", inset };
  const value = /^\s*(?:-\s+)?["']?([^:"'{}]+)["']?\s*:\s+\S*$/.exec(before);
  if (value) return { as: "value", inset, key: value[1].trim() };
  return { as: "key", inset };
}

/** describe shows what is known of the word that the pointer rests on. */
export function describe(view, at, words) {
  const line = view.state.doc.lineAt(at);
  const is = (c) => c !== undefined && /[\w.$-]/.test(c);
  let from = at - line.from, to = from;
  while (from > 0 && is(line.text[from - 1])) from--;
  while (is(line.text[to])) to++;
  const word = line.text.slice(from, to);
  const found = word && words.find((o) => o.label === word && (o.info || o.detail));
  if (!found) return null;
  return { pos: line.from + from, end: line.from + to, above: true, create: () => ({
    dom: el("div", { class: "editor-hover" }, el("strong", {}, word), found.detail ? ` ${found.detail}` : null, found.info ? el("p", {}, found.info) : null) }) };
}
