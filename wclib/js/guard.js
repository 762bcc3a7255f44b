// The lock. From here on the sketch gets a page that holds JavaScript itself, p5's helpers, and a `brush` of ten
// methods. Every other name is either gone or rings: touching it is written down in `trips` and throws.

const trips = [];
const errors = [];
const calls = Object.create(null);
for (const name of METHODS) calls[name] = 0;

const apply = Reflect.apply;
const define = Object.defineProperty;
const describe = Object.getOwnPropertyDescriptor;
const isArray = Array.isArray;
const hasOwn = Object.hasOwn;
const remove = Reflect.deleteProperty;
const toJSON = JSON.stringify;

function trip(what) {
  if (trips.length < LIMITS.notes && !trips.includes(what)) trips[trips.length] = what;
}
function refuse(what) {
  trip(what);
  throw new Error(`${what} is not available to a sketch`);
}
function locked(name) {
  // A plain function, so that `new` finds it too; strict, so that its caller stays unknown.
  return function () { refuse(name); };
}
function note(error) {
  let text;
  try {
    if (error !== null && typeof error === "object") {
      const read = (key) => {
        for (let at = error, i = 0; at && i < 6; at = Object.getPrototypeOf(at), i++) {
          const found = describe(at, key);
          if (found) return typeof found.value === "string" ? found.value : found.get && frozenText.get(found.get);
        }
        return "";
      };
      text = `${read("name") || "Error"}: ${read("message") || ""}`;
    } else {
      text = typeof error === "symbol" || typeof error === "function" ? typeof error : `${error}`;
    }
  } catch {
    text = "Error";
  }
  if (errors.length < LIMITS.notes) errors[errors.length] = text.slice(0, 500);
}
const frozenText = new WeakMap();

const Instance = makeP5(libraryWindow);
const realBrush = makeBrush(libraryWindow, Instance);

// --- p5, kept here -----------------------------------------------------------------------------------------
let openGate;
const gate = new Promise((resolve) => { openGate = resolve; });
const stage = { setup: null, draw: null, setupDone: false, failed: false, drawing: 0, frames: 0, shapes: 0, flushed: 0, repaints: 0 };
let painter = null;

const instance = new Instance((p) => {
  painter = p;
  p._loadingIndicator = { remove: nothing };
  p.setup = async () => {
    await gate;
    try {
      if (stage.setup) await apply(stage.setup, undefined, []);
      stage.setupDone = true;
    } catch (error) {
      note(error);
      stage.failed = true;
      await new Promise(nothing);
    }
  };
  p.draw = async () => {
    stage.drawing++;
    stage.frames++;
    stage.cleared = false;
    try {
      if (stage.draw) await apply(stage.draw, undefined, []);
      else painter.noLoop();
    } catch (error) {
      note(error);
      stage.failed = true;
      painter.noLoop();
    }
    if (stage.cleared) stage.repaints++;
    stage.drawing--;
    stage.flushed = stage.shapes;
  };
}, root);

// --- values that may cross ------------------------------------------------------------------------------------
const realColours = new WeakMap();
class Colour {
  toString(format) { return `${realColours.get(this).toString(typeof format === "string" ? format : undefined)}`; }
  get levels() { return painter ? ["red", "green", "blue", "alpha"].map((k) => painter[k](realColours.get(this))) : []; }
}
for (const name of ["setRed", "setGreen", "setBlue", "setAlpha"]) {
  define(Colour.prototype, name, { value(amount) { realColours.get(this)[name](+amount); }, configurable: true, writable: true });
}
function colourHandle(real) {
  const handle = new Colour();
  realColours.set(handle, real);
  return Object.freeze(handle);
}
const isPrimitive = (value) => value === null || (typeof value !== "object" && typeof value !== "function");
/** Arguments on their way in: primitives, our colours, vectors, arrays of primitives. Nothing else passes. */
function inward(value) {
  if (isPrimitive(value)) return value;
  if (realColours.has(value)) return realColours.get(value);
  if (value instanceof Instance.Vector) return value;
  if (isArray(value)) {
    const copy = [];
    for (let i = 0; i < value.length && i < 10000; i++) copy[i] = inward(value[i]);
    return copy;
  }
  return undefined;
}
function outward(value) {
  if (isPrimitive(value)) return value;
  if (value instanceof Instance.Color) return colourHandle(value);
  if (value instanceof Instance.Vector) return value;
  if (isArray(value) && value.every(isPrimitive)) return value;
  return undefined;
}

