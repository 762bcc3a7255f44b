"use strict";
// What every global name of the page is to a sketch: a builtin, a helper it may use, or something out of bounds.
// names.json holds the names themselves; a name in neither list is the sketch's own.

const raw = require("./names.json");

const words = (text) => new Set(text.split(/\s+/).filter(Boolean));

const PAGE = words(raw.page);
const P5 = words(raw.p5);
const BRUSH = words(raw.brush);

const ALLOWED = words("scaleBrushes noStroke fill noFill fillBleed fillTexture beginShape vertex endShape circle");

const BUILTINS = words(`
  Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError AggregateError
  FinalizationRegistry Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl Iterator
  JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError
  Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef
  WeakSet undefined isNaN isFinite parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent escape
  unescape atob btoa structuredClone queueMicrotask setTimeout setInterval clearTimeout clearInterval
  requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback console performance TextEncoder
  TextDecoder DOMMatrix DOMMatrixReadOnly DOMPoint DOMPointReadOnly DOMRect DOMRectReadOnly DOMException`);
// Builtins that are plain objects: a key computed at run time on one of these reaches no constructor of functions.
const NAMESPACES = words("Math JSON console performance Intl NaN Infinity undefined");
const TIMERS = words("setTimeout setInterval");
const WINDOWS = words("window self globalThis frames top parent");

const PAGE_READABLE = words(`
  innerWidth innerHeight outerWidth outerHeight devicePixelRatio name status length scrollX scrollY pageXOffset
  pageYOffset screenX screenY screenLeft screenTop closed origin isSecureContext crossOriginIsolated PERSISTENT TEMPORARY
  toString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString`);
const PAGE_WRITABLE = words("name status length origin event external find stop focus blur scroll screen history fence when");

const P5_HELPERS = words(`
  abs ceil constrain dist exp floor lerp log mag map max min norm pow round sq sqrt fract acos asin atan atan2 cos sin tan
  degrees radians angleMode noise noiseDetail noiseSeed random randomGaussian randomSeed createVector createMatrix acosh
  asinh atanh clamp cosh sinh tanh cross distance dot exp2 log2 inversesqrt faceforward fma mix mod normalize reflect
  refract roundEven sign smoothstep step trunc dFdx dFdy fwidth boolean bool byte char float hex int str unchar unhex nf
  nfc nfp nfs splitTokens shuffle alpha blue brightness color green hue lerpColor lightness paletteLerp red saturation
  background clear clearDepth colorMode fill noFill noStroke stroke erase noErase blendMode rectMode ellipseMode imageMode
  smooth noSmooth strokeCap strokeJoin strokeWeight strokeMode tint noTint curveDetail bezierOrder splineProperty
  splineProperties textAlign textSize textStyle textLeading textWrap textDirection textWeight textMode textProperty
  textProperties textFont textWidth textAscent textDescent textBounds fontWidth fontAscent fontDescent fontBounds
  bezierPoint bezierTangent splinePoint splineTangent applyMatrix resetMatrix rotate rotateX rotateY rotateZ scale shearX
  shearY translate push pop worldToScreen screenToWorld camera perspective ortho frustum createCamera setCamera
  linePerspective orbitControl noDebugMode beginClip endClip clip ambientLight directionalLight pointLight spotLight lights
  noLights lightFalloff specularColor ambientMaterial emissiveMaterial specularMaterial normalMaterial shininess metalness
  textureMode textureWrap cursor noCursor deltaTime describe describeElement displayDensity displayHeight displayWidth focused
  frameCount frameRate getFrameRate setFrameRate getTargetFrameRate height width isLooping loop noLoop redraw pixelDensity
  print windowHeight windowWidth webglVersion resizeCanvas createCanvas setAttributes millis second minute hour day month
  year key keyCode keyIsDown keyIsPressed code mouseX mouseY pmouseX pmouseY winMouseX winMouseY pwinMouseX pwinMouseY
  mouseButton mouseIsPressed movedX movedY touches accelerationX accelerationY accelerationZ pAccelerationX pAccelerationY
  pAccelerationZ rotationX rotationY rotationZ pRotationX pRotationY pRotationZ deviceOrientation turnAxis setMoveThreshold
  setShakeThreshold length canvas`);
// Helpers the renderer itself relies on: a sketch may call them and may not replace them.
const P5_FIXED = words(`createCanvas resizeCanvas noLoop loop redraw isLooping background clear pixelDensity frameCount push
  pop translate resetMatrix setAttributes`);
const P5_STATICS = words("Vector Color VERSION disableFriendlyErrors name length");
const P5_CANVAS = words(`width height parent id class position center size addClass removeClass hasClass toggleClass
  hide show mousePressed mouseReleased mouseClicked doubleClicked mouseMoved mouseOver mouseOut mouseWheel touchStarted
  touchMoved touchEnded pixelDensity toString`);
const LAYOUT = /^(display|position|margin(-\w+)?|padding(-\w+)?|top|left|right|bottom|border(-radius)?|box-shadow|z-index|width|height|vertical-align|touch-action)$/;
const P5_EXTERNAL = new RegExp(
  "^(create(A|Audio|Button|Capture|Checkbox|ColorPicker|Div|Element|FileInput|Img|Input|P|Radio|Select|Slider|Span|Video|Writer)" +
  "|load(?!Pixels$).+|http.+|save.*|select(All)?|storeItem|getItem|removeItem|clearStorage|getURL.*|fullscreen" +
  "|requestPointerLock|exitPointerLock|downloadFile|encodeAndDownloadGif|writeFile|removeElements|parseFontData)$");
