// Terms as Einlang source: `2 * i + k - 1`.
//
// The `/` and `%` of the source truncate. They agree with floor division only if the dividend is
// not negative or the divisor divides it. So a dividend e is written in one of three ways:
//
//   e                   if one of these is known
//   e + k·d             with the smallest k that makes it not negative:
//                       ⌊e/d⌋ = ⌊(e + k·d)/d⌋ - k, and the remainder does not change
//   (e % d + d) % d     otherwise: this is right for every e
//
// A parameter says what is known. By default variables count as not negative and divisors as at
// least 1.

import {
  add,
  equal,
  isConstant,
  multiply,
  ofAtom,
  ofFactors,
  plus,
  scale,
  subtract,
} from "./term.ts";
import type { Atom, Part, Term } from "./term.ts";

/** What is known about the values of terms. */
export interface Knowledge {
  nonNegative(term: Term): boolean;
  divisible(value: Term, by: Term): boolean;
}

/** The default: variables are not negative. */
const obvious: Knowledge = { nonNegative: obviouslyNonNegative, divisible: () => false };

function obviouslyNonNegative(term: Term): boolean {
  return (
    term.constant >= 0 &&
    term.parts.every((part) => part.coefficient > 0 && part.factors.every(obviousAtom))
  );
}

function obviousAtom(atom: Atom): boolean {
  if (atom.kind === "variable") return true;
  if (atom.kind === "floor") return obviouslyNonNegative(atom.dividend);
  return atom.kind === "min"
    ? atom.members.every(obviouslyNonNegative)
    : atom.members.some(obviouslyNonNegative);
}

export function show(term: Term, known: Knowledge = obvious): string {
  const pieces: Piece[] = [];
  let rest = term;
  for (const remainder of remaindersOf(term)) {
    const next = subtract(rest, scale(remainder.value, remainder.times));
    if (next.parts.length >= rest.parts.length) continue;
    rest = next;
    pieces.push({
      sign: Math.sign(remainder.times),
      text: timesText(remainder.times, showRemainder(remainder, known)),
    });
  }
  const shift = { constant: rest.constant };
  const plain = rest.parts.map((part) => {
    const factors = part.factors.map((atom) =>
      showAtom(atom, known, part.factors.length === 1 ? part : undefined, shift),
    );
    return {
      sign: Math.sign(part.coefficient),
      text: timesText(part.coefficient, factors.join(" * ")),
    };
  });
  // Positive summands come before negative ones. The constant is last, unless everything else is
  // negative.
  const all = [...plain, ...pieces];
  const ordered = [
    ...all.filter((piece) => piece.sign > 0),
    ...all.filter((piece) => piece.sign < 0),
  ];
  if (shift.constant !== 0 || ordered.length === 0) {
    const piece = { sign: shift.constant < 0 ? -1 : 1, text: String(Math.abs(shift.constant)) };
    if (piece.sign > 0 && ordered.every((other) => other.sign < 0)) ordered.unshift(piece);
    else ordered.push(piece);
  }
  return ordered.map(withSign).join("");
}

/** A quotient or remainder needs no parentheses as a summand. */
function withSign({ sign, text }: Piece, at: number): string {
  if (at === 0) return sign < 0 ? `-${text}` : withoutParentheses(text);
  return (sign < 0 ? " - " : " + ") + withoutParentheses(text);
}

interface Piece {
  readonly sign: number;
  readonly text: string;
}

function timesText(times: number, text: string): string {
  return Math.abs(times) === 1 ? text : `${Math.abs(times)} * ${text}`;
}

interface Remainder {
  readonly dividend: Term;
  readonly divisor: Term;
  readonly value: Term;
  readonly times: number;
}

/**
 * The remainders of which a term may contain a multiple. A part with a quotient is a sign of one.
 */
function remaindersOf(term: Term): Remainder[] {
  const found: Remainder[] = [];
  for (const part of term.parts) {
    const atom = part.factors.find((factor) => factor.kind === "floor");
    if (atom?.kind !== "floor") continue;
    const others = scale(
      ofFactors(part.factors.filter((factor) => factor !== atom)),
      part.coefficient,
    );
    // t·(e - d·⌊e/d⌋): the factor of the quotient is -t·d.
    const [leading] = atom.divisor.parts;
    const times = -part.coefficient / (leading ? leading.coefficient : atom.divisor.constant);
    const several = atom.divisor.parts.length > 1;
    if (Number.isInteger(times) && (several || equal(scale(atom.divisor, -times), others))) {
      found.push(remainder(atom.dividend, atom.divisor, ofAtom(atom), times));
    }
    // t·(⌊e/d⌋ - k·⌊e/(k·d)⌋): a remainder by k, of a quotient.
    for (const { coefficient, factors } of term.parts) {
      const [inner] = factors;
      if (factors.length > 1 || inner?.kind !== "floor" || !equal(inner.dividend, atom.dividend))
        continue;
      if (part.coefficient % coefficient !== 0) continue;
      const by = scale(
        ofFactors(part.factors.filter((factor) => factor !== atom)),
        -part.coefficient / coefficient,
      );
      if (equal(multiply(by, inner.divisor), atom.divisor))
        found.push(remainder(ofAtom(inner), by, ofAtom(atom), coefficient));
    }
  }
  return found;
}

