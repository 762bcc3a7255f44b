"use strict";
// Which expressions are sure to be numbers. A number as a key can only be a place in a list, never the name of a member.

const ARITHMETIC = new Set("- * / % ** | & ^ << >> >>>".split(" "));
const NUMERIC_CALLS = new Set(("floor ceil round int abs min max constrain sqrt pow parseInt Number noise lerp map sin cos tan " +
  "atan2 dist mag sq norm radians degrees randomGaussian").split(" "));

class Numbers {
  constructor(names, facts) {
    this.names = names;
    this.facts = facts;
    this.known = new Map();
  }

  /** Whether an expression is sure to be a number, so that as a key it can only be a place in a list. */
  isNumber(node) {
    switch (node.type) {
      case "Literal":
        return typeof node.value === "number";
      case "UpdateExpression":
        return true;
      case "UnaryExpression":
        return node.operator === "-" || node.operator === "+" || node.operator === "~";
      case "BinaryExpression":
        return ARITHMETIC.has(node.operator) || (node.operator === "+" && this.isNumber(node.left) && this.isNumber(node.right));
      case "ParenthesizedExpression":
        return this.isNumber(node.expression);
      case "ConditionalExpression":
        return this.isNumber(node.consequent) && this.isNumber(node.alternate);
      case "AssignmentExpression":
        return node.operator === "=" || node.operator === "+=" ? this.isNumber(node.right) : ARITHMETIC.has(node.operator.slice(0, -1));
      case "MemberExpression":
        return !node.computed && node.property.name === "length";
      case "CallExpression": {
        const callee = node.callee;
        if (callee.type === "Identifier") return NUMERIC_CALLS.has(callee.name) && !this.names.get(callee) && node.arguments.every((a) => a.type !== "SpreadElement");
        return callee.type === "MemberExpression" && !callee.computed && callee.object.type === "Identifier" && callee.object.name === "Math" && !this.names.get(callee.object);
      }
      case "Identifier": {
        const variable = this.names.get(node);
        if (!variable) return node.name === "frameCount";
        const known = this.known.get(variable);
        if (known !== undefined) return known;
        this.known.set(variable, true);
        const fact = this.facts.get(variable);
        const sure = variable.defs.length > 0 && variable.defs.every((d) => d.type === "Variable") && fact.sources.length > 0 && fact.sources.every((source) => source && this.isNumber(source));
        this.known.set(variable, sure);
        return sure;
      }
      default:
        return false;
    }
  }
}

module.exports = { Numbers };
