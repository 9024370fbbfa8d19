// Random programs for property tests: arbitraries over every form of the syntax tree. The programs
// have no meaning, but the parser could have made each tree. All spans are at the start of an empty
// source.

import fc from "fast-check";
import type * as ast from "../../src/syntax/tree/ast.ts";
import { binaryOperators } from "./leaves.ts";
import {
  integer,
  maybe,
  name,
  nameOf,
  numberLiteral,
  optional,
  some,
  source,
  span,
} from "./leaves.ts";
import {
  boolLiteral,
  names,
  path,
  plainString,
  stringText,
  typeName,
  typePath,
  useTree,
} from "./leaves.ts";

interface Forms {
  type: ast.Type;
  pattern: ast.Pattern;
  expression: ast.Expression;
  block: ast.Block;
  conditional: ast.If;
  where: ast.Where;
  statement: ast.Statement;
}

const maxDepth = 5;
const depthOf = (depthIdentifier: string): fc.OneOfConstraints => ({
  depthIdentifier,
  maxDepth,
  withCrossShrink: true,
});

const forms = fc.letrec<Forms>((tie: fc.LetrecTypedTie<Forms>) => {
  const type = tie("type");
  const pattern = tie("pattern");
  const expression = tie("expression");
  const block = tie("block");
  const where = tie("where");
  const statement = tie("statement");

  const dim: fc.Arbitrary<ast.Dim> = fc.oneof(
    fc.nat(4096).map((value): ast.Dim => ({ kind: "number", value, span })),
    name.map((one): ast.Dim => ({ kind: "name", name: one, span })),
    name.map((one): ast.Dim => ({ kind: "pack", name: one, span })),
    fc.constant<ast.Dim>({ kind: "unknown", span }),
  );
  const dims = fc.oneof(some(dim, 1, 4), fc.constant<ast.Dim[]>([{ kind: "any-rank", span }]));
  const scalar = fc
    .constantFrom("f32", "i32", "bool", "str", "float", "bf16")
    .map((text): ast.Type => ({
      kind: "named",
      path: [nameOf(text)],
      arguments: [],
      span,
    }));

  const signedNumber = fc.oneof(
    numberLiteral,
    numberLiteral.map((operand): ast.Expression => ({
      kind: "unary",
      operator: "-",
      operand,
      span,
    })),
  );
  const rangeEnd: fc.Arbitrary<ast.Expression> = fc.oneof(signedNumber, path);

  const slot: fc.Arbitrary<ast.Slot> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({ name, range: maybe(expression) })
        .map(({ name: one, range }): ast.Slot => ({
          kind: "coordinate",
          name: one,
          ...optional({ range }),
          span,
        })),
    },
    name.map((one): ast.Slot => ({ kind: "pack", name: one, span })),
    integer.map((value): ast.Slot => ({ kind: "expression", value, span })),
  );
  const bracketItem: fc.Arbitrary<ast.BracketItem> = fc.oneof(
    { weight: 3, arbitrary: slot },
    names(2).map((group): ast.BracketItem => ({ kind: "group", names: group, span })),
  );
  const indexItem: fc.Arbitrary<ast.IndexItem> = fc.oneof(
    {
      weight: 4,
      arbitrary: expression.map((value): ast.IndexItem => ({ kind: "expression", value, span })),
    },
    name.map((one): ast.IndexItem => ({ kind: "pack", name: one, span })),
    fc
      .tuple(name, expression)
      .map(([one, value]): ast.IndexItem => ({ kind: "pin", name: one, value, span })),
  );
  const argument: fc.Arbitrary<ast.Argument> = fc
    .record({ name: fc.option(name, { nil: undefined, freq: 4 }), value: expression })
    .map(({ name: one, value }) => ({ ...optional({ name: one }), value, span }));
  const stringPart: fc.Arbitrary<ast.StringPart[]> = fc
    .tuple(
      maybe(stringText),
      expression,
      maybe(fc.constantFrom(".4f", ">10", "", ",.2e", "08d", "%", ":>8")),
    )
    .map(([text, value, format]) => [
      ...(text === undefined ? [] : [{ kind: "text", text, span } as const]),
      { kind: "value", value, ...optional({ format }), span },
    ]);
  const clause: fc.Arbitrary<ast.ComprehensionClause> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(pattern, expression).map(([one, from]): ast.ComprehensionClause => ({
        kind: "generator",
        pattern: one,
        source: from,
        span,
      })),
    },
    expression.map((condition): ast.ComprehensionClause => ({ kind: "guard", condition, span })),
    fc.tuple(name, expression).map(([one, value]): ast.ComprehensionClause => ({
      kind: "binding",
      name: one,
      value,
      span,
    })),
  );
  const arm: fc.Arbitrary<ast.Arm> = fc
    .record({ pattern, guard: maybe(expression), body: expression })
    .map(({ pattern: one, guard, body }) => ({ pattern: one, ...optional({ guard }), body, span }));
  const whereItem: fc.Arbitrary<ast.WhereItem> = fc.oneof(
    expression.map((condition): ast.WhereItem => ({ kind: "guard", condition, span })),
    fc
      .tuple(name, expression)
      .map(([one, value]): ast.WhereItem => ({ kind: "binding", name: one, value, span })),
  );

  const parameter: fc.Arbitrary<ast.Parameter> = fc
    .record({ name, type: maybe(type), value: maybe(expression) })
    .map(({ name: one, type: of, value }) => ({
      name: one,
      ...optional({ type: of, default: value }),
      span,
    }));
  const coordinate: fc.Arbitrary<ast.CoordinateParameter> = fc
    .record({ name, pack: fc.boolean() })
    .map((one) => ({ ...one, span }));
  const signature = fc.record({
    name,
    coordinates: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: some(coordinate, 1) },
    ),
    parameters: some(parameter, 0),
    result: maybe(type),
    body: block,
  });
  const fields = some(fc.record({ name, type }), 0);
  const variant: fc.Arbitrary<ast.Variant> = fc
    .tuple(typeName, some(fc.record({ name: maybe(name), type }), 0, 2))
    .map(([one, parts]) => ({
      name: one,
      fields: parts.map(({ name: of, type: is }) => ({ ...optional({ name: of }), type: is })),
      span,
    }));

  const marks = fc.record({
    allow: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: some(fc.constantFrom("W0203", "W0101").map(nameOf), 1, 2) },
    ),
    public: fc.oneof(
      { weight: 4, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  });
  /** Statements that may be `pub`, and statements that may not. */
  const exported = <T extends ast.Statement>(
    form: fc.Arbitrary<Omit<T, "allow" | "public" | "span">>,
  ): fc.Arbitrary<ast.Statement> =>
    fc
      .tuple(marks, form)
      .map(([mark, parts]) => ({ ...parts, ...mark, span }) as unknown as ast.Statement);
  const local = <T extends ast.Statement>(
    form: fc.Arbitrary<Omit<T, "allow" | "public" | "span">>,
  ): fc.Arbitrary<ast.Statement> =>
    fc.tuple(marks, form).map(
      ([mark, parts]) =>
        ({
          ...parts,
          allow: mark.allow,
          public: false,
          span,
        }) as unknown as ast.Statement,
    );

  return {
    type: fc.oneof(
      depthOf("type"),
      { weight: 3, arbitrary: scalar },
      fc
        .tuple(fc.array(name, { maxLength: 1 }), typeName, some(type, 0, 2))
        .map(([front, last, given]): ast.Type => ({
          kind: "named",
          path: [...front, last],
          arguments: given,
          span,
        })),
      fc.record({ element: type, dims: maybe(dims) }).map(({ element, dims: all }): ast.Type => ({
        kind: "tensor",
        element,
        ...optional({ dims: all }),
        span,
      })),
      some(type, 2).map((members): ast.Type => ({ kind: "tuple", members, span })),
      fc
        .tuple(some(type, 0, 2), type)
        .map(([parameters, result]): ast.Type => ({ kind: "function", parameters, result, span })),
      type.map((element): ast.Type => ({ kind: "jagged", element, span })),
    ),

    pattern: fc.oneof(
      depthOf("pattern"),
      { weight: 4, arbitrary: name.map((one): ast.Pattern => ({ kind: "name", name: one, span })) },
      fc.constant<ast.Pattern>({ kind: "wildcard", span }),
      fc
        .oneof(signedNumber, plainString, boolLiteral)
        .map((value): ast.Pattern => ({ kind: "literal", value, span })),
      fc.tuple(rangeEnd, rangeEnd, fc.boolean()).map(([from, to, inclusive]): ast.Pattern => ({
        kind: "range",
        from,
        to,
        inclusive,
        span,
      })),
      fc
        .tuple(name, pattern)
        .map(([one, inner]): ast.Pattern => ({ kind: "at", name: one, pattern: inner, span })),
      some(pattern, 2).map((members): ast.Pattern => ({ kind: "tuple", members, span })),
      fc
        .tuple(some(pattern, 0, 2), maybe(maybe(name)), some(pattern, 0, 2), fc.boolean())
        .map(([before, rest, after, has]): ast.Pattern =>
          has
            ? { kind: "array", before, rest: { ...optional({ name: rest }), span }, after, span }
            : { kind: "array", before: [...before, ...after], after: [], span },
        ),
      some(pattern, 2).map((alternatives): ast.Pattern => ({ kind: "or", alternatives, span })),
      fc
        .tuple(typePath, some(fc.record({ name: maybe(name), pattern }), 0))
        .map(([one, parts]): ast.Pattern => ({
          kind: "variant",
          path: one,
          fields: parts.map(({ name: of, pattern: inner }) => ({
            ...optional({ name: of }),
            pattern: inner,
          })),
          span,
        })),
      fc
        .tuple(typePath, some(fc.record({ name, pattern }), 0), fc.boolean())
        .map(([one, parts, rest]): ast.Pattern => ({
          kind: "struct",
          path: one,
          fields: parts,
          rest,
          span,
        })),
    ),

    expression: fc.oneof(
      depthOf("expression"),
      { weight: 4, arbitrary: path },
      { weight: 2, arbitrary: numberLiteral },
      plainString,
      boolLiteral,
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom("-" as const, "+" as const, "!" as const, "@" as const),
            expression,
          )
          .map(([operator, operand]): ast.Expression => ({
            kind: "unary",
            operator,
            operand,
            span,
          })),
      },
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.constantFrom(...binaryOperators), expression, expression)
          .map(([operator, left, right]): ast.Expression => ({
            kind: "binary",
            operator,
            left,
            right,
            operatorSpan: span,
            span,
          })),
      },
      fc
        .tuple(expression, expression, fc.boolean())
        .map(([from, to, inclusive]): ast.Expression => ({
          kind: "range",
          from,
          to,
          inclusive,
          span,
        })),
      fc
        .tuple(expression, type)
        .map(([operand, of]): ast.Expression => ({ kind: "cast", operand, type: of, span })),
      {
        weight: 2,
        arbitrary: fc
          .tuple(expression, some(indexItem, 1))
          .map(([base, items]): ast.Expression => ({ kind: "index", base, items, span })),
      },
      {
        weight: 2,
        arbitrary: fc
          .record({
            callee: expression,
            bracket: maybe(some(bracketItem, 1)),
            list: some(argument, 0),
          })
          .map(({ callee, bracket, list }): ast.Expression => ({
            kind: "call",
            callee,
            ...optional({ bracket }),
            arguments: list,
            span,
          })),
      },
      fc
        .tuple(expression, fc.oneof(name, fc.constantFrom("0", "1").map(nameOf)))
        .map(([base, one]): ast.Expression => ({ kind: "member", base, name: one, span })),
      tie("conditional"),
      block,
      fc
        .tuple(expression, some(arm, 0))
        .map(([subject, arms]): ast.Expression => ({ kind: "match", subject, arms, span })),
      fc
        .tuple(some(fc.record({ name, type: maybe(type) }), 0), expression)
        .map(([parameters, body]): ast.Expression => ({
          kind: "lambda",
          parameters: parameters.map(({ name: one, type: of }) => ({
            name: one,
            ...optional({ type: of }),
          })),
          body,
          span,
        })),
      some(expression, 2).map((members): ast.Expression => ({ kind: "tuple", members, span })),
      some(expression, 0, 5).map((elements): ast.Expression => ({ kind: "array", elements, span })),
      fc.tuple(expression, some(clause, 1)).map(([element, clauses]): ast.Expression => ({
        kind: "comprehension",
        element,
        clauses,
        span,
      })),
      fc
        .tuple(typePath, some(fc.record({ name, value: expression }), 0))
        .map(([one, parts]): ast.Expression => ({
          kind: "struct-literal",
          path: one,
          fields: parts,
          span,
        })),
      fc
        .tuple(expression, where)
        .map(([value, given]): ast.Expression => ({ kind: "guarded", value, where: given, span })),
      some(stringPart, 1, 2).map((parts): ast.Expression => ({
        kind: "string",
        parts: parts.flat(),
        span,
      })),
    ),

    block: fc
      .record({
        statements: fc.array(statement, { maxLength: 2, depthIdentifier: "expression" }),
        value: maybe(expression),
      })
      .map(({ statements, value }): ast.Block => ({
        kind: "block",
        statements,
        ...optional({ value }),
        span,
      })),

    conditional: fc
      .record({
        condition: expression,
        then: block,
        otherwise: fc.oneof(depthOf("else"), fc.constant(undefined), block, tie("conditional")),
      })
      .map(({ condition, then, otherwise }): ast.If => ({
        kind: "if",
        condition,
        then,
        ...optional({ otherwise }),
        span,
      })),

    where: fc
      .record({ items: some(whereItem, 1), otherwise: maybe(expression) })
      .map(({ items, otherwise }): ast.Where => ({ items, ...optional({ otherwise }), span })),

    statement: fc.oneof(
      depthOf("statement"),
      {
        weight: 3,
        arbitrary: local<ast.ExpressionStatement>(
          expression.map((value) => ({ kind: "expression", value })),
        ),
      },
      {
        weight: 3,
        arbitrary: exported<ast.Let>(
          fc
            .record({ pattern, type: maybe(type), value: expression, where: maybe(where) })
            .map(({ pattern: one, value, ...rest }) => ({
              kind: "let",
              pattern: one,
              value,
              ...optional(rest),
            })),
        ),
      },
      {
        weight: 4,
        arbitrary: exported<ast.IndexedLet>(
          fc
            .record({
              checkpoint: fc.boolean(),
              name,
              slots: some(slot, 1),
              type: maybe(type),
              value: expression,
              where: maybe(where),
            })
            .map(({ type: of, where: given, ...rest }) => ({
              kind: "indexed-let",
              ...rest,
              ...optional({ type: of, where: given }),
            })),
        ),
      },
      exported<ast.Const>(
        fc
          .record({ name, type: maybe(type), value: expression })
          .map(({ name: one, type: of, value }) => ({
            kind: "const",
            name: one,
            value,
            ...optional({ type: of }),
          })),
      ),
      local<ast.Input>(fc.record({ name, type }).map((parts) => ({ kind: "input", ...parts }))),
      exported<ast.Fn>(
        signature.map(({ result, ...rest }) => ({ kind: "fn", ...rest, ...optional({ result }) })),
      ),
      local<ast.TangentFn>(
        fc.tuple(fc.boolean(), signature).map(([surrogate, { result, ...rest }]) => ({
          kind: "tangent-fn",
          surrogate,
          ...rest,
          ...optional({ result }),
        })),
      ),
      exported<ast.Use>(useTree(2).map((tree) => ({ kind: "use", tree }))),
      exported<ast.Mod>(
        fc
          .tuple(name, maybe(fc.array(statement, { maxLength: 2, depthIdentifier: "expression" })))
          .map(([one, statements]) => ({ kind: "mod", name: one, ...optional({ statements }) })),
      ),
      exported<ast.Enum>(
        fc
          .record({ name: typeName, generics: some(typeName, 0, 2), variants: some(variant, 0) })
          .map((parts) => ({ kind: "enum", ...parts })),
      ),
      exported<ast.Struct>(
        fc
          .record({ name: typeName, generics: some(typeName, 0, 2), fields })
          .map((parts) => ({ kind: "struct", ...parts })),
      ),
    ),
  };
});

export const expressions: fc.Arbitrary<ast.Expression> = forms.expression;
export const types: fc.Arbitrary<ast.Type> = forms.type;
export const patterns: fc.Arbitrary<ast.Pattern> = forms.pattern;
export const statements: fc.Arbitrary<ast.Statement> = forms.statement;

export const modules: fc.Arbitrary<ast.Module> = fc
  .array(forms.statement, { maxLength: 4 })
  .map((all) => ({ source, statements: all, comments: [], span }));