function remainder(dividend: Term, divisor: Term, quotient: Term, times: number): Remainder {
  return { dividend, divisor, value: subtract(dividend, multiply(divisor, quotient)), times };
}

function showRemainder({ dividend, divisor }: Remainder, known: Knowledge): string {
  const by = inParentheses(show(divisor, known));
  const lifted = truncatable(dividend, divisor, known);
  if (lifted) return `(${inParentheses(show(lifted.dividend, known))} % ${by})`;
  return `((${inParentheses(show(dividend, known))} % ${by} + ${show(divisor, known)}) % ${by})`;
}

/** The dividend plus the fewest divisors that make it safe to truncate. */
function truncatable(
  dividend: Term,
  divisor: Term,
  known: Knowledge,
): { dividend: Term; times: number } | undefined {
  if (known.divisible(dividend, divisor)) return { dividend, times: 0 };
  let lifted = dividend;
  for (let times = 0; times <= 4; times++) {
    // A divisor is at least 1, so e + k·d is not negative if e + k is not.
    if (known.nonNegative(lifted) || known.nonNegative(plus(dividend, times)))
      return { dividend: lifted, times };
    lifted = add(lifted, divisor);
  }
  return undefined;
}

/**
 * ⌊e/d⌋ + c as ⌊(e + c·d)/d⌋ with a number d: if d divides e, or if c < 0 and the new dividend is
 * not negative.
 */
function absorbing(
  dividend: Term,
  divisor: Term,
  shift: number,
  known: Knowledge,
): Term | undefined {
  if (shift === 0 || !isConstant(divisor)) return undefined;
  const whole = add(dividend, scale(divisor, shift));
  if (known.divisible(dividend, divisor)) return whole;
  return shift < 0 && known.nonNegative(whole) ? whole : undefined;
}

/**
 * One factor as text. A floor that stands alone may move whole divisors into the constant of its
 * sum, `shift`.
 */
function showAtom(
  atom: Atom,
  known: Knowledge,
  alone: Part | undefined,
  shift: { constant: number },
): string {
  switch (atom.kind) {
    case "variable":
      return atom.variable.name;
    case "floor": {
      const by = inParentheses(show(atom.divisor, known));
      const whole =
        alone?.coefficient === 1
          ? absorbing(atom.dividend, atom.divisor, shift.constant, known)
          : undefined;
      if (whole) {
        shift.constant = 0;
        return `(${inParentheses(show(whole, known))} / ${by})`;
      }
      const lifted = truncatable(atom.dividend, atom.divisor, known);
      if (lifted && (lifted.times === 0 || alone)) {
        if (alone) shift.constant -= lifted.times * alone.coefficient;
        return `(${inParentheses(show(lifted.dividend, known))} / ${by})`;
      }
      const dividend = show(atom.dividend, known);
      return (
        `((${dividend} - (${inParentheses(dividend)} % ${by} + ${show(atom.divisor, known)}) ` +
        `% ${by}) / ${by})`
      );
    }
    case "min":
    case "max":
      return atom.members
        .map((member) => show(member, known))
        .reduceRight((right, left) => `${atom.kind}(${left}, ${right})`);
    default:
      return atom satisfies never;
  }
}

/** Parentheses around anything but a word, `extent(n)` or a number. */
function inParentheses(text: string): string {
  return /^\w+(\(\w+\))?$/.test(text) || isInParentheses(text) ? text : `(${text})`;
}

/** Whether the first parenthesis closes at the very end. */
function isInParentheses(text: string): boolean {
  if (!text.startsWith("(")) return false;
  let depth = 0;
  for (let k = 0; k < text.length; k++) {
    if (text[k] === "(") depth++;
    else if (text[k] === ")" && --depth === 0) return k === text.length - 1;
  }
  return false;
}

function withoutParentheses(text: string): string {
  return isInParentheses(text) ? text.slice(1, -1) : text;
}
