"use strict";
// Everything shown is put on the page by el(): strings become text nodes, never markup.
const byId = (id) => document.getElementById(id);
const kept = {};

/** A block of data by its id, or null while the file is still being read. */
function read(id) {
  if (!(id in kept)) {
    const block = byId(id);
    if (!block || (document.readyState === "loading" && !block.nextElementSibling)) return null;
    kept[id] = JSON.parse(block.textContent);
    block.remove();
  }
  return kept[id];
}

function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const { alone, chunk, runs, paintings } = read("gallery");
const several = new Set(paintings.map((painting) => painting.group)).size > 1;
paintings.forEach((painting, id) => Object.assign(painting, { id, name: runs[painting.run].name }));

const KEYS = [
  ["step", "step", (p) => p.step],
  ["reward", "reward", (p) => p.reward],
  ["judge", "judge", (p) => p.terms.judge],
  ["quality", "quality", (p) => p.terms.quality],
  ["length", "length", (p) => p.terms.length],
  ["coverage", "coverage", (p) => p.coverage],
  ["shapes", "shapes", (p) => p.shapes],
  ["characters", "characters of code", (p) => p.characters],
];
const BEATEN = [["love", "a love"], ["okay", "an okay at best"], ["none", "none"], [null, "not compared"]];
const MARKS = { won: "✓", lost: "✗", split: "½", open: "–" };

const wall = byId("wall"), dialog = byId("painting"), search = byId("search");
const sort = byId("sort"), direction = byId("direction"), filters = ["run", "beaten", "fault"].map(byId);
const cards = new Map();
let shown = paintings, descending = false, at = 0, printing = false, grid = null;

const two = (number) => number.toFixed(2);
const place = (p) => `step ${p.step} · ${several ? `${p.group}.` : ""}${p.position}`;

function picture(p) {
  if (!p.picture) return null;
  const block = read(`pictures-${Math.floor(p.id / chunk)}`);
  return block && (alone ? `data:image/webp;base64,${block[p.id % chunk]}` : block[p.id % chunk]);
}

function sheet(p, lazy) {
  if (!p.picture) return el("div", { className: "sheet" }, el("div", { className: "none" }, "no picture"));
  const alt = `${p.subject || "a painting"}, ${place(p)}`;
  const image = el("img", { alt, width: 480, height: 480, decoding: lazy ? "async" : "sync", draggable: false });
  const source = picture(p);
  if (source) image.src = source;
  return el("div", { className: "sheet" }, image);
}

function card(p) {
  const scored = p.reward !== null;
  const second = !scored ? el("span", { className: "bad" }, `unscored: ${p.reason}`)
    : p.violations.length ? el("span", { className: "bad" }, p.violations.join(", "))
    : p.beaten === "love" ? el("span", { className: "won" }, "✓ beat a love")
    : p.beaten === "okay" ? el("span", {}, "✓ beat an okay") : el("span", {}, "");
  const button = el("button", { type: "button", className: "card", tabIndex: -1 },
    sheet(p, true),
    el("div", { className: "caption" }, el("b", {}, scored ? two(p.reward) : "unscored"), el("span", {}, place(p))),
    el("div", { className: "caption" }, second, runs.length > 1 ? el("span", {}, p.name) : null));
  button.addEventListener("click", () => open(at = shown.indexOf(p)));
  return el("li", {}, button);
}

/** Columns, card width and row height for the room there is. */
function measure() {
  const width = wall.clientWidth, gap = width < 600 ? 12 : 20, least = width < 600 ? 140 : 168;
  const columns = Math.max(2, Math.floor((width + gap) / (least + gap)));
  const side = (width - gap * (columns - 1)) / columns;
  grid = { columns, side, gap, height: side + 50 + gap };
  wall.style.height = `${Math.ceil(shown.length / columns) * grid.height}px`;
}

/** Put the cards in view on the wall, and only those. */
function draw() {
  const { columns, side, gap, height } = grid;
  const top = -wall.getBoundingClientRect().top, reach = innerHeight;
  const first = printing ? 0 : Math.max(0, Math.floor((top - reach / 2) / height) * columns);
  const last = printing ? shown.length : Math.min(shown.length, Math.ceil((top + reach * 1.5) / height) * columns);
  const wanted = [];
  if (at < first && at < shown.length) wanted.push(at);
  for (let i = first; i < last; i++) wanted.push(i);
  if (at >= Math.max(first, last) && at < shown.length) wanted.push(at);
  const ids = new Set(wanted.map((i) => shown[i].id));
  for (const [id, item] of cards) if (!ids.has(id)) { item.remove(); cards.delete(id); }
  let cursor = wall.firstChild;
  for (const i of wanted) {
    const p = shown[i];
    const item = cards.get(p.id) || card(p);
    cards.set(p.id, item);
    if (item === cursor) cursor = cursor.nextSibling;
    else wall.insertBefore(item, cursor);
    item.setAttribute("aria-posinset", i + 1);
    item.setAttribute("aria-setsize", shown.length);
    item.firstChild.tabIndex = i === at ? 0 : -1;
    item.style.width = `${side}px`;
    item.style.height = `${height - gap}px`;
    item.style.transform = `translate(${(i % columns) * (side + gap)}px, ${Math.floor(i / columns) * height}px)`;
    const image = item.querySelector("img:not([src])"), source = image && picture(p);
    if (source) image.src = source;
  }
}

