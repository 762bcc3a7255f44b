"use strict";
// Where names and members of a sketch keep their values: one place per variable, per global name, per field name.

const policy = require("./names.js");
const { NONE, Place } = require("./flow.js");
const { Numbers } = require("./numbers.js");

const PAGE_KINDS = new Set(["window", "brush", "p5"]);

/** Base of the reader, which adds expressions and statements. */
class Members {
  constructor({ graph, rules, folder, names, facts, own, report, globalScope }) {
    Object.assign(this, { graph, rules, folder, names, facts, own, report, globalScope });
    this.text = graph.holding(graph.the("string"));
    this.places = new Map();
    this.numbers = new Numbers(names, facts);
    this.frame = { self: graph.holding(rules.page), result: NONE, made: null, field: false, member: false };
  }

  // ---- names ---------------------------------------------------------------------------------------------------------

  place(variable) {
    let place = this.places.get(variable);
    if (!place) {
      const onWindow = variable.scope === this.globalScope && variable.defs.some((d) => d.type === "FunctionName" || (d.parent && d.parent.kind === "var"));
      place = onWindow ? this.graph.global(variable.name) : new Place();
      this.places.set(variable, place);
    }
    return place;
  }

  identifier(node) {
    const variable = this.names.get(node);
    if (variable) {
      if (variable.defs.length === 0) return NONE; // `arguments`: what it holds is in the heap and the numbered fields
      if (this.facts.get(variable).mayBePage) return this.free(node, this.place(variable));
      return this.place(variable);
    }
    return this.free(node, new Place());
  }

  free(node, place) {
    const { parent } = node;
    if (parent.type === "UnaryExpression" && parent.operator === "typeof") return NONE;
    if (node.name === "Function" && parent.type === "BinaryExpression" && parent.operator === "instanceof") return NONE;
    this.rules.readGlobal(node.name, place, node);
    return place;
  }

  /** Give a place's values to a pattern; fromPage: they are members of one of the page's own objects. */
  bind(target, from, fromPage = false) {
    const { graph } = this;
    switch (target.type) {
      case "Identifier": {
        const variable = this.names.get(target);
        if (variable) graph.flow(from, this.place(variable));
        else this.rules.writeGlobal(target.name, from, target);
        break;
      }
      case "MemberExpression":
        this.writeMember(target, from);
        break;
      case "AssignmentPattern":
        this.bind(target.left, graph.union(from, this.expression(target.right)));
        break;
      case "RestElement":
        this.bind(target.argument, graph.heap);
        break;
      case "ArrayPattern":
        target.elements.forEach((element, i) => element && this.bind(element, this.member(from, String(i), element, true)));
        break;
      case "ObjectPattern":
        for (const property of target.properties) {
          if (property.type === "RestElement") {
            this.rules.spread(from, property);
            this.bind(property.argument, NONE);
          } else {
            const name = this.keyOf(property);
            const numeric = name === null && this.numbers.isNumber(property.key);
            const { read, kept } = this.lookUp(from, name, property.computed ? property.key : property, numeric);
            if (!fromPage) graph.flow(kept, read);
            this.bind(property.value, read);
          }
        }
        break;
      default:
    }
  }

  /** The name a member or property has, or null when it is computed at run time. */
  keyOf(node) {
    const key = node.type === "MemberExpression" ? node.property : node.key;
    if (key.type === "PrivateIdentifier") return "#" + key.name;
    if (!node.computed) return key.type === "Identifier" ? key.name : String(key.value);
    this.expression(key);
    return this.folder.key(key);
  }

  // ---- members -------------------------------------------------------------------------------------------------------

  member(from, name, site, numeric) {
    const { read, kept } = this.lookUp(from, name, site, numeric);
    this.graph.flow(kept, read);
    return read;
  }

  /** What a member may be: what the page's own objects have there (read), and what the sketch keeps there (kept). */
  lookUp(from, name, site, numeric) {
    const { graph, rules } = this;
    const read = new Place();
    let kept = graph.heap;
    if (name !== null) {
      kept = graph.field(name);
      // A place in a list, or a member the sketch never names: builtins may have put it there.
      if (/^\d+$/.test(name)) kept = graph.union(kept, graph.heap);
      else if (name !== "prototype" && !this.own.has(name) && !policy.STANDARD_METHODS.has(name)) {
        graph.listen(graph.heap, (item) => PAGE_KINDS.has(item.kind) && graph.add(read, item));
      }
      rules.guard(name, site, this.frame.member);
    }
    graph.listen(from, (item) => rules.read(item, name, read, site, numeric));
    return { read, kept };
  }

  memberPlace(node) {
    const { read, kept } = this.readMember(node);
    this.graph.flow(kept, read);
    return read;
  }

  readMember(node) {
    const from = node.object.type === "Super" ? NONE : this.expression(node.object);
    const name = this.keyOf(node);
    const found = this.lookUp(from, name, node, name === null && this.numbers.isNumber(node.property));
    return { from, name, read: found.read, kept: this.isPage(node.object) ? NONE : found.kept };
  }

  /** Whether an expression is plainly one of the page's own objects, where the sketch keeps nothing. */
  isPage(node, depth = 0) {
    if (node.type !== "Identifier" || depth > 4) return false;
    const variable = this.names.get(node);
    if (!variable) return node.name === "brush" || node.name === "p5";
    const { definition } = this.facts.get(variable);
    return definition !== null && this.isPage(definition, depth + 1);
  }

  writeMember(node, from) {
    const object = node.object.type === "Super" ? NONE : this.expression(node.object);
    const name = this.keyOf(node);
    if (name !== null) this.rules.guardWrite(name, node);
    if (!(name === null && this.numbers.isNumber(node.property))) this.graph.listen(object, (item) => this.rules.write(item, name, from, node));
    this.graph.store(name, from);
  }
}

module.exports = { Members, PAGE_KINDS };
