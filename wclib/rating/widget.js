// The rater on a page. It holds no ratings: it shows what the kernel says and sends what the person does.
// A press names the showing it is meant for, so one that comes late cannot land on the next picture.

const GLYPHS = {
  love: '<path d="M12 20.3 4.6 12.9a4.7 4.7 0 0 1 6.7-6.7l.7.7.7-.7a4.7 4.7 0 0 1 6.7 6.7z"/>',
  okay: '<path d="m4.5 12.8 4.8 4.8L19.5 7.2" fill="none" stroke="currentColor" stroke-width="2.6"/>',
  nope: '<path d="m6 6 12 12M18 6 6 18" fill="none" stroke="currentColor" stroke-width="2.6"/>',
  meh: '<path d="M4 13.5c2.6-4 5.2-4 8-1.2s5.4 2.8 8-1.2" fill="none" stroke="currentColor" stroke-width="2.6"/>',
  left: '<path d="M19 12H6m5-6-6 6 6 6" fill="none" stroke="currentColor" stroke-width="2.4"/>',
  right: '<path d="M5 12h13m-5-6 6 6-6 6" fill="none" stroke="currentColor" stroke-width="2.4"/>',
  same: '<path d="M5 9.2h14M5 14.8h14" fill="none" stroke="currentColor" stroke-width="2.4"/>',
};
const KEEP = 12; // pictures held in memory
const POLL_MS = 4000;
const PATIENCE_MS = 8000;
const BATCH = 16; // thumbnails asked for at once

const stores = new WeakMap(); // a model's pictures, shared by its views

function store(model) {
  if (!stores.has(model)) stores.set(model, { pictures: new Map(), thumbs: new Map() });
  return stores.get(model);
}

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function glyph(name) {
  const holder = make("span", { class: `wc-glyph wc-${name}`, "aria-hidden": "true" });
  holder.innerHTML = `<svg viewBox="0 0 24 24" fill="currentColor" stroke-linecap="round" stroke-linejoin="round">${GLYPHS[name]}</svg>`;
  return holder;
}

function minutes(seconds) {
  if (seconds === null) return "";
  if (seconds < 45) return "less than a minute left";
  return `about ${Math.max(1, Math.round(seconds / 60))} min left`;
}

class View {
  constructor(model, host) {
    this.model = model;
    this.store = store(model);
    this.state = null;
    this.shown = null; // {id, at}: the showing a person sees, and since when
    this.pending = null; // the showing whose press is on its way
    this.looking = null; // the grid is open
    this.asked = 0; // when the oldest unanswered message was sent
    this.items = [];
    this.build(host);
    this.receive = (message, buffers) => this.on[message.type].call(this, message, buffers);
    model.on("msg:custom", this.receive);
    this.timer = setInterval(() => this.beat(), POLL_MS);
    this.send({ type: "ready" });
  }

  close() {
    clearInterval(this.timer);
    this.model.off("msg:custom", this.receive);
  }

  // Talking with the kernel

  send(message) {
    this.asked ||= Date.now();
    try {
      this.model.send(message);
    } catch {
      this.warn("The kernel is gone. Everything pressed so far is saved: restart it and run this cell again.");
    }
  }

  beat() {
    if (!this.root.isConnected || document.visibilityState !== "visible") return;
    if (!this.asked) this.send({ type: "poll" });
    else if (Date.now() - this.asked > PATIENCE_MS)
      this.warn("The kernel is busy or gone. What you press now is not saved until it answers; restart it and run this cell again if it stays so.");
  }

  on = {
    pong() {
      this.heard();
    },
    state(message) {
      this.heard();
      this.pending = null;
      this.root.removeAttribute("data-busy");
      this.looking ??= message.done === 0;
      const first = !this.state;
      this.state = message;
      if (first) this.buildFor(message);
      this.update();
    },
    picture({ picture, mime }, buffers) {
      this.heard();
      if (!this.store.pictures.has(picture)) {
        const url = URL.createObjectURL(new Blob([buffers[0]], { type: mime }));
        this.store.pictures.set(picture, url);
        for (const old of [...this.store.pictures.keys()].slice(0, -KEEP)) {
          URL.revokeObjectURL(this.store.pictures.get(old));
          this.store.pictures.delete(old);
        }
      }
      if (this.state.ahead.every((each) => this.store.pictures.has(each))) this.root.dataset.ahead = "here";
      this.show();
    },
    thumb({ picture }, buffers) {
      this.heard();
      if (!this.store.thumbs.has(picture))
        this.store.thumbs.set(picture, URL.createObjectURL(new Blob([buffers[0]], { type: "image/jpeg" })));
      const image = this.grid.querySelector(`[data-id="${picture}"] img`);
      if (image) image.src = this.store.thumbs.get(picture);
      if (--this.coming === 0) this.moreThumbs();
    },
    range({ items }) {
      this.heard();
      this.items = items;
      this.drawGrid();
    },
    fault({ text }) {
      this.heard();
      this.pending = null;
      this.root.removeAttribute("data-busy");
      this.warn(text);
    },
  };

  heard() {
    this.asked = 0;
    this.alert.hidden = true;
  }

