// Writes the text of a program of the derivative fuzzer.

import type { Condition, Expression, Index, Loop, Program, Statement } from "./program.ts";

export function textOf(program: Program): string {
  return program.map(statementText).join("\n");
}

function statementText(statement: Statement): string {
  switch (statement.kind) {
    case "input": {
      const { name, shape, cells, isLiteral } = statement;
      const type = shape.length === 0 ? "f64" : `[f64; ${shape.join(", ")}]`;
      return isLiteral
        ? `let ${name}: ${type} = ${nested(cells, shape)};`
        : `input ${name}: ${type};`;
    }
    case "integers": {
      const { name, cells, isLiteral } = statement;
      return isLiteral
        ? `let ${name} = [${cells.join(", ")}];`
        : `input ${name}: [i32; ${cells.length}];`;
    }
    case "function": {
      const { name, integers, floats, body, rule } = statement;
      const parameters = [
        ...integers.map((each) => `${each}: i32`),
        ...floats.map((each) => `${each}: f64`),
      ];
      const tangent = rule ? `\n@fn ${name}(${parameters.join(", ")}) { ${rule} }` : "";
      return `fn ${name}(${parameters.join(", ")}) -> f64 { ${insideText(body)} }${tangent}`;
    }
    case "define":
      return statement.clauses
        .map(({ slots, guard, body, otherwise }) => {
          const slot = (each: Loop | number): string =>
            typeof each === "number" ? String(each) : loopText(each);
          const left =
            slots.length === 0
              ? statement.name
              : `${statement.name}[${slots.map(slot).join(", ")}]`;
          const where = guard ? ` where ${conditionText(guard)}` : "";
          const other = otherwise ? ` else ${expressionText(otherwise)}` : "";
          return `let ${left} = ${expressionText(body)}${where}${other};`;
        })
        .join("\n");
    case "request": {
      const { name, of, by, ofShape, byShape, isIndexed, cell, inSteps } = statement;
      if (inSteps) {
        const [steps, ...rest] = byShape.map((extent, axis) => `${"tuv"[axis]!} in 0..${extent}`);
        const at = byShape.map((_, axis) => "tuv"[axis]!).join(", ");
        return `let ${name}[${[steps!, ...rest].join(", ")}] = @${of}[t] / @${by}[${at}];`;
      }
      if (cell) return `let ${name} = @${of}[${cell.join(", ")}] / @${by};`;
      const own = ofShape.map((_, axis) => "abc"[axis]!);
      const others = byShape.map((_, axis) => "uvw"[axis]!);
      const indexed = (each: string, at: readonly string[]): string =>
        isIndexed && at.length > 0 ? `${each}[${at.join(", ")}]` : each;
      return (
        `let ${indexed(name, [...own, ...others])} = ` +
        `@${indexed(of, own)} / @${indexed(by, others)};`
      );
    }
    default:
      return statement satisfies never;
  }
}

function nested(cells: readonly number[], [extent, ...others]: readonly number[]): string {
  if (extent === undefined) return numberText(cells[0]!);
  const size = cells.length / extent;
  const rows = Array.from({ length: extent }, (_, k) =>
    nested(cells.slice(k * size, (k + 1) * size), others),
  );
  return `[${rows.join(", ")}]`;
}

function numberText(value: number): string {
  const digits = `${Number.isInteger(value) ? `${value}.0` : value}f64`;
  return value < 0 ? `(${digits})` : digits;
}

function loopText({ name, from, to }: Loop): string {
  return `${name} in ${indexText(from)}..${indexText(to)}`;
}

function indexText(index: Index): string {
  switch (index.kind) {
    case "number":
      return String(index.value);
    case "coordinate": {
      const { name, plus, modulo } = index;
      const sum = plus === 0 ? name : `${name} ${plus < 0 ? "-" : "+"} ${Math.abs(plus)}`;
      return modulo === undefined ? sum : `(${sum}) % ${modulo}`;
    }
    case "lookup":
      return `${index.name}[${indexText(index.at)}]`;
    default:
      return index satisfies never;
  }
}

function conditionText(condition: Condition): string {
  if (condition.kind === "above")
    return `${expressionText(condition.of)} > ${numberText(condition.than)}`;
  return `${indexText(condition.left)} ${condition.operation} ${indexText(condition.right)}`;
}

/** The inside of a block. */
function insideText(expression: Expression): string {
  if (expression.kind !== "let") return expressionText(expression);
  return (
    `let ${expression.name} = ${expressionText(expression.value)}; ` + insideText(expression.body)
  );
}

function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case "number":
      return numberText(expression.value);
    case "position":
      return `((${indexText(expression.index)}) as f64)`;
    case "read": {
      const { name, at } = expression;
      return at.length === 0 ? name : `${name}[${at.map(indexText).join(", ")}]`;
    }
    case "local":
      return expression.name;
    case "unary": {
      const inner = expressionText(expression.of);
      return expression.operation === "negate"
        ? `(-(${inner}))`
        : `${expression.operation}(${inner})`;
    }
    case "binary": {
      const { operation, left, right } = expression;
      const [a, b] = [expressionText(left), expressionText(right)];
      return operation === "max" || operation === "min"
        ? `${operation}(${a}, ${b})`
        : `(${a} ${operation} ${b})`;
    }
    case "clamp": {
      const { of, low, high } = expression;
      return `clamp(${expressionText(of)}, ${numberText(low)}, ${numberText(high)})`;
    }
    case "if": {
      const { condition, then, otherwise } = expression;
      const branches = `{ ${expressionText(then)} } else { ${expressionText(otherwise)} }`;
      return `(if ${conditionText(condition)} ${branches})`;
    }
    case "let":
      return `{ ${insideText(expression)} }`;
    case "slope":
      return `(@${expression.of} / @${expression.by})`;
    case "call": {
      const given = [
        ...expression.integers.map(indexText),
        ...expression.floats.map(expressionText),
      ];
      return `${expression.name}(${given.join(", ")})`;
    }
    case "reduce": {
      const { operation, along, guard, of } = expression;
      const where = guard ? ` where ${conditionText(guard)}` : "";
      return `${operation}[${along.map(loopText).join(", ")}](${expressionText(of)}${where})`;
    }
    default:
      return expression satisfies never;
  }
}
