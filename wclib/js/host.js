// The machine room. host.js, stage.js, guard.js and perform.js are joined into one strict function (page.py), with
// makeP5, makeBrush, METHODS, LIMITS and SEED as arguments, and run before the sketch exists. What the libraries need
// of a browser they get from here as arguments, so that the sketch's own view of the page can be locked without
// breaking them.

const realDocument = document;
const realWindow = window;
const nativeMacrotask = (() => {
  const channel = new MessageChannel();
  const post = channel.port2.postMessage.bind(channel.port2);
  let wake = null;
  channel.port1.onmessage = () => { const next = wake; wake = null; if (next) next(); };
  return () => new Promise((resolve) => { wake = resolve; post(0); });
})();

const nativePause = ((wait) => () => new Promise((resolve) => { wait(resolve, 2); }))(setTimeout.bind(window));

// --- seeded randomness (Mulberry32) -----------------------------------------------------------------------
let randomState = SEED >>> 0;
function seededRandom() {
  randomState = (randomState + 0x6d2b79f5) | 0;
  let t = Math.imul(randomState ^ (randomState >>> 15), 1 | randomState);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

Object.defineProperty(Math, "random", { value: seededRandom, writable: true, configurable: true });

// --- virtual time ---------------------------------------------------------------------------------------
// The clock stands still while code runs and jumps to the next timer or frame when everything is idle. Each
// look at it moves it by a hundredth of a millisecond, so that a loop that waits for a moment does end.
const FRAME_MS = 1000 / 60;
const EPOCH = 1767225600000; // 2026-01-01T00:00:00Z
const clock = { now: 0 };
const readClock = () => (clock.now += 0.01);

const timers = new Map();
let timerCount = 0;
let frameRequests = new Map();

function addTimer(callback, delay, every, args, owner) {
  const id = ++timerCount;
  const wait = Math.max(every ? 1 : 0, Number.isFinite(+delay) ? +delay : 0);
  timers.set(id, { at: clock.now + wait, order: id, callback, args, every: every ? wait : 0, owner });
  return id;
}
const removeTimer = (id) => { timers.delete(id); };
function addFrame(callback, owner) {
  const id = ++timerCount;
  frameRequests.set(id, { callback, owner });
  return id;
}
const removeFrame = (id) => { frameRequests.delete(id); };

/** The next thing due, in order of virtual time: a timer, or all requested frames at the next multiple of 1/60 s. */
function nextDue() {
  let due = null;
  for (const [id, timer] of timers) {
    if (!due || timer.at < due.at || (timer.at === due.at && timer.order < due.order)) due = { id, ...timer };
  }
  if (frameRequests.size) {
    const at = (Math.floor(clock.now / FRAME_MS + 1e-9) + 1) * FRAME_MS;
    if (!due || at < due.at) {
      const requests = [...frameRequests.values()];
      return { at, frames: requests };
    }
  }
  return due;
}

const RealDate = Date;
function VirtualDate(...args) {
  if (!new.target) return new RealDate(EPOCH + readClock()).toString();
  return Reflect.construct(RealDate, args.length ? args : [EPOCH + readClock()], new.target);
}
VirtualDate.prototype = RealDate.prototype;
VirtualDate.now = () => Math.floor(EPOCH + readClock());
VirtualDate.parse = RealDate.parse;
VirtualDate.UTC = RealDate.UTC;
Object.defineProperty(VirtualDate, "name", { value: "Date" });

// --- what the libraries see of the browser -------------------------------------------------------------------
const nothing = () => {};
const root = realDocument.createElement("div");
// p5 reads its windowWidth and windowHeight off the document's element.
Object.defineProperty(root, "clientWidth", { value: LIMITS.size });
Object.defineProperty(root, "clientHeight", { value: LIMITS.size });
const libraryPerformance = { now: readClock, mark: nothing, measure: nothing };
const libraryDocument = {
  readyState: "complete",
  body: root,
  head: root,
  documentElement: root,
  cookie: "",
  createElement: realDocument.createElement.bind(realDocument),
  createElementNS: realDocument.createElementNS.bind(realDocument),
  createTextNode: realDocument.createTextNode.bind(realDocument),
  getElementById: () => null,
  getElementsByTagName: root.getElementsByTagName.bind(root),
  querySelector: root.querySelector.bind(root),
  querySelectorAll: root.querySelectorAll.bind(root),
  addEventListener: nothing,
  removeEventListener: nothing,
  hasFocus: () => true,
};
const libraryWindow = {
  document: libraryDocument,
  performance: libraryPerformance,
  devicePixelRatio: 1,
  innerWidth: LIMITS.size,
  innerHeight: LIMITS.size,
  screen: { width: LIMITS.size, height: LIMITS.size },
  navigator: { userAgent: "", language: "en", languages: ["en"] },
  location: { href: "", search: "", protocol: "", hostname: "", pathname: "" },
  addEventListener: nothing,
  removeEventListener: nothing,
  dispatchEvent: nothing,
  getComputedStyle: realWindow.getComputedStyle.bind(realWindow),
  requestAnimationFrame: (callback) => addFrame(callback, "p5"),
  cancelAnimationFrame: removeFrame,
  setTimeout: (callback, delay, ...args) => addTimer(callback, delay, false, args, "p5"),
  clearTimeout: removeTimer,
  setInterval: (callback, delay, ...args) => addTimer(callback, delay, true, args, "p5"),
  clearInterval: removeTimer,
  console: { log: nothing, info: nothing, warn: nothing, error: nothing, trace: nothing, debug: nothing },
  Date: VirtualDate,
};
for (const name of [
  "AbortController", "Blob", "CSSFontFaceRule", "CSSStyleSheet", "DOMException", "DOMMatrix", "DOMParser", "DOMPoint",
  "Event", "FileReader", "HTMLCanvasElement", "HTMLDivElement", "HTMLElement", "HTMLInputElement", "HTMLLabelElement",
  "HTMLSelectElement", "HTMLSpanElement", "Image", "ImageData", "OffscreenCanvas", "Path2D", "TextDecoder",
  "TextEncoder", "URL", "XMLSerializer", "atob", "btoa", "structuredClone",
]) {
  const value = realWindow[name];
  libraryWindow[name] = /^[a-z]/.test(name) ? value.bind(realWindow) : value;
}
for (const name of LIMITS.builtins) libraryWindow[name] = realWindow[name];
// A copy, because the members of the page's own become accessors.
libraryWindow.Math = Object.defineProperties({}, Object.getOwnPropertyDescriptors(Math));
libraryWindow.self = libraryWindow.globalThis = libraryWindow.window = libraryWindow;

// 2D masks in half floats: eight bits lose the faintest washes when the canvas is not on a GPU.
const offscreenContext = OffscreenCanvas.prototype.getContext;
if (LIMITS.halfFloat) OffscreenCanvas.prototype.getContext = function (kind, options) {
  if (kind !== "2d") return offscreenContext.call(this, kind, options);
  return offscreenContext.call(this, kind, { ...options, colorType: "float16", willReadFrequently: true });
};
