// The lock. From here on the sketch gets a page that holds JavaScript itself, frozen, and what stage.js offers. Every
// other name is either gone or rings: touching it is written down in `trips` and throws.

// --- JavaScript itself: nothing of it can be changed under the judge's feet --------------------------------------
const INTRINSICS = words(`Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect Proxy Promise Map Set
  WeakMap WeakSet RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError
  ArrayBuffer DataView Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint8ClampedArray Uint16Array
  Uint32Array BigInt64Array BigUint64Array Float16Array Iterator Date parseInt parseFloat isNaN isFinite encodeURI
  encodeURIComponent decodeURI decodeURIComponent escape unescape NaN Infinity undefined globalThis console SuppressedError
  TextEncoder TextDecoder DOMMatrix DOMMatrixReadOnly DOMPoint DOMPointReadOnly DOMRect DOMRectReadOnly DOMException`);
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
  if (!found || !found.configurable || !found.writable) return;
  const value = found.value;
  const get = () => value;
  if (typeof value === "string") frozenText.set(get, value);
  define(owner, key, {
    get,
    set(next) {
      if (this === owner || protectedObjects.has(this)) refuse(label);
      if (isPrimitive(this)) return;
      define(this, key, { value: next, writable: true, enumerable: true, configurable: true });
    },
    enumerable: found.enumerable,
    configurable: false,
  });
}
function lockIntrinsics() {
  const values = INTRINSICS.map((name) => [realWindow[name], name]);
  values.push([Object.getPrototypeOf(Int8Array), "TypedArray"], [Instance.Vector, "p5.Vector"]);
  for (const [value, name] of values) {
    if (isPrimitive(value) || value === realWindow) continue;
    const owners = [[value, name]];
    if (typeof value === "function" && !isPrimitive(value.prototype)) owners.push([value.prototype, `${name}.prototype`]);
    for (const [owner, label] of owners) {
      for (const key of Reflect.ownKeys(owner)) shadowable(owner, key, `${label}.${String(key)}`);
    }
  }
  const pending = INTRINSICS.filter((n) => n !== "globalThis" && n !== "console").map((name) => realWindow[name]);
  pending.push(DETERMINED, seededRandom, Colour, Instance.Vector, Object.getPrototypeOf([][Symbol.iterator]()),
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
  requestIdleCallback: (f) => addTimer(keepFunction(f), 1, false, [{ didTimeout: false, timeRemaining: () => 50 }], "sketch"),
  cancelIdleCallback: removeTimer,
};
// What in these looks at the clock or the garbage collector is left out or does without.
class KeptRef {
  #target;
  constructor(target) { this.#target = target; }
  deref() { return this.#target; }
}
class NoRegistry {
  register() {}
  unregister() { return false; }
}
const { NumberFormat, PluralRules, ListFormat, Collator } = Intl;
const DETERMINED = { WeakRef: KeptRef, FinalizationRegistry: NoRegistry,
  Intl: { __proto__: null, NumberFormat, PluralRules, ListFormat, Collator } };
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
  for (const name of Object.keys(DETERMINED)) place(name, DETERMINED[name]);
  lockIntrinsics();

  const builtins = new Set([...INTRINSICS, ...Object.keys(DETERMINED), "eval", "Function"]);
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
  for (const name of ["drawingContext", "pixels", "p5"]) lockName(name, {});
  placeShadowed("canvas", () => canvasHandle);
  for (const [name, value] of sketchNames) place(name, value);
  placeShadowed("touches", () => []);
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
      if (key === "Color") return Colour;
      if (key === "VERSION") return Instance.VERSION;
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
