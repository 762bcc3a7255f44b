"use strict";
// Read sketches, one JSON request a line on stdin, one JSON answer a line on stdout. Nothing of a sketch is ever run.
//   {"op": "inspect", "source": "..."}         -> findings and counts
//   {"op": "survey", "sources": ["...", ...]} -> for each: does it parse, does it define setup and draw, is it clean

const acorn = require("acorn");
const scopes = require("eslint-scope");
const policy = require("./names.js");
const { Folder } = require("./fold.js");
const { Graph } = require("./flow.js");
const { Reader } = require("./reader.js");
const { Rules } = require("./rules.js");

const MOST_FINDINGS = 40;
const OPTIONS = { ecmaVersion: "latest", sourceType: "script", ranges: true, allowHashBang: true };

function parse(source) {
  try {
    return { ast: acorn.parse(source, OPTIONS) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (/stack space/.test(error.message)) throw new RangeError(error.message);
    const at = error.pos;
    const isCut = at >= source.trimEnd().length;
    const message = isCut ? "the code ends before it is complete" : error.message.replace(/ \(\d+:\d+\)$/, "").replace(/^'import' and.*/, "a sketch is a script, not a module");
    const problems = [{ code: "syntax_error", at, message }];
    if (/^import\b/.test(source.slice(at))) problems.push({ code: "external_access", at, message: "a module is imported" });
    return { problems };
  }
}

/** Give every node its parent; collect the property names the sketch defines. */
function prepare(root) {
  const own = new Set();
  const stack = [root];
  const named = (node) => {
    const { key } = node;
    if (!node.computed && key.type === "Identifier") own.add(key.name);
    else if (key.type === "Literal") own.add(String(key.value));
    else if (key.type === "TemplateLiteral" && key.quasis.length === 1) own.add(key.quasis[0].value.cooked);
  };
  while (stack.length) {
    const node = stack.pop();
    if (node.type === "PropertyDefinition" || node.type === "MethodDefinition") {
      if (node.kind !== "constructor") named(node);
    } else if (node.type === "Property" && node.parent.type === "ObjectExpression") named(node);
    else if (node.type === "AssignmentExpression" && node.left.type === "MemberExpression" && !node.left.computed) own.add(node.left.property.name);
    for (const key in node) {
      if (key === "parent" || key === "range") continue;
      const child = node[key];
      if (child === null || typeof child !== "object") continue;
      if (Array.isArray(child)) {
        for (const inner of child) {
          if (inner && inner.type) {
            inner.parent = node;
            stack.push(inner);
          }
        }
      } else if (typeof child.type === "string") {
        child.parent = node;
        stack.push(child);
      }
    }
  }
  return own;
}

/** The keys of a node that hold its children, for kinds of node the scope library's walker does not know. */
const children = (node) => Object.keys(node).filter((key) => key !== "parent");

/** Which variable each identifier stands for (none: a free name), and what is known of each variable. */
function resolve(ast) {
  const manager = scopes.analyze(ast, { ecmaVersion: 2022, sourceType: "script", fallback: children });
  const names = new Map();
  const facts = new Map();
  const scopeOf = new Map();
  for (const scope of manager.scopes) {
    if (!scopeOf.has(scope.block) || scope.type === "function") scopeOf.set(scope.block, scope);
    for (const variable of scope.variables) {
      const [first] = variable.defs;
      facts.set(variable, { definition: null, reads: [], writes: [], sources: [], isParameter: first?.type === "Parameter", mayBePage: false });
      for (const definition of variable.defs) if (definition.name) names.set(definition.name, variable);
    }
  }
  const free = [];
  for (const scope of manager.scopes) {
    for (const reference of scope.references) {
      const { identifier } = reference;
      let variable = reference.resolved;
      for (let s = reference.from; !variable && s; s = s.upper) variable = s.set.get(identifier.name);
      if (!variable) {
        free.push(identifier);
        continue;
      }
      names.set(identifier, variable);
      const fact = facts.get(variable);
      if (reference.isWrite()) {
        fact.writes.push(reference);
        fact.sources.push(sourceOf(reference));
      }
      if (reference.isRead()) fact.reads.push(identifier);
    }
  }
  for (const [variable, fact] of facts) {
    const [first] = variable.defs;
    if (variable.defs.length !== 1) continue;
    if (first.type === "FunctionName" && fact.writes.length === 0) fact.definition = first.node;
    else if (first.type === "Variable" && fact.writes.length === 1 && fact.writes[0].init) fact.definition = definitionOf(first);
  }
  return { names, facts, scopeOf, free, globalScope: manager.globalScope };
}

function definitionOf({ name, node }) {
  if (!node.init || node.parent.parent.type === "ForOfStatement" || node.parent.parent.type === "ForInStatement") return null;
  if (node.id === name) return node.init;
  if (node.id.type === "ArrayPattern" && node.init.type === "ArrayExpression") {
    const i = node.id.elements.indexOf(name);
    const before = node.init.elements.slice(0, i + 1);
    if (i >= 0 && before.length > i && before.every((element) => element && element.type !== "SpreadElement")) return node.init.elements[i];
  }
  return null;
}

/** The expression a write takes its value from, for telling numbers; null when it is not a plain one. */
function sourceOf(reference) {
  const { identifier } = reference;
  const { parent } = identifier;
  if (parent.type === "VariableDeclarator") return parent.id === identifier && !/^For(Of|In)/.test(parent.parent.parent.type) ? parent.init : null;
  return (parent.type === "AssignmentExpression" && parent.left === identifier) || parent.type === "UpdateExpression" ? parent : null;
}

/** A top-level var or function is a member of window: it may replace the page's own, or still be the page's own. */
function judgeGlobals(globalScope, facts, report) {
  for (const variable of globalScope.variables) {
    const [first] = variable.defs;
    const isVar = first && first.type === "Variable" && first.parent.kind === "var";
    if (!first || !(isVar || first.type === "FunctionName")) continue;
    const what = policy.classify(variable.name);
    if (!what) continue;
    const fact = facts.get(variable);
    if (what.kind === "builtin" || what.kind === "brush" || what.kind === "p5" || (what.code === "tampering" && !isVar)) {
      report("tampering", first.name, `${variable.name} belongs to the page and is replaced`, "Choose another name.");
    } else if (isVar && (what.kind === "forbidden" || what.kind === "window")) {
      const { node, parent } = first;
      const settled = node.init && parent.parent.type === "Program" && fact.reads.every((read) => read.start > node.end);
      fact.mayBePage = !settled;
      if (what.code === "tampering") report("tampering", first.name, `${variable.name} belongs to the page and is replaced`, "Choose another name.");
    }
  }
}

function entryPoints(globalScope, facts, assigned) {
  const defined = (name) => {
    if (assigned.has(name)) return true;
    const variable = globalScope.set.get(name);
    if (!variable) return false;
    if (variable.defs.some((d) => d.type === "FunctionName")) return true;
    const { definition, writes } = facts.get(variable);
    return writes.length > 0 && !(definition && /^(Literal|TemplateLiteral|ObjectExpression|ArrayExpression)$/.test(definition.type));
  };
  return { has_setup: defined("setup"), has_draw: defined("draw") };
}

class Findings {
  constructor(source) {
    this.source = source;
    this.seen = new Set();
    this.list = [];
    this.report = (code, node, message, remedy = "") => {
      const at = node?.range ? node.start : 0;
      const key = code + at + message;
      if (this.seen.has(key) || this.list.length >= MOST_FINDINGS) return;
      this.seen.add(key);
      this.list.push({ code, at, end: node?.range ? node.end : 0, message, remedy });
    };
  }

  placed() {
    const starts = [0];
    for (const line of this.source.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(line.index + line[0].length);
    return this.list.sort((a, b) => a.at - b.at).map(({ at, end, ...finding }) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle] <= at) low = middle;
        else high = middle - 1;
      }
      const text = this.source.slice(at, end > at ? end : at + 60).split(/[\n\r]/, 1)[0].trim();
      return { ...finding, line: low + 1, column: at - starts[low] + 1, excerpt: text.length > 80 ? text.slice(0, 77) + "..." : text };
    });
  }
}

