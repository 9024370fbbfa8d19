// Layers of networks, products of many factors, and programs with several walks.

export const layers: Readonly<Record<string, string>> = {
  "two dense layers": `input x: [f32; b, in]; input V: [f32; hidden, in]; input c: [f32; hidden];
    input W: [f32; out, hidden]; input y: [f32; b, out];
    let h[b, hidden] = tanh(sum[in](x[b, in] * V[hidden, in]) + c[hidden]);
    let p[b, out] = sum[hidden](h[b, hidden] * W[out, hidden]);
    let loss = mean[b, out]((p[b, out] - y[b, out]) ** 2);
    let d_1 = @loss / @V; let d_2 = @loss / @c; let d_3 = @loss / @W;`,
  "attention with a mask": `input Q: [f32; h, q, d]; input K: [f32; h, k, d];
    input V: [f32; h, k, e];
    let s[h, q, k] = sum[d](Q[h, q, d] * K[h, k, d]) / sqrt(extent(d) as f32);
    let m[h, q] = max[k](s[h, q, k] where k <= q);
    let w[h, q, k] = exp(s[h, q, k] - m[h, q]) where k <= q;
    let t[h, q] = sum[k](w[h, q, k]);
    let o[h, q, e] = sum[k](w[h, q, k] * V[h, k, e]) / t[h, q];
    let loss = sum[h, q, e](o[h, q, e] ** 2);
    let d_1 = @loss / @Q; let d_2 = @loss / @K; let d_3 = @loss / @V;`,
  "layer norm": `input x: [f32; b, f]; input gain: [f32; f]; input shift: [f32; f];
    let mu[b] = mean[f](x[b, f]); let v[b] = mean[f]((x[b, f] - mu[b]) ** 2);
    let y[b, f] = gain[f] * (x[b, f] - mu[b]) / sqrt(v[b] + 1e-5) + shift[f];
    let loss = sum[b, f](y[b, f] ** 2);
    let d_1 = @loss / @x; let d_2 = @loss / @gain; let d_3 = @loss / @shift;`,
  "convolution with stride, dilation and padding": `input x: [f32; n, c, 32, 32];
    input w: [f32; o, c, 3, 3];
    let y[n, o, i in 0..16, j in 0..16] =
      sum[c, k, l](x[n, c, 2 * i + 2 * k - 2, 2 * j + 2 * l - 2] * w[o, c, k, l]
      where 2 * i + 2 * k - 2 in 0..32, 2 * j + 2 * l - 2 in 0..32);
    let loss = sum[n, o, i, j](y[n, o, i, j] ** 2); let d_1 = @loss / @x; let d_2 = @loss / @w;`,
  "a recurrent network": `input x: [f32; t, in]; input W: [f32; i, j]; input U: [f32; i, in];
    input c: [f32; i];
    let h[0, i in 0..extent(i)] = 0.0;
    let h[s in 1..extent(t), i] = tanh(sum[j](W[i, j] * h[s - 1, j]) + sum[in](U[i, in] * x[s, in])
      + c[i]);
    let loss = sum[i](h[extent(t) - 1, i] ** 2); let d_1 = @loss / @W; let d_2 = @loss / @U;
    let d_3 = @loss / @c; let d_4 = @loss / @x;`,
  "an embedding": `input E: [f32; 1000, d]; input at: [i32; k]; input W: [f32; o, d];
    let e[k, d] = E[at[k], d]; let p[k, o] = sum[d](e[k, d] * W[o, d]);
    let loss = sum[k, o](p[k, o] ** 2);
    let d_1 = @loss / @E; let d_2 = @loss / @W;`,
  "a masked call": `fn softmax[j](x: [f32; ..l, j]) -> [f32; ..l, j] {
      let m[..l] = max[j](x[..l, j]); let e[..l, j] = exp(x[..l, j] - m[..l]);
      let s[..l] = sum[j](e[..l, j]); e[..l, j] / s[..l] }
    input z: [f32; b, c]; input valid: [bool; b, c];
    let p[b, c] = softmax[c](z[b, c]) where valid[b, c]; let loss = sum[b, c](p[b, c] ** 2);
    let d_1 = @loss / @z;`,
  gelu: `input x: [f32; n];
    let y[i] = 0.5 * x[i] * (1 + tanh(0.797885 * (x[i] + 0.044715 * x[i] ** 3)));
    let loss = sum[i](y[i] ** 2); let d_1 = @loss / @x;`,
  "sparse rows": `input x: [f32; n]; input v: [f32; m]; input at: [i32; m]; input ptr: [i32; r];
    let y[i in 0..extent(r) - 1] = sum[k in ptr[i]..ptr[i + 1]](v[k] * x[at[k]]);
    let loss = sum[i](y[i] ** 2); let d_1 = @loss / @v; let d_2 = @loss / @x;`,
  "cross entropy": `input z: [f32; b, c]; input label: [i32; b];
    let l[b] = logsumexp[c](z[b, c]) - z[b, label[b]]; let loss = mean[b](l[b]);
    let d_1 = @loss / @z;`,
  "a product": `input x: [f32; n]; let p = prod[i](x[i]); let loss = p ** 2; let d_1 = @loss / @x;`,
  "products of rows":
    "input x: [f32; b, n]; let p[b] = prod[i](x[b, i]); let loss = sum[b](sin(p[b])); " +
    "let d_1 = @loss / @x;",
  "a product over two coordinates":
    "input x: [f32; m, n]; let p = prod[i, j](x[i, j]); let loss = tanh(p); " +
    "let d_1 = @loss / @x;",
  "a product of some": `input x: [f32; n]; input w: [f32; n];
    let p = prod[i](1 + w[i] * x[i] where x[i] > 0);
    let loss = p ** 2; let d_1 = @loss / @x; let d_2 = @loss / @w;`,
  "running products":
    "input x: [f32; n]; let p[i] = prod[k in 0..i](x[k]) * x[i]; let loss = sum[i](p[i] ** 2); " +
    "let d_1 = @loss / @x;",
  "products of rests":
    "input x: [f32; n]; input w: [f32; n]; let p[i] = prod[k](x[k] where k >= i) * w[i]; " +
    "let loss = sum[i](p[i]); let d_1 = @loss / @x;",
  "running log-sum-exp": `input x: [f32; b, n];
    let s[b, i in 0..extent(n)] = logsumexp[k in 0..i + 1](x[b, k]);
    let loss = sum[b, i](s[b, i] ** 2); let d_1 = @loss / @x;`,
  "three matrices": `input A: [f32; m, n]; input B: [f32; n, o]; input C: [f32; o, p];
    let y[i, l] = sum[j, k](A[i, j] * B[j, k] * C[k, l]); let loss = sum[i, l](y[i, l] ** 2);
    let d_1 = @loss / @A; let d_2 = @loss / @B; let d_3 = @loss / @C;`,
};

