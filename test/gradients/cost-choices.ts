// Programs with choices: components of a vector by position, borders of grids by conditions,
// partners by remainders, factors by guards.

export const choices: Readonly<Record<string, string>> = {
  "likelihoods on a tree":
    "input branch: [f32; nodes]; input tips: [f32; nodes, 4]; input pi: [f32; 4]; input par: " +
    "[i32; nodes]; let up[n in 0..extent(nodes), s in 0..4, p in 0..4] = 0.25 + " +
    "(if s == p { 0.75 } else { -0.25 }) * exp(-1.333 * abs(branch[n])); " +
    "let L[n in rev(0..extent(nodes)), s in 0..4] = " +
    "(0.1 + abs(tips[n, s])) * prod[c in n + " +
    "1..extent(nodes)](sum[p in 0..4](up[c, s, p] * L[c, p]) where par[c] == n); " +
    "let loss = -log(sum[s]((0.1 + abs(pi[s])) * L[0, s])); let g1 = @loss / @branch; " +
    "let g2 = @loss / @tips; let g3 = @loss / @pi;",
  "an odd-even sorting network, softened":
    "input x: [f32; n]; input tau: f32; input target: [f32; n]; let a[0, i] = x[i]; " +
    "let a[s in 1..8, i in 0..extent(n)] = { let up = (i + s) % 2 == 0; " +
    "let j = if up { min(i + 1, extent(n) - 1) } else { max(i - 1, 0) }; " +
    "let w = sigmoid((a[s - 1, j] - a[s - 1, i]) / (0.2 + abs(tau))); " +
    "if up { w * a[s - 1, i] + (1.0 - w) * a[s - 1, j] } else { (1.0 - w) * a[s - 1, i] + " +
    "w * a[s - 1, j] } }; let loss = sum[i]((a[7, i] - target[i]) ** 2); let g1 = @loss / @x; " +
    "let g2 = @loss / @tau; let g3 = @loss / @target;",
  "soft shortest paths with borders by choice":
    "input cost: [f32; h, w]; input temp: f32; let t = 0.1 + abs(temp); " +
    "let v[i in 0..extent(h), j in 0..extent(w)] = { let c = cost[i, j]; " +
    "if i == 0 && j == 0 { c } else if i == 0 { c + v[i, j - 1] } else if j == " +
    "0 { c + v[i - 1, j] } else { let a = v[i - 1, j]; let b = v[i, j - 1]; let m = min(a, b); " +
    "c + m - t * log(exp((m - a) / t) + exp((m - b) / t)) } }; " +
    "let loss = v[extent(h) - 1, extent(w) - 1]; let g1 = @loss / @cost; " +
    "let g2 = @loss / @temp;",
  "products of the others in steps":
    "input p: [f32; n]; input adj: [f32; n, n]; input seed: [f32; n]; " +
    "let q[0, i] = sigmoid(seed[i]); let q[t in 1..6, i in 0..extent(n)] = " +
    "1.0 - (1.0 - q[t - 1, i]) * prod[j](1.0 - p[i] * sigmoid(adj[j, i]) * q[t - 1, " +
    "j] where j != i); let loss = sum[i](q[5, i]); let g1 = @loss / @p; let g2 = @loss / @adj; " +
    "let g3 = @loss / @seed;",
  "a mean of powers":
    "input x: [f32; c, h, w]; input p: [f32; c]; " +
    "let pooled[c] = mean[h, w]((0.1 + abs(x[c, h, w])) ** (1.0 + abs(p[c]))) ** " +
    "(1.0 / (1.0 + abs(p[c]))); let loss = sum[c](pooled[c] ** 2); let g1 = @loss / @x; " +
    "let g2 = @loss / @p;",
  "a cart and a pole, with a policy":
    "input W: [f32; 4]; input x0: [f32; 4]; let s[0, i] = x0[i]; " +
    "let s[t in 1..25, i in 0..4] = { let f = 10.0 * tanh(sum[k](W[k] * s[t - 1, k])); " +
    "let c = cos(s[t - 1, 2]); let sn = sin(s[t - 1, 2]); " +
    "let tmp = (f + 0.05 * s[t - 1, 3] ** 2 * sn) / 1.1; " +
    "let tha = (9.8 * sn - c * tmp) / (0.5 * (1.333 - 0.1 * c * c / 1.1)); " +
    "let xa = tmp - 0.05 * tha * c / 1.1; " +
    "let dot = match i { 0 => s[t - 1, 1], 1 => xa, 2 => s[t - 1, 3], _ => tha }; " +
    "s[t - 1, i] + 0.02 * dot }; let loss = sum[t](s[t, 2] ** 2 + 0.1 * s[t, 0] ** 2); " +
    "let g1 = @loss / @W; let g2 = @loss / @x0;",
  "an epidemic with a state vector":
    "input beta: f32; input sigma: f32; input gamma: f32; input vacc: [f32; T]; input seen: " +
    "[f32; T]; let y[0, c in 0..5] = match c { 0 => 0.9, 2 => 0.1, _ => 0.0 }; " +
    "let y[t in 1..extent(T), c in 0..5] = { let inf = beta * y[t - 1, 0] * y[t - 1, 2]; " +
    "let v = sigmoid(vacc[t - 1]) * y[t - 1, 0] * 0.1; " +
    "let d = if c == 0 { -inf - v } else if c == 1 { inf - sigma * y[t - 1, 1] } else if c == " +
    "2 { sigma * y[t - 1, 1] - gamma * y[t - 1, 2] } else if c == " +
    "3 { gamma * y[t - 1, 2] } else { v }; y[t - 1, c] + 0.1 * d }; " +
    "let loss = sum[t]((y[t, 2] - seen[t]) ** 2); let g1 = @loss / @beta; " +
    "let g2 = @loss / @sigma; let g3 = @loss / @gamma; let g4 = @loss / @vacc; " +
    "let g5 = @loss / @seen;",
  "a soft best path with borders":
    "input e: [f32; T, s]; input up: f32; input stay: f32; input down: f32; " +
    "let v[0, j] = e[0, j]; let v[t in 1..extent(T), j in 0..extent(s)] = " +
    "{ let a = stay + v[t - 1, j]; let b = if j > 0 { up + v[t - 1, j - 1] } else { -50.0 }; " +
    "let c = if j + 1 < extent(s) { down + v[t - 1, j + 1] } else { -50.0 }; " +
    "let m = max(a, max(b, c)); e[t, j] + m + log(exp(a - m) + exp(b - m) + exp(c - m)) }; " +
    "let loss = logsumexp[j](v[extent(T) - 1, j]); let g1 = @loss / @e; let g2 = @loss / @up; " +
    "let g3 = @loss / @stay; let g4 = @loss / @down;",
  "travel times on a grid":
    "input speed: [f32; h, w]; let u[i in 0..extent(h), j in 0..extent(w)] = " +
    "{ let f = 1.0 / (0.5 + abs(speed[i, j])); " +
    "if i == 0 && j == 0 { 0.0 } else if i == 0 { u[0, j - 1] + f } else if j == " +
    "0 { u[i - 1, 0] + f } else { let a = u[i - 1, j]; let b = u[i, j - 1]; " +
    "let d = 2.0 * f * f - (a - b) ** 2; " +
    "if d > f * f { 0.5 * (a + b + sqrt(d)) } else { min(a, b) + f } } }; " +
    "let loss = u[extent(h) - 1, extent(w) - 1]; let g1 = @loss / @speed;",
  "an implicit scheme, solved forward and back in each step":
    "input u0: [f32; n]; input kappa: f32; let a = 0.1 + abs(kappa); let u[0, i] = u0[i]; " +
    "let cp[i in 0..extent(n)] = if i == " +
    "0 { -a / (1.0 + 2.0 * a) } else { -a / (1.0 + 2.0 * a + a * cp[i - 1]) }; " +
    "let dp[0, i in 0..extent(n)] = 0.0; " +
    "let dp[t in 1..6, i in 0..extent(n)] = " +
    "{ let rhs = u[t - 1, i] + a * ((if i > 0 { u[t - 1, i - 1] } else { 0.0 }) - 2.0 * " +
    "u[t - 1, i] + (if i + 1 < extent(n) { u[t - 1, i + 1] } else { 0.0 })); " +
    "if i == 0 { rhs / (1.0 + 2.0 * a) } else " +
    "{ (rhs + a * dp[t, i - 1]) / (1.0 + 2.0 * a + a * cp[i - 1]) } }; " +
    "let u[t in 1..6, i in rev(0..extent(n))] = if i == " +
    "extent(n) - 1 { dp[t, i] } else { dp[t, i] - cp[i] * u[t, i + 1] }; " +
    "let loss = sum[i](u[5, i] ** 2); let g1 = @loss / @u0; let g2 = @loss / @kappa;",
  "time warping with weights for slopes":
    "input x: [f32; n]; input y: [f32; m]; input w: [f32; 3]; " +
    "let D[i in 0..extent(n), j in 0..extent(m)] = { let c = abs(x[i] - y[j]); " +
    "if i == 0 && j == 0 { c } else if i == 0 { w[0] * c + D[i, j - 1] } else if j == " +
    "0 { w[1] * c + D[i - 1, j] } else { min(w[2] * c + D[i - 1, j - 1], " +
    "min(w[0] * c + D[i, j - 1], w[1] * c + D[i - 1, j])) } }; " +
    "let loss = D[extent(n) - 1, extent(m) - 1]; let g1 = @loss / @x; let g2 = @loss / @y; " +
    "let g3 = @loss / @w;",
  "trades by softened choices":
    "input price: [f32; T]; input temp: f32; let k = 1.0 + abs(temp); " +
    "let h[t in 0..extent(T), j in 0..4] = if t == 0 { -price[0] } else { let a = h[t - 1, j]; " +
    "let b = (if j > 0 { c[t - 1, j - 1] } else { 0.0 }) - price[t]; " +
    "log(exp(k * a) + exp(k * b)) / k }; " +
    "let c[t in 0..extent(T), j in 0..4] = if t == 0 { 0.0 } else { let a = c[t - 1, j]; " +
    "let b = h[t - 1, j] + price[t]; log(exp(k * a) + exp(k * b)) / k }; " +
    "let loss = -c[extent(T) - 1, 3]; let g1 = @loss / @price; let g2 = @loss / @temp;",
  "ice that flows":
    "input h0: [f32; n]; input acc: [f32; n]; input A: f32; let h[0, i] = 1.0 + abs(h0[i]); " +
    "let h[t in 1..8, i in 0..extent(n)] = if i == 0 || i == " +
    "extent(n) - 1 { 1.0 } else { let a = 0.5 * (h[t - 1, i] + h[t - 1, i + 1]); " +
    "let b = 0.5 * (h[t - 1, i] + h[t - 1, i - 1]); let sa = h[t - 1, i + 1] - h[t - 1, i]; " +
    "let sb = h[t - 1, i] - h[t - 1, i - 1]; " +
    "max(h[t - 1, i] + 0.001 * (abs(A) * (a ** 5 * sa * sa * sa - b ** 5 * sb * sb * sb) + " +
    "acc[i]), 0.0) }; let loss = sum[i](h[7, i]); let g1 = @loss / @h0; let g2 = @loss / @acc; " +
    "let g3 = @loss / @A;",
  "an image smoothed along its edges, with borders":
    "input u0: [f32; n]; input kappa: f32; let u[0, i] = u0[i]; " +
    "let u[t in 1..5, i in 0..extent(n)] = { let c = u[t - 1, i]; " +
    "let k2 = 0.1 + kappa * kappa; let a = if i > 0 { let d = u[t - 1, i - 1] - c; " +
    "d / (1.0 + d * d / k2) } else { 0.0 }; " +
    "let b = if i + 1 < extent(n) { let d = u[t - 1, i + 1] - c; " +
    "d / (1.0 + d * d / k2) } else { 0.0 }; c + 0.2 * (a + b) }; " +
    "let loss = sum[i]((u[4, i] - u0[i]) ** 2); let g1 = @loss / @u0; let g2 = @loss / @kappa;",
  "a curve that shrinks":
    "input phi0: [f32; h, w]; input speed: f32; let p[0, i, j] = phi0[i, j]; " +
    "let p[t in 1..4, i in 0..extent(h), j in 0..extent(w)] = if i == 0 || j == 0 || i == " +
    "extent(h) - 1 || j == extent(w) - 1 { p[t - 1, i, j] } else " +
    "{ let px = 0.5 * (p[t - 1, i, j + 1] - p[t - 1, i, j - 1]); " +
    "let py = 0.5 * (p[t - 1, i + 1, j] - p[t - 1, i - 1, j]); " +
    "let pxx = p[t - 1, i, j + 1] - 2.0 * p[t - 1, i, j] + p[t - 1, i, j - 1]; " +
    "let pyy = p[t - 1, i + 1, j] - 2.0 * p[t - 1, i, j] + p[t - 1, i - 1, j]; " +
    "let pxy = 0.25 * (p[t - 1, i + 1, j + 1] - p[t - 1, i + 1, j - 1] - p[t - 1, i - 1, " +
    "j + 1] + p[t - 1, i - 1, j - 1]); p[t - 1, i, j] + " +
    "0.05 * speed * (pxx * py * py - 2.0 * px * py * pxy + pyy * px * px) / " +
    "(px * px + py * py + 0.1) }; let loss = sum[i, j](relu(-p[3, i, j])); " +
    "let g1 = @loss / @phi0; let g2 = @loss / @speed;",
  "an arm with two links":
    "input tau: [f32; T, 2]; input m: [f32; 2]; let q[0, i in 0..2] = 0.3; " +
    "let dq[0, i in 0..2] = 0.0; let dd[t in 0..extent(T), i in 0..2] = " +
    "{ let m1 = 1.0 + abs(m[0]); let m2 = 1.0 + abs(m[1]); let c2 = cos(q[t, 1]); " +
    "let s2 = sin(q[t, 1]); let a = m1 + m2 * (2.0 + 2.0 * c2); let b = m2 * (1.0 + c2); " +
    "let d = m2; let h = -m2 * s2; let f1 = " +
    "tau[t, 0] - h * dq[t, 1] * (2.0 * dq[t, 0] + dq[t, 1]); " +
    "let f2 = tau[t, 1] + h * dq[t, 0] ** 2; let det = a * d - b * b; " +
    "if i == 0 { (d * f1 - b * f2) / det } else { (a * f2 - b * f1) / det } }; " +
    "let dq[t in 1..extent(T), i in 0..2] = dq[t - 1, i] + 0.02 * dd[t - 1, i]; " +
    "let q[t in 1..extent(T), i in 0..2] = q[t - 1, i] + 0.02 * dq[t, i]; " +
    "let loss = sum[i]((q[extent(T) - 1, i] - 1.0) ** 2); let g1 = @loss / @tau; " +
    "let g2 = @loss / @m;",
  "an acrobat on two links":
    "input u: [f32; T]; let s[0, i in 0..4] = 0.1; " +
    "let s[t in 1..extent(T), i in 0..4] = { let c2 = cos(s[t - 1, 1]); let d1 = 3.5 + c2; " +
    "let d2 = 1.25 + 0.5 * c2; let phi = 4.9 * cos(s[t - 1, 0] + s[t - 1, 1]); " +
    "let dd2 = (u[t - 1] + d2 / d1 * phi - 0.5 * s[t - 1, 2] ** 2 * sin(s[t - 1, 1]) - phi) / " +
    "(1.25 - d2 * d2 / d1); let dd1 = -(d2 * dd2 + phi) / d1; " +
    "s[t - 1, i] + 0.05 * if i < 2 { s[t - 1, i + 2] } else if i == 2 { dd1 } else { dd2 } }; " +
    "let loss = (1.0 + cos(s[extent(T) - 1, 0])) ** 2 + 0.01 * sum[t](u[t] ** 2); " +
    "let g1 = @loss / @u;",
  "an arm with two links, without time":
    "input q: [f32; n, 2]; input tau: [f32; n, 2]; input m: [f32; 2]; " +
    "let dd[t, i in 0..2] = { let m1 = 1.0 + abs(m[0]); let m2 = 1.0 + abs(m[1]); " +
    "let c2 = cos(q[t, 1]); let a = m1 + m2 * (2.0 + 2.0 * c2); let b = m2 * (1.0 + c2); " +
    "let det = a * m2 - b * b; if i == 0 { (m2 * tau[t, 0] - b * tau[t, 1]) / det } else " +
    "{ (a * tau[t, 1] - b * tau[t, 0]) / det } }; let loss = sum[t, i](dd[t, i] ** 2); " +
    "let g1 = @loss / @q; let g2 = @loss / @tau; let g3 = @loss / @m;",
  "colours by their largest component":
    "input rgb: [f32; n, 3]; input target: [f32; n, 3]; " +
    "let hsv[i, c in 0..3] = { let r = sigmoid(rgb[i, 0]); let g = sigmoid(rgb[i, 1]); " +
    "let b = sigmoid(rgb[i, 2]); let mx = max(r, max(g, b)); let mn = min(r, min(g, b)); " +
    "let d = mx - mn + 1e-2; if c == 2 { mx } else if c == 1 { d / mx } else if mx == " +
    "r { (g - b) / d } else if mx == g { 2.0 + (b - r) / d } else { 4.0 + (r - g) / d } }; " +
    "let loss = sum[i, c]((hsv[i, c] - target[i, c]) ** 2); let g1 = @loss / @rgb; " +
    "let g2 = @loss / @target;",
  "rotations from angles":
    "input e: [f32; n, 3]; input v: [f32; n, 3]; input u: [f32; n, 3]; " +
    "let R[k, i in 0..3, j in 0..3] = { let ca = cos(e[k, 0]); let sa = sin(e[k, 0]); " +
    "let cb = cos(e[k, 1]); let sb = sin(e[k, 1]); let cc = cos(e[k, 2]); " +
    "let sc = sin(e[k, 2]); match i * 3 + j { 0 => cb * cc, 1 => sa * sb * cc - ca * sc, " +
    "2 => ca * sb * cc + sa * sc, 3 => cb * sc, 4 => sa * sb * sc + ca * cc, " +
    "5 => ca * sb * sc - sa * cc, 6 => -sb, 7 => sa * cb, _ => ca * cb, } }; " +
    "let loss = sum[k, i]((sum[j](R[k, i, j] * v[k, j]) - u[k, i]) ** 2); let g1 = @loss / @e; " +
    "let g2 = @loss / @v; let g3 = @loss / @u;",
  "an image smoothed up to its edges, with two widths":
    "input im: [f32; h, w]; input ss: f32; input sr: f32; " +
    "let o[i in 0..extent(h), j in 0..extent(w)] = " +
    "{ let num = sum[a in 0..3, b in 0..3](exp(-((a - 1) * (a - 1) + (b - 1) * (b - 1)) as f32 " +
    "* ss * ss - ((im[i + a - 1, j + b - 1] - im[i, j]) * sr) ** 2) * im[i + a - 1, " +
    "j + b - 1] where i + a >= 1, i + a <= extent(h), j + b >= 1, j + b <= extent(w)); " +
    "let den = sum[a in 0..3, b in 0..3](exp(-((a - 1) * (a - 1) + (b - 1) * (b - 1)) as f32 * " +
    "ss * ss - ((im[i + a - 1, j + b - 1] - im[i, j]) * sr) ** 2) where i + a >= 1, " +
    "i + a <= extent(h), j + b >= 1, j + b <= extent(w)); num / den }; " +
    "let loss = mean[i, j]((o[i, j] - im[i, j]) ** 2); let g1 = @loss / @im; " +
    "let g2 = @loss / @ss; let g3 = @loss / @sr;",
  "lengths of level lines":
    "input f: [f32; h, w]; let seg[i in 0..extent(h) - 1, j in 0..extent(w) - 1] = " +
    "{ let a = f[i, j]; let b = f[i, j + 1]; let c = f[i + 1, j]; " +
    "if a > 0 && b < 0 && c < 0 { let p = a / (a - b); let q = a / (a - c); " +
    "sqrt(p * p + q * q) } else if a < 0 && b > 0 && c > 0 { let p = a / (a - b); " +
    "let q = a / (a - c); sqrt(p * p + q * q) } else if a * b < 0 { let p = a / (a - b); " +
    "sqrt(1.0 + p * p) } else { 0.0 } }; let loss = sum[i, j](seg[i, j]); let g1 = @loss / @f;",
  "roots of complex numbers in steps":
    "input z0: [f32; n, 2]; let z[0, i, c] = z0[i, c] + 1.0; " +
    "let z[k in 1..4, i in 0..extent(n), c in 0..2] = { let a = z[k - 1, i, 0]; " +
    "let b = z[k - 1, i, 1]; let fr = a * a * a - 3.0 * a * b * b - 1.0; " +
    "let fi = 3.0 * a * a * b - b * b * b; let dr = 3.0 * (a * a - b * b); " +
    "let di = 6.0 * a * b; let m = dr * dr + di * di + 0.1; " +
    "if c == 0 { a - (fr * dr + fi * di) / m } else { b - (fi * dr - fr * di) / m } }; " +
    "let loss = sum[i, c](z[3, i, c] ** 2); let g1 = @loss / @z0;",
  "plastic strain":
    "input eps: [f32; T]; input E: f32; input sy: f32; input H: f32; let ep[0] = 0.0; " +
    "let a[0] = 0.0; let ep[t in 1..extent(T)] = " +
    "{ let tr = (1.0 + abs(E)) * (eps[t] - ep[t - 1]); " +
    "let f = abs(tr) - (abs(sy) + abs(H) * a[t - 1]); " +
    "if f > 0 { ep[t - 1] + f / (1.0 + abs(E) + abs(H)) * sign(tr) } else { ep[t - 1] } }; " +
    "let a[t in 1..extent(T)] = { let tr = (1.0 + abs(E)) * (eps[t] - ep[t - 1]); " +
    "let f = abs(tr) - (abs(sy) + abs(H) * a[t - 1]); " +
    "if f > 0 { a[t - 1] + f / (1.0 + abs(E) + abs(H)) } else { a[t - 1] } }; " +
    "let loss = sum[t](((1.0 + abs(E)) * (eps[t] - ep[t])) ** 2); let g1 = @loss / @eps; " +
    "let g2 = @loss / @E; let g3 = @loss / @sy; let g4 = @loss / @H;",
  "a circuit of two qubits":
    "input th: [f32; L, 2]; input obs: [f32; 4]; " +
    "let re[0, k in 0..4] = if k == 0 { 1.0 } else { 0.0 }; " +
    "let re[l in 1..2 * extent(L) + 1, k in 0..4] = { let g = (l - 1) / 2; " +
    "let q = (l - 1) % 2; let c = cos(0.5 * th[g, q]); let s = sin(0.5 * th[g, q]); " +
    "let j = if q == 0 { (k + 2) % 4 } else if k % 2 == 0 { k + 1 } else { k - 1 }; " +
    "let up = if q == 0 { k < 2 } else { k % 2 == 0 }; " +
    "let v = if up { c * re[l - 1, k] - s * re[l - 1, j] } else " +
    "{ c * re[l - 1, k] + s * re[l - 1, j] }; if q == 1 && k == 3 { -v } else { v } }; " +
    "let loss = sum[k](obs[k] * re[2 * extent(L), k] ** 2); let g1 = @loss / @th; " +
    "let g2 = @loss / @obs;",
  "words of one to three letters":
    "input lp: [f32; T, 3]; let al[t in 0..extent(T) + 1] = if t == 0 { 0.0 } else if t == " +
    "1 { lp[0, 0] } else { let x = al[t - 1] + lp[t - 1, 0]; let y = al[t - 2] + lp[t - 1, 1]; " +
    "if t == 2 { max(x, y) + log1p(exp(-abs(x - y))) } else " +
    "{ let z = al[t - 3] + lp[t - 1, 2]; let m = max(x, max(y, z)); " +
    "m + log(exp(x - m) + exp(y - m) + exp(z - m)) } }; let loss = -al[extent(T)]; " +
    "let g1 = @loss / @lp;",
  "shortest paths relaxed from four sides":
    "input c: [f32; h, w]; let d[0, i in 0..extent(h), j in 0..extent(w)] = if i == 0 && j == " +
    "0 { 0.0 } else { 50.0 }; let d[k in 1..8, i in 0..extent(h), j in 0..extent(w)] = " +
    "min(d[k - 1, i, j], abs(c[i, j]) + min(min(if i > 0 { d[k - 1, i - 1, j] } else { 50.0 }, " +
    "if i + 1 < extent(h) { d[k - 1, i + 1, j] } else { 50.0 }), " +
    "min(if j > 0 { d[k - 1, i, j - 1] } else { 50.0 }, " +
    "if j + 1 < extent(w) { d[k - 1, i, j + 1] } else { 50.0 }))); " +
    "let loss = d[7, extent(h) - 1, extent(w) - 1]; let g1 = @loss / @c;",
  "principal stresses":
    "input s: [f32; n, 3]; input c: f32; " +
    "let p[i, k in 0..3] = { let m = (s[i, 0] + s[i, 1]) / 2.0; " +
    "let r = sqrt(((s[i, 0] - s[i, 1]) / 2.0) ** 2 + s[i, 2] ** 2 + 1e-2); " +
    "match k { 0 => m + r, 1 => m - r, _ => r } }; " +
    "let loss = sum[i](max(p[i, 0] + c * p[i, 1], p[i, 2])); let g1 = @loss / @s; " +
    "let g2 = @loss / @c;",
  "a gain by a small inverse":
    "input P: [f32; n, 3]; input z: [f32; n, 2]; " +
    "let g[i, r in 0..2] = { let a = 1.0 + P[i, 0] ** 2; let b = 0.3 * P[i, 1]; " +
    "let d = 1.0 + P[i, 2] ** 2; let det = a * d - b * b + 0.1; " +
    "if r == 0 { (d * z[i, 0] - b * z[i, 1]) / det } else " +
    "{ (a * z[i, 1] - b * z[i, 0]) / det } }; let loss = sum[i, r](g[i, r] ** 2); " +
    "let g1 = @loss / @P; let g2 = @loss / @z;",
  "weights of a triangle":
    "input v: [f32; 3, 2]; input p: [f32; n, 2]; input val: [f32; 3]; " +
    "let w[i, k in 0..3] = { let d = (v[1, 1] - v[2, 1]) * (v[0, 0] - v[2, 0]) + " +
    "(v[2, 0] - v[1, 0]) * (v[0, 1] - v[2, 1]); let dd = if abs(d) < 0.2 { 0.2 } else { d }; " +
    "let a = ((v[1, 1] - v[2, 1]) * (p[i, 0] - v[2, 0]) + " +
    "(v[2, 0] - v[1, 0]) * (p[i, 1] - v[2, 1])) / dd; " +
    "let b = ((v[2, 1] - v[0, 1]) * (p[i, 0] - v[2, 0]) + " +
    "(v[0, 0] - v[2, 0]) * (p[i, 1] - v[2, 1])) / dd; " +
    "if k == 0 { a } else if k == 1 { b } else { 1.0 - a - b } }; " +
    "let loss = sum[i]((sum[k](w[i, k] * val[k])) ** 2); let g1 = @loss / @v; " +
    "let g2 = @loss / @p; let g3 = @loss / @val;",
  "fluxes of a gas":
    "input q: [f32; n, 3]; input g: f32; " +
    "let F[i, k in 0..3] = { let r = 1.0 + abs(q[i, 0]); let u = q[i, 1] / r; " +
    "let p = (0.2 + sigmoid(g)) * (2.0 + abs(q[i, 2]) - 0.5 * r * u * u); " +
    "match k { 0 => q[i, 1], 1 => q[i, 1] * u + p, _ => u * (2.0 + abs(q[i, 2]) + p) } }; " +
    "let loss = sum[i in 0..extent(n) - 1, k]((F[i + 1, k] - F[i, k]) ** 2); " +
    "let g1 = @loss / @q; let g2 = @loss / @g;",
  "growth in a vessel":
    "input mu: f32; input K: f32; input D: f32; input data: [f32; T]; " +
    "let y[0, k in 0..3] = match k { 0 => 1.0, 1 => 0.5, _ => 0.2 }; " +
    "let y[t in 1..extent(T), k in 0..3] = " +
    "{ let up = abs(mu) * y[t - 1, 0] / (0.5 + abs(K) + y[t - 1, 0]); " +
    "let gr = max(1.0 - 0.2 / y[t - 1, 1], 0.0); " +
    "y[t - 1, k] + 0.05 * if k == 0 { sigmoid(D) * (1.0 - y[t - 1, 0]) - up * y[t - 1, 2] } " +
    "else if k == 1 { up - gr * y[t - 1, 1] } else { (gr - sigmoid(D)) * y[t - 1, 2] } }; " +
    "let loss = sum[t]((y[t, 2] - data[t]) ** 2); let g1 = @loss / @mu; let g2 = @loss / @K; " +
    "let g3 = @loss / @D; let g4 = @loss / @data;",
  "shortest paths on a grid":
    "input c: [f32; h, w]; input k: [f32; 2]; " +
    "let d[0, i in 0..extent(h), j in 0..extent(w)] = if i + j == 0 { 0.0 } else { 20.0 }; " +
    "let d[t in 1..6, i in 0..extent(h), j in 0..extent(w)] = " +
    "min(d[t - 1, i, j], min((if i > 0 { d[t - 1, i - 1, j] + abs(k[0]) } else { 20.0 }), " +
    "(if j > 0 { d[t - 1, i, j - 1] + abs(k[1]) } else { 20.0 })) + abs(c[i, j])); " +
    "let loss = sum[i, j](d[5, i, j]); let g1 = @loss / @c; let g2 = @loss / @k;",
  "a soft sorting network":
    "input x: [f64; 8]; input s: f64; let y[0, i] = x[i]; " +
    "let y[t in 1..9, i in 0..8] = { let j = if (i + t) % 2 == " +
    "0 { min(i + 1, 7) } else { max(i - 1, 0) }; " +
    "let a = sigmoid(exp(s) * (y[t - 1, j] - y[t - 1, i])); " +
    "if j > i { a * y[t - 1, i] + (1.0 - a) * y[t - 1, j] } else { (1.0 - a) * y[t - 1, i] + " +
    "a * y[t - 1, j] } }; let loss = sum[i](y[8, i] * i as f64); let g1 = @loss / @x; " +
    "let g2 = @loss / @s;",
  "products in steps without some factors":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..3, i in 0..extent(n)] = prod[k](w[i, k] * h[t - 1, i] + 0.5 where k != i); " +
    "let l = sum[i](h[2, i]); let d_a = @l / @a; let dl = @l / @w;",
  "factors of one step without some":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..2, i in 0..extent(n)] = prod[k](w[i, k] * h[t - 1, i] + 0.5 where k != i); " +
    "let l = sum[i](h[1, i]); let d_a = @l / @a; let dl = @l / @w;",
  "factors in steps that data leaves out":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..3, i in 0..extent(n)] = prod[k](w[i, k] * h[t - 1, k] where w[i, k] > 0.3); " +
    "let l = sum[i](h[2, i]); let d_a = @l / @a; let dl = @l / @w;",
  "factors in steps before their own":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..3, i in 0..extent(n)] = prod[k](w[i, k] * h[t - 1, k] + 0.5 where k < i); " +
    "let l = sum[i](h[2, i]); let d_a = @l / @a; let dl = @l / @w;",
  "factors in steps that ranges and data leave out":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..3, i in 0..extent(n)] = prod[k](tanh(w[i, k] * h[t - 1, k]) where k < i, " +
    "w[i, k] > 0.1); let l = sum[i](h[2, i]); let d_a = @l / @a; let dl = @l / @w;",
  "factors in steps of the difference to others":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..3, i in 0..extent(n)] = " +
    "prod[k](1.0 - w[i, k] * sigmoid(h[t - 1, k] - h[t - 1, i]) where k != i); " +
    "let l = sum[i](h[2, i]); let d_a = @l / @a; let dl = @l / @w;",
  "likelihoods on a tree, looked up":
    "input up: [f32; 4, s, s]; input par: [i32; 4]; input leaf: [f32; 4, s]; " +
    "let L[n in rev(0..4), k in 0..extent(s)] = " +
    "leaf[n, k] * prod[c in 0..4](sum[p](up[c, k, p] * L[c, p]) where c > n, par[c] == n); " +
    "let loss = sum[k](L[0, k]); let g = @loss / @up;",
  "components of one root":
    "input s: [f32; n, 3]; let p[i, k in 0..3] = { let m = (s[i, 0] + s[i, 1]) / 2.0; " +
    "let r = sqrt(((s[i, 0] - s[i, 1]) / 2.0) ** 2 + s[i, 2] ** 2 + 0.01); " +
    "match k { 0 => m + r, 1 => m - r, _ => r } }; let loss = sum[i, k](p[i, k] ** 2); " +
    "let g1 = @loss / @s;",
  "a value that a condition and its branch share":
    "let x = [0.3, 0.8, 0.2, 0.9]; let w = [1.0, 0.5, 0.2, 2.0]; let c = [0.1, 0.4, 0.3, 0.2]; " +
    "let y[i in 0..4] = if i > 0 && sin(x[i - 1] * w[i - 1] * c[i]) > 0.01 " +
    "{ sin(x[i - 1] * w[i - 1] * c[i]) * sin(x[i - 1] * w[i - 1] * c[i]) * " +
    "exp(sin(x[i - 1] * w[i - 1] * c[i])) * x[i] } else { x[i] }; " +
    "let loss = sum[i](y[i] ** 2); let g1 = @loss / @x; let g2 = @loss / @w; " +
    "let g3 = @loss / @c;",
  "two fluxes that need the same speeds":
    "input rho0: [f32; n]; input m0: [f32; n]; let rho[0, i] = 1.0 + abs(rho0[i]); " +
    "let m[0, i] = m0[i]; let fr[t in 0..5, i in 0..extent(n)] = " +
    "{ let j = (i + 1) % extent(n); let ul = m[t, i] / rho[t, i]; " +
    "let ur = m[t, j] / rho[t, j]; let sl = min(ul, ur) - 1.0; let sr = max(ul, ur) + 1.0; " +
    "if sl > 0 { m[t, i] } else if sr < 0 { m[t, j] } else " +
    "{ (sr * m[t, i] - sl * m[t, j] + sl * sr * (rho[t, j] - rho[t, i])) / (sr - sl) } }; " +
    "let fm[t in 0..5, i in 0..extent(n)] = { let j = (i + 1) % extent(n); " +
    "let ul = m[t, i] / rho[t, i]; let ur = m[t, j] / rho[t, j]; let sl = min(ul, ur) - 1.0; " +
    "let sr = max(ul, ur) + 1.0; let pl = m[t, i] * ul + rho[t, i]; " +
    "let pr = m[t, j] * ur + rho[t, j]; if sl > 0 { pl } else if sr < 0 { pr } else " +
    "{ (sr * pl - sl * pr + sl * sr * (m[t, j] - m[t, i])) / (sr - sl) } }; " +
    "let rho[t in 1..6, i in 0..extent(n)] = " +
    "rho[t - 1, i] - 0.1 * (fr[t - 1, i] - fr[t - 1, (i + extent(n) - 1) % extent(n)]); " +
    "let m[t in 1..6, i in 0..extent(n)] = " +
    "m[t - 1, i] - 0.1 * (fm[t - 1, i] - fm[t - 1, (i + extent(n) - 1) % extent(n)]); " +
    "let loss = sum[i](rho[5, i] ** 2); let g1 = @loss / @rho0; let g2 = @loss / @m0;",
  "products of two numbers in steps, without one":
    "input w: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..3, i in 0..extent(n)] = prod[k](w[i, k] * h[t - 1, k] where k != i); " +
    "let l = sum[i](h[2, i]); let d_a = @l / @a; let dl = @l / @w;",
  "the inside algorithm over spans":
    "input r: [f32; s, s, s]; input e: [f32; n, s]; let N = extent(n); " +
    "let I[i in rev(0..N), j in 0..N, a in 0..extent(s)] = e[i, a] where i == j; " +
    "let I[i in rev(0..N), j in 0..N, a in 0..extent(s)] = " +
    "sum[k in i..j](sum[b, c](r[a, b, c] * I[i, k, b] * I[k + 1, j, c])) where i < j; " +
    "let loss = log(sum[a](I[0, N - 1, a])); let g_r = @loss / @r; let g_e = @loss / @e;",
  "sums over all segments":
    "input x: [f32; n]; input b: [f32; n]; let N = extent(n); " +
    "let S[i in 0..N, j in 0..N] = sum[k in i..j + 1](x[k] * b[k]) where i <= j; " +
    "let loss = sum[i, j](S[i, j] ** 2 where i <= j); let g_x = @loss / @x; " +
    "let g_b = @loss / @b;",
  "structures of a strand":
    "input p: [f32; n, n]; input u: f32; let N = extent(n); " +
    "let Z[i in rev(0..N), j in 0..N] = if j <= " +
    "i { 1.0 } else { Z[i + 1, j] * u + sum[k in i + 1..j + " +
    "1](p[i, k] * (if k - 1 > i { Z[i + 1, k - 1] } else { 1.0 }) * " +
    "(if k + 1 <= j { Z[k + 1, j] } else { 1.0 })) }; let loss = log(Z[0, N - 1]); " +
    "let g_p = @loss / @p; let g_u = @loss / @u;",
  "the order of matrix products":
    "input d: [f32; n]; let N = extent(n); " +
    "let M[i in rev(0..N - 1), j in 0..N - 1] = if j <= " +
    "i { 0.0 } else { min[k in i..j](M[i, k] + M[k + 1, j] + d[i] * d[k + 1] * d[j + 1]) }; " +
    "let loss = M[0, N - 2]; let g_d = @loss / @d;",
  "poses on a graph":
    "input x: [f32; n, 3]; input z: [f32; e, 3]; input a: [i32; e]; input b: [i32; e]; " +
    "let r[e, k in 0..3] = { let c = cos(x[a[e], 2]); let s = sin(x[a[e], 2]); " +
    "let dx = x[b[e], 0] - x[a[e], 0]; let dy = x[b[e], 1] - x[a[e], 1]; " +
    "match k { 0 => c * dx + s * dy - z[e, 0], 1 => -s * dx + c * dy - z[e, 1], " +
    "_ => x[b[e], 2] - x[a[e], 2] - z[e, 2] } }; let loss = sum[e, k](r[e, k] ** 2); " +
    "let g_x = @loss / @x; let g_z = @loss / @z;",
  "hinges between points":
    "input x: [f32; n, 2]; input k: [f32; e]; input a: [i32; e]; input b: [i32; e]; input c: " +
    "[i32; e]; let g[e, k in 0..3] = { let ux = x[a[e], 0] - x[b[e], 0]; " +
    "let uy = x[a[e], 1] - x[b[e], 1]; let vx = x[c[e], 0] - x[b[e], 0]; " +
    "let vy = x[c[e], 1] - x[b[e], 1]; match k { 0 => ux * vx + uy * vy, " +
    "1 => ux * vy - uy * vx, _ => x[a[e], 0] - x[c[e], 0] } }; " +
    "let loss = sum[e](k[e] * (g[e, 0] ** 2 + g[e, 1] ** 2 + g[e, 2] ** 2)); " +
    "let g_x = @loss / @x; let g_k = @loss / @k;",
  "the flow of power along edges":
    "input v: [f32; n, 2]; input y: [f32; e, 2]; input a: [i32; e]; input b: [i32; e]; " +
    "let s[e, k in 0..2] = { let dt = v[a[e], 1] - v[b[e], 1]; " +
    "let vv = v[a[e], 0] * v[b[e], 0]; let v2 = v[a[e], 0] ** 2; " +
    "if k == 0 { v2 * y[e, 0] - vv * (y[e, 0] * cos(dt) + y[e, 1] * sin(dt)) } else " +
    "{ -v2 * y[e, 1] - vv * (y[e, 0] * sin(dt) - y[e, 1] * cos(dt)) } }; " +
    "let P[n in 0..extent(n), k in 0..2] = sum[e](s[e, k] where a[e] == n); " +
    "let loss = sum[n, k](P[n, k] ** 2); let g_v = @loss / @v; let g_y = @loss / @y;",
  "transducers with borders by choice":
    "input bl: [f32; t, u]; input em: [f32; t, u]; let T = extent(t); let U = extent(u); " +
    "let a[i in 0..T, j in 0..U] = if i == 0 && j == 0 { 0.0 } else if i == " +
    "0 { a[0, j - 1] + em[0, j - 1] } else if j == " +
    "0 { a[i - 1, 0] + bl[i - 1, 0] } else { let x = a[i - 1, j] + bl[i - 1, j]; " +
    "let y = a[i, j - 1] + em[i, j - 1]; max(x, y) + log1p(exp(-abs(x - y))) }; " +
    "let loss = -a[T - 1, U - 1] - bl[T - 1, U - 1]; let g_bl = @loss / @bl; " +
    "let g_em = @loss / @em;",
  "moves, splits and merges":
    "input x: [f32; n]; input y: [f32; m]; input c: f32; " +
    "fn cost(v, a, b, c) { if (a <= v && v <= b) || " +
    "(b <= v && v <= a) { c } else { c + min(abs(v - a), abs(v - b)) } } let " +
    "D[i in 0..extent(n), j in 0..extent(m)] = if i == 0 && j == " +
    "0 { abs(x[0] - y[0]) } else if i == 0 { D[0, j - 1] + cost(y[j], x[0], y[j - 1], c) } " +
    "else if j == 0 { D[i - 1, 0] + cost(x[i], x[i - 1], y[0], c) } else " +
    "{ min(D[i - 1, j - 1] + abs(x[i] - y[j]), " +
    "min(D[i - 1, j] + cost(x[i], x[i - 1], y[j], c), " +
    "D[i, j - 1] + cost(y[j], x[i], y[j - 1], c))) }; " +
    "let loss = D[extent(n) - 1, extent(m) - 1]; let g_x = @loss / @x; let g_y = @loss / @y; " +
    "let g_c = @loss / @c;",
  "a local linear fit with its kernel written out":
    "input x: [f32; n]; input y: [f32; n]; input q: [f32; k]; input h: f32; " +
    "let s0[k] = sum[n](exp(-((q[k] - x[n]) / h) ** 2)); " +
    "let s1[k] = sum[n]((x[n] - q[k]) * exp(-((q[k] - x[n]) / h) ** 2)); " +
    "let s2[k] = sum[n]((x[n] - q[k]) ** 2 * exp(-((q[k] - x[n]) / h) ** 2)); " +
    "let t0[k] = sum[n](y[n] * exp(-((q[k] - x[n]) / h) ** 2)); " +
    "let t1[k] = sum[n](y[n] * (x[n] - q[k]) * exp(-((q[k] - x[n]) / h) ** 2)); " +
    "let loss = sum[k](((s2[k] * t0[k] - s1[k] * t1[k]) / (s0[k] * s2[k] - s1[k] ** 2 + 0.1)) " +
    "** 2); let g_x = @loss / @x; let g_y = @loss / @y; let g_q = @loss / @q; " +
    "let g_h = @loss / @h;",
  "weighted moments with their kernel written out":
    "input x: [f32; n]; input c: [f32; k]; input s: [f32; k]; " +
    "let m0[k] = sum[n](exp(-s[k] * (x[n] - c[k]) ** 2)); " +
    "let m1[k] = sum[n](x[n] * exp(-s[k] * (x[n] - c[k]) ** 2)); " +
    "let m2[k] = sum[n](x[n] ** 2 * exp(-s[k] * (x[n] - c[k]) ** 2)); " +
    "let loss = sum[k](m2[k] / m0[k] - (m1[k] / m0[k]) ** 2); let g_x = @loss / @x; " +
    "let g_c = @loss / @c; let g_s = @loss / @s;",
  "beams with their phase written out":
    "input p: [f32; m, 2]; input s: [f32; m]; input th: [f32; n]; " +
    "let re[n] = sum[m](s[m] * cos(3.0 * (p[m, 0] * cos(th[n]) + p[m, 1] * sin(th[n])))); " +
    "let im[n] = sum[m](s[m] * sin(3.0 * (p[m, 0] * cos(th[n]) + p[m, 1] * sin(th[n])))); " +
    "let loss = sum[n](re[n] ** 2 + im[n] ** 2); let g_p = @loss / @p; let g_s = @loss / @s; " +
    "let g_th = @loss / @th;",
};