function inspect(source) {
  const findings = new Findings(source);
  const counts = { n_shapes: 0, n_vertices: 0, n_circles: 0, n_fill_calls: 0, brush_methods_used: [], has_setup: false, has_draw: false };
  const { ast, problems } = parse(source);
  if (problems) {
    findings.list.push(...problems.map((problem) => ({ ...problem, end: 0, remedy: "" })));
    return { findings: findings.placed(), ...counts };
  }
  const own = prepare(ast);
  const { names, facts, scopeOf, globalScope } = resolve(ast);
  const graph = new Graph();
  const rules = new Rules(graph, own, findings.report);
  const folder = new Folder(names, facts);
  folder.scopes = scopeOf;
  judgeGlobals(globalScope, facts, findings.report);
  const reader = new Reader({ graph, rules, folder, names, facts, own, report: findings.report, globalScope });
  reader.program(ast);
  for (const name of policy.ENTRIES) {
    const variable = globalScope.set.get(name);
    const place = variable ? reader.place(variable) : graph.global(name);
    graph.listen(place, (item) => {
      if (item.kind === "function" && item.made.sloppy) graph.add(item.made.self, rules.page);
    });
  }
  graph.settle();
  const tally = [...rules.calls.values()];
  const count = (name) => tally.filter((method) => method === name).length;
  Object.assign(counts, entryPoints(globalScope, facts, rules.assigned), {
    n_shapes: count("beginShape") + count("circle"),
    n_vertices: count("vertex"),
    n_circles: count("circle"),
    n_fill_calls: count("fill"),
    brush_methods_used: [...rules.used].sort(),
  });
  judgeWhole(counts, rules, findings);
  return { findings: findings.placed(), ...counts };
}

