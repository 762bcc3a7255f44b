"use strict";
// What a sketch may do with each kind of value: read a member, write one, call it, hand it to a builtin.

const policy = require("./names.js");
const { NONE, Place, value } = require("./flow.js");

const TEN = "Only these exist for a sketch: " + [...policy.ALLOWED].map((name) => "brush." + name).join(", ") + ".";
const LEAVE = "Leave it out: a sketch needs only its ten brush methods, p5's maths and helpers, and its own functions.";
// Builtins that give back, or hand on, what was put into a list or an object.
const RETURNING = /^(Object|Array|Reflect|Promise|Iterator|WeakRef|random|shuffle)\b/;
const CALLING = /^(Object|Array|Reflect|Promise|Iterator|Map|Set|JSON|String|Proxy|\w+Array|set\w+|queueMicrotask|request\w+|clip|FinalizationRegistry)\b/;
const FUNCTION_KINDS = new Set(["function", "method", "brush method", "caller", "bound"]);

class Rules {
  /** own: names of properties the sketch itself defines; report(code, node, message, remedy) records a finding. */
  constructor(graph, own, report) {
    this.graph = graph;
    this.own = own;
    this.report = report;
    this.used = new Set();
    this.calls = new Map();
    this.webgl = false;
    this.canvases = 0;
    this.assigned = new Set();
    this.page = graph.the("window");
  }

  // ---- reading -------------------------------------------------------------------------------------------------------

  /** A free name, or a member of the page's window, is read. */
  readGlobal(name, result, site, weak = false) {
    const { graph } = this;
    const what = policy.classify(name);
    if (what === null) return graph.flow(graph.global(name), result);
    switch (what.kind) {
      case "forbidden":
        if (!(weak && this.own.has(name))) this.report(what.code, site, what.message, what.remedy);
        return undefined;
      case "brush":
      case "p5":
      case "window":
        return graph.add(result, graph.the(what.kind));
      case "builtin":
        return graph.add(result, graph.the("builtin", name));
      case "helper":
        if (name === "canvas") graph.add(result, graph.the("canvas"));
        else if (name === "WEBGL" || name === "WEBGL2") graph.add(result, graph.the("webgl"));
        else if (/^[a-z]/.test(name)) graph.add(result, graph.the("method", name));
        return graph.flow(graph.global(name), result);
      default:
        return undefined;
    }
  }

  /** item.name is read (name null: a key known only at run time; numeric: and sure to be a number). */
  read(item, name, result, site, numeric) {
    const { graph } = this;
    const called = (method) => graph.add(result, graph.the("method", method));
    switch (item.kind) {
      case "window":
        if (name !== null) return this.readGlobal(name, result, site, item.weak);
        if (!numeric) this.report("tampering", site, "a computed name is looked up on the page's global object", LEAVE);
        return undefined;
      case "brush":
        return this.readBrush(item, name, result, site, numeric);
      case "p5":
        if (name === null ? numeric : policy.P5_STATICS.has(name)) return /^[A-Z][a-z]/.test(name ?? "") ? graph.add(result, graph.the("builtin", "p5." + name)) : undefined;
        if (item.weak && this.own.has(name)) return undefined;
        return this.report("tampering", site, name === null ? "a computed name is looked up on p5" : `p5.${name} is p5's inside`, LEAVE);
      case "canvas":
        if (name === null || item.weak || policy.P5_CANVAS.has(name) || policy.ROUTES.has(name)) return undefined;
        if (policy.PAGE_MEMBERS.has(name)) return this.report(policy.PAGE_MEMBERS.get(name), site, `${name} reaches the page behind the canvas`, LEAVE);
        if (name === "style") return this.readStyle(site);
        if (policy.P5_LABELS.has(name)) return this.report("text_label", site, "the canvas is written on", "A painting carries no text: leave it out.");
        return this.report(name === "html" || name === "child" || name === "attribute" ? "external_access" : "bare_primitives",
          site, `.${name} of the canvas is out of bounds`, policy.USE_BRUSH);
      case "builtin":
        if (name === "prototype") return graph.add(result, graph.the("prototype", item.name));
        if (name !== null) {
          if ((item.name === "Object" || item.name === "Reflect") && policy.REFLECTION.has(name)) {
            this.report("tampering", site, `${item.name}.${name} leads into the inside of other objects`, LEAVE);
          }
          return called(`${item.name}.${name}`);
        }
        if (!numeric && !item.weak && !policy.NAMESPACES.has(item.name)) {
          this.report("tampering", site, `a computed name is looked up on ${item.name}`, LEAVE);
        }
        return undefined;
      case "prototype":
        if (name !== null) return called(`${item.name}.prototype.${name}`);
        if (!numeric && !item.weak) this.report("tampering", site, `a computed name is looked up on ${item.name}.prototype`, LEAVE);
        return undefined;
      default:
        return FUNCTION_KINDS.has(item.kind) ? this.readFunction(item, name, result, site, numeric) : undefined;
    }
  }

