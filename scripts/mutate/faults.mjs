// The faults that can be seeded in a TypeScript text: one small change each, found in its syntax
// tree.

import { parseAst } from "vitest/node";

/**
 * @typedef {object} Fault
 * @property {string} kind what is changed, for the summary
 * @property {number} start
 * @property {number} end
 * @property {string} text what stands between start and end instead
 * @property {Place} [place] where a run passes before it can meet the fault; absent if it is met while loading
 */
/**
 * A statement in a list, or the body of an arrow. @typedef {{ start: number, end: number, isBody:
 * boolean }} Place
 */

const operators = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "+=": "-=",
  "-=": "+=",
  "&&": "||",
  "||": "&&",
};
const literals = { 0: "1", 1: "0", "0n": "1n", "1n": "0n", true: "false", false: "true" };
const methods = { some: "every", every: "some" };

/** Every fault of a text, in its order. @param {string} text @returns {Fault[]} */
export function faultsOf(text) {
  /** @type {Fault[]} */
  const faults = [];
  /** @type {Place | undefined} */
  let place;
  const source = (node) => text.slice(node.start, node.end);
  const replace = (kind, start, end, replacement) =>
    faults.push({ kind, start, end, text: replacement, place });
  /**
   * The operator stands between its operands; comments may stand there too, so the last match is
   * not enough.
   */
  const operator = (kind, { left, right, operator: written }) => {
    const at = left.end + withoutComments(text.slice(left.end, right.start)).indexOf(written);
    if (at >= left.end) replace(kind, at, at + written.length, operators[written]);
  };
  const force = (test) => {
    replace("condition forced", test.start, test.end, "true");
    replace("condition forced", test.start, test.end, "false");
  };

  const seeders = {
    BinaryExpression: (node) => {
      if (node.operator in operators)
        operator(/[+-]/.test(node.operator) ? "+ and -" : "comparison", node);
    },
    AssignmentExpression: (node) => {
      if (node.operator in operators) operator("+ and -", node);
    },
    LogicalExpression: (node) => {
      if (node.operator === "??") replace("?? removed", node.left.end, node.right.end, "");
      else operator("&& and ||", node);
    },
    Literal: (node) => {
      const instead = typeof node.value === "string" ? undefined : literals[source(node)];
      if (instead) replace("literal", node.start, node.end, instead);
    },
    UnaryExpression: (node) => {
      if (node.operator === "!") replace("! removed", node.start, node.argument.start, "");
    },
    IfStatement: ({ test }) => force(test),
    ConditionalExpression: ({ test }) => force(test),
    ReturnStatement: (node) => {
      if (!node.argument) replace("early exit removed", node.start, node.end, ";");
      // Nothing is as good as false almost everywhere, and false has its own fault.
      else if (
        !["undefined", "false"].includes(source(node.argument)) &&
        !isImpossible(node.argument)
      )
        replace("nothing returned", node.argument.start, node.argument.end, "undefined");
    },
    ContinueStatement: (node) => replace("early exit removed", node.start, node.end, ";"),
    ExpressionStatement: (node) => {
      if (node.expression.type === "CallExpression")
        replace("call removed", node.start, node.end, ";");
    },
    CallExpression: ({ callee, end }) => {
      if (callee.type !== "MemberExpression" || callee.computed) return;
      const { object, property } = callee;
      if (property.name in methods)
        replace("some and every", property.start, property.end, methods[property.name]);
      if (property.name === "filter") replace("filter dropped", object.end, end, "");
    },
  };

  const visit = (node) => {
    if (!node || typeof node !== "object" || typeof node.type !== "string" || isErased(node))
      return;
    seeders[node.type]?.(node);
    for (const [key, child] of Object.entries(node)) {
      if (typeParts.has(key)) continue;
      const outer = place;
      for (const each of Array.isArray(child) ? child : [child]) {
        place = placeIn(node, key, each, outer);
        visit(each);
      }
      place = outer;
    }
  };
  visit(parseAst(text, { lang: "ts" }));
  return faults;
}

/** The text with a fault in it. @param {string} text @param {Fault} fault */
export function seeded(text, fault) {
  return text.slice(0, fault.start) + fault.text + text.slice(fault.end);
}

/**
 * The text with a note of every place: `note(place)` is an expression to evaluate there.
 * @param {string} text @param {readonly Place[]} places @param {(place: Place) => string} note
 */
export function noted(text, places, note) {
  const inserted = places.flatMap((place) =>
    place.isBody
      ? [
          { at: place.start, text: `(${note(place)}, ` },
          { at: place.end, text: ")" },
        ]
      : [{ at: place.start, text: `${note(place)}; ` }],
  );
  let from = 0;
  const parts = inserted
    .sort((a, b) => a.at - b.at)
    .map(({ at, text: added }) => {
      const part = text.slice(from, at) + added;
      from = at;
      return part;
    });
  return parts.join("") + text.slice(from);
}

/** Which place a part of the tree has, given that of the node it is a part of. */
function placeIn({ type }, key, part, outer) {
  if (!part || typeof part !== "object") return outer;
  const { start, end } = part;
  if (
    (type === "BlockStatement" && key === "body") ||
    (type === "SwitchCase" && key === "consequent")
  )
    return { start, end, isBody: false };
  if (type === "ArrowFunctionExpression" && key === "body" && part.type !== "BlockStatement")
    return { start, end, isBody: true };
  // Default values of parameters belong to calls, not to the statement around the function.
  if (key === "params" || type === "Program" || type === "PropertyDefinition") return undefined;
  return outer;
}

/** Expressions that only carry a type; their operand runs. */
const carriers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const typeParts = new Set(["typeAnnotation", "typeArguments", "typeParameters", "returnType"]);

/** What is no part of the running program. */
function isErased({ type }) {
  return type === "ImportDeclaration" || (type.startsWith("TS") && !carriers.has(type));
}

/** What closes a union, `value satisfies never`, is proved not to run. */
function isImpossible({ type, typeAnnotation }) {
  return type === "TSSatisfiesExpression" && typeAnnotation.type === "TSNeverKeyword";
}

/** Comments as blanks, so that every place stays where it is. */
function withoutComments(text) {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length));
}
