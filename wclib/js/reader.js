"use strict";
// Walk a sketch's syntax tree once and say, for every expression, which place its value is in. What is learnt of those
// places is judged by the rules.

const policy = require("./names.js");
const { NONE, Place, value } = require("./flow.js");
const { Members, PAGE_KINDS } = require("./members.js");
const { LEAVE } = require("./rules.js");

const STRING_CALLS = new Set("join toString replace replaceAll repeat trim padStart padEnd toLowerCase toUpperCase fromCharCode fromCodePoint String atob substring substr decodeURIComponent unescape raw".split(" "));

// What a tagged template hands its function first.
const PIECES = { type: "Literal", value: "" };

class Reader extends Members {
  program(ast) {
    ast.body.forEach((node) => this.statement(node));
  }

  // ---- expressions ---------------------------------------------------------------------------------------------------

  expression(node) {
    const { graph } = this;
    switch (node.type) {
      case "Identifier":
        return this.identifier(node);
      case "Literal":
        return typeof node.value === "string" ? this.text : NONE;
      case "TemplateLiteral":
        node.expressions.forEach((inner) => this.expression(inner));
        return this.text;
      case "ThisExpression":
        return this.frame.self;
      case "MemberExpression":
        return this.memberPlace(node);
      case "CallExpression":
      case "NewExpression":
        return this.call(node);
      case "TaggedTemplateExpression":
        return this.call({ ...node, callee: node.tag, arguments: [PIECES, ...node.quasi.expressions], site: node });
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return this.makeFunction(node, this.names.get(node.id));
      case "ClassExpression":
        return this.makeClass(node);
      case "ParenthesizedExpression":
      case "ChainExpression":
        return this.expression(node.expression);
      case "AwaitExpression":
        return graph.union(this.expression(node.argument), graph.heap);
      case "SequenceExpression":
        return node.expressions.map((inner) => this.expression(inner)).at(-1);
      case "ConditionalExpression":
        this.expression(node.test);
        return graph.union(this.expression(node.consequent), this.expression(node.alternate));
      case "LogicalExpression":
        return graph.union(this.expression(node.left), this.expression(node.right));
      case "AssignmentExpression":
        return this.assign(node);
      case "UpdateExpression":
        if (node.argument.type === "MemberExpression") this.writeMember(node.argument, NONE);
        else this.bind(node.argument, NONE);
        return NONE;
      case "UnaryExpression": {
        const argument = node.argument.type === "ChainExpression" ? node.argument.expression : node.argument;
        if (node.operator === "delete" && argument.type === "MemberExpression") this.writeMember(argument, NONE);
        else this.expression(argument);
        return NONE;
      }
      case "BinaryExpression": {
        const left = node.left.type === "PrivateIdentifier" ? NONE : this.expression(node.left);
        this.expression(node.right);
        if (node.operator === "instanceof") graph.keep(left); // Symbol.hasInstance gets it
        if (node.operator !== "+" || this.numbers.isNumber(node)) return NONE;
        this.suspect(node);
        return isText(node) ? this.text : NONE;
      }
      case "ArrayExpression":
        node.elements.forEach((element, i) => {
          if (!element) return;
          if (element.type === "SpreadElement") {
            const inner = this.expression(element.argument);
            this.rules.spread(inner, element);
            graph.keep(inner);
          } else graph.store(String(i), this.expression(element));
        });
        return NONE;
      case "ObjectExpression":
        node.properties.forEach((property) => this.property(property, false));
        return NONE;
      case "YieldExpression":
        if (node.argument) graph.store("value", this.expression(node.argument));
        return graph.heap;
      case "ImportExpression":
        this.report("external_access", node, "a module is imported", "Leave it out: p5 and p5.brush are loaded already.");
        this.expression(node.source);
        return NONE;
      default:
        return NONE;
    }
  }

  assign(node) {
    const from = this.expression(node.right);
    if (node.operator !== "=" && node.left.type === "Identifier") this.identifier(node.left);
    if (node.operator === "+=") {
      this.bind(node.left, isText(node.right) ? this.text : NONE);
      return NONE;
    }
    if (node.operator === "=" || /^(\|\||&&|\?\?)=$/.test(node.operator)) this.bind(node.left, from, this.isPage(node.right));
    else this.bind(node.left, NONE);
    return from;
  }

