"use strict";
// Constant folding: what an expression is bound to be worth, or NOTHING. It follows constants, pure methods of strings
// and arrays, and the sketch's own one-expression functions, so that ["te", "xt"].join("") reads as "text".

const NOTHING = Symbol("nothing");
const LONGEST = 2000;
const STEPS = 4000;

const STRING_METHODS = new Set(("at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf normalize padEnd padStart " +
  "repeat replace replaceAll slice split startsWith substr substring toLowerCase toUpperCase toString trim trimEnd trimStart").split(" "));
const ARRAY_METHODS = new Set(("at concat every filter find findIndex flat flatMap includes indexOf join lastIndexOf map pop reduce " +
  "reduceRight reverse shift slice some sort toReversed toSorted with keys values entries toString").split(" "));
const MUTATORS = new Set("push pop shift unshift splice sort reverse fill copyWithin".split(" "));
const FREE_FUNCTIONS = {
  String, Number, Boolean, parseInt, parseFloat, decodeURIComponent, decodeURI, encodeURIComponent, unescape, escape, atob, btoa,
};
const STATIC_FUNCTIONS = {
  String: { fromCharCode: String.fromCharCode, fromCodePoint: String.fromCodePoint, raw: String.raw },
  Array: { from: Array.from, of: Array.of },
  Object: { keys: Object.keys, values: Object.values, entries: Object.entries, fromEntries: Object.fromEntries },
  Number: { parseInt, parseFloat },
  JSON: { parse: JSON.parse, stringify: JSON.stringify },
};

const isPrimitive = (value) => value === null || (typeof value !== "object" && typeof value !== "function");
/** Whether an operator turns a value into a string or number without calling the sketch's own toString. */
const isPlain = (value) => typeof value !== "symbol" && typeof value !== "bigint" && (Array.isArray(value) ? value.every(isPlain) : isPrimitive(value));

class Folder {
  /** names: Map from an Identifier node to its variable; facts: Map from a variable to {definition, reads, writes}. */
  constructor(names, facts) {
    this.names = names;
    this.facts = facts;
    this.busy = new Set();
  }

  /** The value of an expression (a primitive, an array or a plain object), or NOTHING. */
  fold(node) {
    this.steps = STEPS;
    const value = this.evaluate(node, null);
    return value instanceof Closure ? NOTHING : value;
  }

  /** The property key a computed expression names, or null when that is only known at run time. */
  key(node) {
    if (node.type === "Literal") return String(node.value);
    const value = this.fold(node);
    return value !== NOTHING && isPrimitive(value) && typeof value !== "symbol" ? String(value) : null;
  }

  evaluate(node, scope) {
    if (this.steps-- <= 0) return NOTHING;
    switch (node.type) {
      case "Literal":
        return node.regex ? this.regex(node) : node.value;
      case "TemplateLiteral":
        return this.template(node, scope);
      case "Identifier":
        return this.identifier(node, scope);
      case "ParenthesizedExpression":
      case "ChainExpression":
        return this.evaluate(node.expression, scope);
      case "SequenceExpression":
        return this.evaluate(node.expressions[node.expressions.length - 1], scope);
      case "ConditionalExpression": {
        const test = this.evaluate(node.test, scope);
        return test === NOTHING ? NOTHING : this.evaluate(test ? node.consequent : node.alternate, scope);
      }
      case "LogicalExpression": {
        const left = this.evaluate(node.left, scope);
        if (left === NOTHING) return NOTHING;
        const taken = node.operator === "&&" ? !left : node.operator === "||" ? left : left !== null && left !== undefined;
        return taken ? left : this.evaluate(node.right, scope);
      }
      case "UnaryExpression":
        return this.unary(node, scope);
      case "BinaryExpression":
        return this.binary(node, scope);
      case "ArrayExpression":
        return this.list(node.elements, scope);
      case "ObjectExpression":
        return this.object(node, scope);
      case "MemberExpression":
        return this.member(node, scope);
      case "CallExpression":
        return this.call(node, scope);
      case "TaggedTemplateExpression":
        return isStatic(this, node.tag, "String", "raw") ? this.template(node.quasi, scope, true) : NOTHING;
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return new Closure(node, scope);
      default:
        return NOTHING;
    }
  }

  identifier(node, scope) {
    const variable = this.names.get(node);
    if (!variable) return node.name === "undefined" ? undefined : NOTHING;
    for (let s = scope; s; s = s.outer) if (s.values.has(variable)) return s.values.get(variable);
    const fact = this.facts.get(variable);
    if (!fact || !fact.definition || this.busy.has(variable)) return NOTHING;
    this.busy.add(variable);
    try {
      const value = fact.definition.type === "FunctionDeclaration" ? new Closure(fact.definition, null) : this.evaluate(fact.definition, null);
      if (!isPrimitive(value) && !(value instanceof Closure) && fact.reads.some(changes)) return NOTHING;
      return value;
    } finally {
      this.busy.delete(variable);
    }
  }