/** A sum of products of this many tensors, with a request for each tensor. */
const factors = (count: number): string => {
  const names = Array.from({ length: count }, (_, k) => `x${k}`);
  const product = names.map((name) => `${name}[i]`).join(" * ");
  return `${names.map((name) => `input ${name}: [f32; n];`).join(" ")}
    let loss = sum[i](${product});
    ${names.map((name) => `let d_${name} = @loss / @${name};`).join(" ")}`;
};

/**
 * Products of many numbers, with a request for each number, and other short expressions with many
 * derivatives.
 */
export const products: Readonly<Record<string, string>> = {
  "eleven factors": factors(11),
  "twenty factors": factors(20),
  "products of pairs":
    "input x: [f32; n]; input y: [f32; m]; let p[i] = prod[j](x[j] * y[i]); " +
    "let loss = sum[i](p[i]); let d_1 = @loss / @x; let d_2 = @loss / @y;",
  "products of chosen factors": `input a: [f32; n]; input b: [f32; n]; input c: [f32; n];
    let loss = prod[k](if c[k] > 0 { a[k] } else { b[k] });
    let d_1 = @loss / @a; let d_2 = @loss / @b;`,
  "four choices of three numbers": `input a: [f32; n]; input b: [f32; n]; input e: [f32; n];
    let loss = sum[i]((if a[i] > 0 { a[i] * b[i] } else { e[i] }) * (if b[i] > 0 { b[i] } else {
      e[i] * a[i] })
    * (if e[i] > 0 { a[i] } else { b[i] }) * (if e[i] > a[i] { a[i] } else { b[i] })); let d_1 =
    * @loss / @a; let d_2 = @loss / @b; let d_3 = @loss / @e;`,
  "differences of all pairs": `input x: [f32; 20]; let loss = prod[i, j](x[i] - x[j] where j < i);
    let d = @loss / @x;`,
  "pairs that are ranked": `input s: [f32; n]; input r: [f32; n];
    let loss = sum[i, j](log1p(exp(-(s[i] - s[j]) * (r[i] - r[j]))) where j < i);
    let d_1 = @loss / @s; let d_2 = @loss / @r;`,
  "the pressure of a gas whose attraction depends on its temperature": `input V: [f32; m];
    input T: [f32; m]; input a: f32; input b: f32;
    let loss = sum[i](8.314 * T[i] / (V[i] - b) - a / (sqrt(T[i]) * V[i] * (V[i] + b)));
    let g1 = @loss / @a; let g2 = @loss / @b; let g4 = @loss / @V; let g5 = @loss / @T;`,
};