  property(property, isStatic, made = null) {
    const { graph, rules } = this;
    if (property.type === "SpreadElement") {
      this.rules.spread(this.expression(property.argument), property);
      return;
    }
    if (property.type === "StaticBlock") {
      property.body.forEach((statement) => this.statement(statement));
      return;
    }
    const name = this.keyOf(property);
    if (name === "__proto__" && !property.computed && !property.shorthand && !property.method && property.value.value !== null) this.rules.guardWrite(name, property);
    if (!property.value) return;
    const isMethod = property.method || property.type === "MethodDefinition" || property.kind === "get" || property.kind === "set";
    const from = isMethod ? this.makeFunction(property.value, null, property.type === "MethodDefinition" && !isStatic) : this.expression(property.value);
    if (made && property.kind === "constructor") {
      const [inner] = from.values;
      const { params, rest, self, result, usesArguments } = inner.made;
      Object.assign(made, { params, rest, self, result, usesArguments });
      return;
    }
    if (property.kind === "get" || property.kind === "set") {
      const [inner] = from.values;
      if (property.kind === "get") graph.store(name, inner.made.result);
      else inner.made.params.forEach((param) => graph.flow(name === null ? graph.heap : graph.field(name), param));
    } else graph.store(name, from);
    if (isSymbol(property)) rules.callBack(from, graph.heap); // the language itself calls it
  }

  call(node) {
    const { graph, rules } = this;
    const site = node.site ?? node;
    const result = new Place();
    let spread = false;
    const args = node.arguments.map((argument) => {
      if (argument.type !== "SpreadElement") return this.expression(argument);
      spread = true;
      const inner = this.expression(argument.argument);
      this.rules.spread(inner, argument);
      graph.keep(inner);
      return NONE;
    });
    let callee = node.callee;
    while (callee.type === "ParenthesizedExpression" || callee.type === "ChainExpression") callee = callee.expression;
    const call = { args, spread, nodes: node.arguments, receiver: null, result, site, isNew: node.type === "NewExpression", folder: this.folder };
    let from;
    if (callee.type === "Super") from = this.frame.parent ?? NONE;
    else if (callee.type === "Import") from = NONE;
    else if (callee.type === "MemberExpression") {
      const read = this.readMember(callee);
      from = read.read;
      call.receiver = read.from === NONE ? graph.holding() : read.from;
      // The page's own objects have no methods of the sketch's: for those, `this` is an object of the sketch.
      const receiver = new Place();
      graph.listen(read.from, (item) => !PAGE_KINDS.has(item.kind) && graph.add(receiver, item));
      graph.listen(read.kept, (item) => rules.invoke(item, { ...call, receiver }));
      if (read.name === null || policy.STANDARD_METHODS.has(read.name)) {
        args.forEach((place, i) => {
          graph.keep(place);
          rules.callBack(place, result, i === 0 && args[1] && !/^(reduce|then|replace)/.test(read.name) ? args[1] : null);
        });
        graph.flow(graph.heap, result);
      }
      if (STRING_CALLS.has(read.name)) graph.flow(this.text, result);
      if (read.name === "valueOf") graph.flow(read.from, result);
      if (read.name === "throw") args.forEach((place) => graph.flow(place, graph.thrown));
    } else {
      from = this.expression(callee);
      if (callee.type === "Identifier") {
        if (STRING_CALLS.has(callee.name)) graph.flow(this.text, result);
      }
      // A function that came from elsewhere may be a builtin: it may keep what it is given, or call it.
      const isOwn = callee.type === "Identifier" ? !this.names.get(callee)?.defs.some(isForeign) : /Function/.test(callee.type);
      if (!isOwn) {
        args.forEach((place) => {
          graph.keep(place);
          rules.callBack(place, result);
        });
      }
    }
    if (callee.type === "Super") { // what the parent's constructor returns is `this` from there on
      for (const place of [this.frame.self, this.frame.fields, this.frame.result]) if (place) graph.flow(result, place);
    }
    this.suspect(site);
    graph.listen(from, (item) => rules.invoke(item, call));
    return result;
  }

  /** A string put together so that it spells a way out is told by what it spells. */
  suspect(node) {
    if (node.parent.type === "BinaryExpression" && node.parent.operator === "+") return;
    if (node.type === "CallExpression" && (node.callee.type !== "MemberExpression" ? node.arguments.length === 0 : !STRING_CALLS.has(node.callee.property.name))) return;
    const spelt = this.folder.fold(node);
    if (typeof spelt === "string" && (policy.ROUTES.has(spelt) || spelt === "eval" || spelt === "Function")) {
      this.report("tampering", node, `the word ${spelt} is put together from pieces`, LEAVE);
    }
  }

  // ---- functions and classes -------------------------------------------------------------------------------------------