// --- p5's names, one by one -------------------------------------------------------------------------------------
const words = (text) => text.trim().split(/\s+/);
const MATHS = words(`abs ceil constrain dist exp floor lerp log mag map max min norm pow round sq sqrt fract acos asin
  atan atan2 cos sin tan degrees radians noise random randomGaussian nf nfc nfp nfs`);
const VALUES = words(`createVector color lerpColor paletteLerp red green blue alpha hue saturation brightness lightness
  int float str boolean byte char unchar hex unhex join split splitTokens trim angleMode noiseDetail noiseSeed randomSeed millis day hour minute month second year isLooping
  frameRate getTargetFrameRate displayDensity colorMode blendMode rectMode ellipseMode imageMode strokeCap strokeJoin
  strokeWeight`);
const ACTIONS = words(`fill noFill stroke noStroke smooth noSmooth background clear push pop translate rotate rotateX
  rotateY rotateZ scale shearX shearY applyMatrix resetMatrix ortho perspective camera noLoop loop redraw resizeCanvas
  setAttributes erase noErase noLights`);
const LISTS = words(`append arrayCopy concat reverse shorten sort splice subset`);
const IGNORED = words(`describe describeElement textOutput gridOutput print cursor noCursor`);
const LIVE = words(`width height frameCount deltaTime focused mouseX mouseY pmouseX pmouseY winMouseX winMouseY movedX
  movedY mouseIsPressed mouseButton key keyCode keyIsPressed windowWidth windowHeight displayWidth displayHeight`);

