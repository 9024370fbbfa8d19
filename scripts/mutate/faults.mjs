// Finds the faults that can be seeded in a TypeScript text. Each fault is one small change, found
// in the syntax tree: `<` becomes `<=`.

import { parseAst } from "vitest/node";

/**
 * @typedef {object} Fault
 * @property {string} kind the kind of change, for the summary
 * @property {number} start
 * @property {number} end
 * @property {string} text the text that replaces the text between start and end
 * @property {Place} [place] where a run passes before it can reach the fault; absent if the fault
 *   is reached while loading
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
   * Replaces the operator between two operands. Comments may stand between them too, so they are
   * left out of the search.
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
      // `undefined` acts like `false` almost everywhere, and `false` is a fault of its own.
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

/** The place of a part of the tree. `outer` is the place of the node that contains the part. */
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
  // Default values of parameters belong to the calls, not to the statement around the function.
  if (key === "params" || type === "Program" || type === "PropertyDefinition") return undefined;
  return outer;
}

/** Expressions that only add a type. Their operand runs. */
const carriers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const typeParts = new Set(["typeAnnotation", "typeArguments", "typeParameters", "returnType"]);

/** Whether a node is no part of the running program. */
function isErased({ type }) {
  return type === "ImportDeclaration" || (type.startsWith("TS") && !carriers.has(type));
}

/** Whether an expression never runs: `value satisfies never` closes a union. */
function isImpossible({ type, typeAnnotation }) {
  return type === "TSSatisfiesExpression" && typeAnnotation.type === "TSNeverKeyword";
}

/** Replaces comments by blanks, so that every offset stays the same. */
function withoutComments(text) {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length));
}