const P5_LABELS = words("text textOutput gridOutput");
const P5_JUDGES = words("remove noCanvas hitCriticalError");

const PAGE_JUDGES = new RegExp(
  "^(eval|Function|WebAssembly|trustedTypes|constructor|on[a-z]+|__.*|HTML.*|SVG.*|WebGL.*|Canvas.*|OffscreenCanvas.*|Element|Node" +
  "|EventTarget|Document|Window|MutationObserver|Performance.+|addEventListener|removeEventListener|dispatchEvent|reportError)$");

// Members that only objects of the page or of p5's inside have. Reading one is out of bounds on any object, unless the
// sketch defines a property of that name itself.
const PAGE_MEMBERS = new Map([
  ..."drawingContext getContext transferControlToOffscreen".split(" ").map((name) => [name, "bare_primitives"]),
  ...words(`elt toDataURL toBlob captureStream ownerDocument contentWindow contentDocument defaultView _pInst _renderer
    _curElement _setupDone _draw _setup`).values().map((name) => [name, "tampering"]),
  ...words(`innerHTML outerHTML insertAdjacentHTML parentNode parentElement appendChild removeChild createElement
    createElementNS querySelector querySelectorAll getElementById addEventListener dispatchEvent cloneNode attachShadow
    baseURI sendBeacon importScripts`).values().map((name) => [name, "external_access"]),
]);
// Members that lead from any value to the constructor of functions, or to another object's inside.
const ROUTES = words("constructor __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ caller");
const REFLECTION = words("getPrototypeOf setPrototypeOf");

const ENTRIES = words(`setup draw preload windowResized mousePressed mouseReleased mouseClicked mouseMoved mouseDragged
  mouseWheel doubleClicked keyPressed keyReleased keyTyped touchStarted touchMoved touchEnded deviceMoved deviceTurned
  deviceShaken`);

// Methods of the language's own objects. A call of one of these may hand its arguments to a callback or keep them.
const STANDARD_METHODS = words(`
  at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf
  join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toReversed toSorted toSpliced
  unshift values with set get add delete has then catch finally next return throw replace replaceAll match matchAll split
  resolve reject all allSettled any race from of call apply raw assign create defineProperty defineProperties freeze
  fromEntries getOwnPropertyDescriptor getOwnPropertyDescriptors groupBy drop take toArray emplace getOrInsert
  getOrInsertComputed deref register union intersection difference symmetricDifference try withResolvers construct`);

const USE_BRUSH = "Paint with brush.beginShape, brush.vertex and brush.endShape(true), or brush.circle.";

/** What a free global name is. Returns null for a name that is the sketch's own. */
function classify(name) {
  if (name === "brush") return { kind: "brush" };
  if (name === "p5") return { kind: "p5" };
  if (WINDOWS.has(name)) return { kind: "window" };
  if (BUILTINS.has(name)) return { kind: "builtin" };
  if (name === "defaultCanvas0") return forbid("bare_primitives", "the canvas element itself is not for a sketch", USE_BRUSH);
  if (P5.has(name)) {
    if (name[0] === "_" || P5_JUDGES.has(name)) return forbid("tampering", `${name} belongs to p5's inside`, "Leave it out.");
    if (P5_HELPERS.has(name) || /^[A-Z][A-Z0-9_]*$/.test(name)) return { kind: "helper" };
    if (P5_LABELS.has(name)) return forbid("text_label", `${name} writes words on the page`, "A painting carries no text: leave it out.");
    if (P5_EXTERNAL.test(name)) return forbid("external_access", `${name} reaches outside the canvas`, "Leave it out: a sketch uses nothing but its canvas.");
    return forbid("bare_primitives", `${name} draws with p5 itself`, USE_BRUSH);
  }
  if (PAGE_READABLE.has(name)) return { kind: "readable" };
  if (PAGE_JUDGES.test(name) && PAGE.has(name)) return forbid("tampering", `${name} belongs to the page, not to the sketch`, "Leave it out.");
  if (PAGE.has(name)) return forbid("external_access", `${name} reaches outside the canvas`, "Leave it out: a sketch uses nothing but its canvas.");
  return null;
}

const forbid = (code, message, remedy) => ({ kind: "forbidden", code, message, remedy });

/** Whether assigning to a global name is the sketch's own business. */
function writable(name) {
  const what = classify(name);
  if (what === null) return !name.startsWith("__");
  if (what.kind === "helper") return !P5_FIXED.has(name);
  return what.kind === "window" ? name === "top" || name === "parent" || name === "frames" : PAGE_WRITABLE.has(name);
}

module.exports = {
  ALLOWED, BRUSH, BUILTINS, ENTRIES, LAYOUT, NAMESPACES, P5_CANVAS, P5_LABELS, P5_STATICS, PAGE_MEMBERS, REFLECTION,
  ROUTES, STANDARD_METHODS, TIMERS, USE_BRUSH, classify, forbid, writable,
};
