// Running sums, products and log-sum-exps along another axis than the steps of their recurrence.

export const runningInSteps: Readonly<Record<string, string>> = {
  "a running product in steps":
    "input L: [f32; n]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = " +
    "L[i] * prod[k in 0..i+1](1.0 - 0.1 * F[t-1, k] ** 2); let loss = sum[i](F[4, i] ** 2); " +
    "let g_L = @loss / @L;",
  "sums over the corner before each cell, in steps":
    "input L: [f32; n, m]; let F[0, i, j] = L[i, j]; " +
    "let F[t in 1..5, i in 0..extent(n), j in 0..extent(m)] = L[i, j] + " +
    "0.01 * sum[k in 0..i+1, l in 0..j+1](F[t-1, k, l] ** 2); " +
    "let loss = sum[i, j](F[4, i, j] ** 2); let g_L = @loss / @L;",
  "running sums along rows, from row to row":
    "input a: [f32; h, w]; let u[0, j] = a[0, j]; " +
    "let u[i in 1..extent(h), j in 0..extent(w)] = " +
    "a[i, j] * sum[l in 0..j+1](u[i-1, l] * a[i, l]); let loss = sum[j](u[extent(h)-1, j]); " +
    "let g_a = @loss / @a;",
  "running log-sum-exps in steps, of what a parameter scales":
    "input L: [f32; n]; input b: f32; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = L[i] + logsumexp[k in 0..i+1](b * F[t-1, k]); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L; let g_b = @loss / @b;",
  "a sum of fractions up to each cell, in steps":
    "input L: [f32; n]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = " +
    "F[t-1, i] * sum[k in 0..i+1](F[t-1, k] / (1.0 + F[t-1, k])); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L;",
  "a running log-sum-exp of squares in steps":
    "input L: [f32; n]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = L[i] * logsumexp[k in 0..i+1](F[t-1, k] ** 2); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L;",
  "running means of each row in steps":
    "input a: [f32; h, w]; let u[0, i, j] = a[i, j]; " +
    "let u[t in 1..4, i in 0..extent(h), j in 0..extent(w)] = a[i, j] + " +
    "0.1 * mean[l in 0..j+1](u[t-1, i, l] * a[i, l]); let loss = sum[i, j](u[3, i, j] ** 2); " +
    "let g_a = @loss / @a;",
  "a market of forward rates":
    "input L: [f32; n]; input s: [f32; n]; input dw: [f32; m]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = " +
    "F[t-1, i] * exp(s[i] * sum[k in 0..i+1](0.25 * F[t-1, " +
    "k] * s[k] / (1.0 + 0.25 * F[t-1, k])) * 0.1 - 0.05 * s[i] ** 2 + " +
    "s[i] * dw[t % extent(m)]); let loss = sum[i](relu(F[4, i] - 0.5)); let g_L = @loss / @L; " +
    "let g_s = @loss / @s; let g_dw = @loss / @dw;",
  "monotone attention":
    "input p: [f32; n, m]; let a[0, j in 0..extent(m)] = p[0, j]; " +
    "let a[i in 1..extent(n), j in 0..extent(m)] = " +
    "p[i, j] * sum[k in 0..j+1](a[i-1, k] * exp(-p[i, k])); " +
    "let loss = sum[i, j](a[i, j] ** 2); let g_p = @loss / @p;",
  "monotone attention in logarithms":
    "input e: [f32; n, m]; let al[0, j in 0..extent(m)] = e[0, j]; " +
    "let al[i in 1..extent(n), j in 0..extent(m)] = e[i, j] + " +
    "logsumexp[k in 0..j+1](al[i-1, k]); let loss = al[extent(n)-1, extent(m)-1]; " +
    "let g_e = @loss / @e;",
  "what stands behind each cell slows it down":
    "input u0: [f32; n]; input a: f32; let u[0, i] = u0[i]; " +
    "let c[t in 0..5, i in 0..extent(n)] = " +
    "sum[k in i..extent(n)](u[t, k] ** 2 / (1.0 + u[t, k])); " +
    "let u[t in 1..6, i in 0..extent(n)] = u[t-1, i] * (1.0 - a * c[t-1, i]); " +
    "let loss = sum[i](u[5, i]); let g_u0 = @loss / @u0; let g_a = @loss / @a;",
  "a cumulative function in steps":
    "fn cum[j](x: [f32; j]) -> [f32; j] { sum[k in 0..j+1](x[k] ** 2) } input L: [f32; n]; " +
    "let F[0, i] = L[i]; let F[t in 1..5, i] = cum[i](F[t-1, i]); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L;",
  "sums from each cell on, in steps":
    "input L: [f32; n]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = L[i] * sum[k in i..extent(n)](sin(F[t-1, k])); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L;",
  "sums of those before each cell, by a guard, in steps":
    "input L: [f32; n]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = L[i] * sum[k](sin(F[t-1, k]) where k < i); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L;",
  "those of lower rank pull, in steps":
    "input x0: [f32; n]; let w[i in 0..extent(n)] = x0[i] ** 2; let x[0, i] = x0[i]; " +
    "let x[t in 1..4, i in 0..extent(n)] = x[t-1, i] + " +
    "0.1 * sum[j in 0..i](tanh(x[t-1, j]) * w[j]); let loss = sum[i](x[3, i] ** 2); " +
    "let g_x0 = @loss / @x0;",
  "running sums of branches in steps":
    "input L: [f32; n]; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = " +
    "L[i] * sum[k in 0..i+1](if F[t-1, k] > 0.0 { F[t-1, k] } else { 0.1 * F[t-1, k] }); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L;",
  "two recurrences with a running sum of both":
    "input L: [f32; n]; let F[0, i] = L[i]; let G[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = L[i] * sum[k in 0..i](G[t-1, k] * F[t-1, k]); " +
    "let G[t in 1..5, i in 0..extent(n)] = G[t-1, i] + 0.1 * F[t, i]; " +
    "let loss = sum[i](F[4, i] * G[4, i]); let g_L = @loss / @L;",
  "running sums in steps, of what a parameter scales":
    "input L: [f32; n]; input w: f32; let F[0, i] = L[i]; " +
    "let F[t in 1..5, i in 0..extent(n)] = L[i] + sum[k in 0..i+1](w * F[t-1, k]); " +
    "let loss = sum[i](F[4, i] ** 2); let g_L = @loss / @L; let g_w = @loss / @w;",
};