/** Products, log-sum-exps and windows in steps, in several orders, and at their own cells. */
export const walks: Readonly<Record<string, string>> = {
  "products in steps": `input v: [f32; n, m]; input a: [f32; n]; let h[0, i] = a[i];
    let h[t in 1..6, i in 0..extent(n)] = prod[k](v[i, k] * h[t - 1, i]);
    let loss = sum[i](h[5, i] ** 2); let d_1 = @loss / @v; let d_2 = @loss / @a;`,
  "products of sparse pairs in steps": `input v: [f32; 12]; input a: [f32; 5]; input ptr: [i32; 6];
    input col: [i32; 12]; let h[0, i] = a[i];
    let h[t in 1..6, i in 0..5] = prod[k in ptr[i]..ptr[i + 1]](v[k] * h[t - 1, col[k]]);
    let loss = sum[i](h[5, i] ** 2); let d_1 = @loss / @v; let d_2 = @loss / @a;`,
  "the inside algorithm in logarithms": `input rule: [f32; s, s, s]; input word: [f32; 6, s];
    let chart[0, i in 0..6, a in 0..extent(s)] = word[i, a];
    let chart[l in 1..6, i in 0..6, a in 0..extent(s)] =
      logsumexp[k in 0..l, b, c](rule[a, b, c] + chart[k, i, b] + chart[l - k - 1, i + k + 1, c])
      where i + l < 6;
    let loss = chart[5, 0, 0]; let d_1 = @loss / @rule; let d_2 = @loss / @word;`,
  "products of pairs in rows":
    "input x: [f32; 10]; let p[i in 0..10] = prod[j in 0..i + 1](x[j] * x[i]); " +
    "let loss = sum[i](p[i]); let d = @loss / @x;",
  "points seen by cameras": `input P: [f32; p, 3]; input T: [f32; c, 3]; input F: [f32; c];
    input cam: [i32; o]; input pt: [i32; o]; input uv: [f32; o, 2];
    let loss = sum[k, a in 0..2]((F[cam[k]] * (P[pt[k], a] - T[cam[k], a])
      / (3 + P[pt[k], 2] - T[cam[k], 2]) - uv[k, a]) ** 2);
    let g1 = @loss / @P; let g2 = @loss / @T; let g3 = @loss / @F; let g4 = @loss / @uv;`,
  "an image smoothed up to its edges": `input I: [f32; 20, 20]; input sr: f32;
    input T: [f32; 20, 20];
    let loss = sum[i in 2..18, j in 2..18]((sum[p in 0..5, q in 0..5](exp(-sr ** 2
      * (I[i + p - 2, j + q - 2] - I[i, j]) ** 2) * I[i + p - 2, j + q - 2])
      / sum[p in 0..5, q in 0..5](exp(-sr ** 2 * (I[i + p - 2, j + q - 2] - I[i, j]) ** 2))
      - T[i, j]) ** 2);
    let g1 = @loss / @I; let g2 = @loss / @sr; let g3 = @loss / @T;`,
  "soft distances between sequences": `input x: [f32; n]; input y: [f32; m]; input gamma: f32;
    let g = 0.1 + gamma ** 2; let D[i, j] = (x[i] - y[j]) ** 2;
    let R[i in 0..extent(n) + 1, j in 0..extent(m) + 1] = if i + j == 0 { 0.0 } else { 1e4 }
      where i == 0 || j == 0;
    let R[i in 1..extent(n) + 1, j in 1..extent(m) + 1] = { let a = R[i - 1, j];
      let b = R[i, j - 1]; let c = R[i - 1, j - 1]; let lo = min(a, min(b, c));
      D[i - 1, j - 1] + lo - g * log(exp((lo - a) / g) + exp((lo - b) / g) + exp((lo - c) / g)) };
    let loss = R[extent(n), extent(m)]; let g1 = @loss / @x; let g2 = @loss / @y;
    let g3 = @loss / @gamma;`,
  "factors of fields": `input x: [i32; n, f]; input E: [f32; f, f, v, k]; input w: [f32; f, v];
    input y: [f32; n];
    let s[i] = sum[a](w[a, x[i, a]]) + sum[a, b, m](E[a, b, x[i, a], m] * E[b, a, x[i, b], m]
      where a < b);
    let loss = mean[i]((s[i] - y[i]) ** 2); let g1 = @loss / @E; let g2 = @loss / @w;
    let g3 = @loss / @y;`,
};