  makeFunction(node, ownName, member = false) {
    const { graph } = this;
    const arrow = node.type === "ArrowFunctionExpression";
    const scope = this.folder.scopes.get(node);
    const made = {
      params: [], rest: null, result: new Place(), isClass: false, isGenerator: node.generator, sloppy: !arrow && scope !== undefined && !scope.isStrict,
      self: arrow ? this.frame.self : new Place(), usesArguments: scope !== undefined && !arrow && (scope.set.get("arguments")?.references.length ?? 0) > 0,
    };
    const item = value("function", { made });
    if (ownName) graph.add(this.place(ownName), item);
    const outer = this.frame;
    this.frame = { self: made.self, result: made.result, parent: outer.parent, fields: outer.fields, member: arrow ? outer.member : member };
    for (const param of node.params) {
      const place = new Place();
      if (param.type === "RestElement") {
        made.rest = place;
        this.bind(param.argument, graph.heap);
      } else {
        made.params.push(place);
        this.bind(param, place);
      }
    }
    if (node.body.type === "BlockStatement") node.body.body.forEach((statement) => this.statement(statement));
    else graph.flow(this.expression(node.body), made.result);
    this.frame = outer;
    if (node.async || node.generator) graph.keep(made.result); // a promise's callbacks, or next(), get it
    if (made.sloppy && made.usesArguments) made.params.forEach((param, i) => graph.flow(graph.field(String(i)), param));
    return graph.holding(item);
  }

  makeClass(node) {
    const { graph } = this;
    const made = { params: null, rest: null, result: NONE, isClass: true, isGenerator: false, sloppy: false, self: new Place(), usesArguments: false, parent: NONE };
    if (node.superClass) made.parent = this.expression(node.superClass);
    const item = value("function", { made });
    const variables = this.folder.scopes.get(node);
    if (node.id) {
      for (const scope of node.type === "ClassDeclaration" ? [variables, variables.upper] : [variables]) {
        const variable = scope.set.get(node.id.name);
        if (variable) graph.add(this.place(variable), item);
      }
    }
    const outer = this.frame;
    made.fields = new Place();
    this.frame = { self: made.fields, fields: made.fields, result: NONE, parent: made.parent, member: false };
    for (const part of node.body.body) this.property(part, part.static, made);
    this.frame = outer;
    return graph.holding(item);
  }

  // ---- statements ----------------------------------------------------------------------------------------------------

  statement(node) {
    const { graph } = this;
    switch (node.type) {
      case "ExpressionStatement":
        this.expression(node.expression);
        return;
      case "VariableDeclaration":
        for (const { id, init } of node.declarations) if (init) this.bind(id, this.expression(init), this.isPage(init));
        return;
      case "FunctionDeclaration":
        this.makeFunction(node, this.names.get(node.id));
        return;
      case "ClassDeclaration":
        this.makeClass(node);
        return;
      case "ReturnStatement":
        if (node.argument) graph.flow(this.expression(node.argument), this.frame.result);
        return;
      case "ThrowStatement": {
        const from = this.expression(node.argument);
        graph.flow(from, graph.thrown);
        return;
      }
      case "ForInStatement":
      case "ForOfStatement": {
        const right = this.expression(node.right);
        this.rules.spread(right, node.right);
        const target = node.left.type === "VariableDeclaration" ? node.left.declarations[0].id : node.left;
        this.bind(target, node.type === "ForOfStatement" ? graph.heap : NONE);
        this.statement(node.body);
        return;
      }
      case "WithStatement":
        graph.listen(this.expression(node.object), (item) => {
          if (!PAGE_KINDS.has(item.kind) && item.kind !== "canvas") return;
          this.report("tampering", node.object, "with hides what a name stands for", "Write the object's name before each member.");
        });
        this.statement(node.body);
        return;
      case "CatchClause":
        if (node.param) this.bind(node.param, graph.union(graph.thrown, graph.heap));
        this.statement(node.body);
        return;
      case "BreakStatement":
      case "ContinueStatement":
        return;
      case "LabeledStatement":
        this.statement(node.body);
        return;
      default:
        for (const key in node) {
          if (key === "parent") continue;
          const child = node[key];
          if (Array.isArray(child)) child.forEach((inner) => inner && inner.type && this.any(inner));
          else if (child && typeof child.type === "string") this.any(child);
        }
    }
  }

  any(node) {
    if (/Statement$|Declaration$|^(SwitchCase|CatchClause|StaticBlock)$/.test(node.type)) this.statement(node);
    else this.expression(node);
  }
}

/** Whether a property's key is one of the language's own symbols, such as Symbol.iterator. */
function isSymbol({ computed, key }) {
  return computed && key.type === "MemberExpression" && key.object.type === "Identifier" && key.object.name === "Symbol";
}

/** Whether a definition may hold a function that the sketch did not write. */
function isForeign({ type, node }) {
  return type === "Parameter" || (type === "Variable" && (node.id.type !== "Identifier" || node.init?.type === "MemberExpression"));
}

/** Whether a sum is a string for certain: one of its parts is text. */
function isText(node) {
  if (node.type === "TemplateLiteral") return true;
  if (node.type === "Literal") return typeof node.value === "string";
  return node.type === "BinaryExpression" && node.operator === "+" && (isText(node.left) || isText(node.right));
}

module.exports = { Reader };
