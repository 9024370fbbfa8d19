// Programs whose derivatives are not right yet, the worst first: numbers that are wrong, then printed programs that differ or
// do not compile, then requests that are refused although the language has a rule for them. Each is held to failing, so that one that has come right is noticed.

export interface Pending {
  readonly what: string;
  readonly program: string;
  readonly inputs?: Readonly<Record<string, readonly number[]>>;
}

export const pending: readonly Pending[] = [
  // ── wrong numbers ──
  {
    what: "a second derivative reads y[i % 2, i, i] at i = 3, outside of the three cells of z, and fails when it runs",
    program:
      "let x = [0.658, 0.315]; let y[i in 0..2, j in 0..3, k in 0..3] = x[1]; let z[i in 0..3] = { let t = y[i % 2, i, i] * y[i / 2, i % 3, 2]; t * t }; let l = sum[i](z[i]); let g = @l / @x; let s = sum[i](g[i]); let h = @s / @x;",
  },
  {
    what: "a cell that nothing reads has an adjoint of 0, and an infinite slope makes it NaN: the gradient at x[0] is 0",
    program: "let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let l = s[1] + s[2]; let g = @l / @x;",
  },
  {
    what: "the same behind a shifted index",
    program:
      "let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let c[i in 0..2] = s[i + 1]; let l = sum[i](c[i]); let g = @l / @x;",
  },
  {
    what: "the same behind a lookup",
    program:
      "let x = [0.0, 1.0, 4.0]; let at = [1, 2]; let s[i] = sqrt(x[i]); let l = sum[k](s[at[k]]); let g = @l / @x;",
  },
  {
    what: "the primal itself: the range of `i` is inferred as max(i, 0)..4, so the sum is empty",
    program: "let x = [1.0, 3.0, 2.0, 5.0]; let y = sum[i, k in 0..i + 1](x[k] * x[i - k]); let g = @y / @x;",
  },
  // ── printed programs ──
  {
    what: "a rounded-down quotient is printed as `/`, which truncates: (1 - i) / 3 for i = 2 is 0 instead of -1",
    program:
      "let x = [1.0, 2.0, 3.0]; let y[i in 0..2] = sum[s in i..2](x[(s + 3) % 3]); let l = sum[i](y[i]); let g = @l / @x;",
  },
  {
    what: "the first cell of a running product is printed as a clause [0], which does not fit an extent of 0",
    program: "input x: [f32; n]; let l = prod[i](x[i]); let g = @l / @x;",
    inputs: { x: [] },
  },
  {
    what: "a pack is printed as its axes: d_A[m, i, k] where d_A[..b, i, k] is promised",
    program:
      "input A: [f32; m, i, k]; input B: [f32; m, k, j]; input G: [f32; m, i, j]; let C[..b, i, j] = sum[k](A[..b, i, k] * B[..b, k, j]); let l = sum[m, i, j](G[m, i, j] * C[m, i, j]); let g = @l / @A;",
  },
  {
    what: "the axes of a convolved input have no names of their own: i and j are printed where ih and iw are promised",
    program:
      "input input: [f32; 2, 3, 6, 6]; input weight: [f32; 4, 3, 2, 2]; let conv[b, oc, oh, ow] = sum[ic, kh, kw](input[b, ic, oh + kh, ow + kw] * weight[oc, ic, kh, kw]); let l = sum[b, oc, oh, ow](conv[b, oc, oh, ow] ** 2); let g = @l / @input;",
  },
  // ── refused ──
  {
    what: "a product over a prefix",
    program:
      "let x = [1.0, 0.5, 3.0, 4.0]; let s[i in 0..4] = prod[k in 0..i + 1](x[k]); let l = sum[i](s[i] ** 2 + s[i]); let g = @l / @x;",
  },
  {
    what: "a product over ragged rows",
    program:
      "let x = [1.0, 3.0, 2.0]; let p = [0, 1, 3]; let y[i in 0..2] = prod[k in p[i]..p[i + 1]](x[k] ** 2); let l = sum[i](y[i]); let g = @l / @x;",
  },
  {
    what: "a maximum over ragged rows",
    program:
      "let x = [1.0, 3.0, 2.0]; let p = [0, 1, 3]; let y[i in 0..2] = max[k in p[i]..p[i + 1]](x[k] ** 2); let l = sum[i](y[i]); let g = @l / @x;",
  },
  {
    what: "a maximum over a triangle",
    program: "let x = [1.0, 3.0, 2.0]; let y = max[i, k in 0..i + 1](x[k] * x[i]); let g = @y / @x;",
  },
  {
    what: "a product over a triangle",
    program: "let x = [1.0, 3.0, 2.0]; let y = prod[i, k in 0..i + 1](x[k] + x[i]); let g = @y / @x;",
  },
];