  /** The canvas may be put somewhere; what is seen on it comes from brush alone. */
  readStyle(site) {
    const [property] = site.parent?.type === "CallExpression" && site.parent.callee === site ? site.parent.arguments : [];
    if (property && policy.LAYOUT.test(property.value)) return;
    this.report("tampering", site, "the canvas is styled", "Leave the style out: what counts is what brush paints.");
  }

  readBrush(item, name, result, site, numeric) {
    if (name === null) {
      if (!numeric) this.report("method_not_allowed", site, "a computed name is looked up on brush", `Write the method's name out. ${TEN}`);
    } else if (policy.ALLOWED.has(name)) {
      this.used.add(name);
      this.graph.add(result, this.graph.the("brush method", name));
    } else if (policy.BRUSH.has(name)) {
      // Vectors, maps and sets have these two as well, and alone they paint nothing.
      if (item.weak && (name === "add" || name === "set")) return;
      this.report("method_not_allowed", site, `brush.${name} is not one of the ten methods a sketch may use`, TEN);
    } else if (!item.weak && !policy.ROUTES.has(name)) {
      this.report("unknown_brush_method", site, `p5.brush has no method ${name}`, TEN);
    }
  }

  readFunction(item, name, result, site, numeric) {
    if (name === "call" || name === "apply" || name === "bind") {
      if (item.kind !== "caller" || item.target.kind !== "caller") this.graph.add(result, value("caller", { how: name, target: item }));
    } else if (name === null && !numeric && !item.weak && !(item.kind === "function" && item.made.isClass)) {
      this.report("tampering", site, "a computed name is looked up on a function", `Keep values in an object or a list. ${LEAVE}`);
    }
  }

  /** Names that are out of bounds on whatever they are read from. */
  guard(name, site, inMember) {
    if (policy.ROUTES.has(name)) {
      if (name === "constructor" ? !isInnocentConstructor(site, inMember) : !(name === "caller" && this.own.has(name))) {
        this.report("tampering", site, `${name} leads into the inside of other objects`, LEAVE);
      }
    } else if (policy.PAGE_MEMBERS.has(name) && !this.own.has(name)) {
      this.report(policy.PAGE_MEMBERS.get(name), site, `${name} reaches the page behind the canvas`, LEAVE);
    }
  }

  /** Copying or enumerating what is in place gives its members away. */
  spread(from, site) {
    this.graph.listen(from, (item) => {
      if (item.weak || !(item.kind === "brush" || item.kind === "window" || item.kind === "p5")) return;
      const what = item.kind === "window" ? "the page's global object" : item.kind;
      this.report(item.kind === "brush" ? "method_not_allowed" : "tampering", site, `the members of ${what} are enumerated`, LEAVE);
    });
  }

  // ---- writing -------------------------------------------------------------------------------------------------------

  /** A free name, or a member of the page's window, is assigned. */
  writeGlobal(name, from, site) {
    if (!policy.writable(name)) {
      const remedy = name.startsWith("__") ? "Choose a name of your own without leading underscores." : "Choose another name, and declare it with let or const.";
      this.report("tampering", site, `${name} belongs to the page and is replaced`, remedy);
    }
    this.assigned.add(name);
    this.graph.flow(from, this.graph.global(name));
  }

  guardWrite(name, site) {
    if (name === "__proto__" || /^__(define|lookup)/.test(name)) this.report("tampering", site, `${name} changes what an object is`, LEAVE);
  }

  /** item.name is assigned or deleted. */
  write(item, name, from, site) {
    const replaced = (what) => this.report("tampering", site, `${what} is changed`, "Leave the page's own objects as they are and write a function of your own.");
    switch (item.kind) {
      case "window":
        if (name !== null) {
          if (!item.weak || (policy.classify(name) !== null && !this.own.has(name))) this.writeGlobal(name, from, site);
        } else if (!item.weak) replaced("a computed member of the page's global object");
        return;
      case "brush":
        if (!item.weak || policy.BRUSH.has(name)) replaced("brush");
        return;
      case "p5":
        if (!item.weak && name !== "disableFriendlyErrors") replaced("p5");
        return;
      case "builtin":
      case "method":
      case "brush method":
        if (!item.weak) replaced(item.name + (name === null ? "" : "." + name));
        return;
      case "prototype":
        if (!item.weak) replaced(`${item.name}.prototype${name === null ? "" : "." + name}`);
        return;
      case "canvas":
        if (!item.weak) replaced("the canvas");
        return;
      default:
    }
  }

