// Programs that people write and that take more than five times their primal with all gradients together, with how much at most.
//
// Sums of terms over points and parameters compute each term again for every gradient that goes another way: with the parameters, and with the points. So do sums over pairs, and
// tables that are looked up at several places. What is computed for all of them would have as many cells as a Jacobian.

export const beyondFive: readonly (readonly [name: string, times: number, text: string])[] = [
  [
    "peaks of two kinds",
    7.7,
    `input x: [f32; n]; input y: [f32; n]; input a: [f32; k]; input c: [f32; k]; input w: [f32; k]; input eta: [f32; k]; let loss = sum[n]((sum[k](a[k] * (eta[k] / (1.0 + ((x[n] - c[k]) / w[k]) ** 2) + (1.0 - eta[k]) * exp(-0.6931 * ((x[n] - c[k]) / w[k]) ** 2))) - y[n]) ** 2); let g_x = @loss / @x; let g_y = @loss / @y; let g_a = @loss / @a; let g_c = @loss / @c; let g_w = @loss / @w; let g_eta = @loss / @eta;`,
  ],
  [
    "damped oscillations",
    7.3,
    `input t: [f32; n]; input y: [f32; n]; input a: [f32; k]; input f: [f32; k]; input g: [f32; k]; input ph: [f32; k]; let loss = mean[n]((sum[k](a[k] * exp(-g[k] * t[n]) * cos(f[k] * t[n] + ph[k])) - y[n]) ** 2); let g_t = @loss / @t; let g_y = @loss / @y; let g_a = @loss / @a; let g_f = @loss / @f; let g_g = @loss / @g; let g_ph = @loss / @ph;`,
  ],
  [
    "a sum of kernels",
    6.9,
    `input x: [f32; n]; input z: [f32; m]; input a: [f32; m]; input y: [f32; n]; let ell = 0.8; let f[i] = sum[j](a[j] * (1.0 + 1.7320508 * abs(x[i] - z[j]) / ell) * exp(-1.7320508 * abs(x[i] - z[j]) / ell)); let loss = mean[i]((f[i] - y[i]) ** 2); let g_x = @loss / @x; let g_z = @loss / @z; let g_a = @loss / @a; let g_y = @loss / @y; let g_ell = @loss / @ell;`,
  ],
  [
    "bell-shaped peaks",
    6.1,
    `input x: [f32; n]; input y: [f32; n]; input a: [f32; k]; input c: [f32; k]; input w: [f32; k]; let loss = sum[n]((sum[k](a[k] * exp(-0.5 * ((x[n] - c[k]) / w[k]) ** 2)) - y[n]) ** 2); let g_x = @loss / @x; let g_y = @loss / @y; let g_a = @loss / @a; let g_c = @loss / @c; let g_w = @loss / @w;`,
  ],
  [
    "peaks with wide feet",
    6.1,
    `input x: [f32; n]; input y: [f32; n]; input a: [f32; k]; input c: [f32; k]; input w: [f32; k]; let loss = sum[n]((sum[k](a[k] * w[k] ** 2 / ((x[n] - c[k]) ** 2 + w[k] ** 2)) - y[n]) ** 2); let g_x = @loss / @x; let g_y = @loss / @y; let g_a = @loss / @a; let g_c = @loss / @c; let g_w = @loss / @w;`,
  ],
  [
    "a mixture of distributions",
    5.7,
    `input x: [f32; n]; input mu: [f32; k]; input ls: [f32; k]; input pi: [f32; k]; let lw[k] = pi[k] - logsumexp[j](pi[j]); let loss = -sum[n](logsumexp[k](lw[k] - 0.5 * ((x[n] - mu[k]) / exp(ls[k])) ** 2 - ls[k] - 0.9189385)); let g_x = @loss / @x; let g_mu = @loss / @mu; let g_ls = @loss / @ls; let g_pi = @loss / @pi;`,
  ],
  [
    "a sum of sines",
    5.8,
    `input t: [f32; n]; input y: [f32; n]; input a: [f32; k]; input f: [f32; k]; input ph: [f32; k]; let loss = mean[n]((sum[k](a[k] * sin(f[k] * t[n] + ph[k])) - y[n]) ** 2); let g_t = @loss / @t; let g_y = @loss / @y; let g_a = @loss / @a; let g_f = @loss / @f; let g_ph = @loss / @ph;`,
  ],
  [
    "complex embeddings of a graph",
    7.3,
    `input a: [f32; e, k]; input b: [f32; e, k]; input c: [f32; r, k]; input d: [f32; r, k]; input h: [i32; n]; input t: [i32; n]; input l: [i32; n]; let s[n] = sum[k](c[l[n], k] * a[h[n], k] * a[t[n], k] + c[l[n], k] * b[h[n], k] * b[t[n], k] + d[l[n], k] * a[h[n], k] * b[t[n], k] - d[l[n], k] * b[h[n], k] * a[t[n], k]); let loss = mean[n](log(1.0 + exp(-s[n]))); let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c; let g_d = @loss / @d;`,
  ],
  [
    "rotations between embeddings",
    6.2,
    `input a: [f32; e, k]; input b: [f32; e, k]; input ph: [f32; r, k]; input h: [i32; n]; input t: [i32; n]; input l: [i32; n]; let d[n] = sum[k](sqrt((a[h[n], k] * cos(ph[l[n], k]) - b[h[n], k] * sin(ph[l[n], k]) - a[t[n], k]) ** 2 + (a[h[n], k] * sin(ph[l[n], k]) + b[h[n], k] * cos(ph[l[n], k]) - b[t[n], k]) ** 2 + 1e-6)); let loss = mean[n](d[n]); let g_a = @loss / @a; let g_b = @loss / @b; let g_ph = @loss / @ph;`,
  ],
  [
    "areas of listed triangles",
    7.0,
    `input p: [f32; v, 2]; input A: [i32; f]; input B: [i32; f]; input C: [i32; f]; let a[f] = 0.5 * ((p[B[f], 0] - p[A[f], 0]) * (p[C[f], 1] - p[A[f], 1]) - (p[C[f], 0] - p[A[f], 0]) * (p[B[f], 1] - p[A[f], 1])); let loss = sum[f]((a[f] - 0.3) ** 2); let g_p = @loss / @p;`,
  ],
  [
    "a convolution whose weights are scaled for each image",
    5.6,
    `input x: [f32; b, c, n]; input K: [f32; o, c, k]; input s: [f32; b, c]; let d[b, o] = 1.0 / sqrt(sum[c, k]((K[o, c, k] * s[b, c]) ** 2) + 1e-5); let y[b, o, i] = sum[c, k](K[o, c, k] * s[b, c] * d[b, o] * x[b, c, i + k]); let loss = mean[b, o, i](relu(y[b, o, i])); let g_x = @loss / @x; let g_K = @loss / @K; let g_s = @loss / @s;`,
  ],
  [
    "scattering by pairs",
    5.8,
    `input r: [f32; n, 3]; input f: [f32; n]; input Q: [f32; q]; let d[i, j] = sqrt(sum[a]((r[i, a] - r[j, a]) ** 2) + 1e-6); let I[q] = sum[i, j](f[i] * f[j] * sin(Q[q] * d[i, j]) / (Q[q] * d[i, j])); let loss = sum[q]((I[q] - 1.0) ** 2); let g_r = @loss / @r; let g_f = @loss / @f; let g_Q = @loss / @Q;`,
  ],
  [
    "densities of the others",
    5.3,
    `input x: [f32; n]; let h = 0.4; let loss = -mean[i](log(sum[j](exp(-0.5 * ((x[i] - x[j]) / h) ** 2) where j != i) / (h * (extent(n) - 1) as f32))); let g_x = @loss / @x; let g_h = @loss / @h;`,
  ],
  [
    "soft ranks",
    5.6,
    `input s: [f32; n]; input r: [f32; n]; let tau = 0.3; let k[i] = sum[j](sigmoid((s[i] - s[j]) / tau)); let loss = sum[i]((k[i] - r[i]) ** 2); let g_s = @loss / @s; let g_r = @loss / @r; let g_tau = @loss / @tau;`,
  ],
  [
    "forces between walkers",
    7.3,
    `input p: [f32; n, 2]; input rad: [f32; n]; let A = 2.0; let B = 0.3; let f[i, a] = sum[j](A * exp((rad[i] + rad[j] - sqrt(sum[b in 0..2]((p[i, b] - p[j, b]) ** 2))) / B) * (p[i, a] - p[j, a]) where j != i); let loss = sum[i, a](f[i, a] ** 2); let g_p = @loss / @p; let g_rad = @loss / @rad; let g_A = @loss / @A; let g_B = @loss / @B;`,
  ],
  [
    "segments of labels",
    6.5,
    `input e: [f32; T, k]; input A: [f32; k, k]; input len: [f32; 3, k]; let a[t in 0..extent(T), j in 0..extent(k)] = if t == 0 { e[0, j] } else { logsumexp[i, d in 0..3](a[t - 1 - d, i] + A[i, j] + len[d, j] + e[t, j] where d < t) }; let loss = logsumexp[j](a[extent(T) - 1, j]); let g_e = @loss / @e; let g_A = @loss / @A; let g_len = @loss / @len;`,
  ],
  [
    "a pendulum in four stages",
    5.3,
    `let g = 9.8; let len = 1.2; let th0 = 0.6; const steps = 20; const dt = 0.05; fn acc(th, g, len) { -g / len * sin(th) } let th[0] = th0; let om[0] = 0.0; let th[t in 1..steps] = { let a1 = acc(th[t - 1], g, len); let o2 = om[t - 1] + 0.5 * dt * a1; let a2 = acc(th[t - 1] + 0.5 * dt * om[t - 1], g, len); let o3 = om[t - 1] + 0.5 * dt * a2; let a3 = acc(th[t - 1] + 0.5 * dt * o2, g, len); let o4 = om[t - 1] + dt * a3; th[t - 1] + dt / 6.0 * (om[t - 1] + 2.0 * o2 + 2.0 * o3 + o4) }; let om[t in 1..steps] = { let a1 = acc(th[t - 1], g, len); let o2 = om[t - 1] + 0.5 * dt * a1; let a2 = acc(th[t - 1] + 0.5 * dt * om[t - 1], g, len); let o3 = om[t - 1] + 0.5 * dt * a2; let a3 = acc(th[t - 1] + 0.5 * dt * o2, g, len); let a4 = acc(th[t - 1] + dt * o3, g, len); om[t - 1] + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4) }; let loss = (th[steps - 1] - 0.1) ** 2; let g_g = @loss / @g; let g_len = @loss / @len; let g_th0 = @loss / @th0;`,
  ],
  [
    "a mixture of gases",
    5.5,
    `input x: [f32; n]; input a: [f32; n]; input b: [f32; n]; input k: [f32; n, n]; let am = sum[i, j](x[i] * x[j] * sqrt(a[i] * a[j]) * (1.0 - k[i, j])); let bm = sum[i](x[i] * b[i]); let loss = 0.0821 * 300.0 / (1.0 - bm) - am / (1.0 + 2.0 * bm - bm ** 2); let g_x = @loss / @x; let g_a = @loss / @a; let g_b = @loss / @b; let g_k = @loss / @k;`,
  ],
  [
    "distances under a metric",
    5.4,
    `input x: [f32; n, d]; input c: [f32; k, d]; input M: [f32; d, d]; let D[n, k] = sum[i, j]((x[n, i] - c[k, i]) * M[i, j] * (x[n, j] - c[k, j])); let loss = mean[n](logsumexp[k](-D[n, k]) + D[n, 0]); let g_x = @loss / @x; let g_c = @loss / @c; let g_M = @loss / @M;`,
  ],
  [
    "neighbourhoods of atoms",
    5.5,
    `input r: [f32; n, 3]; input eta: [f32; k]; input rs: [f32; k]; let d[i, j] = sqrt(sum[a]((r[i, a] - r[j, a]) ** 2) + 1e-6); let fc[i, j] = if d[i, j] < 3.0 { 0.5 * (cos(3.14159 * d[i, j] / 3.0) + 1.0) } else { 0.0 }; let G[i, k] = sum[j](exp(-eta[k] * (d[i, j] - rs[k]) ** 2) * fc[i, j] where j != i); let loss = sum[i, k](G[i, k] ** 2); let g_r = @loss / @r; let g_eta = @loss / @eta; let g_rs = @loss / @rs;`,
  ],
  [
    "a hidden chain that changes",
    5.2,
    `input e: [f32; T, k]; input A: [f32; k, k]; input s: [f32; T, k]; let a[0, j] = e[0, j]; let a[t in 1..extent(T), j] = e[t, j] + logsumexp[i](a[t - 1, i] + s[t, i] + A[i, j]); let loss = -logsumexp[j](a[extent(T) - 1, j]); let g_e = @loss / @e; let g_A = @loss / @A; let g_s = @loss / @s;`,
  ],
  [
    "a kernel with a length for each axis",
    5.5,
    `input x: [f32; n, d]; input y: [f32; n]; input ell: [f32; d]; use std::linalg::{cholesky, solve_lower}; let r2[i, j] = sum[d](((x[i, d] - x[j, d]) / ell[d]) ** 2); let K[i, j] = exp(-0.5 * r2[i, j]) + if i == j { 0.1 } else { 0.0 }; let L = cholesky(K); let z = solve_lower(L, y); let loss = 0.5 * sum[i](z[i] ** 2) + sum[i](log(L[i, i])); let g_x = @loss / @x; let g_y = @loss / @y; let g_ell = @loss / @ell;`,
  ],
];