function place(name, value) {
  define(realWindow, name, { value, writable: true, enumerable: true, configurable: true });
}
function placeShadowed(name, get, onSet) {
  define(realWindow, name, {
    get,
    set(value) {
      if (onSet) onSet();
      define(realWindow, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  });
}

const sketchNames = new Map();
for (const name of MATHS) {
  const f = painter[name];
  if (typeof f !== "function") continue;
  if (name === "random") {
    sketchNames.set(name, (a, b) => {
      if (isArray(a)) return a[Math.floor(f.call(painter) * a.length)];
      return b === undefined ? (a === undefined ? f.call(painter) : f.call(painter, +a)) : f.call(painter, +a, +b);
    });
  } else {
    sketchNames.set(name, (...args) => {
      for (let i = 0; i < args.length; i++) if (!isPrimitive(args[i])) args[i] = inward(args[i]);
      const value = apply(f, painter, args);
      return typeof value === "number" ? value : outward(value);
    });
  }
}
for (const name of VALUES) {
  const f = painter[name];
  if (typeof f === "function") sketchNames.set(name, (...args) => outward(apply(f, painter, args.map(inward))));
}
for (const name of ACTIONS) {
  const f = painter[name];
  if (typeof f === "function") sketchNames.set(name, (...args) => { apply(f, painter, args.map(inward)); });
}
for (const name of ["background", "clear"]) {
  const f = painter[name];
  sketchNames.set(name, (...args) => { stage.cleared = true; apply(f, painter, args.map(inward)); });
}
// Lists may hold the author's own objects, and come back as they are.
for (const name of LISTS) {
  const f = painter[name];
  if (typeof f === "function") {
    sketchNames.set(name, (...args) => { const value = apply(f, painter, args); return isArray(value) ? value : undefined; });
  }
}
for (const name of IGNORED) sketchNames.set(name, () => {});
sketchNames.set("shuffle", (list, inPlace) => {
  const out = inPlace === true ? list : Array.from(list);
  const random = sketchNames.get("random");
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const kept = out[i]; out[i] = out[j]; out[j] = kept;
  }
  return out;
});
// The picture handed to the judge is 600 x 600 whatever the density, so there is one density.
sketchNames.set("pixelDensity", () => 1);

const canvasHandle = new Proxy(Object.freeze(Object.create(null)), {
  get(_, key) {
    if (key === "width") return painter.width;
    if (key === "height") return painter.height;
    if (key === "then" || typeof key === "symbol") return undefined;
    if (words("elt canvas drawingContext _pInst _renderer parent pInst GL wrappedElt").includes(key) && key !== "parent") {
      return refuse(`canvas.${key}`);
    }
    return () => canvasHandle;
  },
  set(_, key) { return refuse(`canvas.${String(key)}`); },
  defineProperty(_, key) { return refuse(`canvas.${String(key)}`); },
  getPrototypeOf: () => null,
});
function checkSize(w, h) {
  if (!(w >= 1 && h >= 1 && w <= LIMITS.canvas && h <= LIMITS.canvas)) {
    stage.tooLarge = `${w} x ${h}`;
    throw new RangeError(`a canvas of ${w} x ${h} is outside 1 to ${LIMITS.canvas} pixels a side`);
  }
}
sketchNames.set("createCanvas", (w, h, renderer) => {
  const width = w === undefined ? 100 : +w, height = h === undefined ? 100 : +h;
  checkSize(width, height);
  painter.createCanvas(width, height, isPrimitive(renderer) ? renderer : undefined);
  return canvasHandle;
});
sketchNames.set("resizeCanvas", (w, h) => {
  checkSize(+w, +h);
  painter.resizeCanvas(+w, +h, true);
});
sketchNames.set("setAttributes", () => {});

// --- brush: ten methods --------------------------------------------------------------------------------------
const brushMethods = Object.create(null);
const SHAPES = { endShape: true, circle: true };
for (const name of METHODS) {
  const real = realBrush[name];
  brushMethods[name] = (...args) => {
    calls[name]++;
    if (SHAPES[name]) stage.shapes++;
    for (let i = 0; i < args.length; i++) if (!isPrimitive(args[i])) args[i] = inward(args[i]);
    apply(real, undefined, args);
  };
  Object.freeze(brushMethods[name]);
}
Object.freeze(brushMethods);
const brushRefuses = (key) => refuse(`brush.${String(key)}`);
const brush = new Proxy(brushMethods, {
  get(target, key) {
    const value = target[key];
    if (value !== undefined || typeof key === "symbol") return value;
    if (key === "constructor" || key === "__proto__" || key in realBrush) trip(`brush.${key}`);
    return undefined;
  },
  set: (_, key) => brushRefuses(key),
  defineProperty: (_, key) => brushRefuses(key),
  deleteProperty: (_, key) => brushRefuses(key),
  setPrototypeOf: () => brushRefuses("prototype"),
});

// --- JavaScript itself: nothing of it can be changed under the judge's feet --------------------------------------
const INTRINSICS = words(`Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect Proxy Promise Map Set
  WeakMap WeakSet RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError
  ArrayBuffer DataView Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint8ClampedArray Uint16Array
  Uint32Array BigInt64Array BigUint64Array Float16Array Iterator Date parseInt parseFloat isNaN isFinite encodeURI
  encodeURIComponent decodeURI decodeURIComponent escape unescape NaN Infinity undefined globalThis console`);
const protectedObjects = new WeakSet();

function lockEval() {
  const samples = [function () {}, async function () {}, function* () {}, async function* () {}];
  for (const sample of samples) {
    const prototype = Object.getPrototypeOf(sample);
    const replacement = function Function() { refuse("Function"); };
    define(replacement, "prototype", { value: prototype, writable: false });
    define(prototype, "constructor", { value: replacement, writable: false, configurable: false });
    if (sample === samples[0]) place("Function", replacement);
  }
  place("eval", locked("eval"));
}
/** Turn a data property into one that an object may still shadow, but that rings when assigned on its owner. */
function shadowable(owner, key, label) {
  const found = describe(owner, key);
  if (!found || !found.configurable || !("value" in found)) return;
  const value = found.value;
  const get = () => value;
  if (typeof value === "string") frozenText.set(get, value);
  define(owner, key, {
    get,
    set(next) {
      if (this === owner) refuse(label);
      if (isPrimitive(this)) return;
      define(this, key, { value: next, writable: true, enumerable: true, configurable: true });
    },
    enumerable: found.enumerable,
    configurable: false,
  });
}
function lockIntrinsics() {
  shadowable(Math, "random", "Math.random");
  for (const [owner, label] of [[JSON, "JSON"], [Reflect, "Reflect"], [Object, "Object"], [Array, "Array"],
    [Promise, "Promise"], [Promise.prototype, "Promise.prototype"], [Object.prototype, "Object.prototype"],
    [Function.prototype, "Function.prototype"], [Map.prototype, "Map.prototype"],
    [Set.prototype, "Set.prototype"], [String.prototype, "String.prototype"], [Number.prototype, "Number.prototype"],
    [RegExp.prototype, "RegExp.prototype"], [RealDate.prototype, "Date.prototype"], [VirtualDate, "Date"]]) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key === "prototype" || typeof key === "symbol") continue;
      shadowable(owner, key, `${label}.${key}`);
    }
  }
  for (const name of INTRINSICS) {
    const value = realWindow[name];
    if (typeof value !== "function" || !/Error$/.test(name)) continue;
    for (const key of ["name", "message", "toString"]) shadowable(value.prototype, key, `${name}.prototype.${key}`);
  }
  for (const owner of [Array.prototype, Function.prototype, Map.prototype, Set.prototype, RegExp.prototype, Date.prototype]) {
    for (const key of ["toString", "constructor"]) shadowable(owner, key, key);
  }
  const pending = INTRINSICS.filter((n) => n !== "globalThis" && n !== "console").map((name) => realWindow[name]);
  pending.push(seededRandom, Colour, Instance.Vector, Object.getPrototypeOf([][Symbol.iterator]()),
    Object.getPrototypeOf(new Map().entries()), Object.getPrototypeOf(new Set().values()),
    Object.getPrototypeOf(""[Symbol.iterator]()), Object.getPrototypeOf("".matchAll(/./g)),
    Object.getPrototypeOf(function* () {}), Object.getPrototypeOf(async function* () {}),
    Object.getPrototypeOf(async function () {}), Object.getPrototypeOf(Int8Array));
  while (pending.length) {
    const value = pending.pop();
    if (isPrimitive(value) || protectedObjects.has(value)) continue;
    if (value === realWindow || value === Instance || value === Instance.prototype || value === painter) continue;
    protectedObjects.add(value);
    Object.freeze(value);
    pending.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const found = describe(value, key);
      if ("value" in found) pending.push(found.value);
      else pending.push(found.get, found.set);
    }
  }
}
/** Object.defineProperty and its kin ring when they aim at JavaScript itself. */
function guardReflection() {
  const wrap = (owner, key, label, whole) => {
    const real = owner[key];
    define(owner, key, {
      value: { [key](target, ...rest) {
        if (!isPrimitive(target) && protectedObjects.has(target)) refuse(whole ? label : `${label} on a built-in`);
        return real(target, ...rest);
      } }[key],
      writable: true,
      configurable: true,
    });
  };
  for (const key of ["defineProperty", "defineProperties", "setPrototypeOf", "assign"]) wrap(Object, key, `Object.${key}`);
  for (const key of ["defineProperty", "setPrototypeOf", "deleteProperty", "set"]) wrap(Reflect, key, `Reflect.${key}`);
  for (const key of ["__defineGetter__", "__defineSetter__"]) {
    const real = Object.prototype[key];
    define(Object.prototype, key, {
      value(name, f) {
        if (!isPrimitive(this) && protectedObjects.has(this)) refuse(`Object.prototype.${key}`);
        return apply(real, this, [name, f]);
      },
      writable: true,
      configurable: true,
    });
  }
}

