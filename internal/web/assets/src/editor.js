// <pflow-editor language="yaml|json|prompt|text"> around a <textarea> edits it; the textarea stays the field of its form.
//
//   label="WORDS"       what it is called, if the textarea has no label
//   check="ADDRESS"     POST {"text"} after each pause in typing; answers {"diagnostics": [{"severity", "message", "place": {"line",
//                       "column"} or line and column, "path"?, "suggestion"?}], "graph"?}
//   graph="ID"          the <pflow-graph> that is given the graph of the answer
//   complete="ADDRESS"  GET; answers {"options": [{"label", "detail"?, "info"?, "type"?, "apply"?, "as"?: "key|value|template",
//                       "under"?: "nodes.*.params"}]}: what can be typed where; also shown when the pointer rests on the word
//
// It fires "pflow-checked" with the answer's diagnostics. A textarea that is read-only stays so.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { colours, languageOf, look } from "./editor_look.js";
import { describe, options } from "./editor_complete.js";
import { el, meta } from "./dom.js";

class Editor extends HTMLElement {
  #view;
  #field;
  #checking;

  connectedCallback() {
    this.start();
  }

  /** start makes the editor once its field is there. */
  start() {
    if (this.#view) return;
    this.#field = this.querySelector("textarea");
    if (!this.#field) return;
    const field = this.#field;
    const box = el("div", { class: "editor-box" });
    const label = this.getAttribute("label") || field.getAttribute("aria-label") || field.labels?.[0]?.textContent.trim() || "Text";
    this.#view = new EditorView({ parent: box, state: EditorState.create({ doc: field.value, extensions: this.#extensions(label) }) });
    field.classList.add("visually-hidden");
    field.tabIndex = -1;
    field.setAttribute("aria-hidden", "true");
    field.before(box);
    for (const l of field.labels) l.addEventListener("click", (e) => (e.preventDefault(), this.#view.focus()));
    field.addEventListener("focus", () => this.#view.focus()); // where the browser says that it is required
    field.form?.addEventListener("reset", () => queueMicrotask(() => (this.value = field.value)));
  }

  disconnectedCallback() {
    this.#checking?.abort();
  }

  get value() {
    return this.#view ? this.#view.state.doc.toString() : this.querySelector("textarea").value;
  }
  set value(text) {
    this.#view?.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  #extensions(label) {
    const fixed = this.#field.readOnly || this.#field.disabled;
    const list = [
      EditorView.cspNonce.of(meta("csp-nonce")),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", ...(fixed ? {} : { "aria-description": "Escape and then Tab leaves the editor" }) }),
      lineNumbers(), foldGutter(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightSelectionMatches(),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap, ...(fixed ? [] : [indentWithTab])]),
      EditorState.tabSize.of(2), look, syntaxHighlighting(colours), languageOf(this.getAttribute("language")),
      EditorView.lineWrapping,
    ];
    if (fixed) return [...list, EditorState.readOnly.of(true), EditorView.editable.of(true)];
    list.push(highlightActiveLine(), highlightActiveLineGutter(), closeBrackets(), EditorView.updateListener.of((u) => u.docChanged && this.#changed()));
    if (this.hasAttribute("check")) list.push(linter((view) => this.#check(view), { delay: 400 }), lintGutter());
    if (this.hasAttribute("complete")) {
      const source = options(this.getAttribute("complete"), this.getAttribute("language"));
      list.push(autocompletion({ override: [source.complete], icons: false }), hoverTooltip((view, at) => describe(view, at, source.words())));
    }
    return list;
  }

  #changed() {
    this.#field.value = this.value;
    this.#field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async #check(view) {
    this.#checking?.abort();
    this.#checking = new AbortController();
    let answer;
    try {
      const reply = await fetch(this.getAttribute("check"), {
        method: "POST", signal: this.#checking.signal,
        headers: { "Content-Type": "application/json", "X-Pflow-Token": meta("pflow-token") },
        body: JSON.stringify({ text: view.state.doc.toString() }),
      });
      answer = await reply.json();
      if (!Array.isArray(answer.diagnostics)) throw new Error(answer.message || answer.error?.message || `it answered ${reply.status}`);
    } catch (e) {
      if (e.name !== "AbortError") this.#tell([{ severity: "warning", message: `The text could not be checked: ${e.message}` }]);
      return [];
    }
    const graph = answer.graph && document.getElementById(this.getAttribute("graph"));
    if (graph) {
      graph.data = answer.graph;
      document.getElementById(`${graph.id}-broken`)?.remove();
    }
    this.#tell(answer.diagnostics);
    this.dispatchEvent(new CustomEvent("pflow-checked", { bubbles: true, detail: { diagnostics: answer.diagnostics } }));
    return answer.diagnostics.map((d) => mark(view.state.doc, d)).filter((d) => d);
  }

  // tell lists the findings below the text, where a reader hears how many there are.
  #tell(found) {
    let box = this.querySelector(":scope > .editor-findings");
    if (!box) {
      box = el("div", { class: "editor-findings" }, el("p", { role: "status", class: "small muted" }), el("ul", { class: "findings" }));
      this.append(box);
    }
    const [status, list] = box.children;
    const errors = found.filter((d) => d.severity === "error").length;
    const says = [[errors, "error"], [found.length - errors, errors ? "other finding" : "finding"]].filter(([n]) => n).map(([n, word]) => count(n, word)).join(", ") || "Nothing is wrong with it.";
    if (status.textContent !== says) status.textContent = says;
    list.replaceChildren(...found.slice(0, 50).map((d) => {
      const { line, column } = d.place ?? d;
      const to = line ? el("button", { type: "button", class: "button small quiet" }, `line ${line}`) : null;
      to?.addEventListener("click", () => this.#go(line, column));
      return el("li", { class: "finding", "data-severity": severity(d) },
        el("span", {}, el("span", { class: "visually-hidden" }, `${severity(d)}: `), d.message, to ? " " : null, to),
        hint(d) ? el("span", { class: "hint" }, hint(d)) : null);
    }));
  }

  #go(line, column = 1) {
    const { doc } = this.#view.state;
    const at = doc.line(Math.min(line, doc.lines));
    this.#view.dispatch({ selection: { anchor: Math.min(at.to, at.from + column - 1) }, scrollIntoView: true });
    this.#view.focus();
  }
}

const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const severity = (d) => (d.severity === "error" || d.severity === "warning" ? d.severity : "note");
const hint = (d) => d.hint || d.suggestion || (d.alternatives?.length ? `Did you mean ${d.alternatives.join(", ")}?` : "");

// mark is where a finding stands: the word at its place, or the line.
function mark(doc, d) {
  const { line, column } = d.place ?? d;
  if (!line || line > doc.lines) return null;
  const l = doc.line(line);
  let from = Math.min(l.to, l.from + Math.max(0, (column ?? 1) - 1));
  let to = from + (/^[^\s:,[\]{}]+/.exec(l.text.slice(from - l.from))?.[0].length ?? 0);
  if (to === from) [from, to] = [l.from + (l.text.length - l.text.trimStart().length), l.to];
  return { from, to, severity: severity(d) === "note" ? "info" : severity(d), message: hint(d) ? `${d.message}\n${hint(d)}` : d.message, source: d.path };
}

customElements.define("pflow-editor", Editor);