  warn(text) {
    this.alert.textContent = text;
    this.alert.hidden = false;
  }

  // The parts of the page. None is taken away or disabled while it may hold the focus: keys would go to the notebook.

  build(host) {
    this.count = make("strong", { class: "wc-count" });
    this.left = make("span", { class: "wc-time" });
    this.bar = make("div", { class: "wc-bar-done" });
    this.meter = make("div", { class: "wc-bar", role: "progressbar", "aria-label": "answered" }, this.bar);
    this.filters = make("div", { class: "wc-filters" });
    this.alert = make("div", { class: "wc-alert", role: "alert" });
    this.alert.hidden = true;
    this.question = make("p", { class: "wc-question" });
    this.stage = make("div", { class: "wc-stage" });
    this.grid = make("div", { class: "wc-grid", role: "group", "aria-label": "All paintings" });
    this.finished = make("div", { class: "wc-finished" });
    this.answers = make("div", { class: "wc-answers", role: "group", "aria-label": "Answers" });
    this.status = make("span", { class: "wc-status", role: "status", "aria-live": "polite" });
    const tool = (key, label, act, keys) =>
      make("button", { type: "button", class: "wc-tool", "aria-keyshortcuts": keys, onclick: act }, make("kbd", { "aria-hidden": "true" }, key), label);
    this.toggle = make("span");
    const tools = make(
      "div",
      { class: "wc-tools", role: "group", "aria-label": "Moving about" },
      tool("←", "Back", () => this.move(-1), "ArrowLeft"),
      tool("→", "Next", () => this.move(1), "ArrowRight"),
      tool("Bksp", "Undo", () => this.send({ type: "undo" }), "Backspace"),
      tool("G", this.toggle, () => this.flip(), "G"),
    );
    this.root = make(
      "div",
      { class: "wc", tabindex: "0", role: "application", "aria-label": "Rate paintings", "data-lm-suppress-shortcuts": "true" },
      make("div", { class: "wc-head" }, make("div", { class: "wc-progress" }, this.count, this.left), this.filters),
      this.meter,
      this.alert,
      this.question,
      this.stage,
      this.grid,
      this.finished,
      this.answers,
      make("div", { class: "wc-foot" }, tools, this.status),
    );
    this.root.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["keyup", "keypress"]) this.root.addEventListener(kind, (event) => event.stopPropagation());
    this.root.addEventListener("click", (event) => {
      // The notebook takes the focus when one of its cells is clicked; a select keeps its own.
      if (!event.target.closest("select")) setTimeout(() => this.root.contains(document.activeElement) || this.root.focus());
    });
    host.append(this.root);
  }

  /** What depends on the mode: the answers and the filters. */
  buildFor({ mode, answers, filter }) {
    this.root.dataset.mode = mode;
    this.keys = new Map(answers.map(([answer, key]) => [key, answer]));
    for (const [answer, key, label, meaning] of answers)
      this.answers.append(
        make(
          "button",
          { type: "button", class: "wc-answer", "data-answer": answer, title: meaning, "aria-keyshortcuts": key, onclick: () => this.press(answer) },
          glyph(answer),
          make("span", {}, label),
          make("kbd", { "aria-hidden": "true" }, key),
        ),
      );
    if (mode === "compare") return;
    const choose = (label, name, values) => {
      const select = make("select", { "aria-label": label, onchange: () => this.choose(name, select.value) });
      select.append(...values.map((value) => make("option", { value }, value === "all" ? `${label}: all` : value)));
      this.filters.append(select);
    };
    choose("show", "tier", ["all", "unrated", ...answers.map(([answer]) => answer)]);
    if (filter.subjects.length > 1) choose("subject", "subject", ["all", ...filter.subjects]);
  }

  choose(name, value) {
    this.send({ type: "filter", [name]: value });
    this.root.focus();
  }

  update() {
    const { done, total, left, message, slot, mode } = this.state;
    this.count.textContent = `${done} of ${total}`;
    this.left.textContent = done < total ? minutes(left) : "all answered";
    this.bar.style.width = `${total ? (100 * done) / total : 0}%`;
    for (const [name, value] of [["valuemin", 0], ["valuemax", total], ["valuenow", done]]) this.meter.setAttribute(`aria-${name}`, value);
    this.status.textContent = message;
    Object.assign(this.root.dataset, { done, total, view: this.looking ? "grid" : slot ? "one" : "finished" });
    this.toggle.textContent = this.looking ? (done ? "One by one" : "Start rating") : "Grid";
    this.question.textContent = this.looking
      ? done
        ? "The whole range. Choose a painting to see it large."
        : "Look over the whole range first: a rating means more when you know what there is. Then press G."
      : mode === "compare" && slot
        ? "Which is better?"
        : "";
    if (this.looking) this.send({ type: "range" });
    else if (!slot) this.drawFinished();
    this.show();
  }

  // One painting, or two

  /** Put the current showing on the stage once all its pictures are here, and fetch the ones after it. */
  show() {
    const { slot } = this.state ?? {};
    if (this.looking || !slot) {
      this.shown = null;
      return;
    }
    const missing = slot.pictures.filter((picture) => !this.store.pictures.has(picture));
    if (missing.length) {
      this.want(missing);
      return;
    }
    if (this.shown?.id !== slot.id) {
      this.shown = null;
      const images = slot.pictures.map((picture, place) => make("img", { alt: slot.alt[place], src: this.store.pictures.get(picture), draggable: "false" }));
      Promise.allSettled(images.map((image) => image.decode())).then(() => {
        if (this.looking || this.state.slot?.id !== slot.id || this.shown) return;
        this.stage.replaceChildren(...images);
        this.shown = { id: slot.id, at: performance.now() };
        this.root.dataset.shown = slot.id;
        this.fetchAhead();
      });
    }
    for (const button of this.answers.children) button.setAttribute("aria-pressed", String(button.dataset.answer === slot.answer));
  }

  fetchAhead() {
    const missing = this.state.ahead.filter((picture) => !this.store.pictures.has(picture));
    this.root.dataset.ahead = missing.length ? "coming" : "here";
    this.want(missing);
  }

  want(pictures) {
    for (const picture of pictures) this.send({ type: "want", picture });
  }

  press(answer) {
    if (!this.shown || this.pending || this.looking) return;
    this.pending = this.shown.id;
    this.root.dataset.busy = answer;
    this.send({ type: "press", slot: this.shown.id, answer, shown_s: (performance.now() - this.shown.at) / 1000 });
  }

  move(step) {
    if (this.looking) this.focusThumb(step);
    else this.send({ type: "move", step });
  }

  drawFinished() {
    const { counts, filter } = this.state;
    const narrowed = filter.tier !== "all" || filter.subject !== "all";
    const tally = Object.entries(counts).map(([answer, count]) => make("li", {}, glyph(answer), `${count} ${answer}`));
    this.finished.replaceChildren(
      make("h3", {}, narrowed ? "Nothing left behind this filter" : "Everything has an answer"),
      make("ul", { class: "wc-tally" }, ...tally),
      make("p", {}, "New paintings appear here by themselves. G shows the range, Backspace takes the last answer back."),
    );
  }

  // The whole range

  flip() {
    this.looking = !this.looking;
    this.update();
    this.root.focus();
  }

  drawGrid() {
    const signature = this.items.map(({ id, tier }) => id + tier).join();
    if (signature === this.drawn) return;
    this.drawn = signature;
    const held = this.grid.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    if (held) this.root.focus();
    this.grid.replaceChildren(
      ...this.items.map(({ id, tier }, place) => {
        const image = make("img", { alt: "", draggable: "false", loading: "lazy" });
        if (this.store.thumbs.has(id)) image.src = this.store.thumbs.get(id);
        const label = `Painting ${place + 1} of ${this.items.length}, ${tier ?? "not rated"}`;
        const thumb = make("button", { type: "button", class: "wc-thumb", "data-id": id, "aria-label": label, tabindex: place ? "-1" : "0", onclick: () => this.open(id) }, image);
        if (tier) thumb.append(glyph(tier));
        return thumb;
      }),
    );
    if (held) this.grid.querySelector(`[data-id="${held}"]`)?.focus();
    if (!this.coming) this.moreThumbs();
  }

  moreThumbs() {
    const missing = this.items.filter(({ id }) => !this.store.thumbs.has(id)).slice(0, BATCH);
    this.coming = missing.length;
    if (missing.length) this.send({ type: "thumbs", pictures: missing.map(({ id }) => id) });
  }

  focusThumb(step) {
    const thumbs = [...this.grid.children];
    const here = thumbs.indexOf(document.activeElement);
    const next = thumbs[Math.min(thumbs.length - 1, Math.max(0, here + step))];
    for (const thumb of thumbs) thumb.tabIndex = thumb === next ? 0 : -1;
    next?.focus();
  }

  open(id) {
    if (this.state.mode === "compare") return;
    this.looking = false;
    this.root.focus();
    this.send({ type: "go", slot: id });
  }

  // Keys

  key(event) {
    event.stopPropagation();
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (key === "s") event.preventDefault(); // every press is saved: no dialog of the browser
      return;
    }
    const onButton = target.closest("button");
    if (target.closest("select") || key === "Tab") return;
    if (onButton && (key === "Enter" || key === " ")) {
      if (event.repeat) event.preventDefault(); // a held key must not press through the pictures
      return;
    }
    const columns = () => getComputedStyle(this.grid).gridTemplateColumns.split(" ").length;
    const acts = {
      ArrowLeft: () => this.move(-1),
      ArrowRight: () => this.move(1),
      Backspace: () => event.repeat || this.send({ type: "undo" }),
      g: () => event.repeat || this.flip(),
    };
    if (this.looking) Object.assign(acts, { ArrowUp: () => this.focusThumb(-columns()), ArrowDown: () => this.focusThumb(columns()) });
    const act = acts[key.length === 1 ? key.toLowerCase() : key];
    if (act) {
      event.preventDefault();
      act();
    } else if (this.keys?.has(key)) {
      event.preventDefault();
      if (!event.repeat) this.press(this.keys.get(key));
    }
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.close();
  },
};
