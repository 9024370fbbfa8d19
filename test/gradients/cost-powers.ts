// Powers with moving base and exponent, graphs whose edges are data, several reductions over the
// same points, ranges that end at quotients, and recursive functions with short bodies.

export const powers: Readonly<Record<string, string>> = {
  "norms of running pools":
    "input x: [f32; n, d]; input p: [f32; d]; let a[0, d] = abs(x[0, d]); " +
    "let a[t in 1..extent(n), d] = (a[t - 1, d] ** p[d] + abs(x[t, d]) ** p[d]) ** " +
    "(1.0 / p[d]); let loss = sum[d](a[extent(n) - 1, d]); let g_x = @loss / @x; " +
    "let g_p = @loss / @p;",
  "a recurrence of powers":
    "input x: [f32; T, n]; input w: [f32; n]; let h[0, n] = x[0, n]; " +
    "let h[t in 1..extent(T), n] = h[t - 1, n] ** w[n] * x[t, n] ** (1.0 - w[n]); " +
    "let loss = sum[n](h[extent(T) - 1, n]); let g_x = @loss / @x; let g_w = @loss / @w;",
  "resistors in parallel and in series":
    "input R: [f32; m]; input l: [i32; m]; input r: [i32; m]; input t: [i32; m]; " +
    "let v[i in 0..extent(m)] = if t[i] == 0 || i < 2 { R[i] } else if t[i] == " +
    "1 { v[l[i]] + v[r[i]] } else { v[l[i]] * v[r[i]] / (v[l[i]] + v[r[i]]) }; " +
    "let loss = v[extent(m) - 1]; let g_R = @loss / @R;",
  "recursive utility":
    "input c: [f32; T]; input be: f32; input ps: f32; input ga: f32; " +
    "let V[t in rev(0..extent(T))] = if t == " +
    "extent(T) - 1 { c[t] } else { ((1.0 - be) * c[t] ** ps + " +
    "be * (V[t + 1] ** ga) ** (ps / ga)) ** (1.0 / ps) }; let loss = V[0] ** 2; " +
    "let g_c = @loss / @c; let g_be = @loss / @be; let g_ps = @loss / @ps; " +
    "let g_ga = @loss / @ga;",
  "harmonic means of pointers":
    "input w: [f32; m]; input l: [i32; m]; input r: [i32; m]; " +
    "let v[i in 0..extent(m)] = if i < 2 { w[i] } else " +
    "{ w[i] + v[l[i]] * v[r[i]] / (v[l[i]] + v[r[i]]) }; let loss = v[extent(m) - 1]; " +
    "let g_w = @loss / @w;",
  "the law of mass action":
    "input c: [f32; n, s]; input v: [f32; r, s]; let q[n, r] = prod[s](c[n, s] ** v[r, s]); " +
    "let loss = sum[n, r](q[n, r]); let g_c = @loss / @c; let g_v = @loss / @v;",
  "a graph of powers":
    "input w: [f32; m]; input l: [i32; m]; input r: [i32; m]; " +
    "let v[i in 0..extent(m)] = if i < 2 { w[i] } else { v[l[i]] ** w[i] * v[r[i]] }; " +
    "let loss = v[extent(m) - 1]; let g_w = @loss / @w;",
  "means of powers in steps":
    "input x: [f32; n, d]; input p: f32; let c[0, i] = x[0, i]; " +
    "let c[t in 1..extent(n), i] = (0.5 * (abs(c[t - 1, i]) + 0.1) ** p + " +
    "0.5 * (abs(x[t, i]) + 0.1) ** p) ** (1.0 / p); let loss = sum[i](c[extent(n) - 1, i]); " +
    "let g_x = @loss / @x; let g_p = @loss / @p;",
  "a mixture of Bernoullis as products of powers":
    "input x: [f32; n, d]; input p: [f32; k, d]; input pi: [f32; k]; " +
    "let loss = -sum[n](log(sum[k](pi[k] * " +
    "prod[d](p[k, d] ** x[n, d] * (1.0 - p[k, d]) ** (1.0 - x[n, d]))) + 1e-3)); " +
    "let g_x = @loss / @x; let g_p = @loss / @p; let g_pi = @loss / @pi;",
  "a graph of quotients":
    "input w: [f32; m]; input l: [i32; m]; input r: [i32; m]; " +
    "let v[i in 0..extent(m)] = if i < 2 { w[i] } else { v[l[i]] / v[r[i]] }; " +
    "let loss = v[extent(m) - 1]; let g_w = @loss / @w;",
  "a cascade of Hill functions":
    "input S: [f32; n]; input k: [f32; 4]; input h: [f32; 4]; let y[0, n] = S[n]; " +
    "let y[t in 1..5, n] = y[t - 1, n] ** h[t - 1] / (k[t - 1] ** h[t - 1] + " +
    "y[t - 1, n] ** h[t - 1]); let loss = sum[n]((y[4, n] - 0.5) ** 2); let g_S = @loss / @S; " +
    "let g_k = @loss / @k; let g_h = @loss / @h;",
  "costs along a line, smoothed":
    "input C: [f32; w, d]; input P1: f32; input P2: f32; " +
    "let L[x in 0..extent(w), d in 0..extent(d)] = if x == " +
    "0 { C[0, d] } else { C[x, d] - logsumexp[e in 0..extent(d)](-L[x - 1, " +
    "e] - (if e == d { 0.0 } else if abs(e - d) == 1 { P1 } else { P2 })) }; " +
    "let loss = sum[x](min[d](L[x, d])); let g_C = @loss / @C; let g_P1 = @loss / @P1; " +
    "let g_P2 = @loss / @P2;",
  "a walk between two bounds, by recursion":
    "input v: [f32; n]; input lo: f32; input hi: f32; " +
    "fn walk(i: i32, acc: f32) -> f32 { if i == " +
    "extent(n) { acc } else { walk(i + 1, clamp(acc + v[i], lo, hi)) } } let loss = " +
    "walk(0, 0.0) ** 2; let g_v = @loss / @v; let g_lo = @loss / @lo; let g_hi = @loss / @hi;",
  "rates of several enzymes":
    "input s: [f32; n]; input K: [f32; m]; input h: [f32; m]; input V: [f32; m]; input y: " +
    "[f32; n]; let loss = sum[n]((sum[m](V[m] * s[n] ** h[m] / (K[m] ** h[m] + s[n] ** h[m])) " +
    "- y[n]) ** 2); let g_s = @loss / @s; let g_K = @loss / @K; let g_h = @loss / @h; " +
    "let g_V = @loss / @V; let g_y = @loss / @y;",
  "a chain of allometries":
    "input m: [f32; n]; input a: [f32; s]; input b: [f32; s]; let y[0, n] = m[n]; " +
    "let y[s in 1..extent(s), n] = a[s] * y[s - 1, n] ** b[s]; " +
    "let loss = sum[n](y[extent(s) - 1, n] ** 2); let g_m = @loss / @m; let g_a = @loss / @a; " +
    "let g_b = @loss / @b;",
  "profiles of galaxies":
    "input r: [f32; n]; input I: [f32; k]; input re: [f32; k]; input ns: [f32; k]; input y: " +
    "[f32; n]; let loss = sum[n]((sum[k](I[k] * exp(-(r[n] / re[k]) ** (1.0 / ns[k]))) - y[n]) " +
    "** 2); let g_r = @loss / @r; let g_I = @loss / @I; let g_re = @loss / @re; " +
    "let g_ns = @loss / @ns; let g_y = @loss / @y;",
  "a kernel that is a product and an exponential":
    "input x: [f32; n, d]; input z: [f32; m, d]; input l: [f32; d]; input al: [f32; m]; " +
    "let K[n, m] = prod[d](1.0 + abs(x[n, d] - z[m, d]) / l[d]) * " +
    "exp(-sum[d](abs(x[n, d] - z[m, d]) / l[d])); " +
    "let loss = sum[n](sum[m](K[n, m] * al[m]) ** 2); let g_x = @loss / @x; " +
    "let g_z = @loss / @z; let g_l = @loss / @l; let g_al = @loss / @al;",
  prospects:
    "input p: [f32; n, k]; input x: [f32; n, k]; input al: f32; input ga: f32; input lam: f32; " +
    "let w[n, k] = p[n, k] ** ga / (p[n, k] ** ga + (1.0 - p[n, k]) ** ga) ** (1.0 / ga); " +
    "let v[n, k] = if x[n, k] >= 0.0 { x[n, k] ** al } else { -lam * (-x[n, k]) ** al }; " +
    "let loss = sum[n](sigmoid(sum[k](w[n, k] * v[n, k]))); let g_p = @loss / @p; " +
    "let g_x = @loss / @x; let g_al = @loss / @al; let g_ga = @loss / @ga; " +
    "let g_lam = @loss / @lam;",
  "a circuit of quotients":
    "input u: [f32; m]; input l: [i32; m]; input r: [i32; m]; " +
    "let v[i in 0..extent(m)] = if i < 3 { u[i] } else { v[l[i]] / (v[r[i]] + u[i]) }; " +
    "let loss = v[extent(m) - 1]; let g_u = @loss / @u;",
  "powers of powers":
    "input x: [f32; n]; input p: [f32; n]; input q: [f32; n]; " +
    "let loss = sum[n]({ let u = x[n] ** p[n]; let v = u ** q[n]; let w = v ** p[n]; " +
    "w * u + v }); let g_x = @loss / @x; let g_p = @loss / @p; let g_q = @loss / @q;",
  "a Vandermonde determinant":
    "input x: [f32; n]; let loss = log(abs(prod[i, j](x[j] - x[i] where i < j)) + 0.1); " +
    "let g_x = @loss / @x;",
  "two quotients by recursion":
    "input a: f32; input b: f32; fn it(x: f32, y: f32, k: " +
    "i32) -> f32 { if k == 0 { x - y } else { it(x / y + a, y / x + b, k - 1) } } let loss = " +
    "it(a, b, 6) ** 2; let g_a = @loss / @a; let g_b = @loss / @b;",
  "a clamped step by recursion":
    "input u: [f32; n]; input lo: f32; input hi: f32; input r: f32; " +
    "fn go(i: i32, x: f32, v: f32) -> f32 " +
    "{ if i == extent(n) { x } else { let a = clamp(u[i] - x, lo, hi); " +
    "go(i + 1, x + r * v, v + r * a) } } let loss = go(0, 0.0, 0.0) ** 2; " +
    "let g_u = @loss / @u; let g_lo = @loss / @lo; let g_hi = @loss / @hi; " +
    "let g_r = @loss / @r;",
  "a power in steps":
    "input x: [f32; n]; input p: [f32; n]; let y[0, n] = x[n]; " +
    "let y[t in 1..8, n] = y[t - 1, n] ** p[n]; let loss = sum[n](y[7, n]); " +
    "let g_x = @loss / @x; let g_p = @loss / @p;",
  "a power in steps, of one exponent":
    "input x: [f32; n]; input p: f32; let y[0, n] = x[n]; " +
    "let y[t in 1..8, n] = y[t - 1, n] ** p; let loss = sum[n](y[7, n]); let g_x = @loss / @x; " +
    "let g_p = @loss / @p;",
  "a soft knapsack":
    "input v: [f32; n]; input w: [f32; n]; input T: f32; let K[0, c in 0..9] = 0.0; " +
    "let K[i in 1..extent(n) + 1, c in 0..9] = { let skip = K[i - 1, c]; let need = 1 + i % 3; " +
    "if c >= need { let take = K[i - 1, c - need] + v[i - 1] * w[i - 1]; " +
    "let m = max(skip, take); m + T * log(exp((skip - m) / T) + exp((take - m) / T)) } else " +
    "{ skip } }; let loss = K[extent(n), 8]; let g_v = @loss / @v; let g_w = @loss / @w; " +
    "let g_T = @loss / @T;",
  "sums up to a quotient":
    "input x: [f32; n]; input w: [f32; n, n]; " +
    "let y[i in 0..extent(n)] = sum[k in 0..i / 4](x[k] ** 2 * w[i, k]); " +
    "let loss = sum[i](y[i] ** 2); let g_x = @loss / @x; let g_w = @loss / @w;",
  "squares up to a quotient":
    "input x: [f32; n]; let y[i in 0..extent(n)] = sum[k in 0..i / 4 + 1](x[k] ** 2); " +
    "let loss = sum[i](y[i] ** 2); let g_x = @loss / @x;",
  "a few of many cells":
    "input x: [f32; n]; input c: [f32; 5]; " +
    "let loss = sum[i in 0..5](c[i] * sin(x[i % extent(n)]) ** 2); let g_x = @loss / @x; " +
    "let g_c = @loss / @c;",
  "means of columns that others are divided by":
    "input x: [f32; n]; input K: [f32; m]; input h: [f32; m]; " +
    "let loss = sum[n](log(sum[m](x[n] ** h[m] / (K[m] ** h[m] + 1.0)))); " +
    "let g_x = @loss / @x; let g_K = @loss / @K; let g_h = @loss / @h;",
  "a recurrence of sums up to a quotient":
    "input x: [f32; n]; let h[i in 0..extent(n)] = x[i] + " +
    "sum[k in 0..i / 2 + 1](h[k] * x[i] where k < i); let loss = h[extent(n) - 1]; " +
    "let g_x = @loss / @x;",
  "a graph whose nodes data chooses by its numbers":
    "input x: [f32; m]; input l: [i32; m]; input r: [i32; m]; " +
    "let v[i in 0..extent(m)] = if i < 2 { x[i] } else if x[l[i]] > 0.5 " +
    "{ v[l[i]] / (v[r[i]] + v[l[i]] ** 2) } else { v[r[i]] * v[l[i]] + x[r[i]] }; " +
    "let loss = v[extent(m) - 1] + v[2] ** 2; let g_x = @loss / @x;",
  "a product beside a sum of the same pairs, turned round":
    "input x: [f32; n, d]; let A[i in 0..extent(n), j in 0..extent(n)] = " +
    "sum[e](abs(x[i, e] - x[j, e]) ** 3); " +
    "let B[i in 0..extent(n), j in 0..extent(n)] = " +
    "prod[e](1.0 + abs(x[j, e] - x[i, e]) ** 3 * x[i, e]); " +
    "let loss = sum[i, j](A[i, j] * B[j, i]); let g_x = @loss / @x;",
  "a product of looked-up factors":
    "input x: [f32; n]; input at: [i32; m]; let loss = prod[k](tanh(x[at[k]])); " +
    "let g_x = @loss / @x;",
  "a product, a sum and a greatest of looked-up edges":
    "input x: [f32; n]; input p: [i32; e]; input q: [i32; e]; input w: [f32; e]; " +
    "let a = sum[e](sqrt((x[p[e]] - x[q[e]]) ** 2 + 0.1) * w[e] / " +
    "(1.0 + sqrt((x[p[e]] - x[q[e]]) ** 2 + 0.1))); " +
    "let b = prod[e](1.0 + sqrt((x[p[e]] - x[q[e]]) ** 2 + 0.1)); " +
    "let c = max[e](sqrt((x[p[e]] - x[q[e]]) ** 2 + 0.1) - w[e]); let loss = a * b + c; " +
    "let g_x = @loss / @x; let g_w = @loss / @w;",
  "sums between two quotients":
    "input x: [f32; n]; let y[i in 0..extent(n)] = sum[k in i / 3..i / 2](x[k] ** 2 * x[i]); " +
    "let loss = sum[i](y[i] ** 2); let g_x = @loss / @x;",
  "sums up to the middle of two coordinates":
    "input x: [f32; n]; let y[i in 0..extent(n), j in 0..extent(n)] = " +
    "sum[k in 0..(i + j) / 2](x[k] ** 2 * x[i]); let loss = sum[i, j](y[i, j] ** 2); " +
    "let g_x = @loss / @x;",
  "sums up to a quotient by more":
    "input x: [f32; n]; let y[i in 0..extent(n)] = sum[k in 0..i / 8](x[k] ** 2 * x[i]); " +
    "let loss = sum[i](y[i] ** 2); let g_x = @loss / @x;",
  "powers by recursion":
    "input a: f32; input p: f32; fn f(x: f32, k: " +
    "i32) -> f32 { if k == 0 { x } else { f(x ** p + a, k - 1) } } let loss = f(1.0, 6); " +
    "let g_a = @loss / @a; let g_p = @loss / @p;",
  "a tower of powers":
    "input a: [f32; n]; fn tow(i: i32, v: " +
    "f32) -> f32 { if i == extent(n) { v } else { tow(i + 1, a[i] ** v) } } let loss = " +
    "tow(0, 1.0); let g_a = @loss / @a;",
  "a Hill function by recursion":
    "input k: [f32; n]; input h: f32; fn go(i: i32, x: " +
    "f32) -> f32 { if i == extent(n) { x } else { go(i + 1, x ** h / (k[i] + x ** h)) } } let " +
    "loss = go(0, 0.5); let g_k = @loss / @k; let g_h = @loss / @h;",
  "a recursion with three kinds of rounds":
    "input a: f32; input w: [f32; 6]; fn f(k: i32, x: " +
    "f32) -> f32 { if k == 6 { x } else { f(k + 1, " +
    "match k % 3 { 0 => sin(x) * w[k] + sin(x), 1 => x / w[k] + sin(x), " +
    "_ => if k + 1 < 6 { w[k + 1] * x * x + sin(w[k + 1] * x * x) } else { x } }) } } let loss " +
    "= f(0, a); let g_a = @loss / @a; let g_w = @loss / @w;",
  "a factor, a summand and what is taken away, turn about, by recursion":
    "input a: f32; input b: f32; input c: f32; " +
    "fn h(n: i32, x: f32) -> f32 { if n == 0 { x } else if n % 3 == " +
    "0 { h(n - 1, x * a) } else if n % 3 == 1 { h(n - 1, x + b) } else { h(n - 1, x - c) } } " +
    "let loss = h(11, 1.0); let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c;",
  "a product that goes through four places, by recursion":
    "input a: f32; input b: f32; input c: f32; input d: f32; " +
    "fn h(n: i32, x: f32, y: f32, z: f32, w: " +
    "f32) -> f32 { if n == 0 { x } else { h(n - 1, y, z, w, x * y) } } let loss = " +
    "h(9, a, b, c, d); let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c; " +
    "let g_d = @loss / @d;",
  "a quotient that goes through two places, by recursion":
    "input a: f32; input b: f32; fn h(n: i32, x: f32, y: " +
    "f32) -> f32 { if n == 0 { x } else { h(n - 1, y, x / y) } } let loss = h(7, a, b); " +
    "let g_a = @loss / @a; let g_b = @loss / @b;",
  "a product that goes through three places, by recursion":
    "input a: f32; input b: f32; input c: f32; " +
    "fn g(a: f32, b: f32, c: f32, n: i32) -> f32 " +
    "{ if n == 0 { a } else { g(b, c, a * b, n - 1) } } let loss = g(a, b, c, 12); " +
    "let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c;",
  "a product of two calls down a grid":
    "input a: f32; input b: f32; fn h(m: i32, n: " +
    "i32) -> f32 { if m == 0 { a } else if n == 0 { b } else { h(m - 1, n) * h(m, n - 1) } } " +
    "let loss = h(4, 5); let g_a = @loss / @a; let g_b = @loss / @b;",
  "a factor for each odd half":
    "input l: f32; input r: f32; fn f(n: " +
    "i32) -> f32 { if n < 2 { l } else if n % 2 == 0 { f(n / 2) } else { r * f(n / 2) } } let " +
    "loss = f(37); let g_l = @loss / @l; let g_r = @loss / @r;",
  "three functions that call one another, each with its factor":
    "input a: f32; input b: f32; input c: f32; " +
    "fn p(k: i32) -> f32 { if k == 0 { a } else { b * q(k - 1) } } fn q(k: " +
    "i32) -> f32 { if k == 0 { b } else { c * r(k - 1) } } fn r(k: " +
    "i32) -> f32 { if k == 0 { c } else { a * p(k - 1) } } let loss = p(10); " +
    "let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c;",
  "a product of the last two, by recursion":
    "input a: f32; input b: f32; fn h(n: i32, x: f32, y: " +
    "f32) -> f32 { if n == 0 { x + y } else { h(n - 1, y, x * y) } } let loss = h(7, a, b); " +
    "let g_a = @loss / @a; let g_b = @loss / @b;",
  "the greater of the first two of three, by recursion":
    "input a: f32; input b: f32; input c: f32; " +
    "fn h(n: i32, x: f32, y: f32, z: f32) -> f32 " +
    "{ if n == 0 { x } else { h(n - 1, y, z, max(x, y)) } } let loss = h(9, a, b, c); " +
    "let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c;",
  "a product of the last two calls":
    "input a: f32; input b: f32; fn f(n: " +
    "i32) -> f32 { if n < 2 { a } else { b * f(n - 1) * f(n - 2) } } let loss = f(9); " +
    "let g_a = @loss / @a; let g_b = @loss / @b;",
  "two functions that call each other, each with its factor":
    "input a: f32; input b: f32; fn e(n: " +
    "i32) -> f32 { if n == 0 { a } else { b * o(n - 1) } } fn o(n: " +
    "i32) -> f32 { if n == 0 { b } else { a * e(n - 1) } } let loss = e(9) * o(8); " +
    "let g_a = @loss / @a; let g_b = @loss / @b;",
  "the greater of two calls":
    "input a: f32; input b: f32; fn h(k: " +
    "i32) -> f32 { if k == 0 { a } else { max(h(k - 1), b * h(k / 2)) } } let loss = h(9); " +
    "let g_a = @loss / @a; let g_b = @loss / @b;",
  "a parameter that is handed on in another place":
    "input a: f32; input b: f32; input c: f32; " +
    "fn f(k: i32, p: f32, q: f32) -> f32 " +
    "{ if k == 0 { p * c } else { q * f(k - 1, q, p) + p * f(k / 2, p, q) } } let loss = " +
    "f(5, a, b); let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c;",
  "a parameter that is given twice":
    "input a: f32; input b: f32; fn f(k: i32, p: f32, q: " +
    "f32) -> f32 { if k == 0 { p * q } else { p * g(k - 1, q) + sin(q) } } fn g(k: i32, r: " +
    "f32) -> f32 { if k == 0 { r * r * b } else { r * f(k - 1, r, r) * f(k / 2, r, b) } } let " +
    "loss = f(5, a, a) + f(4, b, a) * g(3, b); let g_a = @loss / @a; let g_b = @loss / @b;",
  "a call under a condition, of what is handed on":
    "input a: f32; input b: f32; fn f(k: i32, x: " +
    "f32) -> f32 { if k == 0 { a * x } else " +
    "{ b * x + (if x > 0.5 { f(k - 1, x * a) * b } else { a }) * " +
    "(if k % 2 == 0 { b } else { f(k / 2, x + a) }) } } let loss = f(6, b) * a; " +
    "let g_a = @loss / @a; let g_b = @loss / @b;",
  "a call within a call, of what is handed on":
    "input a: f32; input b: f32; fn f(m: i32, x: " +
    "f32) -> f32 { if m == 0 { a * x } else { b + 0.5 * f(m - 1, f(m - 1, x) * b) * a } } let " +
    "loss = f(3, b); let g_a = @loss / @a; let g_b = @loss / @b;",
};
