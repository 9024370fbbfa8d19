// ---- exactness ---------------------------------------------------------------------------------------------------

function assignment(entries: ReadonlyMap<Variable, number>, fallback: Assignment): Assignment {
  return (each) => entries.get(each) ?? fallback(each);
}

function* nest(coordinates: readonly Coordinate[], fallback: Assignment): Generator<Assignment> {
  const [first, ...rest] = coordinates;
  if (!first) return yield fallback;
  const [from, to] = [evaluate(first.range.from, fallback), evaluate(first.range.to, fallback)];
  for (let value = from; value < to; value++)
    yield* nest(rest, assignment(new Map([[first.variable, value]]), fallback));
}

function passes(guard: Guard, valueOf: Assignment): boolean {
  if (guard.kind === "equal") return evaluate(guard.left, valueOf) === evaluate(guard.right, valueOf);
  const value = evaluate(guard.value, valueOf);
  if (guard.kind === "divisible") return value % evaluate(guard.by, valueOf) === 0;
  return evaluate(guard.range.from, valueOf) <= value && value < evaluate(guard.range.to, valueOf);
}

function check(
  unknowns: Coordinate[],
  equations: Equation[],
  assumptions: Fact[],
  parameters: Variable[],
  low: number,
  high: number,
): Solution {
  const solution = solve(unknowns, equations, assumptions);
  const loops = narrow(solution.remaining, solution.guards, assumptions);
  const holdsAll = (each: Equation, valueOf: Assignment) =>
    evaluate(each.left, valueOf) === evaluate(each.right, valueOf);
  const point = (valueOf: Assignment) => unknowns.map((u) => valueOf(u.variable)).join();
  for (const given of box(parameters, low, high)) {
    if (!assumptions.every((fact) => holdsAt(fact, given) === true)) continue;
    const fixed = assignment(new Map(parameters.map((each) => [each, given(each)])), () => NaN);
    const expected: string[] = [];
    for (const valueOf of nest(unknowns, fixed))
      if (equations.every((each) => holdsAll(each, valueOf))) expected.push(point(valueOf));
    const actual: string[] = [];
    for (const valueOf of nest(solution.remaining, fixed)) {
      if (!solution.guards.every((guard) => passes(guard, valueOf))) continue;
      const full = assignment(new Map([...solution.solved].map(([u, term]) => [u, evaluate(term, valueOf)])), valueOf);
      if (solution.unsolved.every((each) => holdsAll(each, full))) actual.push(point(full));
    }
    const inLoops: string[] = [];
    for (const valueOf of nest(loops.coordinates, fixed)) {
      if (!loops.guards.every((guard) => passes(guard, valueOf))) continue;
      const full = assignment(new Map([...solution.solved].map(([u, term]) => [u, evaluate(term, valueOf)])), valueOf);
      if (solution.unsolved.every((each) => holdsAll(each, full))) inLoops.push(point(full));
    }
    expect(inLoops.sort()).toEqual(actual.sort());
    if (actual.sort().join(";") === expected.sort().join(";")) continue;
    const where = `${equations.map((each) => `${show(each.left)} = ${show(each.right)}`).join(", ")} at ${parameters.map((each) => `${each.name}=${given(each)}`).join()}\n${described(solution, assumptions)}`;
    expect([where, ...actual]).toEqual([where, ...expected]);
  }
  return solution;
}

describe("exactness", () => {
  const xs = ["x", "y", "z"].map((name) => variable(name));
  const ps = ["p1", "p2"].map((name) => variable(name));
  const n = variable("n");
  const affine = fc
    .tuple(
      fc.array(fc.constantFrom(0, 0, 1, 1, -1, 2, -2, 3, 4), { minLength: 3, maxLength: 3 }),
      fc.integer({ min: -3, max: 3 }),
    )
    .map(([coefficients, c]) =>
      coefficients.reduce((total, a, k) => add(total, scale(ofVariable(xs[k]!), a)), constant(c)),
    );
  const lone = fc
    .tuple(fc.constantFrom(...xs), fc.constantFrom(1, -1), fc.integer({ min: -2, max: 2 }))
    .map(([x, a, c]) => plus(scale(ofVariable(x), a), c));
  const by = fc.constantFrom(constant(2), constant(3), constant(4), ofVariable(n));
  const quotient = fc.tuple(fc.oneof(lone, affine), by).map(([e, d]) => floorDiv(e, d));
  const remainder = fc.tuple(fc.oneof(lone, affine), by).map(([e, d]) => mod(e, d));
  const radix = fc
    .tuple(fc.shuffledSubarray(xs, { minLength: 2, maxLength: 2 }), by)
    .map(([[x, y], d]) => add(multiply(ofVariable(x!), d), ofVariable(y!)));
  const index = fc.oneof(
    { weight: 4, arbitrary: affine },
    { weight: 2, arbitrary: lone },
    { weight: 2, arbitrary: radix },
    { weight: 2, arbitrary: quotient },
    { weight: 2, arbitrary: remainder },
    { weight: 1, arbitrary: fc.tuple(remainder, lone).map(([a, b]) => add(a, b)) },
    { weight: 1, arbitrary: fc.tuple(remainder, quotient).map(([a, b]) => add(scale(a, 2), b)) },
    { weight: 1, arbitrary: affine.map((e) => negate(e)) },
  );
  const range = fc.oneof(
    fc
      .tuple(fc.integer({ min: -1, max: 2 }), fc.integer({ min: 0, max: 5 }))
      .map(([from, length]) => ({ from: constant(from), to: constant(from + length) })),
    fc.constantFrom(upTo(ofVariable(n)), upTo(scale(ofVariable(n), 2)), upTo(constant(4))),
    fc.constant(upTo(plus(ofVariable(xs[0]!), 1))),
  );

  it("describes the same set as enumeration, each point once", () => {
    const seen = { solved: 0, unsolved: 0 };
    fc.assert(
      fc.property(
        fc.array(index, { minLength: 1, maxLength: 2 }),
        fc.tuple(range, range, range),
        fc.boolean(),
        fc.integer({ min: 1, max: 3 }),
        (rights, ranges, bounded, count) => {
          const first =
            ranges[0].to === undefined || ranges[0].to.parts.some((part) => part.key.includes(`v${xs[0]!.id}`))
              ? upTo(constant(3))
              : ranges[0];
          const unknowns = [first, ranges[1], ranges[2]]
            .slice(0, count)
            .map((each, k): Coordinate => ({ variable: xs[k]!, range: each }));
          const drop = new Map(xs.slice(count).map((x) => [x, constant(1)]));
          const equations = rights.map((right, k): Equation => ({
            left: ofVariable(ps[k]!),
            right: [...drop].reduce((e, [x, value]) => substituteOne(e, x, value), right),
          }));
          const parameters = [n, ...ps.slice(0, rights.length)];
          const assumptions = [
            positive(ofVariable(n)),
            ...(bounded ? ps.flatMap((each) => within(ofVariable(each), upTo(constant(5)))) : []),
          ];
          const used = bounded
            ? assumptions.filter((fact) => parameters.some((each) => show(fact.term).includes(each.name)))
            : assumptions;
          const solution = check(unknowns, equations, used, parameters, -2, 5);
          seen[solution.unsolved.length === 0 ? "solved" : "unsolved"]++;
        },
      ),
      { numRuns: 400 },
    );
    expect(seen.unsolved).toBeLessThan(seen.solved / 20);
  });
});

function substituteOne(term: Term, x: Variable, value: Term): Term {
  return substitute(term, new Map([[x, value]]));
}
