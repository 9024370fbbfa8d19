// Rewrites `A @ v` of Python as a sum. The indices of the operands depend on their ranks, which are
// read from the text where possible.
//
//   let Y = A @ B;       let Y[i, j] = sum[k](A[i, k] * B[k, j]);
//   let y = A @ v;       let y[i] = sum[k](A[i, k] * v[k]);
//   let G = X.T @ X;     let G[i, j] = sum[k](X[k, i] * X[k, j]);

/** A product as a call of the standard library, and as a declaration. */
interface Product {
  readonly call: string;
  readonly declaration: string;
}

/** An operand of unknown rank counts as a matrix. */
export function productAsSum(
  [left, right]: readonly [string, string],
  name: string,
  text: string,
): Product {
  const [a, b] = [rankIn(text, left) ?? 2, rankIn(text, right) ?? 2];
  const words = new Set(`${left} ${right} ${name}`.match(/\w+/g));
  const [i, j, k] = [..."ijkabcdpq"].filter((each) => !words.has(each)) as [string, string, string];
  const slots = [...(a === 1 ? [] : [i]), ...(b === 1 ? [] : [j])];
  const [first, second] = [a === 1 ? [k] : [i, k], b === 1 ? [k] : [k, j]];
  const sum = `sum[${k}](${cellWith(left, first)} * ${cellWith(right, second)})`;
  const fn = a === 1 && b === 1 ? "dot" : b === 1 ? "matvec" : "matmul";
  const call = `std::linalg::${fn}(${wholeOperand(left)}, ${wholeOperand(right)})`;
  const onLeft = slots.length === 0 ? name : `${name}[${slots.join(", ")}]`;
  return {
    call: a === 1 && b === 2 ? `{ let ${onLeft} = ${sum}; ${name} }` : call,
    declaration: `let ${onLeft} = ${sum};`,
  };
}

const transposed = /^([A-Za-z_]\w*)\.T$/;

function cellWith(operand: string, names: readonly string[]): string {
  const base = transposed.exec(operand)?.[1];
  if (base !== undefined) return `${base}[${[...names].reverse().join(", ")}]`;
  return `${/^\w+$/.test(operand) ? operand : `(${operand})`}[${names.join(", ")}]`;
}

function wholeOperand(operand: string): string {
  const base = transposed.exec(operand)?.[1];
  return base === undefined ? operand : `std::array::transpose(${base})`;
}

/** The rank of a name that is declared with a type, with slots, or with its cells written out. */
function rankIn(text: string, operand: string): number | undefined {
  const name = transposed.exec(operand)?.[1] ?? operand;
  if (!/^\w+$/.test(name)) return undefined;
  const [, dims] = new RegExp(`\\b${name}\\s*:\\s*\\[\\s*\\w+\\s*;([^[\\]]*)\\]`).exec(text) ?? [];
  if (dims !== undefined) return dims.includes("..") ? undefined : dims.split(",").length;
  const [, slots] = new RegExp(`\\blet\\s+${name}\\[([^[\\]]*)\\]`).exec(text) ?? [];
  if (slots !== undefined) return slots.includes("..") ? undefined : slots.split(",").length;
  const [, brackets] = new RegExp(`\\blet\\s+${name}\\s*=\\s*(\\[+)\\s*-?[\\d.]`).exec(text) ?? [];
  return brackets?.length;
}