/** Programs that take less time once their expressions are split. */
export const rewritten: Readonly<Record<string, string>> = {
  "a double pendulum":
    "input s0: [f32; 4]; input m: [f32; 2]; input l: [f32; 2]; let s[0, i in 0..4] = s0[i]; " +
    "let s[t in 1..8, i in 0..4] = { let a = s[t - 1, 0]; let b = s[t - 1, 1]; " +
    "let p = s[t - 1, 2]; let q = s[t - 1, 3]; let d = a - b; " +
    "let den = 2 * m[0] + m[1] - m[1] * cos(2 * d); " +
    "match i { 0 => a + 0.02 * p, 1 => b + 0.02 * q, " +
    "2 => p + 0.02 * (-9.8 * (2 * m[0] + m[1]) * sin(a) - m[1] * 9.8 * sin(a - 2 * b) - 2 * " +
    "sin(d) * m[1] * (q ** 2 * l[1] + p ** 2 * l[0] * cos(d))) / (l[0] * den), " +
    "_ => q + 0.02 * 2 * sin(d) * (p ** 2 * l[0] * (m[0] + m[1]) + " +
    "9.8 * (m[0] + m[1]) * cos(a) + q ** 2 * l[1] * m[1] * cos(d)) / (l[1] * den), } }; " +
    "let loss = sum[i](s[7, i] ** 2); let g_s0 = @loss / @s0; let g_m = @loss / @m; " +
    "let g_l = @loss / @l;",
  "a swing of two links":
    "input s0: [f32; 4]; input u: [f32; T]; input I: [f32; 2]; let s[0, i in 0..4] = s0[i]; " +
    "let s[t in 1..extent(T) + 1, i in 0..4] = { let a = s[t - 1, 0]; let b = s[t - 1, 1]; " +
    "let da = s[t - 1, 2]; let db = s[t - 1, 3]; let d1 = I[0] + I[1] + 1.25 + cos(b); " +
    "let d2 = I[1] + 0.25 + 0.5 * cos(b); let p2 = 4.9 * cos(a + b - 1.57); " +
    "let p1 = -0.5 * db ** 2 * sin(b) - db * da * sin(b) + 14.7 * cos(a - 1.57) + p2; " +
    "let ddb = (u[t - 1] + d2 / d1 * p1 - 0.5 * da ** 2 * sin(b) - p2) / " +
    "(0.25 + I[1] - d2 ** 2 / d1); let dda = -(d2 * ddb + p1) / d1; " +
    "match i { 0 => a + 0.02 * da, 1 => b + 0.02 * db, 2 => da + 0.02 * dda, " +
    "_ => db + 0.02 * ddb } }; let loss = sum[i](s[extent(T), i] ** 2); " +
    "let g_s0 = @loss / @s0; let g_u = @loss / @u; let g_I = @loss / @I;",
  "genes that regulate one another":
    "input x0: [f32; g]; input K: [f32; g, g]; input h: [f32; g, g]; input d: [f32; g]; " +
    "let x[0, g] = x0[g]; let x[t in 1..6, i in 0..extent(g)] = x[t - 1, i] * (1.0 - d[i]) + " +
    "sum[j](x[t - 1, j] ** h[i, j] / (K[i, j] ** h[i, j] + x[t - 1, j] ** h[i, j])); " +
    "let loss = sum[g](x[5, g] ** 2); let g_x0 = @loss / @x0; let g_K = @loss / @K; " +
    "let g_h = @loss / @h; let g_d = @loss / @d;",
  "beams between nodes":
    "input u: [f32; n, 3]; input EI: [f32; e]; input L: [f32; e]; input a: [i32; e]; input b: " +
    "[i32; e]; let q[e, k in 0..3] = { let dx = u[b[e], 0] - u[a[e], 0] + L[e]; " +
    "let dy = u[b[e], 1] - u[a[e], 1]; let l = sqrt(dx ** 2 + dy ** 2); let be = dy / l; " +
    "match k { 0 => l - L[e], 1 => u[a[e], 2] - be, _ => u[b[e], 2] - be } }; " +
    "let loss = sum[e](EI[e] * (q[e, 0] ** 2 + 4 * q[e, 1] ** 2 + 4 * q[e, 1] * q[e, 2] + " +
    "4 * q[e, 2] ** 2) / L[e]); let g_u = @loss / @u; let g_EI = @loss / @EI; " +
    "let g_L = @loss / @L;",
  "an array that recursion makes again and again":
    "input K: i32; input x: [f32; m]; fn f(v: [f32; n], k: " +
    "i32) -> f32 { if k == 0 { v[0] } else { f([sin(u) | u in v], k - 1) * v[0] } } let l = " +
    "f(x, K); let g = @l / @x;",
};
