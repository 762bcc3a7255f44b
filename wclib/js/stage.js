// What a sketch may have: p5's helpers by name, colours and vectors, and a `brush` of ten methods, each a wrapper that
// lets only plain values in and out. Runs after host.js in the same strict function; the p5 instance and the real
// p5.brush never leave it.

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
  atan atan2 cos sin tan degrees radians noise random randomGaussian nf nfc nfp nfs smoothstep bezierPoint
  bezierTangent splinePoint splineTangent`);
const VALUES = words(`createVector color lerpColor paletteLerp red green blue alpha hue saturation brightness lightness
  int float str boolean byte char unchar hex unhex splitTokens angleMode noiseDetail noiseSeed randomSeed millis day hour minute month second year isLooping
  frameRate getTargetFrameRate displayDensity colorMode blendMode rectMode ellipseMode imageMode strokeCap strokeJoin
  strokeWeight worldToScreen screenToWorld`);
const ACTIONS = words(`fill noFill stroke noStroke smooth noSmooth background clear push pop translate rotate rotateX
  rotateY rotateZ scale shearX shearY applyMatrix resetMatrix ortho perspective camera noLoop loop redraw resizeCanvas
  setAttributes erase noErase noLights`);
// Honest habits that paint nothing here: they are let through and do nothing.
const IGNORED = words(`describe describeElement textOutput gridOutput print cursor noCursor keyIsDown getFrameRate
  setFrameRate textAlign textSize textStyle textLeading textWrap textDirection textWeight textMode textFont lights
  ambientLight directionalLight pointLight spotLight lightFalloff specularColor ambientMaterial emissiveMaterial
  specularMaterial normalMaterial shininess metalness textureMode textureWrap tint noTint bezierOrder curveDetail
  splineProperty splineProperties frustum createCamera setCamera linePerspective orbitControl noDebugMode strokeMode
  textProperty textProperties textBounds fontBounds setMoveThreshold setShakeThreshold clip beginClip endClip clearDepth
  createMatrix`);
// Sizes of words, of which there are none.
const ZERO = words(`textWidth textAscent textDescent fontWidth fontAscent fontDescent`);
// In p5 these do something in a shader alone.
const SHADER = words(`acosh asinh atanh cosh sinh tanh bool clamp cross distance dot exp2 log2 inversesqrt faceforward fma
  mix mod normalize reflect refract roundEven sign step trunc dFdx dFdy fwidth`);
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
for (const name of [...IGNORED, ...SHADER]) sketchNames.set(name, () => {});
for (const name of ZERO) sketchNames.set(name, () => 0);
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

const INSIDE_CANVAS = new Set(words(`elt canvas drawingContext _pInst _renderer pInst GL wrappedElt getContext toDataURL toBlob
  captureStream transferControlToOffscreen`));
const canvasHandle = new Proxy(Object.freeze(Object.create(null)), {
  get(_, key) {
    if (key === "width") return painter.width;
    if (key === "height") return painter.height;
    if (key === "then" || typeof key === "symbol") return undefined;
    if (INSIDE_CANVAS.has(key)) return refuse(`canvas.${key}`);
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