// --- the page ------------------------------------------------------------------------------------------------
const keepFunction = (f) => (typeof f === "function" ? f : refuse("a timer made of text"));
const OFFERED = {
  setTimeout: (f, delay, ...args) => addTimer(keepFunction(f), delay, false, args, "sketch"),
  setInterval: (f, delay, ...args) => addTimer(keepFunction(f), delay, true, args, "sketch"),
  clearTimeout: removeTimer,
  clearInterval: removeTimer,
  requestAnimationFrame: (f) => addFrame(keepFunction(f), "sketch"),
  cancelAnimationFrame: removeFrame,
  queueMicrotask: (f) => { Promise.resolve().then(keepFunction(f)).catch(note); },
  structuredClone: realWindow.structuredClone.bind(realWindow),
  performance: Object.freeze({ __proto__: null, now: readClock, timeOrigin: EPOCH }),
  console: Object.freeze({ __proto__: null, ...libraryWindow.console, assert: nothing, table: nothing, time: nothing,
    timeEnd: nothing, group: nothing, groupEnd: nothing, count: nothing, dir: nothing }),
  Date: VirtualDate,
  atob: realWindow.atob.bind(realWindow),
  btoa: realWindow.btoa.bind(realWindow),
};
const PLAIN = { innerWidth: LIMITS.size, innerHeight: LIMITS.size, outerWidth: LIMITS.size, outerHeight: LIMITS.size,
  devicePixelRatio: 1 };