function judgeWhole(counts, rules, { list, report }) {
  if (!counts.has_setup) report("missing_entry_points", null, "the sketch defines no setup function", "Start from function setup() { createCanvas(600, 600, WEBGL); ... }.");
  if (!rules.webgl) {
    const message = rules.canvases ? "createCanvas is not given WEBGL" : "the sketch never creates a canvas";
    report("not_webgl", null, message, "Write createCanvas(600, 600, WEBGL) in setup.");
  }
  if (list.length === 0 && !rules.used.has("circle") && !rules.used.has("endShape")) {
    report("blank_canvas", null, "the sketch never fills a shape", policy.USE_BRUSH);
  }
}

function survey(source) {
  if (!parse(source).ast) return { parses: false, setup: false, draw: false, clean: false };
  const { findings, has_setup, has_draw } = inspect(source);
  return { parses: true, setup: has_setup, draw: has_draw, clean: findings.length === 0 };
}

function answer(request) {
  if (request.op === "survey") return { surveys: request.sources.map(guarded(survey, { parses: false, setup: false, draw: false, clean: false })) };
  const tooDeep = { code: "resource_limit", line: 1, column: 1, message: "the code is nested too deeply to read", remedy: "", excerpt: "" };
  return guarded(inspect, { findings: [tooDeep], n_shapes: 0, n_vertices: 0, n_circles: 0, n_fill_calls: 0, brush_methods_used: [], has_setup: false, has_draw: false })(request.source);
}

const guarded = (work, otherwise) => (source) => {
  try {
    return work(source);
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
};

module.exports = { inspect, survey };

if (require.main === module) {
  require("node:readline").createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
    process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
  });
}