  // ---- calling -------------------------------------------------------------------------------------------------------

  /** Call item. call: {args: Place[], spread, nodes, receiver: Place|null, result: Place, site, isNew}. */
  invoke(item, call) {
    switch (item.kind) {
      case "function":
        return this.enter(item.made, call, item.weak);
      case "brush method":
        if (!this.calls.has(call.site)) this.calls.set(call.site, item.name);
        return undefined;
      case "caller":
        return this.invokeCaller(item, call);
      case "bound":
        return this.invoke(item.target, { ...call, args: [...item.args, ...call.args], receiver: item.receiver });
      case "p5":
        return this.report("tampering", call.site, "a second p5 is started", "Define setup and draw as plain functions (global mode).");
      case "method":
      case "builtin":
        return this.invokeBuiltin(item, call);
      default:
        return undefined;
    }
  }

  enter(made, call) {
    const { graph } = this;
    if (made.isClass && !made.params) {
      graph.flow(call.result, made.fields);
      graph.listen(made.parent, (above) => this.invoke(above, call));
      return;
    }
    const { params, rest } = made;
    call.args.forEach((from, i) => {
      if (i < params.length) graph.flow(from, params[i]);
      else if (rest) graph.store(String(i - params.length), from);
      if (made.usesArguments) graph.store(String(i), from);
      if (call.spread) params.forEach((param) => graph.flow(from, param));
    });
    if (call.spread) params.forEach((param) => graph.flow(graph.heap, param));
    if (!call.isNew) {
      if (call.receiver) graph.flow(call.receiver, made.self);
      else if (made.sloppy) graph.add(made.self, this.page);
    }
    graph.flow(made.result, call.result);
    if (made.isGenerator) graph.flow(graph.heap, call.result);
  }

  /** Properties by description, and a Proxy's handlers: what their functions answer is found under the properties' names. */
  describe({ nodes, folder }) {
    const { graph } = this;
    for (const name of ["get", "apply", "construct"]) this.callBack(graph.field(name), graph.heap);
    const [, described] = nodes;
    const keys = described?.type === "ObjectExpression" ? described.properties.map((p) => p.key && !p.computed && (p.key.name ?? p.key.value)) : [described && folder?.key(described)];
    for (const key of keys) if (key) graph.flow(graph.heap, graph.field(String(key)));
  }

  invokeCaller({ how, target }, call) {
    const { graph } = this;
    const [first, ...others] = call.args;
    const receiver = isNothing(call.nodes[0]) ? null : first;
    if (target.kind === "caller") { // f.call.call(g, ...): the function called is the first argument
      if (first) graph.listen(first, (item) => this.invoke(item, { ...call, args: others.slice(1), nodes: call.nodes.slice(2), receiver: others[0] ?? null, spread: true }));
    } else if (how === "bind") {
      graph.add(call.result, value("bound", { target, args: others, receiver }));
    } else {
      const args = how === "call" ? others : [graph.heap, graph.heap, graph.heap, graph.heap];
      this.invoke(target, { ...call, args, nodes: call.nodes.slice(1), receiver, spread: how === "apply" || call.spread });
    }
  }