function haystack(p) {
  const details = read("details");
  if (details && !p.text) p.text = [details[p.id].code, p.subject, p.name, ...p.violations].join("\n").toLowerCase();
  return p.text || "";
}

function faulty(p, fault) {
  return fault === "unscored" ? p.reward === null : fault === "unpainted" ? !p.picture
    : fault === "clean" ? !p.violations.length && p.reward !== null
    : fault === "any" ? p.violations.length > 0 : p.violations.includes(fault.slice(5));
}

function arrange() {
  const [run, beaten, fault] = filters.map((filter) => filter.value), word = search.value.trim().toLowerCase();
  const [key, , value] = KEYS.find(([name]) => name === sort.value);
  const sign = descending ? -1 : 1;
  shown = paintings.filter((p) => (!run || p.run === Number(run)) && (!beaten || String(p.beaten) === beaten)
    && (!fault || faulty(p, fault)) && (!word || haystack(p).includes(word)));
  // What has no value comes last, whichever way round.
  shown.sort((a, b) => {
    const x = value(a), y = value(b);
    return (x === null) - (y === null) || (x === y ? a.id - b.id : sign * (x - y));
  });
  direction.textContent = key === "step" ? (descending ? "Latest first" : "Earliest first") : descending ? "Highest first" : "Lowest first";
  byId("count").textContent = `${shown.length} of ${paintings.length}`;
  byId("empty").hidden = shown.length > 0;
  at = 0;
  measure();
  draw();
}

function focus(i) {
  at = Math.max(0, Math.min(shown.length - 1, i));
  if (!shown.length) return search.focus();
  const up = wall.getBoundingClientRect().top + Math.floor(at / grid.columns) * grid.height;
  const tools = byId("tools"), bar = getComputedStyle(tools).position === "sticky" ? tools.offsetHeight : 0;
  if (up < bar + 8) scrollBy(0, up - bar - 8);
  else if (up + grid.height > innerHeight) scrollBy(0, up + grid.height - innerHeight);
  draw();
  cards.get(shown[at].id).firstChild.focus({ preventScroll: true });
}

function scores(p, details) {
  const rows = Object.entries(p.terms).map(([term, score]) => {
    const mean = details.means[term], weight = details.weights[term];
    const said = term === "gate" && score !== null ? (score ? "passed" : "failed")
      : score !== null ? score.toFixed(3) : mean !== undefined ? `group's mean ${mean.toFixed(3)}` : "none";
    const bar = el("div", {});
    bar.style.setProperty("--share", `${100 * (score ?? 0)}%`);
    return el("tr", {}, el("th", { scope: "row" }, term), el("td", {}, weight === undefined ? "" : String(weight)),
      el("td", {}, said), el("td", { className: "bar" }, score === null ? "" : bar));
  });
  const head = ["Term", "Weight", "Score", ""].map((name) => name ? el("th", { scope: "col" }, name) : el("td", {}));
  return el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

function faced(details) {
  const all = read("references");
  return el("ul", { className: "references", role: "list" }, ...details.references.map(([index, mark, verdict]) => {
    const { name, tier, picture: data } = all[index];
    const image = data ? el("img", { alt: `reference ${name}`, src: `data:image/webp;base64,${data}` }) : el("div", { className: "none" }, "not in this pool");
    return el("li", {}, el("div", { className: "sheet" }, image),
      el("p", { className: mark }, `${MARKS[mark]} ${verdict}`), el("p", {}, tier ? `${tier}: ` : "", name));
  }));
}

function sketch({ code, spans }) {
  const pre = el("pre", { tabIndex: 0, role: "region", "aria-label": "Sketch" });
  const kinds = ["", "comment", "keyword", "string", "number", "brush"];
  for (let i = 0, from = 0; i < spans.length; i += 2) {
    const text = code.slice(from, from += spans[i + 1]);
    pre.append(spans[i] ? el("span", { className: kinds[spans[i]] }, text) : text);
  }
  return pre;
}

function open(i) {
  const p = shown[i], details = read("details")?.[p.id];
  if (!details) return;
  const page = byId("page"), scored = p.reward !== null;
  page.replaceChildren(
    el("div", {}, sheet(p, false)),
    el("div", { className: "told" },
      el("h2", { id: "name" }, `Step ${p.step}${several ? `, group ${p.group}` : ""}, painting ${p.position}`),
      el("p", { className: "score" }, el("b", {}, scored ? p.reward.toFixed(3) : "unscored"), scored ? " reward" : "", ` · ${p.name}`),
      p.reason && el("p", { className: "why" }, scored ? p.reason : `No reward: ${p.reason}`),
      p.violations.length ? el("p", { className: "why" }, `Violations: ${p.violations.join(", ")}`) : null,
      el("h3", {}, "Terms"), scores(p, details),
      details.references.length ? el("h3", {}, "References faced") : null,
      details.references.length ? faced(details) : null),
    el("div", {}, el("h3", {}, "Facts"), el("dl", {}, ...details.facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]))),
    el("div", { className: "sketch" }, el("h3", {}, "Sketch"), details.code ? sketch(details) : el("p", {}, "The reply held no sketch.")));
  byId("place").textContent = `${i + 1} of ${shown.length}`;
  byId("previous").disabled = i === 0;
  byId("next").disabled = i === shown.length - 1;
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function turn(by) {
  if (shown[at + by]) open(at += by);
}