  regex(node) {
    // A quantifier could be made to run for ever, here, in the judge.
    if (!node.value || /[*+{(]/.test(node.regex.pattern) || node.regex.pattern.length > 60) return NOTHING;
    return node.value;
  }

  template(node, scope, raw = false) {
    let text = "";
    for (let i = 0; i < node.quasis.length; i++) {
      text += raw ? node.quasis[i].value.raw : node.quasis[i].value.cooked;
      if (i < node.expressions.length) {
        const value = this.evaluate(node.expressions[i], scope);
        if (!isPlain(value)) return NOTHING;
        text += value;
      }
      if (text.length > LONGEST) return NOTHING;
    }
    return text;
  }

  unary(node, scope) {
    const value = this.evaluate(node.argument, scope);
    if (value === NOTHING || value instanceof Closure) return NOTHING;
    switch (node.operator) {
      case "!": return !value;
      case "typeof": return typeof value;
      case "void": return undefined;
      default:
    }
    if (!isPlain(value)) return NOTHING;
    switch (node.operator) {
      case "-": return -value;
      case "+": return +value;
      case "~": return ~value;
      default: return NOTHING;
    }
  }

  binary(node, scope) {
    if (node.left.type === "PrivateIdentifier") return NOTHING;
    const a = this.evaluate(node.left, scope);
    if (!isPlain(a)) return NOTHING;
    const b = this.evaluate(node.right, scope);
    if (!isPlain(b)) return NOTHING;
    switch (node.operator) {
      case "+": return typeof a === "string" && a.length > LONGEST ? NOTHING : a + b;
      case "-": return a - b;
      case "*": return a * b;
      case "/": return a / b;
      case "%": return a % b;
      case "**": return a ** b;
      case "^": return a ^ b;
      case "&": return a & b;
      case "|": return a | b;
      case "<<": return a << b;
      case ">>": return a >> b;
      case ">>>": return a >>> b;
      case "===": return a === b;
      case "!==": return a !== b;
      case "<": return a < b;
      case ">": return a > b;
      case "<=": return a <= b;
      case ">=": return a >= b;
      default: return NOTHING;
    }
  }

  list(elements, scope) {
    const out = [];
    for (const element of elements) {
      if (!element) out.push(undefined);
      else if (element.type === "SpreadElement") {
        const value = this.evaluate(element.argument, scope);
        if (typeof value !== "string" && !Array.isArray(value)) return NOTHING;
        out.push(...value);
      } else {
        const value = this.evaluate(element, scope);
        if (value === NOTHING) return NOTHING;
        out.push(value);
      }
      if (out.length > LONGEST) return NOTHING;
    }
    return out;
  }

  object(node, scope) {
    const out = Object.create(null);
    for (const property of node.properties) {
      if (property.type !== "Property" || property.kind !== "init") return NOTHING;
      const key = property.computed ? this.evaluate(property.key, scope) : property.key.name ?? property.key.value;
      const value = this.evaluate(property.value, scope);
      if (key === NOTHING || !isPrimitive(key) || value === NOTHING) return NOTHING;
      out[String(key)] = value;
    }
    return out;
  }

  member(node, scope) {
    if (node.object.type === "Super" || node.property.type === "PrivateIdentifier") return NOTHING;
    const object = this.evaluate(node.object, scope);
    if (object === NOTHING || object === null || object === undefined || object instanceof Closure) return NOTHING;
    const key = node.computed ? this.evaluate(node.property, scope) : node.property.name;
    if (key === NOTHING || !isPrimitive(key) || typeof key === "symbol") return NOTHING;
    if (typeof object === "string" || Array.isArray(object)) {
      return key === "length" || /^\d+$/.test(String(key)) ? object[key] : NOTHING;
    }
    return typeof object === "object" && Object.hasOwn(object, String(key)) ? object[String(key)] : NOTHING;
  }

  call(node, scope) {
    const args = this.list(node.arguments, scope);
    if (args === NOTHING) return NOTHING;
    const callee = node.callee;
    if (callee.type === "MemberExpression" && callee.property.type !== "PrivateIdentifier" && callee.object.type !== "Super") {
      const name = callee.computed ? this.evaluate(callee.property, scope) : callee.property.name;
      if (typeof name !== "string") return NOTHING;
      for (const owner of Object.keys(STATIC_FUNCTIONS)) {
        if (isFree(this, callee.object, owner) && Object.hasOwn(STATIC_FUNCTIONS[owner], name)) {
          return this.apply(STATIC_FUNCTIONS[owner][name], null, args);
        }
      }
      if (isFree(this, callee.object, "Math")) return name !== "random" && typeof Math[name] === "function" ? this.apply(Math[name], null, args) : NOTHING;
      const object = this.evaluate(callee.object, scope);
      if (typeof object === "string" && STRING_METHODS.has(name)) {
        return (name === "repeat" || name.startsWith("pad")) && !(args[0] <= LONGEST) ? NOTHING : this.apply(String.prototype[name], object, args);
      }
      if (Array.isArray(object) && ARRAY_METHODS.has(name)) return this.apply(Array.prototype[name], [...object], args);
      if (typeof object === "number" && name === "toString") return this.apply(Number.prototype.toString, object, args);
      if (object && typeof object === "object" && object[name] instanceof Closure) return this.enter(object[name], args);
      return NOTHING;
    }
    if (callee.type === "Identifier" && !this.names.get(callee)) {
      return Object.hasOwn(FREE_FUNCTIONS, callee.name) ? this.apply(FREE_FUNCTIONS[callee.name], null, args) : NOTHING;
    }
    const target = this.evaluate(callee, scope);
    return target instanceof Closure ? this.enter(target, args) : NOTHING;
  }

  apply(method, receiver, args) {
    let lost = false;
    const ready = args.map((value) => (value instanceof Closure ? (...inner) => {
      const result = this.enter(value, inner);
      if (result === NOTHING) lost = true;
      return result;
    } : value));
    let result;
    try {
      result = method.apply(receiver, ready);
    } catch {
      return NOTHING;
    }
    if (lost || typeof result === "function") return NOTHING;
    if (result && typeof result === "object" && !Array.isArray(result) && typeof result.next === "function") result = [...result];
    return typeof result === "string" && result.length > LONGEST ? NOTHING : result;
  }

  /** Call one of the sketch's own functions whose body is one expression, or constants and a return. */
  enter(closure, args) {
    const { node, scope } = closure;
    if (node.async || node.generator || this.steps <= 0) return NOTHING;
    const values = new Map();
    const inner = { values, outer: scope };
    for (let i = 0; i < node.params.length; i++) {
      let target = node.params[i];
      let value = args[i];
      if (target.type === "RestElement") [target, value] = [target.argument, args.slice(i)];
      if (target.type === "AssignmentPattern") {
        if (value === undefined) value = this.evaluate(target.right, inner);
        target = target.left;
      }
      if (value === NOTHING || !this.bind(target, value, values)) return NOTHING;
    }
    if (node.body.type !== "BlockStatement") return this.evaluate(node.body, inner);
    for (const statement of node.body.body) {
      if (statement.type === "ReturnStatement") return statement.argument ? this.evaluate(statement.argument, inner) : undefined;
      if (statement.type !== "VariableDeclaration") return NOTHING;
      for (const { id, init } of statement.declarations) {
        const value = init ? this.evaluate(init, inner) : undefined;
        if (value === NOTHING || !this.bind(id, value, values)) return NOTHING;
      }
    }
    return undefined;
  }

  bind(target, value, values) {
    if (target.type === "Identifier") {
      const variable = this.names.get(target);
      const fact = variable && this.facts.get(variable);
      if (!fact || fact.writes.length > (fact.isParameter ? 0 : 1)) return false;
      values.set(variable, value);
      return true;
    }
    if (target.type === "ArrayPattern" && (Array.isArray(value) || typeof value === "string")) {
      return target.elements.every((element, i) => !element || this.bind(element, value[i], values));
    }
    return false;
  }
}

class Closure {
  constructor(node, scope) {
    this.node = node;
    this.scope = scope;
  }
}

/** Whether reading an array or object here could be the start of changing it. */
function changes(read) {
  const parent = read.parent;
  if (parent.type === "SpreadElement" || (parent.type === "ForOfStatement" && parent.right === read)) return false;
  if (parent.type !== "MemberExpression" || parent.object !== read) return !(parent.type === "CallExpression" && parent.callee === read);
  const above = parent.parent;
  if (above.type === "AssignmentExpression" || above.type === "UpdateExpression") return above.left === parent || above.argument === parent;
  if (above.type === "UnaryExpression") return above.operator === "delete";
  if (above.type === "CallExpression" && above.callee === parent) return parent.computed || MUTATORS.has(parent.property.name);
  return /Pattern$|^(Property|ForOfStatement|ForInStatement)$/.test(above.type) && above.right !== parent && above.value === parent;
}

const isFree = (folder, node, name) => node.type === "Identifier" && node.name === name && !folder.names.get(node);
const isStatic = (folder, node, owner, name) =>
  node.type === "MemberExpression" && !node.computed && node.property.name === name && isFree(folder, node.object, owner);

module.exports = { Folder, NOTHING };
