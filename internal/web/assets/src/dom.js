// Making elements without markup, and what the custom elements share.

/** el("a", {class: "button", href: "/"}, "Home", child) makes an element. No property takes markup or a style. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** svg is el for SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(e, attributes, children) {
  for (const [k, v] of Object.entries(attributes)) {
    if (v === true) e.setAttribute(k, "");
    else if (v !== undefined && v !== null && v !== false) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== undefined && c !== null));
  return e;
}

/** safeHref gives an address of this site or of http(s), and nothing that runs. */
export function safeHref(href) {
  if (!href) return undefined;
  const to = URL.parse(String(href), location.href);
  return to && (to.protocol === "http:" || to.protocol === "https:") ? String(href) : undefined;
}

const words = { not_reached: "not reached", needs_input: "needs input" };

/** stateWord is a state as badges say it. */
export function stateWord(state) {
  return words[state] ?? String(state ?? "");
}

/** setState gives an element a state, and its words where it shows them; a badge gives it to the fold or row that it heads. */
export function setState(e, state) {
  if (e.dataset.state !== state) e.dataset.state = state;
  const headed = e.matches(".badge") && (e.closest("summary")?.parentElement ?? e.closest("tr"));
  if (headed && "state" in headed.dataset) headed.dataset.state = state;
  const shown = e.matches(".badge") ? e : e.querySelector(":scope > .state-word");
  const text = stateWord(state);
  if (shown && shown.textContent !== text) shown.textContent = text;
}

/** tell is for readers: those who look see it in the page. */
export function tell(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

/** took is a time in milliseconds as people say it. */
export function took(ms) {
  if (ms > 0 && ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 3600) return `${Math.floor(s / 60)} m ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`;
}

/** changed reports whether a person changed a field. */
export function changed(e) {
  switch (e.localName) {
    case "input":
      return e.type === "checkbox" || e.type === "radio" ? e.checked !== e.defaultChecked : e.type !== "hidden" && e.value !== e.defaultValue;
    case "textarea":
      return e.value !== e.defaultValue;
    case "select":
      return [...e.options].some((o) => o.selected !== o.defaultSelected) && [...e.options].some((o) => o.defaultSelected);
  }
  return false;
}

/** meta is the content of a <meta> of the page, or "". */
export function meta(name) {
  return document.querySelector(`meta[name="${name}"]`)?.content ?? "";
}

/**
 * Data is an element whose data is JSON: in its attribute data-json, which live.js sets, or else in a <script
 * type="application/json"> of its own. draw(data) makes what is seen.
 */
export class Data extends HTMLElement {
  static observedAttributes = ["data-json"];
  #text;
  connectedCallback() {
    this.refresh(this.dataset.json ?? this.source()?.textContent);
  }
  attributeChangedCallback(name, old, text) {
    if (this.isConnected && text !== null) this.refresh(text);
  }
  source() {
    return this.querySelector(':scope > script[type="application/json"]');
  }
  /** refresh takes new data as text, if it is new. */
  refresh(text) {
    if (text === undefined || text === this.#text) return;
    this.#text = text;
    let data;
    try {
      data = JSON.parse(text);
    } catch (e) {
      console.error(`${this.localName}: its data is no JSON: ${e.message}`);
      return;
    }
    this.draw(data);
  }
  get data() {
    return this.#text === undefined ? undefined : JSON.parse(this.#text);
  }
  set data(data) {
    this.refresh(JSON.stringify(data));
  }
  /** shown gives the one child that draw fills; what the server sent for readers without scripts is hidden by it. */
  shown(className) {
    let e = this.querySelector(`:scope > .${className}`);
    if (!e) {
      for (const c of this.children) if (c.localName !== "script") c.hidden = true;
      e = el("div", { class: className });
      this.append(e);
    }
    return e;
  }
}