  invokeBuiltin(item, call) {
    const { graph } = this;
    const { args, nodes, site, result } = call;
    const { name } = item;
    if (name === "createCanvas") return this.makeCanvas(call);
    if (name === "print" || name.startsWith("console.")) return undefined;
    if (policy.TIMERS.has(name) && args.length) {
      const refuse = () => this.report("external_access", site, `${name} is given a string of code`, "Give it a function.");
      if (/^(Array|Object)Expression$/.test(nodes[0].type)) refuse();
      if (nodes[0].type !== "SpreadElement" && typeof call.folder?.fold(nodes[0]) === "string") refuse();
      graph.listen(args[0], (given) => given.kind === "string" && refuse());
    }
    if (name === "Reflect.get" && args.length > 1) return this.reflect(call);
    if (name === "Reflect.apply" || name === "Reflect.construct") {
      graph.listen(args[0] ?? NONE, (target) => this.invoke(target, { ...call, args: [graph.heap, graph.heap, graph.heap], receiver: isNothing(nodes[1]) ? null : args[1], spread: true }));
      return undefined;
    }
    const changes = /^(Object\.(assign|define|set|freeze|seal|prevent)|Reflect\.(set|define|delete|prevent))/.test(name);
    const lists = /^(Object|Reflect)\.(keys|values|entries|ownKeys|getOwn.*)$/.test(name);
    args.forEach((place, i) => graph.listen(place, (given) => {
      if (given.weak) return;
      if (given.kind === "brush" || given.kind === "window" || given.kind === "p5") {
        if (name.startsWith("Promise.")) return;
        const what = given.kind === "window" ? "the page's global object" : given.kind;
        this.report("tampering", nodes[i] ?? site, `${what} is handed to ${name}`, `Call its methods directly. ${LEAVE}`);
      } else if ((given.kind === "builtin" || given.kind === "prototype") && ((changes && i === 0) || (lists && given.kind === "prototype"))) {
        this.report("tampering", nodes[i] ?? site, `${given.name} is ${changes ? "changed" : "searched"}`, LEAVE);
      } else if (name === "Proxy" && i === 0 && FUNCTION_KINDS.has(given.kind)) {
        this.report("tampering", nodes[i] ?? site, "a function is wrapped in a Proxy", LEAVE);
      }
    }));
    args.forEach((place) => {
      graph.keep(place);
      if (CALLING.test(name)) this.callBack(place, result, name === "Array.from" ? args[2] : null, /^(set|queue|request)/.test(name));
    });
    if (/^(Object|Reflect)\.(defineP|create)|^Proxy$/.test(name)) this.describe(call);
    if (RETURNING.test(name)) graph.flow(graph.heap, result);
    if (/^Promise\.|\.prototype\.concat$/.test(name)) args.forEach((place) => graph.flow(place, result));
    return undefined;
  }

  /**
   * A builtin calls the functions in place with whatever is kept in lists and objects. `this` is then self, or else the
   * page's window; for a function that itself came out of a list, only a timer (lends) is sure to call it.
   */
  callBack(place, result, self = null, lends = false) {
    const { graph } = this;
    graph.listen(place, (item) => {
      if (item.kind === "bound" || item.kind === "caller") {
        this.invoke(item, { args: [graph.heap, graph.heap], nodes: [{ type: "" }], receiver: null, result, site: null, spread: true, isNew: false });
      }
      if (item.kind !== "function" || item.made.isClass) return;
      const { made } = item;
      made.params.forEach((param) => graph.flow(graph.heap, param));
      if (self) graph.flow(self, made.self);
      else if (made.sloppy && (lends || !item.weak)) graph.add(made.self, this.page);
      graph.flow(made.result, result);
      graph.keep(made.result);
    });
  }

  makeCanvas({ args, nodes, result, spread }) {
    this.canvases += 1;
    args.forEach((place, i) => {
      if (nodes[i]?.value === "webgl" || nodes[i]?.value === "webgl2") this.webgl = true;
      this.graph.listen(place, (given) => {
        if (given.kind === "webgl") this.webgl = true;
      });
    });
    if (spread) {
      this.graph.listen(this.graph.heap, (given) => {
        if (given.kind === "webgl") this.webgl = true;
      });
    }
    this.graph.add(result, this.graph.the("canvas"));
  }

  reflect({ args, nodes, site, result, folder }) {
    const name = folder.key(nodes[1]);
    if (policy.ROUTES.has(name)) this.report("tampering", site, `${name} leads into the inside of other objects`, LEAVE);
    this.graph.listen(args[0], (item) => {
      if (!item.weak && (item.kind === "brush" || item.kind === "window" || item.kind === "p5")) {
        this.report("tampering", nodes[0], `${item.kind} is handed to Reflect.get`, LEAVE);
      }
      this.read(item, name, result, site, false);
    });
    this.graph.flow(name === null ? this.graph.heap : this.graph.field(name), result);
  }
}

/** Whether a receiver is absent, so that a sloppy function's this is the page's window. */
const isNothing = (node) => !node || node.type === "Literal" || (node.type === "Identifier" && node.name === "undefined") ||
  (node.type === "UnaryExpression" && node.operator === "void");

/** `this.constructor.count`, `new this.constructor()`, `x.constructor.name` and comparisons lead nowhere. */
function isInnocentConstructor(site, inMember) {
  if (site.type !== "MemberExpression") return false;
  const { parent } = site;
  if (parent.type === "BinaryExpression" && /^[!=]==?$/.test(parent.operator)) return true;
  const reads = parent.type === "MemberExpression" && parent.object === site;
  if (reads && !parent.computed && parent.property.name === "name") return true;
  if (site.object.type !== "ThisExpression" || !inMember) return false;
  return (parent.type === "NewExpression" && parent.callee === site) || (reads && !parent.computed && !/^(constructor|prototype|call|apply|bind)$/.test(parent.property.name));
}

module.exports = { LEAVE, Rules, TEN };