function step(key) {
  const rows = Math.max(1, Math.floor(innerHeight / grid.height) - 1);
  return { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -grid.columns, ArrowDown: grid.columns, PageUp: -rows * grid.columns,
    PageDown: rows * grid.columns, Home: -at, End: shown.length - 1 - at }[key];
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select");
  if (dialog.open) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const stops = [...dialog.querySelectorAll("button:not(:disabled), [tabindex='0']")];
    const edge = stops[event.shiftKey ? 0 : stops.length - 1];
    if (by) turn(by);
    else if (event.key === "Tab" && (document.activeElement === edge || !stops.includes(document.activeElement))) stops.at(event.shiftKey ? -1 : 0).focus();
    else return;
  } else if (event.key === "/" && !typing) search.focus();
  else if (event.key === "Escape" && event.target === search && search.value) { search.value = ""; arrange(); }
  else if (wall.contains(event.target) && step(event.key) !== undefined) focus(at + step(event.key));
  else return;
  event.preventDefault();
});

function choices(select, all, pairs) {
  select.append(el("option", { value: "" }, `${all} (${paintings.length})`));
  for (const [value, name, fits] of pairs) {
    const count = paintings.filter(fits).length;
    if (count) select.append(el("option", { value: String(value) }, `${name} (${count})`));
  }
  select.parentElement.hidden = select.options.length < 3;
}

choices(filters[0], "all", runs.map((run, i) => [i, run.name, (p) => p.run === i]));
choices(filters[1], "all", BEATEN.map(([tier, name]) => [tier, name, (p) => p.beaten === tier]));
const codes = [...new Set(paintings.flatMap((p) => p.violations))].sort();
choices(filters[2], "all", [["clean", "without any"], ["any", "any violation"], ...codes.map((code) => [`code:${code}`, code]),
  ["unscored", "unscored"], ["unpainted", "no picture"]].map(([value, name]) => [value, name, (p) => faulty(p, value)]));
for (const [name, title, value] of KEYS) if (paintings.some((p) => value(p) !== null)) sort.append(el("option", { value: name }, title));
byId("about").append(...runs.map((run) => el("p", {}, el("strong", {}, run.name), ` · ${run.facts.join(" · ")}`)));

for (const control of [search, ...filters]) control.addEventListener("input", arrange);
sort.addEventListener("input", () => { descending = sort.value !== "step"; arrange(); });
direction.addEventListener("click", () => { descending = !descending; arrange(); });
byId("clear").addEventListener("click", () => { for (const control of [search, ...filters]) control.value = ""; arrange(); search.focus(); });
byId("tools").addEventListener("submit", (event) => { event.preventDefault(); focus(0); });
byId("previous").addEventListener("click", () => turn(-1));
byId("next").addEventListener("click", () => turn(1));
byId("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => focus(at));
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = (root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.style.colorScheme = dark ? "light" : "dark";
});
let waiting = false;
addEventListener("scroll", () => {
  if (!waiting) requestAnimationFrame(() => { waiting = false; draw(); });
  waiting = true;
}, { passive: true });
addEventListener("resize", () => { measure(); draw(); });
addEventListener("beforeprint", () => { printing = true; draw(); });
addEventListener("afterprint", () => { printing = false; draw(); });
document.addEventListener("DOMContentLoaded", draw);
arrange();