const SYNONYMS = new Set(["self", "window", "globalThis"]);

/** Errors and policy violations reach us first; `addEventListener` itself is taken away right after. */
function listen() {
  const on = realWindow.addEventListener.bind(realWindow);
  const stop = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
  on("error", (event) => { note(event.error ?? event.message); stop(event); }, true);
  on("unhandledrejection", (event) => { note(event.reason); stop(event); }, true);
  on("securitypolicyviolation", (event) => {
    const what = event.blockedURI;
    if (/eval/.test(what)) trip("eval");
    else if (!/^script-src/.test(event.effectiveDirective)) trip(`network (${event.effectiveDirective})`);
    else trip(what === "inline" ? "inline script" : "import");
    stop(event);
  }, true);
}

function lockPage() {
  listen();
  lockEval();
  place("Date", VirtualDate);
  define(RealDate.prototype, "constructor", { value: VirtualDate, writable: true, configurable: true });
  guardReflection();
  const prototypes = [Window.prototype, Object.getPrototypeOf(Window.prototype), EventTarget.prototype];
  lockIntrinsics();

  const builtins = new Set([...INTRINSICS, "eval", "Function"]);
  for (const name of Object.getOwnPropertyNames(realWindow)) {
    if (SYNONYMS.has(name) || sketchNames.has(name) || hasOwn(OFFERED, name) || hasOwn(PLAIN, name)) continue;
    if (/^[A-Z]/.test(name) && !builtins.has(name)) {
      // An interface of the browser. Looking at it, or defining over it, would build it, and there are a thousand.
      remove(realWindow, name);
      placeShadowed(name, () => refuse(name));
      continue;
    }
    const found = describe(realWindow, name);
    if (!found.configurable) continue;
    if (builtins.has(name)) {
      const value = found.value;
      define(realWindow, name, { get: () => value, set() { refuse(name); }, enumerable: false, configurable: false });
    } else {
      let value = {};
      try { value = realWindow[name]; } catch { /* storage refuses a page of no origin: an object all the same */ }
      lockName(name, value);
    }
  }
  for (const prototype of prototypes) {
    for (const key of Reflect.ownKeys(prototype)) {
      if (!describe(prototype, key).configurable) continue;
      if (key === "constructor") delete prototype[key];
      // Silent, because p5 listens on its own canvas; no event ever arrives here.
      else if (typeof key === "string") define(prototype, key, { value: nothing, writable: false, configurable: false });
    }
  }
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) place(name, locked(name));
  // `document` cannot be taken off the page, so everything it inherits is.
  const touched = new Proxy(Object.create(null), {
    get: (_, key) => (typeof key === "symbol" ? undefined : refuse(`document.${key}`)),
    set: (_, key) => refuse(`document.${String(key)}`),
    has: () => false,
    getPrototypeOf: () => null,
  });
  Object.setPrototypeOf(realDocument, touched);
  Object.freeze(realDocument);

  for (const key of Reflect.ownKeys(Instance.prototype)) {
    if (typeof key !== "string" || key[0] === "_" || key === "constructor" || key === "length") continue;
    const found = describe(Instance.prototype, key);
    if (sketchNames.has(key) || LIVE.includes(key) || builtins.has(key)) continue;
    if (/^[A-Z][A-Z0-9_]*$/.test(key) && isPrimitive(found.value)) place(key, found.value);
    else lockName(key, "value" in found ? found.value : {});
  }
  for (const name of ["drawingContext", "pixels", "canvas", "p5"]) lockName(name, {});
  for (const [name, value] of sketchNames) place(name, value);
  for (const name of LIVE) placeShadowed(name, () => (isPrimitive(painter[name]) ? painter[name] : undefined));
  for (const name of Object.keys(OFFERED)) place(name, OFFERED[name]);
  for (const name of Object.keys(PLAIN)) placeShadowed(name, () => PLAIN[name]);
  define(realWindow, "p5", { value: p5Facade(), writable: false, enumerable: true, configurable: false });
  define(realWindow, "brush", { get: () => brush, set() { refuse("brush"); }, enumerable: true, configurable: false });
}
function lockName(name, value) {
  if (/^on[a-z]/.test(name)) placeShadowed(name, () => null, () => refuse(name));
  else if (typeof value === "function") placeShadowed(name, ((f) => () => f)(locked(name)));
  else if (isPrimitive(value)) placeShadowed(name, () => value);
  else placeShadowed(name, () => refuse(name));
}
function p5Facade() {
  const Vector = Instance.Vector;
  return new Proxy(function () {}, {
    get(_, key) {
      if (key === "Vector") return Vector;
      if (key === "disableFriendlyErrors" || typeof key === "symbol") return undefined;
      return refuse(`p5.${key}`);
    },
    set(_, key) { return key === "disableFriendlyErrors" || refuse(`p5.${String(key)}`); },
    apply: () => refuse("p5"),
    construct: () => refuse("p5"),
    defineProperty: (_, key) => refuse(`p5.${String(key)}`),
    getPrototypeOf: () => null,
    has: () => false,
    ownKeys: () => refuse("p5"),
    getOwnPropertyDescriptor: () => refuse("p5"),
  });
}

