// What all operations on eager tensors share: definitions, kernels, patterns, recipes and indices.
// The operations themselves are in `operations`.
//
// An operation: a name, and a plan for operands of given shapes and types.

import { pullbackOf, type Definition, type TensorType } from "./definition.ts";
import { kernelOf, pullbackKernel, type Cells, type Kernel } from "./kernel.ts";
import type { Shape } from "./shape.ts";

/** The shape and type of an operand or result. */
export interface Form {
  readonly shape: Shape;
  readonly dtype: TensorType;
}

/** An operation for operands of given forms. */
export interface Plan extends Form {
  readonly definition: Definition;
  /**
   * The shapes that the definition sees, of the operands and of its result. They have the same
   * cells as the real shapes but may have fewer axes.
   */
  readonly views: readonly Shape[];
  readonly view: Shape;
  /** The values of the definition's size inputs. */
  readonly sizes: readonly number[];
  /** The definition for the real shapes, with names of the caller's choice. */
  readonly written: (operands: readonly string[], result: string) => Definition;
}

export interface Operation<Options = undefined> {
  readonly name: string;
  readonly isDifferentiable: boolean;
  /** The plan. Throws a TensorError if the forms do not fit. */
  readonly plan: (forms: readonly Form[], options: Options) => Plan;
}

/** The pullback to some operands. */
interface Pullback {
  readonly run: (operands: readonly Cells[], gradient: Cells) => readonly Cells[];
  /** The positions of the operands whose cells are read. */
  readonly reads: ReadonlySet<number>;
}

/** A planned operation. Its kernels are compiled when they are first needed. */
export interface Prepared {
  readonly plan: Plan;
  /**
   * Computes the result. It may be written into the array `into`, which may also hold an operand.
   */
  readonly compute: (operands: readonly Cells[], into?: Cells) => Cells;
  /** The positions of the operands whose cells are read. */
  readonly reads: () => ReadonlySet<number>;
  readonly pullback: (positions: readonly number[]) => Pullback;
  /** The pullback to one operand as an operation, with the gradient as its last operand. */
  readonly derived: (position: number) => Prepared;
}

const prepared = new Map<string, Prepared>();

/** With more entries the table is cleared. The compiled kernels are kept elsewhere. */
const mostPrepared = 10_000;

export function prepare<Options>(
  operation: Operation<Options>,
  forms: readonly Form[],
  options: Options,
): Prepared {
  const key = callKey(operation.name, forms, options);
  const known = prepared.get(key);
  if (known) return known;
  const fresh = preparedFrom(operation.plan(forms, options), forms);
  if (prepared.size >= mostPrepared) prepared.clear();
  prepared.set(key, fresh);
  return fresh;
}

function callKey(name: string, forms: readonly Form[], options: unknown): string {
  let key = name;
  for (const { shape, dtype } of forms) key += ` ${dtype}${shape.join()}`;
  return options === undefined ? key : key + JSON.stringify(options);
}

/** Prepares an operation whose plan is known. */
export function preparedFrom(plan: Plan, forms: readonly Form[]): Prepared {
  const { definition, views, view, sizes, dtype } = plan;
  const viewed = (cells: readonly Cells[]) =>
    cells.map((data, k) => ({ dtype: forms[k]!.dtype, shape: views[k]!, data }));
  const pullbackTo = (positions: readonly number[]): Pullback => {
    const { reads, run } = pullbackKernel(definition, positions);
    return {
      reads,
      run: (operands, gradient) =>
        run(sizes, [...viewed(operands), { dtype, shape: view, data: gradient }]).map(
          ({ data }) => data as Cells,
        ),
    };
  };
  const derivedAt = (position: number): Prepared => {
    const [derived] = pullbackOf(definition, [position]);
    const { shape, dtype } = forms[position]!;
    return preparedFrom(
      {
        shape,
        dtype,
        definition: derived!,
        views: [...views, view],
        view: views[position]!,
        sizes,
        written: (operands, result) => ({
          ...pullbackOf(plan.written(operands.slice(0, -1), `${result}_of`), [position])[0]!,
        }),
      },
      [...forms, plan],
    );
  };
  let compiled: Kernel | undefined;
  const kernel = (): Kernel => (compiled ??= kernelOf(definition));
  return {
    plan,
    compute: (operands, into) => kernel().run(sizes, viewed(operands), into)[0]!.data as Cells,
    reads: () => kernel().reads,
    pullback: remembered((positions: readonly number[]) => positions.join(), pullbackTo),
    derived: remembered(String, derivedAt),
  };
}

function remembered<A, R>(
  keyOf: (argument: A) => string,
  compute: (argument: A) => R,
): (argument: A) => R {
  const known = new Map<string, R>();
  return (argument) => {
    const key = keyOf(argument);
    let result = known.get(key);
    if (result === undefined) known.set(key, (result = compute(argument)));
    return result;
  };
}
