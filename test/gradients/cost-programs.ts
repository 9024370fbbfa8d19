// Programs as people write them, in machine learning, statistics, physics, geometry and on graphs.
// In many of them the gradients of several tensors visit the same points: pairs, and tables that
// are read at several places.

export const programs: Readonly<Record<string, string>> = {
  "peaks of two kinds":
    "input x: [f32; n]; input y: [f32; n]; input a: [f32; k]; input c: [f32; k]; input w: " +
    "[f32; k]; input eta: [f32; k]; let loss = " +
    "sum[n]((sum[k](a[k] * (eta[k] / (1.0 + ((x[n] - c[k]) / w[k]) ** 2) + " +
    "(1.0 - eta[k]) * exp(-0.6931 * ((x[n] - c[k]) / w[k]) ** 2))) - y[n]) ** 2); " +
    "let g_x = @loss / @x; let g_y = @loss / @y; let g_a = @loss / @a; let g_c = @loss / @c; " +
    "let g_w = @loss / @w; let g_eta = @loss / @eta;",
  "damped oscillations":
    "input t: [f32; n]; input y: [f32; n]; input a: [f32; k]; input f: [f32; k]; input g: " +
    "[f32; k]; input ph: [f32; k]; let loss = " +
    "mean[n]((sum[k](a[k] * exp(-g[k] * t[n]) * cos(f[k] * t[n] + ph[k])) - y[n]) ** 2); " +
    "let g_t = @loss / @t; let g_y = @loss / @y; let g_a = @loss / @a; let g_f = @loss / @f; " +
    "let g_g = @loss / @g; let g_ph = @loss / @ph;",
  "a sum of kernels":
    "input x: [f32; n]; input z: [f32; m]; input a: [f32; m]; input y: [f32; n]; " +
    "let ell = 0.8; let f[i] = sum[j](a[j] * (1.0 + 1.7320508 * abs(x[i] - z[j]) / ell) * " +
    "exp(-1.7320508 * abs(x[i] - z[j]) / ell)); let loss = mean[i]((f[i] - y[i]) ** 2); " +
    "let g_x = @loss / @x; let g_z = @loss / @z; let g_a = @loss / @a; let g_y = @loss / @y; " +
    "let g_ell = @loss / @ell;",
  "bell-shaped peaks":
    "input x: [f32; n]; input y: [f32; n]; input a: [f32; k]; input c: [f32; k]; input w: " +
    "[f32; k]; let loss = sum[n]((sum[k](a[k] * exp(-0.5 * ((x[n] - c[k]) / w[k]) ** 2)) - " +
    "y[n]) ** 2); let g_x = @loss / @x; let g_y = @loss / @y; let g_a = @loss / @a; " +
    "let g_c = @loss / @c; let g_w = @loss / @w;",
  "peaks with wide feet":
    "input x: [f32; n]; input y: [f32; n]; input a: [f32; k]; input c: [f32; k]; input w: " +
    "[f32; k]; let loss = sum[n]((sum[k](a[k] * w[k] ** 2 / ((x[n] - c[k]) ** 2 + w[k] ** 2)) " +
    "- y[n]) ** 2); let g_x = @loss / @x; let g_y = @loss / @y; let g_a = @loss / @a; " +
    "let g_c = @loss / @c; let g_w = @loss / @w;",
  "a mixture of distributions":
    "input x: [f32; n]; input mu: [f32; k]; input ls: [f32; k]; input pi: [f32; k]; " +
    "let lw[k] = pi[k] - logsumexp[j](pi[j]); " +
    "let loss = -sum[n](logsumexp[k](lw[k] - 0.5 * ((x[n] - mu[k]) / exp(ls[k])) ** 2 - ls[k] " +
    "- 0.9189385)); let g_x = @loss / @x; let g_mu = @loss / @mu; let g_ls = @loss / @ls; " +
    "let g_pi = @loss / @pi;",
  "a sum of sines":
    "input t: [f32; n]; input y: [f32; n]; input a: [f32; k]; input f: [f32; k]; input ph: " +
    "[f32; k]; let loss = mean[n]((sum[k](a[k] * sin(f[k] * t[n] + ph[k])) - y[n]) ** 2); " +
    "let g_t = @loss / @t; let g_y = @loss / @y; let g_a = @loss / @a; let g_f = @loss / @f; " +
    "let g_ph = @loss / @ph;",
  "complex embeddings of a graph":
    "input a: [f32; e, k]; input b: [f32; e, k]; input c: [f32; r, k]; input d: [f32; r, k]; " +
    "input h: [i32; n]; input t: [i32; n]; input l: [i32; n]; " +
    "let s[n] = sum[k](c[l[n], k] * a[h[n], k] * a[t[n], k] + " +
    "c[l[n], k] * b[h[n], k] * b[t[n], k] + d[l[n], k] * a[h[n], k] * b[t[n], k] - d[l[n], " +
    "k] * b[h[n], k] * a[t[n], k]); let loss = mean[n](log(1.0 + exp(-s[n]))); " +
    "let g_a = @loss / @a; let g_b = @loss / @b; let g_c = @loss / @c; let g_d = @loss / @d;",
  "rotations between embeddings":
    "input a: [f32; e, k]; input b: [f32; e, k]; input ph: [f32; r, k]; input h: [i32; n]; " +
    "input t: [i32; n]; input l: [i32; n]; " +
    "let d[n] = sum[k](sqrt((a[h[n], k] * cos(ph[l[n], k]) - b[h[n], k] * sin(ph[l[n], k]) - " +
    "a[t[n], k]) ** 2 + (a[h[n], k] * sin(ph[l[n], k]) + " +
    "b[h[n], k] * cos(ph[l[n], k]) - b[t[n], k]) ** 2 + 1e-6)); let loss = mean[n](d[n]); " +
    "let g_a = @loss / @a; let g_b = @loss / @b; let g_ph = @loss / @ph;",
  "areas of listed triangles":
    "input p: [f32; v, 2]; input A: [i32; f]; input B: [i32; f]; input C: [i32; f]; " +
    "let a[f] = 0.5 * ((p[B[f], 0] - p[A[f], 0]) * (p[C[f], 1] - p[A[f], 1]) - " +
    "(p[C[f], 0] - p[A[f], 0]) * (p[B[f], 1] - p[A[f], 1])); " +
    "let loss = sum[f]((a[f] - 0.3) ** 2); let g_p = @loss / @p;",
  "a convolution whose weights are scaled for each image":
    "input x: [f32; b, c, n]; input K: [f32; o, c, k]; input s: [f32; b, c]; " +
    "let d[b, o] = 1.0 / sqrt(sum[c, k]((K[o, c, k] * s[b, c]) ** 2) + 1e-5); " +
    "let y[b, o, i] = sum[c, k](K[o, c, k] * s[b, c] * d[b, o] * x[b, c, i + k]); " +
    "let loss = mean[b, o, i](relu(y[b, o, i])); let g_x = @loss / @x; let g_K = @loss / @K; " +
    "let g_s = @loss / @s;",
  "scattering by pairs":
    "input r: [f32; n, 3]; input f: [f32; n]; input Q: [f32; q]; " +
    "let d[i, j] = sqrt(sum[a]((r[i, a] - r[j, a]) ** 2) + 1e-6); " +
    "let I[q] = sum[i, j](f[i] * f[j] * sin(Q[q] * d[i, j]) / (Q[q] * d[i, j])); " +
    "let loss = sum[q]((I[q] - 1.0) ** 2); let g_r = @loss / @r; let g_f = @loss / @f; " +
    "let g_Q = @loss / @Q;",
  "densities of the others":
    "input x: [f32; n]; let h = 0.4; let loss = " +
    "-mean[i](log(sum[j](exp(-0.5 * ((x[i] - x[j]) / h) ** 2) where j != i) / " +
    "(h * (extent(n) - 1) as f32))); let g_x = @loss / @x; let g_h = @loss / @h;",
  "soft ranks":
    "input s: [f32; n]; input r: [f32; n]; let tau = 0.3; " +
    "let k[i] = sum[j](sigmoid((s[i] - s[j]) / tau)); let loss = sum[i]((k[i] - r[i]) ** 2); " +
    "let g_s = @loss / @s; let g_r = @loss / @r; let g_tau = @loss / @tau;",
  "forces between walkers":
    "input p: [f32; n, 2]; input rad: [f32; n]; let A = 2.0; let B = 0.3; " +
    "let f[i, a] = sum[j](A * exp((rad[i] + " +
    "rad[j] - sqrt(sum[b in 0..2]((p[i, b] - p[j, b]) ** 2))) / B) * (p[i, a] - p[j, a]) where " +
    "j != i); let loss = sum[i, a](f[i, a] ** 2); let g_p = @loss / @p; " +
    "let g_rad = @loss / @rad; let g_A = @loss / @A; let g_B = @loss / @B;",
  "segments of labels":
    "input e: [f32; T, k]; input A: [f32; k, k]; input len: [f32; 3, k]; " +
    "let a[t in 0..extent(T), j in 0..extent(k)] = if t == " +
    "0 { e[0, j] } else { logsumexp[i, d in 0..3](a[t - 1 - d, i] + A[i, j] + len[d, j] + " +
    "e[t, j] where d < t) }; let loss = logsumexp[j](a[extent(T) - 1, j]); " +
    "let g_e = @loss / @e; let g_A = @loss / @A; let g_len = @loss / @len;",
  "a pendulum in four stages":
    "let g = 9.8; let len = 1.2; let th0 = 0.6; const steps = 20; const dt = 0.05; " +
    "fn acc(th, g, len) { -g / len * sin(th) } let th[0] = th0; let om[0] = 0.0; " +
    "let th[t in 1..steps] = { let a1 = acc(th[t - 1], g, len); " +
    "let o2 = om[t - 1] + 0.5 * dt * a1; " +
    "let a2 = acc(th[t - 1] + 0.5 * dt * om[t - 1], g, len); " +
    "let o3 = om[t - 1] + 0.5 * dt * a2; let a3 = acc(th[t - 1] + 0.5 * dt * o2, g, len); " +
    "let o4 = om[t - 1] + dt * a3; th[t - 1] + " +
    "dt / 6.0 * (om[t - 1] + 2.0 * o2 + 2.0 * o3 + o4) }; " +
    "let om[t in 1..steps] = { let a1 = acc(th[t - 1], g, len); " +
    "let o2 = om[t - 1] + 0.5 * dt * a1; " +
    "let a2 = acc(th[t - 1] + 0.5 * dt * om[t - 1], g, len); " +
    "let o3 = om[t - 1] + 0.5 * dt * a2; let a3 = acc(th[t - 1] + 0.5 * dt * o2, g, len); " +
    "let a4 = acc(th[t - 1] + dt * o3, g, len); " +
    "om[t - 1] + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4) }; " +
    "let loss = (th[steps - 1] - 0.1) ** 2; let g_g = @loss / @g; let g_len = @loss / @len; " +
    "let g_th0 = @loss / @th0;",
  "a mixture of gases":
    "input x: [f32; n]; input a: [f32; n]; input b: [f32; n]; input k: [f32; n, n]; " +
    "let am = sum[i, j](x[i] * x[j] * sqrt(a[i] * a[j]) * (1.0 - k[i, j])); " +
    "let bm = sum[i](x[i] * b[i]); let loss = " +
    "0.0821 * 300.0 / (1.0 - bm) - am / (1.0 + 2.0 * bm - bm ** 2); let g_x = @loss / @x; " +
    "let g_a = @loss / @a; let g_b = @loss / @b; let g_k = @loss / @k;",
  "distances under a metric":
    "input x: [f32; n, d]; input c: [f32; k, d]; input M: [f32; d, d]; " +
    "let D[n, k] = sum[i, j]((x[n, i] - c[k, i]) * M[i, j] * (x[n, j] - c[k, j])); " +
    "let loss = mean[n](logsumexp[k](-D[n, k]) + D[n, 0]); let g_x = @loss / @x; " +
    "let g_c = @loss / @c; let g_M = @loss / @M;",
  "neighbourhoods of atoms":
    "input r: [f32; n, 3]; input eta: [f32; k]; input rs: [f32; k]; " +
    "let d[i, j] = sqrt(sum[a]((r[i, a] - r[j, a]) ** 2) + 1e-6); " +
    "let fc[i, j] = if d[i, j] < 3.0 { 0.5 * (cos(3.14159 * d[i, j] / 3.0) + 1.0) } else " +
    "{ 0.0 }; let G[i, k] = sum[j](exp(-eta[k] * (d[i, j] - rs[k]) ** 2) * fc[i, j] where j != " +
    "i); let loss = sum[i, k](G[i, k] ** 2); let g_r = @loss / @r; let g_eta = @loss / @eta; " +
    "let g_rs = @loss / @rs;",
  "a hidden chain that changes":
    "input e: [f32; T, k]; input A: [f32; k, k]; input s: [f32; T, k]; let a[0, j] = e[0, j]; " +
    "let a[t in 1..extent(T), j] = e[t, j] + logsumexp[i](a[t - 1, i] + s[t, i] + A[i, j]); " +
    "let loss = -logsumexp[j](a[extent(T) - 1, j]); let g_e = @loss / @e; " +
    "let g_A = @loss / @A; let g_s = @loss / @s;",
  "a kernel with a length for each axis":
    "input x: [f32; n, d]; input y: [f32; n]; input ell: [f32; d]; " +
    "use std::linalg::{cholesky, solve_lower}; " +
    "let r2[i, j] = sum[d](((x[i, d] - x[j, d]) / ell[d]) ** 2); " +
    "let K[i, j] = exp(-0.5 * r2[i, j]) + if i == j { 0.1 } else { 0.0 }; let L = cholesky(K); " +
    "let z = solve_lower(L, y); let loss = 0.5 * sum[i](z[i] ** 2) + sum[i](log(L[i, i])); " +
    "let g_x = @loss / @x; let g_y = @loss / @y; let g_ell = @loss / @ell;",
  "springs between listed nodes, in steps":
    "input x0: [f32; n]; input p: [i32; e]; input q: [i32; e]; input k: [f32; e]; input g: " +
    "[f32; t]; let x[0, i] = x0[i]; let f[s in 0..extent(t), c] = " +
    "k[c] * (x[s, q[c]] - x[s, p[c]]); let x[s in 1..extent(t), i in 0..extent(n)] = " +
    "x[s - 1, i] + 0.01 * (sum[c](f[s - 1, c] where p[c] == i) - " +
    "sum[c](f[s - 1, c] where q[c] == i)) + 0.01 * g[s]; " +
    "let loss = sum[i](x[extent(t) - 1, i] ** 2); let g_x0 = @loss / @x0; " +
    "let g_k = @loss / @k; let g_g = @loss / @g;",
  "messages along weighed edges":
    "input X: [f32; n, d]; input src: [i32; e]; input dst: [i32; e]; input w: [f32; e]; " +
    "let A[i in 0..extent(n), u in 0..extent(d)] = " +
    "sum[c](w[c] * X[src[c], u] where dst[c] == i); " +
    "let loss = sum[i, u](A[i, u] ** 2 * X[i, u]); let g_X = @loss / @X; let g_w = @loss / @w;",
  "how a signal resembles itself later":
    "input x: [f32; 300]; input r: [f32; 21]; " +
    "let ac[k] = sum[i in 0..280](x[i] * x[i + k]) / 300.0; " +
    "let loss = sum[k]((ac[k] - r[k]) ** 2); let g_x = @loss / @x; let g_r = @loss / @r;",
  "segments of labels with emissions":
    "input emit: [f32; time, tag]; input trans: [f32; tag, tag]; input dur: [f32; 4, tag]; " +
    "let cum[t in 0..extent(time) + 1, j] = sum[u in 0..t](emit[u, j]); " +
    "let a[0, j in 0..extent(tag)] = 0.0; " +
    "let a[t in 1..extent(time) + 1, j] = " +
    "logsumexp[l in 0..4, i](a[t - l - 1, i] + trans[i, j] + dur[l, j] + " +
    "cum[t, j] - cum[t - l - 1, j] where t - l - 1 >= 0); " +
    "let loss = logsumexp[j](a[extent(time), j]); let g1 = @loss / @emit; " +
    "let g2 = @loss / @trans; let g3 = @loss / @dur;",
  "a network of genes":
    "input W: [f32; gene, gene]; input x0: [f32; gene]; input d: [f32; gene]; " +
    "let x[0, g] = exp(x0[g]); let x[t in 1..8, g] = x[t - 1, g] + " +
    "0.1 * (prod[h](1.0 / (1.0 + exp(W[g, h]) * x[t - 1, h] ** 2)) - sigmoid(d[g]) * x[t - 1, " +
    "g]); let loss = sum[g](x[7, g]); let g1 = @loss / @W; let g2 = @loss / @x0; " +
    "let g3 = @loss / @d;",
  "passes of a soft bubble sort":
    "input x: [f32; n]; input s: f32; let y[0, i] = x[i]; " +
    "let y[t in 1..7, i in 0..extent(n)] = if (i + t) % 2 == " +
    "0 { if i + 1 < extent(n) { y[t - 1, i] + sigmoid(s * (y[t - 1, i] - y[t - 1, i + 1])) * " +
    "(y[t - 1, i + 1] - y[t - 1, i]) } else { y[t - 1, i] } } else " +
    "{ if i > 0 { y[t - 1, i] + sigmoid(s * (y[t - 1, i - 1] - y[t - 1, i])) * " +
    "(y[t - 1, i - 1] - y[t - 1, i]) } else { y[t - 1, i] } }; " +
    "let loss = sum[i](i as f32 * y[6, i]); let g1 = @loss / @x; let g2 = @loss / @s;",
  "a window against its middle":
    "input im: [f32; h, w]; input ls: f32; input lr: f32; " +
    "let num[i, j] = sum[a in 0..3, b in " +
    "0..3](exp(-exp(lr) * (im[i + a, j + b] - im[i + 1, j + 1]) ** 2 - exp(ls) * " +
    "((a - 1) * (a - 1) + (b - 1) * (b - 1)) as f32) * im[i + a, j + b]); " +
    "let den[i, j] = sum[a in 0..3, b in " +
    "0..3](exp(-exp(lr) * (im[i + a, j + b] - im[i + 1, j + 1]) ** 2 - exp(ls) * " +
    "((a - 1) * (a - 1) + (b - 1) * (b - 1)) as f32)); " +
    "let loss = sum[i, j]((num[i, j] / den[i, j]) ** 2); let g1 = @loss / @im; " +
    "let g2 = @loss / @ls; let g3 = @loss / @lr;",
  "parity checks, each without its own":
    "input llr: [f32; bit]; input w: f32; input chk: [i32; check, 4]; let L[0, b] = llr[b]; " +
    "let E[t in 0..3, c, k in 0..4] = prod[q in 0..4](tanh(0.5 * L[t, chk[c, q]]) where q != " +
    "k); let L[t in 1..4, b in 0..extent(bit)] = llr[b] + " +
    "w * sum[c, k in 0..4](E[t - 1, c, k] where chk[c, k] == b); " +
    "let loss = sum[b](log1p(exp(-L[3, b]))); let g1 = @loss / @llr; let g2 = @loss / @w;",
  "wavelets with learned taps":
    "input x: [f32; 24]; input h: [f32; 4]; " +
    "let lo[i in 0..12] = sum[k](h[k] * x[(2 * i + k) % 24]); " +
    "let hi[i in 0..12] = sum[k]((if k % 2 == 0 { 1.0 } else { -1.0 }) * h[3 - k] * " +
    "x[(2 * i + k) % 24]); let z[n in 0..24] = " +
    "sum[i in 0..12, k](h[k] * lo[i] + (if k % 2 == 0 { 1.0 } else { -1.0 }) * h[3 - k] * " +
    "hi[i] where (2 * i + k) % 24 == n); let loss = sum[n]((z[n] - x[n]) ** 2); " +
    "let g1 = @loss / @x; let g2 = @loss / @h;",
  "quadrature by recursion, with a row of coefficients":
    "input c: [f32; 3]; fn f(x: f32, c: [f32; 3]) -> f32 " +
    "{ exp(c[0] * x) * sin(c[1] * x + c[2]) } fn quad(a: f32, b: f32, d: i32, c: " +
    "[f32; 3]) -> f32 { let m = 0.5 * (a + b); " +
    "if d == 0 { (b - a) / 6.0 * (f(a, c) + 4.0 * f(m, c) + f(b, c)) } else " +
    "{ quad(a, m, d - 1, c) + quad(m, b, d - 1, c) } } let loss = quad(0.0, 2.0, 4, c) ** 2; " +
    "let g1 = @loss / @c;",
  "the best action, and the one that was taken":
    "input Q: [f32; batch, act]; input T: [f32; batch, act]; input r: [f32; batch]; input a: " +
    "[i32; batch]; let y[b] = r[b] + 0.99 * max[k](T[b, k]); " +
    "let loss = mean[b](if abs(Q[b, a[b]] - y[b]) < 1.0 { 0.5 * (Q[b, a[b]] - y[b]) ** 2 } " +
    "else { abs(Q[b, a[b]] - y[b]) - 0.5 }); let g1 = @loss / @Q; let g2 = @loss / @T; " +
    "let g3 = @loss / @r;",
  "a network of butterflies":
    "input x: [f32; 16]; input th: [f32; 4, 8]; let y[0, i] = x[i]; " +
    "let y[s in 1..5, i in 0..16] = if i % 2 == " +
    "0 { cos(th[s - 1, i / 2]) * y[s - 1, i / 2] - sin(th[s - 1, i / 2]) * y[s - 1, " +
    "i / 2 + 8] } else { sin(th[s - 1, i / 2]) * y[s - 1, i / 2] + " +
    "cos(th[s - 1, i / 2]) * y[s - 1, i / 2 + 8] }; let loss = sum[i](y[4, i] ** 3); " +
    "let g1 = @loss / @x; let g2 = @loss / @th;",
  "diffusion that stops at edges":
    "input u0: [f32; n]; input k: f32; let u[0, i] = u0[i]; " +
    "let u[t in 1..8, i in 0..extent(n)] = " +
    "{ let r = (if i < extent(n) - 1 { u[t - 1, i + 1] - u[t - 1, i] } else { 0.0 }); " +
    "let l = (if i > 0 { u[t - 1, i] - u[t - 1, i - 1] } else { 0.0 }); " +
    "u[t - 1, i] + 0.2 * (r * exp(-k * k * r * r) - l * exp(-k * k * l * l)) }; " +
    "let loss = sum[i](u[7, i] ** 2); let g1 = @loss / @u0; let g2 = @loss / @k;",
  "quadrature by recursion":
    "input c0: f32; input c1: f32; fn quad(a: f32, b: f32, d: i32, p: f32, q: " +
    "f32) -> f32 { let m = 0.5 * (a + b); " +
    "if d == 0 { (b - a) * exp(p * m) * sin(q * m) } else { quad(a, m, d - 1, p, q) + " +
    "quad(m, b, d - 1, p, q) } } let loss = quad(0.0, 2.0, 4, c0, c1) ** 2; " +
    "let g1 = @loss / @c0; let g2 = @loss / @c1;",
  "a product of all states so far":
    "input x: [f32; n]; let h[0] = 1.0; let h[t in 1..extent(n)] = x[t] + " +
    "0.5 * prod[s in 0..t](tanh(h[s])); let loss = sum[t](h[t] ** 2); let g1 = @loss / @x;",
  "paths that are open by chance":
    "input w: [f32; n, n]; let r[0, i in 0..extent(n)] = if i == 0 { 1.0 } else { 0.0 }; " +
    "let r[t in 1..5, j in 0..extent(n)] = if j == " +
    "0 { 1.0 } else { 1.0 - prod[i](1.0 - sigmoid(w[i, j]) * r[t - 1, i]) }; " +
    "let loss = -log(r[4, extent(n) - 1] + 0.01); let g1 = @loss / @w;",
  "a picture made larger along its edges":
    "input g: [f32; 16]; input lo: [f32; 8]; input s: f32; " +
    "let y[i in 2..14] = sum[k in 0..3](exp(-exp(s) * (g[i] - g[2 * (i / 2 + k - 1)]) ** 2) * " +
    "lo[i / 2 + k - 1]) / sum[k in 0..3](exp(-exp(s) * (g[i] - g[2 * (i / 2 + k - 1)]) ** 2)); " +
    "let y[i in 0..2] = lo[0]; let loss = sum[i](y[i] ** 2); let g1 = @loss / @g; " +
    "let g2 = @loss / @lo; let g3 = @loss / @s;",
  "points of change":
    "input y: [f32; n]; input d: [f32; n]; " +
    "let c[t in 0..extent(n) + 1] = sum[u in 0..t](y[u]); let F[0] = 0.0; " +
    "let F[t in 1..extent(n) + 1] = logsumexp[s in 0..t](F[s] + d[t - s - 1] + " +
    "(c[t] - c[s]) ** 2 / (t - s) as f32); let loss = -F[extent(n)]; let g1 = @loss / @y; " +
    "let g2 = @loss / @d;",
  "spans between boundaries":
    "input st: [f32; n]; input en: [f32; n]; input w: f32; " +
    "let C[i in 0..extent(n), l in 0..1] = st[i] + en[i]; " +
    "let C[i in 0..extent(n), l in 1..extent(n)] = " +
    "logsumexp[s in 0..l](C[i, s] + C[i + s + 1, l - s - 1] + w * st[i] * en[i + l]) where i + " +
    "l < extent(n) else 0.0; let loss = C[0, extent(n) - 1]; let g1 = @loss / @st; " +
    "let g2 = @loss / @en; let g3 = @loss / @w;",
  "pairs within segments":
    "input x: [f32; n]; let c[i in 0..extent(n), j in 0..extent(n)] = sum[k in i..extent(n), " +
    "m in k..j](x[k] * x[m]); let loss = sum[i, j](c[i, j] ** 2); let g = @loss / @x;",
  "distances between words by recursion":
    "input c: [f32; 4, 4]; input g: f32; " +
    "fn d(i: i32, j: i32, c: [f32; n, m], g: " +
    "f32) -> f32 { if i == 0 { g * j as f32 } else if j == " +
    "0 { g * i as f32 } else { min(d(i - 1, j - 1, c, g) + c[i - 1, j - 1], " +
    "min(d(i - 1, j, c, g), d(i, j - 1, c, g)) + g) } } let loss = d(4, 4, c, g); " +
    "let g1 = @loss / @c; let g2 = @loss / @g;",
  "functions that call one another, by what each reads":
    "input a: f32; input b: f32; fn ev(x: f32, n: " +
    "i32) -> f32 { if n == 0 { x } else { od(a * x + 0.1, n - 1) } } fn od(x: f32, n: " +
    "i32) -> f32 { if n == 0 { x * x } else { ev(tanh(b * x), n - 1) } } let loss = ev(a, 9) + " +
    "od(b, 6); let g_a = @loss / @a; let g_b = @loss / @b;",
  "powers by squaring":
    "fn power(x: f32, n: i32) -> f32 { if n == 0 { 1 } else if n % 2 == " +
    "0 { power(x * x, n / 2) } else { x * power(x, n - 1) } } input x: [f32; n]; input w: " +
    "[f32; n]; let loss = sum[n](w[n] * power(x[n], 11)); let g_x = @loss / @x; " +
    "let g_w = @loss / @w;",
  "three functions in turn":
    "input a: [f32; 3]; fn f(x: f32, n: i32) -> f32 " +
    "{ if n == 0 { x } else { g(sin(a[0] * x), n - 1) } } fn g(x: f32, n: " +
    "i32) -> f32 { if n == 0 { x } else { h(x * x + a[1], n - 1) } } fn h(x: f32, n: " +
    "i32) -> f32 { if n == 0 { x } else { f(x / (1 + a[2] * x), n - 1) } } let loss = " +
    "f(0.7, 12); let g_a = @loss / @a;",
  "a function that ends in three ways":
    "input p: [f32; 3]; input x: [f32; n]; " +
    "fn f(v: f32, k: i32) -> f32 { if k == 0 { v } else if v > 1.0 { f(v * p[0], k - 1) } else " +
    "if k % 2 == 0 { sin(f(v + p[1], k - 1)) } else { f(v * v + p[2], k - 1) } } let loss = " +
    "sum[n](f(x[n], 6)); let g_p = @loss / @p; let g_x = @loss / @x;",
  "vortices that move one another":
    "input x: [f32; n, 2]; input G: [f32; n]; let p[0, i, k] = x[i, k]; " +
    "let p[t in 1..4, i, k in 0..2] = p[t - 1, i, k] + " +
    "0.05 * sum[j](G[j] * (if k == 0 { p[t - 1, j, 1] - p[t - 1, i, 1] } else " +
    "{ p[t - 1, i, 0] - p[t - 1, j, 0] }) / (0.1 + (p[t - 1, i, 0] - p[t - 1, j, 0]) ** 2 + " +
    "(p[t - 1, i, 1] - p[t - 1, j, 1]) ** 2) where j != i); " +
    "let loss = sum[i, k](p[3, i, k] ** 2); let g_x = @loss / @x; let g_G = @loss / @G;",
  "symmetry functions of angles":
    "input x: [f32; n, 3]; input eta: [f32; m]; input zeta: f32; " +
    "let d[i, j, k] = x[j, k] - x[i, k]; let r[i, j] = sqrt(sum[k](d[i, j, k] ** 2) + 0.05); " +
    "let fc[i, j] = 0.5 * (cos(0.5 * r[i, j]) + 1); " +
    "let G[i, m] = sum[j, l]((1 + sum[k](d[i, j, k] * d[i, l, k]) / (r[i, j] * r[i, l])) ** " +
    "zeta * exp(-eta[m] * (r[i, j] ** 2 + r[i, l] ** 2)) * fc[i, j] * fc[i, l] where j != i, " +
    "l != i, l != j); let loss = sum[i, m](tanh(G[i, m])); let g_x = @loss / @x; " +
    "let g_eta = @loss / @eta; let g_zeta = @loss / @zeta;",
  "fluxes of a gas between two waves":
    "input r0: [f32; n]; input m0: [f32; n]; input E0: [f32; n]; const N = 8; " +
    "let U[0, v in 0..3, i in 0..N] = match v { 0 => 1.0 + r0[i % extent(n)], " +
    "1 => 0.2 * m0[i % extent(n)], _ => 2.0 + E0[i % extent(n)] }; " +
    "let pr[t in 0..3, i in 0..N] = 0.4 * (U[t, 2, i] - 0.5 * U[t, 1, i] ** 2 / U[t, 0, i]); " +
    "let vel[t in 0..3, i in 0..N] = U[t, 1, i] / U[t, 0, i]; " +
    "let cs[t in 0..3, i in 0..N] = sqrt(1.4 * pr[t, i] / U[t, 0, i]); " +
    "let F[t in 0..3, v in 0..3, i in 0..N] = match v { 0 => U[t, 1, i], " +
    "1 => U[t, 1, i] * vel[t, i] + pr[t, i], _ => vel[t, i] * (U[t, 2, i] + pr[t, i]) }; " +
    "let H[t in 0..3, v in 0..3, i in 0..N] = { let j = (i + 1) % N; " +
    "let sl = min(vel[t, i] - cs[t, i], vel[t, j] - cs[t, j]); " +
    "let sr = max(vel[t, i] + cs[t, i], vel[t, j] + cs[t, j]); " +
    "if sl > 0.0 { F[t, v, i] } else if sr < 0.0 { F[t, v, j] } else " +
    "{ (sr * F[t, v, i] - sl * F[t, v, j] + sl * sr * (U[t, v, j] - U[t, v, i])) / (sr - sl) } " +
    "}; let U[t in 1..3, v in 0..3, i in 0..N] = " +
    "U[t - 1, v, i] - 0.05 * (H[t - 1, v, i] - H[t - 1, v, (i + N - 1) % N]); " +
    "let loss = sum[v, i](U[2, v, i] ** 2); let g_r0 = @loss / @r0; let g_m0 = @loss / @m0; " +
    "let g_E0 = @loss / @E0;",
  "distances with real penalties":
    "input x: [f32; n]; input y: [f32; m]; input g: f32; " +
    "let D[i in 0..extent(n) + 1, j in 0..extent(m) + 1] = if i == 0 && j == " +
    "0 { 0.0 } else if i == 0 { D[0, j - 1] + abs(y[j - 1] - g) } else if j == " +
    "0 { D[i - 1, 0] + abs(x[i - 1] - g) } else " +
    "{ min(D[i - 1, j - 1] + abs(x[i - 1] - y[j - 1]), " +
    "min(D[i - 1, j] + abs(x[i - 1] - g), D[i, j - 1] + abs(y[j - 1] - g))) }; " +
    "let loss = D[extent(n), extent(m)]; let g_x = @loss / @x; let g_y = @loss / @y; " +
    "let g_g = @loss / @g;",
  "points that are splatted on a grid":
    "input m: [f32; k]; input x: [f32; k, 2]; input T: [f32; h, w]; " +
    "let G[p in 0..extent(h), q in 0..extent(w)] = " +
    "sum[k, a in 0..2, b in 0..2]({ let u = x[k, 0] - floor(x[k, 0]); " +
    "let v = x[k, 1] - floor(x[k, 1]); m[k] * (if a == 0 { 1.0 - u } else { u }) * " +
    "(if b == 0 { 1.0 - v } else { v }) } where x[k, 0] as i32 + a == p, " +
    "x[k, 1] as i32 + b == q); let loss = sum[p, q]((G[p, q] - T[p, q]) ** 2); " +
    "let g_m = @loss / @m; let g_x = @loss / @x; let g_T = @loss / @T;",
  "spread points":
    "input cx: [i32; s]; input cy: [i32; s]; input dx: [f32; s]; input dy: [f32; s]; input fl: " +
    "[f32; s]; input sg: f32; input D: [f32; h, w]; " +
    "let M[y in 0..extent(h), x in 0..extent(w)] = " +
    "sum[s, a in 0..5, b in 0..5](fl[s] * " +
    "exp(-((a as f32 - 2.0 - dy[s]) ** 2 + (b as f32 - 2.0 - dx[s]) ** 2) / (2.0 * sg * sg)) " +
    "where cy[s] + a == y, cx[s] + b == x); let loss = sum[y, x]((M[y, x] - D[y, x]) ** 2); " +
    "let g_dx = @loss / @dx; let g_dy = @loss / @dy; let g_fl = @loss / @fl; " +
    "let g_sg = @loss / @sg; let g_D = @loss / @D;",
  "voxels that points share":
    "input m: [f32; k]; input x: [f32; k, 3]; " +
    "let G[p in 0..6, q in 0..6, r in 0..6] = sum[k, a in 0..2, b in 0..2, " +
    "c in 0..2]({ let u = x[k, 0] - floor(x[k, 0]); let v = x[k, 1] - floor(x[k, 1]); " +
    "let w = x[k, 2] - floor(x[k, 2]); m[k] * (if a == 0 { 1.0 - u } else { u }) * " +
    "(if b == 0 { 1.0 - v } else { v }) * (if c == 0 { 1.0 - w } else { w }) } where x[k, " +
    "0] as i32 + a == p, x[k, 1] as i32 + b == q, x[k, 2] as i32 + c == r); " +
    "let loss = sum[p, q, r](G[p, q, r] ** 2); let g_m = @loss / @m; let g_x = @loss / @x;",
  "histograms of distances":
    "input x: [f32; n, 3]; input w: [f32; n]; input T: [f32; m]; " +
    "let d[i, j] = sqrt(sum[k]((x[i, k] - x[j, k]) ** 2) + 0.01); " +
    "let g[r in 0..extent(m)] = sum[i, j, " +
    "a in 0..2](w[i] * w[j] * (1.0 - abs(d[i, j] - floor(d[i, j]) - a as f32)) where i < j, " +
    "d[i, j] as i32 + a == r); let loss = sum[r]((g[r] - T[r]) ** 2); let g_x = @loss / @x; " +
    "let g_w = @loss / @w; let g_T = @loss / @T;",
  "three factors that a lookup sends":
    "input u: [f32; n]; input v: [f32; n]; input w: [f32; 4]; input c: [i32; n]; input T: " +
    "[f32; m]; let H[r in 0..extent(m)] = " +
    "sum[n, a](exp(u[n]) * v[n] * sin(w[a]) where c[n] + a == r); " +
    "let loss = sum[r]((H[r] - T[r]) ** 2); let g_u = @loss / @u; let g_v = @loss / @v; " +
    "let g_w = @loss / @w; let g_T = @loss / @T;",
  "places that are computed twice":
    "input v: [f32; n]; input g: [f32; n]; input T: [f32; m]; " +
    "let H[r in 0..extent(m)] = sum[n, a in 0..2]({ let q = 3.0 + 2.0 * sigmoid(g[n]); " +
    "v[n] * abs(q - floor(q) - a as f32) } where (3.0 + 2.0 * sigmoid(g[n])) as i32 + a == r); " +
    "let loss = sum[r]((H[r] - T[r]) ** 2); let g_v = @loss / @v; let g_g = @loss / @g; " +
    "let g_T = @loss / @T;",
  "events that are warped":
    "input t: [f32; n]; input ex: [f32; n]; input ey: [f32; n]; input vx: f32; input vy: f32; " +
    "let W[p in 0..16, q in 0..16] = sum[n, a in 0..2, b in 0..2]({ let x = ex[n] - vx * t[n]; " +
    "let y = ey[n] - vy * t[n]; (1.0 - abs(x - floor(x) - a as f32)) * " +
    "(1.0 - abs(y - floor(y) - b as f32)) } where (ex[n] - vx * t[n]) as i32 + a == p, " +
    "(ey[n] - vy * t[n]) as i32 + b == q); let m = mean[p, q](W[p, q]); " +
    "let loss = -mean[p, q]((W[p, q] - m) ** 2); let g_t = @loss / @t; let g_ex = @loss / @ex; " +
    "let g_ey = @loss / @ey; let g_vx = @loss / @vx; let g_vy = @loss / @vy;",
  "sums along rays":
    "input I: [f32; h, w]; input T: [f32; q, m]; " +
    "let S[th in 0..extent(q), r in 0..extent(m)] = sum[y in 0..extent(h), x in 0..extent(w), " +
    "a in 0..2]({ let q = 20.0 + x as f32 * cos(0.4 * th as f32) - y as f32 * " +
    "sin(0.4 * th as f32); let f = q - floor(q); " +
    "I[y, x] * (if a == 0 { 1.0 - f } else { f }) } where " +
    "(20.0 + x as f32 * cos(0.4 * th as f32) - y as f32 * sin(0.4 * th as f32)) as i32 + a == " +
    "r); let loss = sum[th, r]((S[th, r] - T[th, r]) ** 2); let g_I = @loss / @I; " +
    "let g_T = @loss / @T;",
  "stiffness that elements add":
    "input E: [f32; e]; input x: [f32; n]; input u: [f32; n]; input c: [i32; e, 2]; " +
    "let K[i in 0..extent(n), j in 0..extent(n)] = " +
    "sum[e, a in 0..2, b in 0..2]({ let L = x[c[e, 1]] - x[c[e, 0]]; " +
    "(if a == b { 1.0 } else { -1.0 }) * exp(E[e]) / L } where c[e, a] == i, c[e, b] == j); " +
    "let loss = 0.5 * sum[i, j](u[i] * K[i, j] * u[j]); let g_E = @loss / @E; " +
    "let g_x = @loss / @x; let g_u = @loss / @u;",
  "area and volume of a mesh":
    "input p: [f32; v, 3]; input f: [i32; t, 3]; " +
    "let vol = sum[k, c in 0..3](p[f[k, 0], " +
    "c] * (p[f[k, 1], (c + 1) % 3] * p[f[k, 2], (c + 2) % 3] - p[f[k, 1], " +
    "(c + 2) % 3] * p[f[k, 2], (c + 1) % 3])) / 6.0; " +
    "let n[k, c in 0..3] = (p[f[k, 1], (c + 1) % 3] - p[f[k, 0], (c + 1) % 3]) * " +
    "(p[f[k, 2], (c + 2) % 3] - p[f[k, 0], (c + 2) % 3]) - " +
    "(p[f[k, 1], (c + 2) % 3] - p[f[k, 0], (c + 2) % 3]) * " +
    "(p[f[k, 2], (c + 1) % 3] - p[f[k, 0], (c + 1) % 3]); " +
    "let area = sum[k](0.5 * sqrt(sum[c](n[k, c] ** 2) + 0.01)); let loss = area - 0.5 * vol; " +
    "let g1 = @loss / @p;",
  "fire that spreads with the wind":
    "input f: [f32; h, w]; input wind: [f32; 4]; let r[0, i, j] = sigmoid(f[i, j]); " +
    "let r[t in 1..5, i in 0..extent(h), j in 0..extent(w)] = " +
    "max(r[t - 1, i, j], max(max(sigmoid(wind[0]) * r[t - 1, max(i - 1, 0), j], " +
    "sigmoid(wind[1]) * r[t - 1, min(i + 1, extent(h) - 1), j]), " +
    "max(sigmoid(wind[2]) * r[t - 1, i, max(j - 1, 0)], " +
    "sigmoid(wind[3]) * r[t - 1, i, min(j + 1, extent(w) - 1)]))); " +
    "let loss = sum[i, j](r[4, i, j]); let g1 = @loss / @f; let g2 = @loss / @wind;",
  "the largest of neighbours, in steps":
    "input m: [f32; h, w]; input f: [f32; h, w]; let r[0, i, j] = f[i, j]; " +
    "let r[t in 1..5, i in 0..extent(h), j in 0..extent(w)] = " +
    "min(m[i, j], max(max(r[t - 1, i, j], " +
    "if i > 0 { r[t - 1, i - 1, j] } else { r[t - 1, i, j] }), " +
    "if j > 0 { r[t - 1, i, j - 1] } else { r[t - 1, i, j] })); " +
    "let loss = sum[i, j](r[4, i, j] ** 2); let g1 = @loss / @m; let g2 = @loss / @f;",
  "a particle on a grid":
    "input V: [f32; 8, 8]; input x0: [f32; 2]; let x[0] = clamp(3.5 + x0[0], 0.0, 6.9); " +
    "let y[0] = clamp(3.5 + x0[1], 0.0, 6.9); " +
    "let x[t in 1..6] = clamp(x[t - 1] - 0.2 * " +
    "(V[x[t - 1] as i32 + 1, y[t - 1] as i32] - V[x[t - 1] as i32, y[t - 1] as i32]), 0.0, " +
    "6.9); let y[t in 1..6] = clamp(y[t - 1] - 0.2 * " +
    "(V[x[t - 1] as i32, y[t - 1] as i32 + 1] - V[x[t - 1] as i32, y[t - 1] as i32]), 0.0, " +
    "6.9); let loss = sum[t](x[t] ** 2 + y[t] ** 2 + V[x[t] as i32, y[t] as i32]); " +
    "let g1 = @loss / @V; let g2 = @loss / @x0;",
  "factors of fields in one table":
    "input V: [f32; 40, 4, 3]; input w: [f32; 40]; input ix: [i32; batch, 4]; input y: " +
    "[f32; batch]; let p[b] = sum[f](w[ix[b, f]]) + " +
    "sum[f in 0..4, g in 0..4](sum[k](V[ix[b, f], g, k] * V[ix[b, g], f, k]) where f < g); " +
    "let loss = mean[b](log1p(exp(-y[b] * p[b]))); let g1 = @loss / @V; let g2 = @loss / @w; " +
    "let g3 = @loss / @y;",
  "a grammar of pairs":
    "input rule: [f32; nt, nt, nt]; input lex: [f32; nt, word]; " +
    "let b[i in 0..extent(word), l in 0..1, a in 0..extent(nt)] = lex[a, i]; " +
    "let b[i in 0..extent(word), l in 1..extent(word), a in 0..extent(nt)] = " +
    "logsumexp[s in 0..l, p in 0..extent(nt), q in 0..extent(nt)](rule[a, p, q] + b[i, s, p] + " +
    "b[i + s + 1, l - s - 1, q]) where i + l < extent(word) else -1000.0; " +
    "let loss = -b[0, extent(word) - 1, 0]; let g1 = @loss / @rule; let g2 = @loss / @lex;",
};