// --- running a sketch ------------------------------------------------------------------------------------------
async function flush() {
  try { await painter._runLifecycleHook("postdraw"); } catch { /* a page without a usable canvas has nothing to flush */ }
}
function runDue(due) {
  clock.now = Math.max(clock.now, due.at);
  // Never waited for: an async callback may itself be waiting for a timer.
  const run = async (item, args) => {
    try { await apply(item.callback, undefined, args); } catch (error) { note(error); stage.failed = true; }
  };
  if (due.frames) {
    frameRequests = new Map();
    for (const request of due.frames) {
      run(request, [clock.now]);
    }
  } else {
    if (due.every) timers.get(due.id).at += due.every;
    else timers.delete(due.id);
    run(due, due.args);
  }
}
/** Why the sketch is over, or "" while it is not. */
function ending(events) {
  const idle = stage.drawing === 0;
  if (stage.tooLarge) return "too large";
  if (stage.failed && !stage.setupDone) return "setup threw";
  if (idle && stage.setupDone && painter._loop) {
    const budget = stage.repaints >= stage.frames ? LIMITS.repaintShapes : LIMITS.loopShapes;
    if (stage.frames >= LIMITS.frames || stage.shapes >= budget) return "enough frames";
  }
  if (clock.now > LIMITS.virtualMs || events > LIMITS.events) return "waited too long";
  return "";
}
async function perform() {
  if (!stage.setup && !stage.draw) return "no sketch";
  openGate();
  let quiet = 0;
  for (let events = 0; ; events++) {
    await nativeMacrotask();
    if (stage.shapes > stage.flushed && stage.setupDone && !stage.drawing) {
      await flush(); // paint laid down by a timer, outside any frame
      stage.flushed = stage.shapes;
    }
    const why = ending(events);
    if (why) return why;
    const due = nextDue();
    if (due) {
      quiet = 0;
      runDue(due);
    } else if (stage.setupDone && stage.frames > 0 && stage.drawing === 0) {
      return "done";
    } else if (++quiet > 8) {
      if (errors.length) return "threw";
      return stage.setupDone ? "draw never ends" : "setup never ends";
    }
  }
}
const keeper = Object.freeze({
  __proto__: null,
  async start(setup, draw) {
    stage.setup = setup;
    stage.draw = draw;
    const why = await perform();
    await nativePause(); // policy violations and rejections are reported a moment later
    if (why === "draw never ends" || why === "setup never ends") note(`${why}: it waits for something that never happens`);
    await flush();
    return toJSON({ why, ended: stage.drawing === 0 && stage.setupDone, frames: stage.frames, errors, trips, calls,
      tooLarge: stage.tooLarge ?? "" });
  },
  note,
  canvas: () => painter.canvas ?? null,
});
lockPage();
return keeper;
