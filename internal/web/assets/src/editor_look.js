// Languages and colours of editors. Colours are the page's own, so that both looks come with it.
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, StreamLanguage } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// prompt is a Go text/template behind a front matter.
const prompt = StreamLanguage.define({
  name: "prompt",
  startState: () => ({ front: null, inside: false, comment: false }),
  token(s, state) {
    if (s.sol() && s.match(/^---\s*$/)) {
      state.front = state.front === null ? true : false;
      return "meta";
    }
    if (state.front === null) state.front = false;
    if (state.front) {
      if (s.sol() && s.match(/^[\w-]+(?=\s*:)/)) return "propertyName";
      if (s.match(/^#.*/)) return "comment";
      s.next();
      return null;
    }
    if (state.comment) {
      if (s.match(/^.*?\*\//)) state.comment = false;
      else s.skipToEnd();
      return "comment";
    }
    if (!state.inside) {
      if (s.match(/^\{\{-?/)) {
        state.inside = true;
        return "brace";
      }
      s.next();
      s.eatWhile((c) => c !== "{");
      return null;
    }
    if (s.eatSpace()) return null;
    if (s.match(/^-?\}\}/)) {
      state.inside = false;
      return "brace";
    }
    if (s.match(/^\/\*/)) {
      state.comment = true;
      return "comment";
    }
    if (s.match(/^"(\\.|[^"\\])*"/) || s.match(/^`[^`]*`/)) return "string";
    if (s.match(/^-?\d+(\.\d+)?/)) return "number";
    if (s.match(/^(if|else|end|range|with|define|template|block|break|continue)\b/)) return "keyword";
    if (s.match(/^[.$][\w.]*/)) return "variableName";
    if (s.match(/^\w+/)) return "function";
    s.next();
    return null;
  },
  tokenTable: { function: tags.function(tags.variableName) },
});

export function languageOf(name) {
  return name === "yaml" ? yaml() : name === "json" ? json() : name === "prompt" ? prompt : [];
}

export const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.labelName], color: "var(--syn-key)" },
  { tag: [tags.string, tags.special(tags.string), tags.content], color: "var(--syn-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--syn-number)" },
  { tag: [tags.keyword, tags.typeName, tags.function(tags.variableName)], color: "var(--syn-word)" },
  { tag: [tags.variableName, tags.brace], color: "var(--syn-tag)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--syn-comment)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "13.5px", maxHeight: "var(--editor-height, 70vh)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content, .cm-gutter": { minHeight: "9rem" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 24%, transparent)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--soft)", border: "0", borderRight: "1px solid var(--rule)" },
  ".cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 12%, transparent)", color: "var(--ink)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--edge)" },
  ".cm-selectionMatch": { backgroundColor: "var(--mark)" },
  ".cm-searchMatch": { backgroundColor: "var(--mark)", outline: "1px solid var(--edge)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--accent-soft)", color: "var(--accent)", border: "0", padding: "0 .4em" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "6px", boxShadow: "var(--shadow-high)", maxWidth: "min(36rem, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "13px", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal", marginLeft: "1em" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionInfo": { padding: "6px 10px", fontFamily: "var(--sans)", fontSize: "13px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { padding: "5px 10px", borderLeftWidth: "4px", whiteSpace: "pre-wrap" },
  ".cm-diagnosticSource": { fontSize: "12px", opacity: "1", color: "var(--soft)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--rule)" },
  ".cm-panels input:not([type=checkbox])": { width: "auto", minHeight: "0" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "5px" },
  ".cm-textfield": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--edge)" },
});
