// Programs of many shapes, each with requests for all of its derivatives: reductions, guards,
// windows, lookups, scatters, functions, recurrences.

export const shapes: Readonly<Record<string, string>> = {
  "mean square": `input x: [f32; n]; let loss = mean[i](x[i] ** 2); let a = @loss/@x;`,
  "max of rows":
    "input x: [f32; b, n]; let m[b] = max[i](x[b,i]); let loss = sum[b](m[b]**2); " +
    "let a = @loss/@x;",
  "min of products":
    "input x: [f32; b, n]; input y: [f32; b, n]; let m[b] = min[i](x[b,i]*y[b,i]); " +
    "let loss = sum[b](m[b]); let a = @loss/@x; let c = @loss/@y;",
  logsumexp:
    "input x: [f32; b, n]; let m[b] = logsumexp[i](x[b,i]); let loss = sum[b](m[b]); " +
    "let a = @loss/@x;",
  "logsumexp of products":
    "input x: [f32; b, n]; input w: [f32; n]; let m[b] = logsumexp[i](x[b,i]*w[i]); " +
    "let loss = sum[b](m[b]); let a = @loss/@x; let c = @loss/@w;",
  "prod guard":
    "input x: [f32; b, n]; let m[b] = prod[i](x[b,i] where x[b,i] > 0); " +
    "let loss = sum[b](m[b]); let a = @loss/@x;",
  "prod of sums":
    "input x: [f32; n]; input y: [f32; n]; let loss = prod[i](x[i] + y[i]); let a = @loss/@x; " +
    "let b = @loss/@y;",
  "mean guarded by data":
    "input x: [f32; b, n]; let m[b] = mean[i](x[b,i] where x[b,i] > 0); " +
    "let loss = sum[b](m[b]**2); let a = @loss/@x;",
  "guarded sum other let":
    "input x: [f32; n]; let s[i] = sqrt(x[i]); let loss = sum[i](s[i] where x[i] > 0); " +
    "let a = @loss/@x;",
  gather: `input x: [f32; n]; input at: [i32; k]; let loss = sum[k](x[at[k]] ** 2);
    let a = @loss/@x;`,
  "gather 2d":
    "input x: [f32; n, m]; input r: [i32; k]; input c: [i32; k]; " +
    "let loss = sum[k](x[r[k], c[k]] ** 2); let a = @loss/@x;",
  "gather offset":
    "input x: [f32; 20]; input at: [i32; k]; let y[k, j in 0..3] = x[at[k] + j]; " +
    "let loss = sum[k, j](y[k,j]**2); let a = @loss/@x;",
  scatter:
    "input g: [f32; k]; input at: [i32; k]; let d[p in 0..10] = sum[k](g[k] where at[k] == p); " +
    "let loss = sum[p](d[p]**2); let a = @loss/@g;",
  "scatter product":
    "input g: [f32; k]; input w: [f32; k]; input at: [i32; k]; " +
    "let d[p in 0..10] = sum[k](g[k]*w[k] where at[k] == p); let loss = sum[p](d[p]**2); " +
    "let a = @loss/@g; let b = @loss/@w;",
  "interval scatter":
    "input g: [f32; k]; input ptr: [i32; m]; " +
    "let d[i in 0..extent(m)-1] = sum[k](g[k] where ptr[i] <= k, k < ptr[i+1]); " +
    "let loss = sum[i](d[i]**2); let a = @loss/@g;",
  "conv 1d":
    "input x: [f32; n]; input w: [f32; 3]; let y[i] = sum[k](x[i+k]*w[k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x; let b = @loss/@w;",
  "conv stride":
    "input x: [f32; 33]; input w: [f32; 3]; let y[i in 0..16] = sum[k](x[2*i+k]*w[k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x; let b = @loss/@w;",
  "avg pool":
    "input x: [f32; 32]; let y[i in 0..16] = mean[k in 0..2](x[2*i+k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "max pool":
    "input x: [f32; 32]; let y[i in 0..16] = max[k in 0..2](x[2*i+k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "overlapping max pool":
    "input x: [f32; 32]; let y[i in 0..30] = max[k in 0..3](x[i+k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "logsumexp windows":
    "input x: [f32; 32]; let y[i in 0..30] = logsumexp[k in 0..3](x[i+k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "prod windows":
    "input x: [f32; 32]; let y[i in 0..30] = prod[k in 0..3](x[i+k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "running sum":
    "input x: [f32; n]; let y[i in 0..extent(n)] = sum[k in 0..i+1](x[k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "running max":
    "input x: [f32; n]; let y[i in 0..extent(n)] = max[k in 0..i+1](x[k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "running mean":
    "input x: [f32; n]; let y[i in 0..extent(n)] = mean[k in 0..i+1](x[k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "triangular sum":
    "input x: [f32; n]; input w: [f32; n, n]; let y[i] = sum[k in 0..i+1](x[k]*w[i,k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x; let b = @loss/@w;",
  "triangular max":
    "input x: [f32; n]; input w: [f32; n, n]; " +
    "let y[i in 0..extent(n)] = max[k in 0..i+1](x[k]*w[i,k]); let loss = sum[i](y[i]**2); " +
    "let a = @loss/@x; let b = @loss/@w;",
  "triangular logsumexp":
    "input x: [f32; n]; input w: [f32; n, n]; " +
    "let y[i in 0..extent(n)] = logsumexp[k in 0..i+1](x[k]*w[i,k]); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x; let b = @loss/@w;",
  "triangular mean guard":
    "input x: [f32; n]; input w: [f32; n, n]; let y[i] = mean[k](x[k]*w[i,k] where k <= i); " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x; let b = @loss/@w;",
  diag: `input M: [f32; n, n]; let loss = sum[i](M[i,i]**2); let a = @loss/@M;`,
  flip: `input x: [f32; 8]; let y[i] = x[7-i]; let loss = sum[i](y[i]**2); let a = @loss/@x;`,
  periodic:
    "input x: [f32; 8]; let y[i in 0..8] = x[(i+1)%8] - x[i]; let loss = sum[i](y[i]**2); " +
    "let a = @loss/@x;",
  reshape:
    "input x: [f32; 24]; let y[i in 0..4, j in 0..6] = x[6*i+j]; " +
    "let loss = sum[i,j](y[i,j]**2); let a = @loss/@x;",
  divmod:
    "input x: [f32; 4, 6]; let y[p in 0..24] = x[p/6, p%6]; let loss = sum[p](y[p]**2); " +
    "let a = @loss/@x;",
  "clamp index":
    "input x: [f32; 9]; let y[i in 0..9] = x[max(i-1,0)] + x[min(i+1,8)]; " +
    "let loss = sum[i](y[i]**2); let a = @loss/@x;",
  "lifted fn":
    "fn f(v: f32) -> f32 { v * sin(v) } input x: [f32; n]; let y = f(x); " +
    "let loss = sum[i](y[i]); let a = @loss/@x;",
  match:
    "enum S { A(f32), B(f32, f32) } input x: f32; input y: f32; " +
    "let s = if x > 0 { S::A(x) } else { S::B(x, y) }; " +
    "let loss = match s { S::A(v) => v*v, S::B(a, b) => a*b }; let a = @loss/@x; " +
    "let b = @loss/@y;",
  "comprehension filter":
    "let x = [1.0, -2.0, 3.0, 0.5]; let c = [x[i]**2 | i in 0..4, x[i] > 0]; " +
    "let loss = sum[k](c[k]); let a = @loss/@x;",
  "comprehension map":
    "input x: [f32; 10]; let c = [x[i]*x[9-i] | i in 0..10]; let loss = sum[k](c[k]); " +
    "let a = @loss/@x;",
  "softmax crossentropy":
    "input x: [f32; b, c]; input l: [i32; b]; let m[b] = max[c](x[b,c]); " +
    "let e[b,c] = exp(x[b,c]-m[b]); let s[b] = sum[c](e[b,c]); let p[b,c] = e[b,c]/s[b]; " +
    "let loss = -sum[b](log(p[b,l[b]])); let a = @loss/@x;",
  "pow chain": `input x: [f32; n]; let loss = sum[i](x[i]**3); let a = @loss/@x;`,
  "sqrt norm": `input x: [f32; n]; let loss = sqrt(sum[i](x[i]**2)); let a = @loss/@x;`,
  "pure product pair":
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](x[i]*y[i]); let a = @loss/@x; " +
    "let b = @loss/@y;",
  quotient:
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](x[i]/y[i]); let a = @loss/@x; " +
    "let b = @loss/@y;",
  triple:
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; " +
    "let loss = sum[i](x[i]*y[i]*z[i]); let a = @loss/@x; let b = @loss/@y; let c = @loss/@z;",
  four:
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; " +
    "let loss = sum[i](x[i]*y[i]*z[i]*w[i]); let a = @loss/@x; let b = @loss/@y; " +
    "let c = @loss/@z; let d = @loss/@w;",
  remainder:
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](x[i] % y[i]); let a = @loss/@x; " +
    "let b = @loss/@y;",
  hypot:
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](sqrt(x[i]*x[i]+y[i]*y[i])); " +
    "let a = @loss/@x; let b = @loss/@y;",
  clamp: `input x: [f32; n]; let loss = sum[i](clamp(x[i], -1.0, 1.0)); let a = @loss/@x;`,
  "max pair":
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](max(x[i], y[i])); " +
    "let a = @loss/@x; let b = @loss/@y;",
  "clamp variable":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; " +
    "let loss = sum[i](clamp(x[i], y[i], z[i])); let a = @loss/@x; let b = @loss/@y; " +
    "let c = @loss/@z;",
  erf: `input x: [f32; n]; let loss = sum[i](erf(x[i])); let a = @loss/@x;`,
  "tan etc": `input x: [f32; n]; let loss = sum[i](tan(x[i])); let a = @loss/@x;`,
  "pow fn":
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](pow(x[i], y[i])); " +
    "let a = @loss/@x; let b = @loss/@y;",
  sigmoid: `input x: [f32; n]; let loss = sum[i](sigmoid(x[i])); let a = @loss/@x;`,
  "relu abs sign": `input x: [f32; n]; let loss = sum[i](relu(x[i]) * abs(x[i]));
    let a = @loss/@x;`,
  "if branches":
    "input x: [f32; n]; input y: [f32; n]; " +
    "let loss = sum[i](if x[i] > y[i] { x[i]*y[i] } else { x[i] / y[i] }); let a = @loss/@x; " +
    "let b = @loss/@y;",
  "nested if":
    "input x: [f32; n]; let loss = sum[i](if x[i] > 1 { x[i]*x[i] } else if x[i] > 0 " +
    "{ sin(x[i]) } else { exp(x[i]) }); let a = @loss/@x;",
  bilinear:
    "input x: [f32; n]; input A: [f32; n, m]; input y: [f32; m]; " +
    "let loss = sum[i,j](x[i]*A[i,j]*y[j]); let a = @loss/@x; let b = @loss/@A; " +
    "let c = @loss/@y;",
  "pairwise distance": `input x: [f32; n, d]; let loss = sum[i, j, k](exp(-(x[i,k]-x[j,k])**2));
    let a = @loss/@x;`,
  "pairwise stored":
    "input x: [f32; n, d]; let r[i,j] = sum[k]((x[i,k]-x[j,k])**2); " +
    "let loss = sum[i,j](exp(-r[i,j])); let a = @loss/@x;",
  "outer product":
    "input x: [f32; n]; input y: [f32; m]; let loss = sum[i,j](sin(x[i]*y[j])); " +
    "let a = @loss/@x; let b = @loss/@y;",
  "two clauses":
    "input x: [f32; 10]; let y[i in 0..5] = x[i]**2; let y[i in 5..10] = sin(x[i]); " +
    "let loss = sum[i](y[i]); let a = @loss/@x;",
  csr:
    "input x: [f32; n]; input v: [f32; m]; input at: [i32; m]; input ptr: [i32; r]; " +
    "let y[i in 0..extent(r)-1] = max[k in ptr[i]..ptr[i+1]](v[k]*x[at[k]]); " +
    "let loss = sum[i](y[i]); let a = @loss/@x; let b = @loss/@v;",
  "csr logsumexp":
    "input v: [f32; m]; input ptr: [i32; r]; " +
    "let y[i in 0..extent(r)-1] = logsumexp[k in ptr[i]..ptr[i+1]](v[k]); " +
    "let loss = sum[i](y[i]); let b = @loss/@v;",
  "csr mean":
    "input v: [f32; m]; input ptr: [i32; r]; " +
    "let y[i in 0..extent(r)-1] = mean[k in ptr[i]..ptr[i+1]](v[k]); let loss = sum[i](y[i]); " +
    "let b = @loss/@v;",
  "scan product recurrence":
    "input x: [f32; 20]; let h[0] = x[0]; let h[t in 1..20] = h[t-1]*x[t]; let loss = h[19]; " +
    "let a = @loss/@x;",
  "lstm-ish":
    "input x: [f32; 20]; input w: f32; input u: f32; let c[0] = 0.0; let h[0] = 0.0; " +
    "let c[t in 1..20] = sigmoid(w*h[t-1])*c[t-1] + tanh(u*x[t]); " +
    "let h[t in 1..20] = tanh(c[t])*sigmoid(x[t]); let loss = h[19]; let a = @loss/@x; " +
    "let b = @loss/@w; let d = @loss/@u;",
  stencil:
    "input x: [f32; 16]; let u[0, i in 0..16] = x[i]; " +
    "let u[t in 1..10, i in 0..16] = u[t-1,i] + " +
    "0.1*(u[t-1,(i+1)%16] - 2*u[t-1,i] + u[t-1,(i+15)%16]); let loss = sum[i](u[9,i]**2); " +
    "let a = @loss/@x;",
  "logistic map":
    "input r: f32; let x[0] = 0.5; let x[t in 1..50] = r*x[t-1]*(1-x[t-1]); let loss = x[49]; " +
    "let a = @loss/@r;",
  "layer with fn rule":
    "fn sq(x) { x * x } @fn sq(x) { 2.0 * x * @x } input x: [f32; n]; let y[i] = sq(x[i]); " +
    "let loss = sum[i](y[i]); let a = @loss/@x;",
  "masked softmax call":
    "fn softmax[j](x: [f32; ..l, j]) -> [f32; ..l, j] { let m[..l] = max[j](x[..l, j]); " +
    "let e[..l, j] = exp(x[..l, j] - m[..l]); let s[..l] = sum[j](e[..l, j]); " +
    "e[..l, j] / s[..l] } input x: [f32; b, c]; let p[b,c] = softmax[c](x[b,c]) where c <= b; " +
    "let loss = sum[b,c](p[b,c]**2); let a = @loss/@x;",
  bias3:
    "input x: [f32; a, b, c]; input k: [f32; b]; let y[a,b,c] = x[a,b,c] + k[b]; " +
    "let loss = sum[a,b,c](y[a,b,c]**2); let g = @loss/@x; let h = @loss/@k;",
  "sum only": `input x: [f32; n]; let loss = sum[i](x[i]); let a = @loss/@x;`,
  "scalar ops": `input x: f32; let loss = x * x; let a = @loss/@x;`,
  "scalar power both": `input x: f32; input y: f32; let loss = x ** y; let a = @loss/@x;
    let b = @loss/@y;`,
  "scalar long": `input x: f32; let loss = sin(x)*cos(x)*exp(x)/(1+x*x); let a = @loss/@x;`,
  lambda:
    "input x: [f32; n]; let f = |a, b| a * b + a; let loss = sum[i](f(x[i], x[i])); " +
    "let a = @loss/@x;",
  "dot of gathers":
    "input x: [f32; n]; input y: [f32; n]; input at: [i32; k]; input bt: [i32; k]; " +
    "let loss = sum[k](x[at[k]]*y[bt[k]]); let a = @loss/@x; let b = @loss/@y;",
  "argmax index":
    "input x: [f32; b, n]; let k[b] = argmax[i](x[b,i]); let loss = sum[b](x[b, k[b]]**2); " +
    "let a = @loss/@x;",
  "sum of prod three axes":
    "input x: [f32; a, b, c]; let p[a, c] = prod[b](x[a,b,c]); let loss = sum[a,c](p[a,c]); " +
    "let g = @loss/@x;",
  "prod of two coords guard":
    "input x: [f32; a, b]; let p = prod[i,j](x[i,j] where i != j); let loss = p; " +
    "let g = @loss/@x;",
  "prod of squares": `input x: [f32; n]; let loss = prod[i](x[i]**2 + 1); let g = @loss/@x;`,
  "triangular prod guard":
    "input x: [f32; n]; input w: [f32; n, n]; let p[i] = prod[j](x[j]*w[i,j] where j <= i); " +
    "let loss = sum[i](p[i]); let a = @loss/@x; let b = @loss/@w;",
  "prod excl":
    "input x: [f32; n]; let p[i] = prod[j](x[j] where j != i) * x[i]; let loss = sum[i](p[i]); " +
    "let a = @loss/@x;",
  "prod differences":
    "input x: [f32; n]; let p[i] = prod[j](x[i] - x[j] where j != i) * x[i]; " +
    "let loss = sum[i](p[i]); let a = @loss/@x;",
  "kernel windows 2d prod":
    "input x: [f32; 10, 10]; let y[i in 0..8, j in 0..8] = " +
    "prod[k in 0..3, l in 0..3](x[i+k, j+l]); let loss = sum[i,j](y[i,j]); let a = @loss/@x;",
  "logsumexp 2d windows":
    "input x: [f32; 10, 10]; let y[i in 0..8, j in 0..8] = " +
    "logsumexp[k in 0..3, l in 0..3](x[i+k, j+l]); let loss = sum[i,j](y[i,j]); " +
    "let a = @loss/@x;",
  "max 2d strided":
    "input x: [f32; 10, 10]; let y[i in 0..5, j in 0..5] = " +
    "max[k in 0..2, l in 0..2](x[2*i+k, 2*j+l]); let loss = sum[i,j](y[i,j]); let a = @loss/@x;",
  "prod by lookup": `input x: [f32; n]; input at: [i32; k]; let loss = prod[j](x[at[j]]);
    let a = @loss/@x;`,
  "where binding": `input x: [f32; n]; let loss = sum[i](z*z where z = sin(x[i]), z > 0);
    let a = @loss/@x;`,
  "tuple fn":
    "fn f(a: f32, b: f32) { (a*b, a+b) } input x: [f32; n]; " +
    "let loss = sum[i]({ let (p, q) = f(x[i], x[i]); p*q }); let a = @loss/@x;",
  "depth to space":
    "input x: [f32; 4, 3, 3]; let y[i in 0..6, j in 0..6] = x[2*(i%2) + j%2, i/2, j/2]; " +
    "let loss = sum[i,j](y[i,j]**2); let a = @loss/@x;",
  attention:
    "input Q: [f32; q, d]; input K: [f32; k, d]; input V: [f32; k, e]; " +
    "let s[q,k] = sum[d](Q[q,d]*K[k,d]); let l[q] = logsumexp[k](s[q,k]); " +
    "let o[q,e] = sum[k](exp(s[q,k]-l[q])*V[k,e]); let loss = sum[q,e](o[q,e]**2); " +
    "let a = @loss/@Q; let b = @loss/@K; let c = @loss/@V;",
  "exp of sum in body":
    "input x: [f32; n]; input y: [f32; m]; let loss = sum[i](x[i] * exp(sum[j](y[j]*x[i]))); " +
    "let a = @loss/@x; let b = @loss/@y;",
  hessian:
    "input x: [f32; n]; let l = sum[i](x[i]**3); let g = @l/@x; let s = sum[i](g[i]**2); " +
    "let h = @s/@x;",
  "scatter max":
    "input g: [f32; k]; input at: [i32; k]; let d[p in 0..10] = max[k](g[k] where at[k] == p); " +
    "let loss = sum[p](d[p] where d[p] > -100.0); let a = @loss/@g;",
  "scatter mean":
    "input g: [f32; k]; input at: [i32; k]; " +
    "let d[p in 0..10] = mean[k](g[k] where at[k] == p); let loss = sum[p](d[p]); " +
    "let a = @loss/@g;",
  "scatter logsumexp":
    "input g: [f32; k]; input at: [i32; k]; " +
    "let d[p in 0..10] = logsumexp[k](g[k] where at[k] == p); " +
    "let loss = sum[p](d[p] where d[p] > -1000.0); let a = @loss/@g;",
  "triangular prod":
    "input x: [f32; n]; input y: [f32; n]; " +
    "let p[i in 0..extent(n)] = prod[j in 0..i+1](x[j] + y[i]); let loss = sum[i](p[i]); " +
    "let a = @loss/@x; let b = @loss/@y;",
  "window prod":
    "input x: [f32; n]; let p[i in 0..extent(n)-3] = prod[j in i..i+4](x[j]); " +
    "let loss = sum[i](p[i]); let a = @loss/@x;",
  "power both":
    "input x: [f32; n]; input y: [f32; n]; let loss = sum[i](x[i] ** y[i]); let a = @loss/@x; " +
    "let b=@loss/@y;",
  "power both stored":
    "input x: [f32; n]; input y: [f32; n]; let p[i] = x[i]**y[i]; let loss = sum[i](p[i]); " +
    "let a = @loss/@x; let b=@loss/@y;",
  "recursion in recurrence":
    "fn f(x: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, k - 1)) * x } } input w: " +
    "f32; let h[0] = w; let h[t in 1..10] = f(h[t-1], 3) * w; let loss = h[9]; " +
    "let a = @loss/@w;",
  "nested through recursion":
    "fn f(x: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, k - 1)) * x } } let x = " +
    "0.3; let y = f(x, 3); let d = @y/@x; let z = d * d; let s = @z/@x;",
  "recursion plain":
    "fn f(x: f32, w: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, w, k - 1)) * w } } " +
    "let x = 0.3; let w = 0.4; let n = len([1,2,3]); let y = f(x, w, n); let d = @y/@x; " +
    "let e = @y/@w;",
  "products of sparse rows":
    "input v: [f32; m]; input ptr: [i32; r]; " +
    "let y[i in 0..extent(r)-1] = prod[k in ptr[i]..ptr[i+1]](v[k]); let loss = sum[i](y[i]); " +
    "let b = @loss/@v;",
  "products of sparse rows with lookups":
    "input x: [f32; n]; input v: [f32; m]; input at: [i32; m]; input ptr: [i32; r]; " +
    "let y[i in 0..extent(r)-1] = prod[k in ptr[i]..ptr[i+1]](v[k]*x[at[k]]); " +
    "let loss = sum[i](y[i]); let a = @loss/@x; let b = @loss/@v;",
  "powers that data chooses":
    "input m: f32; input n: [i32; r]; let y[i] = prod[k in 0..n[i]](m); " +
    "let loss = sum[i](y[i]); let a = @loss/@m;",
  "powers of each cell that data chooses":
    "input x: [f32; r]; input n: [i32; r]; let y[i] = prod[k in 0..n[i]](x[i]); " +
    "let loss = sum[i](y[i]); let a = @loss/@x;",
  "products of factors that nothing indexes":
    "input x: [f32; r]; input m: f32; input n: [i32; r]; " +
    "let y[i] = prod[k in 0..n[i]](m + x[i]); let loss = sum[i](y[i]); let a = @loss/@x; " +
    "let b = @loss/@m;",
  "scattered products":
    "input g: [f32; k]; input at: [i32; k]; " +
    "let d[p in 0..10] = prod[k](g[k] where at[k] == p); let loss = sum[p](d[p]); " +
    "let a = @loss/@g;",
  "scattered products of sums":
    "input g: [f32; k]; input w: [f32; k]; input at: [i32; k]; " +
    "let d[p in 0..10] = prod[k](g[k] + w[k] where at[k] == p); let loss = sum[p](d[p]**2); " +
    "let a = @loss/@g; let b = @loss/@w;",
  "scattered products of rows":
    "input g: [f32; k, j]; input at: [i32; k]; " +
    "let d[p in 0..10, j] = prod[k](g[k, j] where at[k] == p); let loss = sum[p, j](d[p, j]); " +
    "let a = @loss/@g;",
  "five factors":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let loss = sum[i](x[i]*y[i]*z[i]*w[i]*v[i]); let a = @loss/@x; " +
    "let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "six factors":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; input u: [f32; n]; let loss = sum[i](x[i]*y[i]*z[i]*w[i]*v[i]*u[i]); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v; " +
    "let f = @loss/@u;",
  "ten factors":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; input u: [f32; n]; input q: [f32; n]; input r: [f32; n]; input s: [f32; n]; " +
    "input t: [f32; n]; let loss = sum[i](x[i]*y[i]*z[i]*w[i]*v[i]*u[i]*q[i]*r[i]*s[i]*t[i]); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v; " +
    "let f = @loss/@u; let g = @loss/@q; let h = @loss/@r; let i = @loss/@s; let j = @loss/@t;",
  "five factors stored":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let o[i] = x[i]*y[i]*z[i]*w[i]*v[i]; let loss = sum[i](o[i]**2); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "five factors of functions":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let loss = sum[i](sin(x[i])*sin(y[i])*sin(z[i])*sin(w[i])*sin(v[i])); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "seven scalars":
    "input x: f32; input y: f32; input z: f32; input w: f32; input v: f32; input u: f32; " +
    "input q: f32; let loss = x*y*z*w*v*u*q; let a = @loss/@x; let b = @loss/@y; " +
    "let c = @loss/@z; let d = @loss/@w; let e = @loss/@v; let f = @loss/@u; let g = @loss/@q;",
  "four factors over one":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let o[i] = x[i]*y[i]*z[i]*w[i]/v[i]; let loss = sum[i](o[i]**2); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "three factors over two":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let o[i] = x[i]*y[i]*z[i]/(w[i]*v[i]); let loss = sum[i](o[i]); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "five factors in groups":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let o[i] = (x[i]*y[i])*(z[i]*(w[i]*v[i])); let loss = sum[i](o[i]); " +
    "let a = @loss/@x; let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "five factors of two":
    "input x: [f32; n]; input y: [f32; n]; " +
    "let loss = sum[i]((x[i]+y[i])*(x[i]-y[i])*(x[i]+2)*(y[i]+3)*(x[i]*y[i]+1)); " +
    "let a = @loss/@x; let b = @loss/@y;",
  "differences of pairs": `input x: [f32; 24]; let loss = prod[i, j](x[i] - x[j] where j < i);
    let a = @loss/@x;`,
  "products over triangles":
    "input x: [f32; b, 24]; let p[b] = prod[i, j](1 - x[b, i] * x[b, j] where i < j); " +
    "let loss = sum[b](p[b] ** 2); let a = @loss/@x;",
  "five factors under a guard":
    "input x: [f32; n]; input y: [f32; n]; input z: [f32; n]; input w: [f32; n]; input v: " +
    "[f32; n]; let loss = sum[i](x[i]*y[i]*z[i]*w[i]*v[i] where x[i] > 0); let a = @loss/@x; " +
    "let b = @loss/@y; let c = @loss/@z; let d = @loss/@w; let e = @loss/@v;",
  "a tangent of two products":
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; let y[i] = tanh(a[i] * b[i] + c[i] * d[i]) * e[i]; " +
    "let loss = sum[i](y[i] ** 2); let g_0 = @loss / @a; let g_1 = @loss / @b; " +
    "let g_2 = @loss / @c; let g_3 = @loss / @d; let g_4 = @loss / @e;",
  "a quotient of two sums":
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; input f: [f32; n]; let y[i] = (a[i] * b[i] + c[i] * d[i]) / (e[i] * f[i] + 1); " +
    "let loss = sum[i](y[i] ** 2); let g_0 = @loss / @a; let g_1 = @loss / @b; " +
    "let g_2 = @loss / @c; let g_3 = @loss / @d; let g_4 = @loss / @e; let g_5 = @loss / @f;",
  "a distance":
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; input f: [f32; n]; let y[i] = " +
    "sqrt((a[i] - d[i]) ** 2 + (b[i] - e[i]) ** 2 + (c[i] - f[i]) ** 2); " +
    "let loss = sum[i](y[i] ** 2); let g_0 = @loss / @a; let g_1 = @loss / @b; " +
    "let g_2 = @loss / @c; let g_3 = @loss / @d; let g_4 = @loss / @e; let g_5 = @loss / @f;",
  "four factors of two":
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; input f: [f32; n]; input g: [f32; n]; input h: [f32; n]; " +
    "let y[i] = (a[i] + b[i]) * (c[i] + d[i]) * (e[i] + f[i]) * (g[i] + h[i]); " +
    "let loss = sum[i](y[i] ** 2); let g_0 = @loss / @a; let g_1 = @loss / @b; " +
    "let g_2 = @loss / @c; let g_3 = @loss / @d; let g_4 = @loss / @e; let g_5 = @loss / @f; " +
    "let g_6 = @loss / @g; let g_7 = @loss / @h;",
  "a cell of an LSTM":
    "input f: [f32; n]; input c: [f32; n]; input g: [f32; n]; input o: [f32; n]; input j: " +
    "[f32; n]; let y[i] = sigmoid(o[i]) * tanh(sigmoid(f[i]) * c[i] + " +
    "sigmoid(j[i]) * tanh(g[i])); let loss = sum[i](y[i] ** 2); let g_0 = @loss / @f; " +
    "let g_1 = @loss / @c; let g_2 = @loss / @g; let g_3 = @loss / @o; let g_4 = @loss / @j;",
  "a cell of a GRU":
    "input z: [f32; n]; input h: [f32; n]; input r: [f32; n]; input v: [f32; n]; " +
    "let y[i] = (1 - sigmoid(z[i])) * tanh(v[i] + sigmoid(r[i]) * h[i]) + " +
    "sigmoid(z[i]) * h[i]; let loss = sum[i](y[i] ** 2); let g_0 = @loss / @z; " +
    "let g_1 = @loss / @h; let g_2 = @loss / @r; let g_3 = @loss / @v;",
  "a sine of eight":
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; input f: [f32; n]; input g: [f32; n]; input h: [f32; n]; " +
    "let loss = sum[i](sin(a[i] * b[i] + c[i] * d[i] + e[i] * f[i] + g[i] * h[i])); " +
    "let g_0 = @loss / @a; let g_1 = @loss / @b; let g_2 = @loss / @c; let g_3 = @loss / @d; " +
    "let g_4 = @loss / @e; let g_5 = @loss / @f; let g_6 = @loss / @g; let g_7 = @loss / @h;",
  waves:
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; input f: [f32; n]; let loss = " +
    "sum[i](sin(a[i] + b[i] * c[i]) * cos(d[i] * e[i] + f[i])); let g_0 = @loss / @a; " +
    "let g_1 = @loss / @b; let g_2 = @loss / @c; let g_3 = @loss / @d; let g_4 = @loss / @e; " +
    "let g_5 = @loss / @f;",
  determinants:
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; input e: " +
    "[f32; n]; input f: [f32; n]; input g: [f32; n]; input h: [f32; n]; input k: [f32; n]; " +
    "let y[i] = a[i] * (e[i] * k[i] - f[i] * h[i]) - b[i] * (d[i] * k[i] - f[i] * g[i]) + " +
    "c[i] * (d[i] * h[i] - e[i] * g[i]); let loss = sum[i](y[i] ** 2); let g_0 = @loss / @a; " +
    "let g_1 = @loss / @b; let g_2 = @loss / @c; let g_3 = @loss / @d; let g_4 = @loss / @e; " +
    "let g_5 = @loss / @f; let g_6 = @loss / @g; let g_7 = @loss / @h; let g_8 = @loss / @k;",
  "a recurrent GRU":
    "input xz: [f32; 10, n]; input xr: [f32; 10, n]; input xn: [f32; 10, n]; input uz: " +
    "[f32; n]; input ur: [f32; n]; input un: [f32; n]; let h[0, i in 0..extent(n)] = 0.0; " +
    "let h[t in 1..10, i] = (1 - sigmoid(xz[t,i] + uz[i]*h[t-1,i])) * " +
    "tanh(xn[t,i] + sigmoid(xr[t,i] + ur[i]*h[t-1,i]) * un[i]*h[t-1,i]) + " +
    "sigmoid(xz[t,i] + uz[i]*h[t-1,i]) * h[t-1,i]; let loss = sum[i](h[9,i]**2); " +
    "let a = @loss/@uz; let b = @loss/@ur; let c = @loss/@un; let d = @loss/@xz; " +
    "let e = @loss/@xr; let f = @loss/@xn;",
  "a recurrent LSTM":
    "input x: [f32; 10, n]; input Wf: [f32; n, n]; input Wi: [f32; n, n]; input Wo: " +
    "[f32; n, n]; input Wg: [f32; n, n]; let c[0, i in 0..extent(n)] = 0.0; " +
    "let h[0, i in 0..extent(n)] = 0.0; let c[t in 1..10, i] = " +
    "sigmoid(sum[j](Wf[i,j]*h[t-1,j]) + x[t,i]) * c[t-1,i] + " +
    "sigmoid(sum[j](Wi[i,j]*h[t-1,j]) + x[t,i]) * tanh(sum[j](Wg[i,j]*h[t-1,j]) + x[t,i]); " +
    "let h[t in 1..10, i] = sigmoid(sum[j](Wo[i,j]*h[t-1,j]) + x[t,i]) * tanh(c[t,i]); " +
    "let loss = sum[i](h[9,i]**2); let a = @loss/@Wf; let b = @loss/@Wi; let d = @loss/@Wo; " +
    "let e = @loss/@Wg;",
  "Runge and Kutta":
    "input a: f32; input b: f32; fn f(x: f32, a: f32, b: " +
    "f32) -> f32 { a * x - b * x * x } let x[0] = 0.1; " +
    "let x[t in 1..50] = { let k1 = f(x[t-1], a, b); let k2 = f(x[t-1] + 0.05*k1, a, b); " +
    "let k3 = f(x[t-1] + 0.05*k2, a, b); let k4 = f(x[t-1] + 0.1*k3, a, b); " +
    "x[t-1] + 0.1/6.0*(k1 + 2*k2 + 2*k3 + k4) }; let loss = x[49]; let g = @loss/@a; " +
    "let h = @loss/@b;",
  "many bodies":
    "input x0: [f32; p, 2]; input m: [f32; p]; let x[0, i, k] = x0[i,k]; " +
    "let v[0, i in 0..extent(p), k in 0..2] = 0.0; " +
    "let a[t in 0..10, i in 0..extent(p), k in 0..2] = " +
    "sum[j in 0..extent(p)](m[j]*(x[t,j,k]-x[t,i,k])/(sum[l in 0..2]((x[t,j,l]-x[t,i,l])**2) + " +
    "0.1)**1.5); let v[t in 1..10, i in 0..extent(p), k in 0..2] = v[t-1,i,k] + " +
    "0.01*a[t-1,i,k]; let x[t in 1..10, i in 0..extent(p), k in 0..2] = x[t-1,i,k] + " +
    "0.01*v[t,i,k]; let loss = sum[i,k](x[9,i,k]**2); let g = @loss/@x0; let h = @loss/@m;",
  "waves in steps":
    "input a: [f32; n]; input b: [f32; n]; input c: [f32; n]; input d: [f32; n]; " +
    "let h[0, i in 0..extent(n)] = 1.0; let h[t in 1..10, i] = " +
    "sin(a[i]*b[i] + c[i]*h[t-1,i])*cos(d[i]*h[t-1,i]+a[i]); let loss = sum[i](h[9,i]); " +
    "let g = @loss/@a; let k = @loss/@b; let l = @loss/@c; let m = @loss/@d;",
  "a chain of five matrices":
    "input A: [f32; i, j]; input B: [f32; j, k]; input C: [f32; k, l]; input D: [f32; l, m]; " +
    "input E: [f32; m, o]; let y[i, o] = " +
    "sum[j, k, l, m](A[i, j] * B[j, k] * C[k, l] * D[l, m] * E[m, o]); " +
    "let loss = sum[i, o](y[i, o] ** 2); let g_0 = @loss / @A; let g_1 = @loss / @B; " +
    "let g_2 = @loss / @C; let g_3 = @loss / @D; let g_4 = @loss / @E;",
  "five factors of rows":
    "input A: [f32; i, r]; input B: [f32; i, r]; input C: [f32; i, r]; input D: [f32; i, r]; " +
    "input E: [f32; i, r]; let p[i] = sum[r](A[i, r] * B[i, r] * C[i, r] * D[i, r] * E[i, r]); " +
    "let loss = sum[i](p[i] ** 2); let g_0 = @loss / @A; let g_1 = @loss / @B; " +
    "let g_2 = @loss / @C; let g_3 = @loss / @D; let g_4 = @loss / @E;",
  "roots of products over triangles":
    "input x: [f32; b, 24]; let p[b] = prod[i, j](1 - x[b, i] * x[b, j] where i < j); " +
    "let loss = sum[b](sqrt(p[b])); let a = @loss/@x;",
  "an array out of recursion":
    "fn f(a: [f32; m], k: i32) -> [f32; m] " +
    "{ if k == 0 { a } else { let b[i in 0..len(a)] = sin(a[i]) * a[len(a) - 1 - i]; " +
    "f(b, k - 1) } } input n: i32; input c: [f32; 50]; let r = f(c, n); " +
    "let loss = sum[i](r[i] ** 2); let a = @loss/@c;",
  "an array out of recursion with several readers":
    "fn f(a: [f32; m], k: i32) -> [f32; m] " +
    "{ if k == 0 { a } else { let b[i in 0..len(a)] = sin(a[i]) * a[0]; f(b, k - 1) } } input " +
    "n: i32; input c: [f32; 50]; let x = c[0]; let b[i in 0..50] = c[i] * x; let r = f(b, n); " +
    "let w[i in 0..50] = r[i] * x where r[i] > 0.05; let loss = sum[i](w[i]); " +
    "let g = @loss/@c; let h = @loss/@x; let k = @loss/@b; let l = @loss/@r;",
  "rows out of recursion":
    "fn f(a: [f32; m, p], k: i32) -> [f32; " +
    "p, m] { if k == 0 { let t[j, i] = a[i, j]; " +
    "t } else { let b[i in 0..a.shape[1], j in 0..a.shape[0]] = tanh(a[j, i]) * a[0, i]; " +
    "f(b, k - 1) } } input n: i32; input c: [f32; 20, 30]; let r = f(c, n); " +
    "let loss = sum[i, j](r[i, j] ** 2); let a = @loss/@c;",
  "a struct with an array out of recursion":
    "struct P { a: [f32; 50], w: f32 } fn f(p: P, k: " +
    "i32) -> P { if k == 0 { p } else { let b[i in 0..50] = sin(p.a[i]) * p.w; " +
    "f(P { a: b, w: p.w * p.a[0] }, k - 1) } } input n: i32; input c: [f32; 50]; " +
    "let r = f(P { a: c, w: c[2] }, n); let loss = sum[i](r.a[i] ** 2 * r.w) + r.w; " +
    "let a = @loss/@c;",
  "branches within branches":
    "input x: [f32; n]; input y: [f32; n]; " +
    "let z[i] = if x[i] > 0 { if y[i] > 0 { x[i] * y[i] } else { x[i] + y[i] } } else " +
    "{ if y[i] > x[i] { x[i] - y[i] } else { sin(x[i]) } }; let loss = sum[i](z[i] * z[i]); " +
    "let a = @loss / @x; let b = @loss / @y;",
  "branches of numbers":
    "input x: f32; input y: f32; let z = if x > 0 { if y > 0 { x * y } else { x + y } } else " +
    "{ if y > x { x - y } else { sin(x) } }; let loss = z * z; let a = @loss / @x; " +
    "let b = @loss / @y;",
  "branches on a name":
    "input x: [f32; b, n]; input w: [f32; n]; " +
    "let y[b, i] = { let z = x[b, i] * w[i]; " +
    "if z > 1 { z * 2 - 1 } else if z > 0 { z * z } else { 0.1 * z } }; " +
    "let loss = sum[b, i](y[b, i]); let g = @loss / @x; let h = @loss / @w;",
  "sums over branches":
    "input x: [f32; b, n]; input w: [f32; n]; " +
    "let loss = sum[b, i](if x[b, i] > 0 " +
    "{ if x[b, i] > 1 { w[i] * x[b, i] } else { w[i] * x[b, i] * x[b, i] } } else " +
    "{ w[i] * sin(x[b, i]) }); let a = @loss / @w; let c = @loss / @x;",
  "a scheme against the wind":
    "input u0: [f32; 10]; input v: [f32; 10]; let u[0, i] = u0[i]; " +
    "let u[t in 1..6, i in 0..10] = if v[i] > 0 " +
    "{ if i > 0 { u[t - 1, i] - 0.1 * v[i] * (u[t - 1, i] - u[t - 1, i - 1]) } else " +
    "{ u[t - 1, i] } } else { if i < 9 { u[t - 1, " +
    "i] - 0.1 * v[i] * (u[t - 1, i + 1] - u[t - 1, i]) } else { u[t - 1, i] } }; " +
    "let loss = sum[i](u[5, i] ** 2); let a = @loss / @u0; let b = @loss / @v;",
  "a match over pairs":
    "input x: [f32; n]; input y: [f32; n]; input a: [i32; n]; input b: [i32; n]; " +
    "let z[i] = match (a[i] % 2, b[i] % 2) { (0, 0) => x[i] * y[i], (0, _) => x[i], " +
    "(_, 0) => y[i] ** 2, _ => x[i] - y[i] }; let loss = sum[i](z[i] ** 2); " +
    "let g = @loss / @x; let h = @loss / @y;",
  "sums of sparse rows in steps":
    "input v: [f32; 12]; input x0: [f32; 5]; input ptr: [i32; 6]; input col: [i32; 12]; " +
    "let h[0, i] = x0[i]; let h[t in 1..6, i in 0..5] = " +
    "tanh(sum[k in ptr[i]..ptr[i + 1]](v[k] * h[t - 1, col[k]])); " +
    "let loss = sum[i](h[5, i] ** 2); let a = @loss / @v; let b = @loss / @x0;",
  "means of sparse rows in steps":
    "input v: [f32; 12]; input x0: [f32; 5]; input ptr: [i32; 6]; input col: [i32; 12]; " +
    "let h[0, i] = x0[i]; let h[t in 1..6, i in 0..5] = " +
    "mean[k in ptr[i]..ptr[i + 1]](v[k] * h[t - 1, col[k]]); let loss = sum[i](h[5, i] ** 2); " +
    "let a = @loss / @v; let b = @loss / @x0;",
  "log-sum-exps of sparse rows in steps":
    "input v: [f32; 12]; input x0: [f32; 5]; input ptr: [i32; 6]; input col: [i32; 12]; " +
    "let h[0, i] = x0[i]; let h[t in 1..6, i in 0..5] = " +
    "logsumexp[k in ptr[i]..ptr[i + 1]](v[k] + h[t - 1, col[k]]); " +
    "let loss = sum[i](h[5, i] ** 2); let a = @loss / @v; let b = @loss / @x0;",
  "products of sparse rows in steps":
    "input v: [f32; 12]; input x0: [f32; 5]; input ptr: [i32; 6]; input col: [i32; 12]; " +
    "let h[0, i] = x0[i]; let h[t in 1..6, i in 0..5] = " +
    "0.5 * tanh(prod[k in ptr[i]..ptr[i + 1]](1 + v[k] * h[t - 1, col[k]])); " +
    "let loss = sum[i](h[5, i] ** 2); let a = @loss / @v; let b = @loss / @x0;",
  "recursion on two numbers in steps":
    "fn f(x: f32, w: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, w, k - 1)) * w } } " +
    "input w: f32; let h[0] = w; let h[t in 1..10] = f(h[t - 1], w, 3); let loss = h[9]; " +
    "let d = @loss / @w;",
  "recursion in sums in steps":
    "fn f(x: f32, w: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, w, k - 1)) * w } } " +
    "input w: [f32; 3, 3]; let h[0, i in 0..3] = 1.0; " +
    "let h[t in 1..5, i in 0..3] = 0.3 * sum[j](f(h[t - 1, j], w[i, j], 3)) + w[i, i]; " +
    "let loss = sum[i](h[4, i]); let d = @loss / @w;",
  "recursion of recursion in steps":
    "fn f(x: f32, w: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, w, k - 1)) * w } } " +
    "input w: f32; input v: f32; let h[0] = w; " +
    "let h[t in 1..8] = f(f(h[t - 1], w, 2), v, 3) + f(v, h[t - 1], 2); let loss = h[7]; " +
    "let d = @loss / @w; let e = @loss / @v;",
  "recursion in steps that are kept in part":
    "fn f(x: f32, w: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, w, k - 1)) * w } } " +
    "input w: f32; let h[0] = w; checkpoint let h[t in 1..16] = f(h[t - 1], w, 2) + w; " +
    "let loss = h[15]; let d = @loss / @w;",
  "roots in steps":
    "fn root(a: f32, x: f32, k: i32) -> f32 " +
    "{ if k <= 0 { x } else { root(a, 0.5 * (x + a / x), k - 1) } } input n: i32; input a: " +
    "f32; input b: f32; let h[0] = 2.0 + a * a; " +
    "let h[t in 1..8] = root(h[t - 1] + b * b, 1.0, n) + a * a; let loss = h[7]; " +
    "let d = @loss / @a; let e = @loss / @b;",
  "recursion on a sum of numbers":
    "fn f(x: f32, k: i32) -> f32 { if k <= 0 { x } else { sin(f(x, k - 1)) * x } } input a: " +
    "[f32; n]; input b: [f32; n]; input c: f32; let y[i] = f(a[i] * b[i] + c, 3); " +
    "let loss = sum[i](y[i] ** 2); let e = @loss / @a; let g = @loss / @b; let h = @loss / @c;",
  "two lookups of one table":
    "input E: [f32; 1000, d]; input a: [i32; k]; input b: [i32; k]; " +
    "let s[k] = sum[d](E[a[k], d] * E[b[k], d]); let loss = sum[k](s[k] ** 2); " +
    "let g = @loss / @E;",
  "words and those that are not beside them":
    "input E: [f32; 1000, d]; input C: [f32; 1000, d]; input w: [i32; n]; input c: [i32; n]; " +
    "input g: [i32; n, k]; let pos[n] = sum[d](E[w[n], d] * C[c[n], d]); " +
    "let neg[n, k] = sum[d](E[w[n], d] * C[g[n, k], d]); " +
    "let loss = -mean[n](log(sigmoid(pos[n]))) - mean[n, k](log(sigmoid(-neg[n, k]))); " +
    "let a = @loss / @E; let b = @loss / @C;",
  "edges of a large graph":
    "input x: [f32; 1000, 3]; input a: [i32; e]; input b: [i32; e]; " +
    "let l[e] = sqrt(sum[d]((x[a[e], d] - x[b[e], d]) ** 2) + 1e-6); " +
    "let loss = sum[e]((l[e] - 1.0) ** 2); let g = @loss / @x;",
  "faces of a large mesh":
    "input x: [f32; 500, 3]; input f: [i32; m, 3]; " +
    "let u[m, k in 0..3] = x[f[m, 1], k] - x[f[m, 0], k]; " +
    "let v[m, k in 0..3] = x[f[m, 2], k] - x[f[m, 0], k]; " +
    "let n[m, k in 0..3] = u[m, (k + 1) % 3] * v[m, (k + 2) % 3] - u[m, (k + 2) % 3] * v[m, " +
    "(k + 1) % 3]; let loss = sum[m](sqrt(sum[k](n[m, k] ** 2) + 1e-9)); let g = @loss / @x;",
  "triplets of a table":
    "input E: [f32; 1000, d]; input a: [i32; k]; input p: [i32; k]; input n: [i32; k]; " +
    "let dp[k] = sum[d]((E[a[k], d] - E[p[k], d]) ** 2); " +
    "let dn[k] = sum[d]((E[a[k], d] - E[n[k], d]) ** 2); " +
    "let loss = mean[k](relu(dp[k] - dn[k] + 0.2)); let g = @loss / @E;",
  "attention on edges":
    "input x: [f32; 6, f]; input a1: [f32; f]; input a2: [f32; f]; input src: [i32; 8]; " +
    "input dst: [i32; 8]; let s[e in 0..8] = sum[f](a1[f] * x[src[e], f]) + " +
    "sum[f](a2[f] * x[dst[e], f]); let l[e] = if s[e] > 0 { s[e] } else { 0.2 * s[e] }; " +
    "let z[n in 0..6] = sum[e](exp(l[e]) where dst[e] == n); " +
    "let o[n in 0..6, f] = sum[e](exp(l[e]) / z[dst[e]] * x[src[e], f] where dst[e] == n); " +
    "let loss = sum[n, f](o[n, f] ** 2); let g1 = @loss / @x; let g2 = @loss / @a1; " +
    "let g3 = @loss / @a2;",
  "few cells of a long vector": `input x: [f32; 1000]; let loss = x[0] * x[1] + sin(x[2]);
    let g = @loss / @x;`,
  "a vector of parameters":
    "input p: [f32; 6]; input x: [f32; n]; input y: [f32; n]; " +
    "let f[i] = p[0] * exp(-p[1] * x[i]) + p[2] * sin(p[3] * x[i] + p[4]) + p[5]; " +
    "let loss = mean[i]((f[i] - y[i]) ** 2); let g = @loss / @p;",
  "greatest of boxes":
    "input x: [f32; c, n, m]; input r: [i32; b, 4]; " +
    "let y[b, c] = max[i in r[b, 0]..r[b, 1], j in r[b, 2]..r[b, 3]](x[c, i, j]); " +
    "let loss = sum[b, c](y[b, c] ** 2); let g = @loss / @x;",
  "least of some in boxes":
    "input x: [f32; n, m]; input w: [f32; n]; input lo: [i32; b]; input hi: [i32; b]; " +
    "let y[b] = min[i in lo[b]..hi[b], j in lo[b]..hi[b]](x[i, j] * w[i] where x[i, j] > 0); " +
    "let loss = sum[b](y[b] where y[b] < 100.0); let g = @loss / @x; let h = @loss / @w;",
  "greatest of rows of rows":
    "input v: [f32; m]; input w: [f32; q]; input row: [i32; q]; input ptr: [i32; r]; " +
    "let y[i in 0..extent(r) - 1] = max[p in ptr[i]..ptr[i + 1], " +
    "k in row[p]..row[p + 1]](v[k] * w[p]); let loss = sum[i](y[i]); let g = @loss / @v; " +
    "let h = @loss / @w;",
  "factors that are chosen":
    "input a: [f32; n]; input b: [f32; n]; input e: [f32; n]; " +
    "let loss = sum[i]((if a[i] > 0 { a[i] } else { e[i] }) * " +
    "(if b[i] > 0 { b[i] } else { e[i] }) * (if e[i] > 0 { a[i] } else { b[i] })); " +
    "let g = @loss / @a; let h = @loss / @b; let k = @loss / @e;",
  "factors that are chosen in branches":
    "input a: [f32; n]; input b: [f32; n]; input e: [f32; n]; " +
    "let y[i] = if a[i] > 0 { (if a[i] > e[i] { b[i] } else { a[i] }) * " +
    "(if a[i] > 1 { a[i] } else { b[i] }) * (if e[i] > 1 { b[i] } else { a[i] + b[i] }) } else " +
    "if e[i] > b[i] { b[i] * e[i] * (if e[i] > 1 { b[i] } else { a[i] }) } else " +
    "{ a[i] * sin(b[i]) }; let loss = sum[i](y[i] ** 2); let g = @loss / @a; " +
    "let h = @loss / @b; let k = @loss / @e;",
  "factors that are chosen in steps":
    "input a: [f32; n]; input b: [f32; n]; input e: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..10, i in 0..extent(n)] = (if e[i] > b[i] { a[i] } else { h[t - 1, i] }) * " +
    "b[i] * a[i]; let loss = sum[i](h[9, i]); let g = @loss / @a; let k = @loss / @b;",
  "products of blends in steps":
    "input v: [f32; n, n]; input a: [f32; n]; let h[0, i] = a[i]; " +
    "let h[t in 1..20, i in 0..extent(n)] = " +
    "prod[k](v[i, k] * h[t - 1, k] + (1 - v[i, k]) * h[t - 1, i]); " +
    "let loss = sum[i](h[19, i] ** 2); let g = @loss / @v; let k = @loss / @a;",
  "a lookup and a cell by its number":
    "input w: [f32; 1000]; input at: [i32; k]; let loss = sum[k](w[at[k]] ** 2) + 0.1 * w[0]; " +
    "let g = @loss / @w;",
  "an array out of recursion, of second order":
    "fn f(a: [f32; m], k: i32) -> [f32; m] " +
    "{ if k == 0 { a } else { let b[i in 0..len(a)] = sin(a[i]) * a[len(a) - 1 - i]; " +
    "f(b, k - 1) } } input n: i32; input c: [f32; 6]; let r = f(c, n); " +
    "let loss = sum[i](r[i] ** 2); let g = @loss / @c; let s = sum[i](g[i] ** 2); " +
    "let h = @s / @c;",
  "recursion that reads a table in steps":
    "input w: [f32; 6]; fn f(x: f32, k: i32) -> f32 " +
    "{ if k <= 0 { x } else { sin(f(x, k - 1)) * w[k] } } input a: f32; let h[0] = a; " +
    "let h[t in 1..10] = f(h[t - 1], 3); let loss = h[9]; let d = @loss / @w; " +
    "let e = @loss / @a;",
  "loops that read a table in steps":
    "input w: [f32; n]; fn f(x: f32, k: i32) -> f32 " +
    "{ if k <= 0 { x } else { f(sin(x) * w[k], k - 1) } } let h[0, i in 0..4] = 1.0; " +
    "let h[t in 1..10, i in 0..4] = f(h[t - 1, i], 5) + h[t - 1, 0]; " +
    "let loss = sum[i](h[9, i]); let d = @loss / @w;",
  "recursion that reads a row in steps":
    "input w: [f32; 10]; fn f(x: f32, k: i32, t: " +
    "i32) -> f32 { if k <= 0 { x } else { f(sin(x) * w[t], k - 1, t) } } let h[0] = 1.0; " +
    "let h[t in 1..10] = f(h[t - 1], 5, t); let loss = h[9]; let d = @loss / @w;",
  "recursion that reads a table in sums in steps":
    "input w: [f32; 3, 3]; fn f(x: f32, i: i32, j: i32, k: " +
    "i32) -> f32 { if k <= 0 { x } else { sin(f(x, i, j, k - 1)) * w[i, j] } } let h[0, " +
    "i in 0..3] = 1.0; let h[t in 1..5, i in 0..3] = " +
    "0.3 * sum[j in 0..3](f(h[t - 1, j], i, j, 3)); let loss = sum[i](h[4, i]); " +
    "let d = @loss / @w;",
  "recursion that reads its own recurrence":
    "input w: [f32; 6]; input a: f32; let h[0] = a; " +
    "fn f(k: i32, t: i32) -> f32 { if k <= 0 { h[t] } else { sin(f(k - 1, t)) * w[k] } } let " +
    "h[t in 1..10] = f(3, t - 1); let loss = h[9]; let d = @loss / @w;",
  "an array out of recursion in steps":
    "fn f(a: [f32; m], k: i32) -> [f32; m] " +
    "{ if k == 0 { a } else { let b[i in 0..len(a)] = sin(a[i]) * a[len(a) - 1 - i]; " +
    "f(b, k - 1) } } input n: i32; input c: [f32; 5]; let h[0, i in 0..5] = c[i]; " +
    "let h[t in 1..6, i in 0..5] = { let r = f(h[t - 1], n); r[i] + c[i] }; " +
    "let loss = sum[i](h[5, i]); let d = @loss / @c;",
  "a list that recursion takes in steps":
    "fn f(a: [f32; m], k: i32) -> f32 { if k == " +
    "0 { sum[i](a[i]) } else { let b[i in 0..len(a)] = sin(a[i]) * a[len(a) - 1 - i]; " +
    "f(b, k - 1) } } input n: i32; input c: [f32; 5]; let h[0] = 1.0; " +
    "let h[t in 1..6] = f([h[t - 1], c[0], c[1]], n); let loss = h[5]; let d = @loss / @c;",
  "lists that are made in steps":
    "fn f(a: [f32; m], k: i32) -> f32 { if k >= " +
    "len(a) { 0.0 } else { sin(a[k]) + f(a, k + 1) } } input n: i32; input c: [f32; 5]; " +
    "let h[0] = 1.0; let h[t in 1..6] = f([h[t - 1] * c[i % 5] | i in 0..n], 0); " +
    "let loss = h[5]; let d = @loss / @c;",
  "integers with a rule around recursion":
    "input x: [f32; n]; fn q(v: f32) -> i32 { round(v) as i32 } surrogate @fn q(v: " +
    "f32) { @v } let z[i] = q(x[i]); fn f(a: f32, k: " +
    "i32) -> f32 { if k < 0 { a } else { f(a, k - 1) * (z[k] as f32) } } input b: [f32; m]; " +
    "let y[i] = f(b[i], 4); let loss = sum[i](y[i]); let d = @loss / @x; let e = @loss / @b;",
  "a rule for a recursion on three numbers":
    "fn s(a: f32, b: f32, c: f32, k: i32) -> f32 " +
    "{ if k <= 0 { a * b } else { s(a + c, b, c, k - 1) } } @fn s(a: f32, b: f32, c: f32, k: " +
    "i32) { b * (@a + k as f32 * @c) + (a + k as f32 * c) * @b } input x: [f32; n]; input y: " +
    "[f32; n]; input z: [f32; n]; let r[i] = s(x[i], y[i], z[i], 3); let loss = sum[i](r[i]); " +
    "let d = @loss / @x; let e = @loss / @y; let f = @loss / @z;",
  "a rule that recurses over an array":
    "fn s(a: [f32; n], k: i32) -> f32 { if k >= " +
    "len(a) { 0.0 } else { sin(a[k]) + s(a, k + 1) } } fn c(a: [f32; n], v: [f32; n], k: " +
    "i32) -> f32 { if k >= len(a) { 0.0 } else { cos(a[k]) * v[k] + c(a, v, k + 1) } } @fn " +
    "s(a: [f32; n], k: i32) { c(a, @a, k) } input x: [f32; 20]; let loss = s(x, 0); " +
    "let d = @loss / @x;",
  "a running sum of products":
    "input x: [f32; 64]; input w: [f32; 64]; " +
    "let y[i in 0..64] = sum[k in 0..i + 1](x[k] * w[k]); let loss = sum[i](y[i] ** 2); " +
    "let a = @loss / @x; let b = @loss / @w;",
  "a running mean of what data chooses":
    "input x: [f32; 64]; let y[i in 0..64] = mean[k](sqrt(x[k]) where k <= i, x[k] > 0); " +
    "let loss = sum[i](y[i] ** 2); let a = @loss / @x;",
  "a running contraction":
    "input k: [f32; 64, d]; input v: [f32; 64, d]; " +
    "let s[t in 0..64] = sum[i in 0..t + 1, d](k[i, d] * v[i, d]); " +
    "let loss = sum[t](s[t] ** 2); let a = @loss / @k; let b = @loss / @v;",
  "a running sum of lookups":
    "input x: [f32; 64]; input at: [i32; 64]; " +
    "let y[i in 0..64] = sum[k in 0..i + 1](x[at[k]]); let loss = sum[i](y[i] ** 2); " +
    "let a = @loss / @x;",
  "a running sum of running sums":
    "input x: [f32; 64]; let y[i in 0..64] = sum[k in 0..i + 1](x[k] ** 2); " +
    "let z[i in 0..64] = sum[k in 0..i + 1](y[k] * x[k]); let loss = z[63]; let a = @loss / @x;",
  "sums over rectangles from the corner":
    "input x: [f32; 20, 20]; let y[i in 0..20, j in 0..20] = " +
    "sum[k in 0..i + 1, l in 0..j + 1](x[k, l] ** 2); let loss = sum[i, j](y[i, j] ** 2); " +
    "let a = @loss / @x;",
  "sums over windows that begin at 0":
    "input x: [f32; 64]; input w: [f32; 64]; " +
    "let y[i in 0..64] = sum[k in max(0, i - 3)..i + 1](x[k] * w[k]); " +
    "let loss = sum[i](y[i] ** 2); let a = @loss / @x; let b = @loss / @w;",
  "linear attention":
    "input q: [f32; 64, d]; input k: [f32; 64, d]; input v: [f32; 64, e]; " +
    "let S[t in 0..64, d, e] = sum[s in 0..t + 1](k[s, d] * v[s, e]); " +
    "let o[t, e] = sum[d](q[t, d] * S[t, d, e]); let loss = sum[t, e](o[t, e] ** 2); " +
    "let a = @loss / @q; let b = @loss / @k; let c = @loss / @v;",
  "shortest paths":
    "input w: [f32; n, n]; let d[0, i, j] = w[i, j]; " +
    "let d[k in 1..extent(n) + 1, i in 0..extent(n), j in 0..extent(n)] = " +
    "min(d[k - 1, i, j], d[k - 1, i, k - 1] + d[k - 1, k - 1, j]); " +
    "let loss = sum[i, j](d[extent(n), i, j]); let g = @loss / @w;",
  "soft shortest paths":
    "input w: [f32; n, n]; let d[0, i, j] = w[i, j]; " +
    "let d[k in 1..extent(n) + 1, i in 0..extent(n), j in 0..extent(n)] = " +
    "-log(exp(-d[k - 1, i, j]) + exp(-d[k - 1, i, k - 1] - d[k - 1, k - 1, j])); " +
    "let loss = sum[i, j](d[extent(n), i, j]); let g = @loss / @w;",
  elimination:
    "input A: [f32; n, n]; let U[0, i, j] = A[i, j]; " +
    "let U[k in 1..extent(n), i in 0..extent(n), j in 0..extent(n)] = if i >= " +
    "k { U[k - 1, i, j] - U[k - 1, i, k - 1] / U[k - 1, k - 1, k - 1] * U[k - 1, k - 1, j] } " +
    "else { U[k - 1, i, j] }; let loss = sum[i](log(abs(U[extent(n) - 1, i, i]))); " +
    "let g = @loss / @A;",
  "triangular factors":
    "input A: [f32; n, n]; let L[i in 0..extent(n), j in 0..extent(n)] = " +
    "(A[i, j] - sum[k in 0..j](L[i, k] * U[k, j])) / U[j, " +
    "j] where i > j else (if i == j { 1.0 } else { 0.0 }); " +
    "let U[i in 0..extent(n), j in 0..extent(n)] = " +
    "A[i, j] - sum[k in 0..i](L[i, k] * U[k, j]) where i <= j; " +
    "let loss = sum[i](log(abs(U[i, i]))); let g = @loss / @A;",
  "the inside algorithm":
    "input rule: [f32; s, s, s]; input word: [f32; 6, s]; " +
    "let chart[0, i in 0..6, a in 0..extent(s)] = word[i, a]; " +
    "let chart[l in 1..6, i in 0..6, a in 0..extent(s)] = " +
    "sum[k in 0..l, b, c](rule[a, b, c] * chart[k, i, b] * chart[l - k - 1, i + k + 1, c]) " +
    "where i + l < 6; let loss = log(chart[5, 0, 0]); let g = @loss / @rule; " +
    "let h = @loss / @word;",
  "the cheapest order of products":
    "input p: [f32; 7]; let m[0, i in 0..6] = 0.0; " +
    "let m[l in 1..6, i in 0..6] = min[k in 0..l](m[k, i] + m[l - k - 1, i + k + 1] + " +
    "p[i] * p[i + k + 1] * p[i + l + 1]) where i + l < 6; let loss = m[5, 0]; " +
    "let g = @loss / @p;",
  "alignment in branches":
    "input S: [f32; 4, 4]; input gap: f32; input a: [i32; 5]; input b: [i32; 6]; " +
    "let H[i in 0..6, j in 0..7] = if i == 0 || j == " +
    "0 { 0.0 } else { max(0.0, max(H[i - 1, j - 1] + S[a[i - 1], b[j - 1]], " +
    "max(H[i - 1, j] - gap, H[i, j - 1] - gap))) }; let loss = max[i, j](H[i, j]); " +
    "let g = @loss / @S; let h = @loss / @gap;",
  "alignment in clauses":
    "input S: [f32; 4, 4]; input gap: f32; input a: [i32; 5]; input b: [i32; 6]; " +
    "let H[i in 0..6, 0] = -gap * i as f32; let H[0, j in 1..7] = -gap * j as f32; " +
    "let H[i in 1..6, j in 1..7] = max(H[i - 1, j - 1] + S[a[i - 1], b[j - 1]], " +
    "max(H[i - 1, j], H[i, j - 1]) - gap); let loss = H[5, 6]; let g = @loss / @S; " +
    "let h = @loss / @gap;",
  "determinants by their formula":
    "input M: [f32; n, 3, 3]; let det[n] = " +
    "M[n, 0, 0] * (M[n, 1, 1] * M[n, 2, 2] - M[n, 1, 2] * M[n, 2, 1]) - M[n, 0, " +
    "1] * (M[n, 1, 0] * M[n, 2, 2] - M[n, 1, 2] * M[n, 2, 0]) + " +
    "M[n, 0, 2] * (M[n, 1, 0] * M[n, 2, 1] - M[n, 1, 1] * M[n, 2, 0]); " +
    "let loss = sum[n](log(abs(det[n]))); let g = @loss / @M;",
  "growth in four stages": `input a: f32; input b: f32; input y0: f32;
    fn f(y: f32) -> f32 { a * y * (1.0 - y / b) }
    fn step(y: f32, h: f32) -> f32 { let k1 = f(y); let k2 = f(y + 0.5 * h * k1);
      let k3 = f(y + 0.5 * h * k2); let k4 = f(y + h * k3);
      y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4) }
    let y[0] = y0; let y[t in 1..20] = step(y[t - 1], 0.1); let loss = sum[t]((y[t] - 1.0) ** 2);
    let d_1 = @loss / @a; let d_2 = @loss / @b; let d_3 = @loss / @y0;`,
  "growth in two stages":
    "input r: f32; input K: f32; input y0: f32; " +
    "fn f(y: f32) -> f32 { r * y * (1.0 - y / K) } let y[0] = y0; " +
    "let y[t in 1..20] = y[t-1] + 0.05 * (f(y[t-1]) + f(y[t-1] + 0.1 * f(y[t-1]))); " +
    "let loss = y[19] ** 2; let g1 = @loss / @r; let g2 = @loss / @K; let g3 = @loss / @y0;",
  "an integral by its ends":
    "input a: f32; input b: f32; input w: f32; let h = (b - a) / 20.0; " +
    "let loss = h / 3.0 * sum[i in 0..10](sin(w * (a + 2.0 * i as f32 * h)) + " +
    "4.0 * sin(w * (a + (2.0 * i as f32 + 1.0) * h)) + " +
    "sin(w * (a + (2.0 * i as f32 + 2.0) * h))); let g1 = @loss / @a; let g2 = @loss / @b; " +
    "let g3 = @loss / @w;",
  "a pendulum": `input l: f32; input k: f32; input q0: f32; input v0: f32; let q[0] = q0;
    let v[0] = v0;
    let v[t in 1..40] = v[t-1] - 0.05 * (9.81 / l * sin(q[t-1]) + k * v[t-1]);
    let q[t in 1..40] = q[t-1] + 0.05 * v[t];
    let loss = q[39] ** 2 + v[39] ** 2; let g1 = @loss / @l; let g2 = @loss / @k;
    let g3 = @loss / @q0; let g4 = @loss / @v0;`,
  "transport in logarithms":
    "input C: [f32; n, m]; input a: [f32; n]; input b: [f32; m]; " +
    "let v[0, j in 0..extent(m)] = 0.0; let u[t in 0..6, i in 0..extent(n)] = " +
    "a[i] - logsumexp[j](v[t, j] - C[i, j]); " +
    "let v[t in 1..7, j in 0..extent(m)] = b[j] - logsumexp[i](u[t-1, i] - C[i, j]); " +
    "let loss = sum[i, j](exp(u[5, i] + v[6, j] - C[i, j]) * C[i, j]); let g1 = @loss / @C; " +
    "let g2 = @loss / @a; let g3 = @loss / @b;",
  "a mixture of normal distributions": `input x: [f32; n]; input m: [f32; k]; input s: [f32; k];
    input w: [f32; k];
    let loss = -sum[n](logsumexp[k](w[k] - log(s[k]) - 0.5 * ((x[n] - m[k]) / s[k]) ** 2));
    let g1 = @loss / @m; let g2 = @loss / @s; let g3 = @loss / @w;`,
  "a likelihood with heavy tails":
    "input x: [f32; n]; input mu: f32; input s: f32; input nu: f32; " +
    "let loss = sum[i](log(s) + 0.5 * (nu + 1.0) * log(1.0 + ((x[i] - mu) / s) ** 2 / nu)); " +
    "let g1 = @loss / @mu; let g2 = @loss / @s; let g3 = @loss / @nu;",
  "total variation":
    "input u: [f32; 8, 8]; input f: [f32; 8, 8]; " +
    "let loss = sum[i in 0..7, j in 0..7](sqrt((u[i+1, j] - u[i, j]) ** 2 + " +
    "(u[i, j+1] - u[i, j]) ** 2 + 0.001)) + sum[i, j]((u[i, j] - f[i, j]) ** 2); " +
    "let g1 = @loss / @u; let g2 = @loss / @f;",
  "six factors in steps": `input a: [f32; n]; input b: [f32; n]; input c: [f32; n];
    input d: [f32; n]; input e: [f32; n];
    let h[0, i in 0..extent(n)] = 1.0;
    let h[t in 1..10, i] = h[t - 1, i] * a[i] * b[i] * c[i] * d[i] * e[i];
    let loss = sum[i](h[9, i]);
    let d_1 = @loss / @a; let d_2 = @loss / @b; let d_3 = @loss / @c; let d_4 = @loss / @d;
    let d_5 = @loss / @e;`,
  "decay in four stages": `input vm: f32; input km: f32; input s0: f32; input seen: [f32; 20];
    fn f(s: f32) -> f32 { -vm * s / (km + s) }
    fn step(y: f32, h: f32) -> f32 { let k1 = f(y); let k2 = f(y + 0.5 * h * k1);
      let k3 = f(y + 0.5 * h * k2); let k4 = f(y + h * k3);
      y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4) }
    let s[0] = s0; let s[t in 1..20] = step(s[t-1], 0.1); let loss = sum[t]((s[t] - seen[t]) ** 2);
    let g1 = @loss / @vm; let g2 = @loss / @km; let g3 = @loss / @s0;`,
  "the free energy of a mixture":
    "input n: [f32; s]; input T: f32; input V: f32; input m: [f32; s]; " +
    "let loss = sum[s](n[s] * T * (log(n[s] / (V * (m[s] * T) ** 1.5)) - 1.0)); " +
    "let g1 = @loss / @n; let g2 = @loss / @T; let g3 = @loss / @V; let g4 = @loss / @m;",
  "decay in two stages of a length that is a parameter":
    "input vm: f32; input km: f32; input h: f32; input s0: [f32; m]; " +
    "fn f(s: f32) -> f32 { -vm * s / (km + s) } let s[0, i] = s0[i]; " +
    "let s[t in 1..20, i in 0..extent(m)] = s[t-1, i] + " +
    "h * f(s[t-1, i] + 0.5 * h * f(s[t-1, i])); let loss = sum[i](s[19, i] ** 2); " +
    "let g1 = @loss / @vm; let g2 = @loss / @km; let g3 = @loss / @s0; let g4 = @loss / @h;",
  "saturation with an inhibitor":
    "input vm: f32; input km: f32; input ki: f32; input s: [f32; m]; input i: [f32; m]; " +
    "input v: [f32; m]; let loss = sum[j]((vm * s[j] / (km * (1.0 + i[j] / ki) + s[j]) - v[j]) " +
    "** 2); let a = @loss / @vm; let b = @loss / @km; let c = @loss / @ki; let d = @loss / @s; " +
    "let e = @loss / @i;",
  "normal distributions that are mixed":
    "input x: [f32; n]; input mu: [f32; k]; input sd: [f32; k]; input w: [f32; k]; " +
    "let p[n] = sum[k](w[k] * exp(-0.5 * ((x[n] - mu[k]) / sd[k]) ** 2) / (sd[k] * 2.5066)); " +
    "let loss = -sum[n](log(p[n])); let a = @loss / @mu; let b = @loss / @sd; " +
    "let c = @loss / @w;",
  "rates by temperature":
    "input A: f32; input E: f32; input T: [f32; m]; input k: [f32; m]; " +
    "let loss = sum[i]((log(A * T[i] ** 0.5 * exp(-E / (8.314 * T[i])) / k[i])) ** 2); " +
    "let a = @loss / @A; let b = @loss / @E; let c = @loss / @T; let d = @loss / @k;",
  "the pressure of a real gas":
    "input V: [f32; m]; input T: [f32; m]; input a: f32; input b: f32; input n: f32; input P: " +
    "[f32; m]; let loss = sum[i]((n * 8.314 * T[i] / (V[i] - n * b) - a * n * n / " +
    "(V[i] * V[i]) - P[i]) ** 2); let g1 = @loss / @a; let g2 = @loss / @b; " +
    "let g3 = @loss / @n; let g4 = @loss / @V; let g5 = @loss / @T;",
  "prices of options":
    "input S: [f32; m]; input K: [f32; m]; input T: [f32; m]; input r: f32; input v: f32; " +
    "input price: [f32; m]; let d1[i] = (log(S[i] / K[i]) + (r + 0.5 * v * v) * T[i]) / " +
    "(v * sqrt(T[i])); let d2[i] = d1[i] - v * sqrt(T[i]); " +
    "let c[i] = S[i] * 0.5 * (1.0 + tanh(0.8 * d1[i])) - K[i] * exp(-r * T[i]) * 0.5 * " +
    "(1.0 + tanh(0.8 * d2[i])); let loss = sum[i]((c[i] - price[i]) ** 2); " +
    "let g1 = @loss / @r; let g2 = @loss / @v; let g3 = @loss / @S; let g4 = @loss / @K; " +
    "let g5 = @loss / @T;",
  "a filter with its variance":
    "input z: [f32; 20]; input q: f32; input r: f32; input f: f32; input x0: f32; input p0: " +
    "f32; let x[0] = x0; let p[0] = p0; let pm[t in 1..20] = f * p[t-1] * f + q; " +
    "let k[t in 1..20] = pm[t] / (pm[t] + r); " +
    "let x[t in 1..20] = f * x[t-1] + k[t] * (z[t] - f * x[t-1]); " +
    "let p[t in 1..20] = (1.0 - k[t]) * pm[t]; let loss = sum[t]((x[t] - z[t]) ** 2); " +
    "let a = @loss / @q; let b = @loss / @r; let c = @loss / @f; let d = @loss / @x0; " +
    "let e = @loss / @p0;",
  "a beam along its axis":
    "input x: [f32; m]; input w0: f32; input zr: f32; input I0: f32; input r: [f32; m]; " +
    "let w[i] = w0 * sqrt(1.0 + (x[i] / zr) ** 2); " +
    "let loss = sum[i](I0 * (w0 / w[i]) ** 2 * exp(-2.0 * r[i] ** 2 / w[i] ** 2)); " +
    "let a = @loss / @w0; let b = @loss / @zr; let c = @loss / @I0; let d = @loss / @x; " +
    "let e = @loss / @r;",
  "descent on a row through recursion": `input n: i32; input a: [f64; 60];
    fn f(p: [f64; m], k: i32) -> f64 { if k == 0 { sum[i]((p[i] - 1.0) ** 2) } else {
      f([v * 0.5 + p[0] * 0.25 | v in p], k - 1) } }
    let p[0, i] = a[i]; let cost[t in 0..20] = f(p[t], n);
    let p[t in 1..20, i] = p[t - 1, i] - 0.5 * @cost[t - 1] / @p[t - 1, i]; let loss = cost[19];
    let d = @loss / @a;`,
  "descent on two rows in one call": `input n: i32; input a: [f64; 60];
    fn f(p: [f64; m], q: [f64; m], k: i32) -> f64 { if k == 0 { sum[i](p[i] ** 2 * q[i]) } else {
      f([v * 0.5 + p[0] * 0.25 | v in p], q, k - 1) } }
    let r[0, i] = a[i];
    let cost[t in 0..20] = if t == 0 { f(r[t], r[t], n) } else { f(r[t], r[t - 1], n) };
    let r[t in 1..20, i] = r[t - 1, i] - 0.5 * @cost[t - 1] / @r[t - 1, i];
    let loss = cost[19]; let d = @loss / @a;`,
  "descent on two tensors around a table": `input n: i32; input a: [f64; 40]; input b: [f64; 30];
    input w: [f64; 40];
    fn f(p: [f64; m], q: [f64; l], k: i32) -> f64 { if k == 0 {
      sum[i](sin(p[i]) * w[i]) * sum[j](q[j] ** 2) }
      else { f([v * 0.75 + q[0] * w[1] | v in p], [v * 0.5 + p[1] * 0.25 | v in q], k - 1) } }
    let p[0, i] = a[i]; let q[0, j] = b[j];
    let cost[t in 0..12] = f(p[t], q[t], n) where t > 3 else 0.5 * f(p[t], q[t], n + 1);
    let p[t in 1..12, i] = p[t - 1, i] - 0.25 * @cost[t - 1] / @p[t - 1, i];
    let q[t in 1..12, j] = q[t - 1, j] - 0.25 * @cost[t - 1] / @q[t - 1, j];
    let loss = cost[11]; let d_1 = @loss / @a; let d_2 = @loss / @b; let d_3 = @loss / @w;`,
  "products that their recurrence bounds, of second order": `input a: [f64; 40]; let h[0] = a[0];
    let h[t in 1..40] = a[t] + 0.25 * prod[k in 0..clamp((h[t - 1] * 2) as i32, 0, 5)](a[k % 30]
      + h[t - 1] * k as f64);
    let y = h[39]; let dy = @y / @a; let loss = sum[i](dy[i] * a[i]); let d = @loss / @a;`,
  "recursion in steps, of second order": `input n: i32; input a: [f64; 40];
    fn f(s: f64, k: i32) -> f64 { if k == 0 { s } else { f(s * 0.5 + sin(s) * a[k % 40], k - 1) } }
    let h[0] = a[0]; let h[t in 1..40] = f(h[t - 1], n) + a[t] * f(h[t - 1] * 0.5, 3);
    let y = h[39] ** 2; let dy = @y / @a; let loss = sum[i](dy[i] ** 2); let d = @loss / @a;`,
  "a rule on arrays inside recursion": `fn norm[j](a: [f64; j]) -> f64 {
      sqrt(sum[j](a[j] * a[j])) }
    @fn norm[j](a: [f64; j]) { sum[j](a[j] * @a[j]) / norm[j](a) }
    input n: i32; input x: [f64; 50]; input w: [f64; 50];
    fn run(a: [f64; k], left: i32) -> f64 { if left == 0 { a[0] * a[1] } else { let s = norm[k](a);
      run([a[i] * s * w[i] + 0.5 | i in 0..len(a)], left - 1) } }
    let loss = run(x, n); let d_1 = @loss / @x; let d_2 = @loss / @w;`,
  "saturation with a power":
    "input vm: f32; input km: f32; input n: f32; input s: [f32; m]; input v: [f32; m]; " +
    "let loss = sum[i]((vm * s[i] ** n / (km ** n + s[i] ** n) - v[i]) ** 2); " +
    "let a = @loss / @vm; let b = @loss / @km; let c = @loss / @n;",
  "twins whose views are normalised inside": `input u: [f32; b, d]; input v: [f32; b, d];
    let mu[d] = mean[b](u[b, d]); let mv[d] = mean[b](v[b, d]);
    let su[d] = sqrt(mean[b]((u[b, d] - mu[d]) ** 2) + 1e-5);
    let sv[d] = sqrt(mean[b]((v[b, d] - mv[d]) ** 2) + 1e-5);
    let c[i, j] = mean[b]((u[b, i] - mu[i]) / su[i] * (v[b, j] - mv[j]) / sv[j]);
    let loss = sum[i]((1.0 - c[i, i]) ** 2) + 0.005 * sum[i, j](c[i, j] ** 2 where i != j);
    let d_1 = @loss / @u; let d_2 = @loss / @v;`,
  "a layer of what is scaled by its rows": `input x: [f32; t, d]; input g: [f32; d];
    input W: [f32; h, d]; let r[t] = sqrt(mean[d](x[t, d] ** 2) + 1e-5);
    let y[t, h] = sum[d](W[h, d] * g[d] * x[t, d] / r[t]); let loss = mean[t, h](relu(y[t, h]));
    let d_1 = @loss / @x; let d_2 = @loss / @g; let d_3 = @loss / @W;`,
  "a layer of what is normalised inside": `input x: [f32; b, i]; input W: [f32; o, i];
    input g: [f32; i]; input s: [f32; i]; let mu[b] = mean[i](x[b, i]);
    let sd[b] = sqrt(mean[i]((x[b, i] - mu[b]) ** 2) + 1e-5);
    let y[b, o] = sum[i](W[o, i] * (g[i] * (x[b, i] - mu[b]) / sd[b] + s[i]));
    let loss = sum[b, o](tanh(y[b, o])); let d_1 = @loss / @x; let d_2 = @loss / @W;
    let d_3 = @loss / @g; let d_4 = @loss / @s;`,
  "a layer with normed weights": `input x: [f32; b, i]; input v: [f32; o, i]; input g: [f32; o];
    let n[o] = sqrt(sum[i](v[o, i] ** 2));
    let y[b, o] = sum[i](g[o] * v[o, i] / n[o] * x[b, i]); let loss = sum[b, o](tanh(y[b, o]));
    let d_1 = @loss / @x; let d_2 = @loss / @v; let d_3 = @loss / @g;`,
  "a convolution of what is normalised inside": `input x: [f32; 3, 9, 9];
    input K: [f32; 4, 3, 3, 3]; let mu[c] = mean[h, w](x[c, h, w]);
    let sd[c] = sqrt(mean[h, w]((x[c, h, w] - mu[c]) ** 2) + 1e-5);
    let y[o, i, j] = sum[c, kh, kw](K[o, c, kh, kw] * (x[c, i + kh, j + kw] - mu[c]) / sd[c]);
    let loss = mean[o, i, j](relu(y[o, i, j])); let d_1 = @loss / @x; let d_2 = @loss / @K;`,
  "cosines between rows": `input x: [f32; n, d]; input y: [f32; m, d]; input T: [f32; n, m];
    let nx[n] = sqrt(sum[d](x[n, d] ** 2)); let ny[m] = sqrt(sum[d](y[m, d] ** 2));
    let s[n, m] = sum[d](x[n, d] / nx[n] * y[m, d] / ny[m]);
    let loss = sum[n, m]((s[n, m] - T[n, m]) ** 2); let d_1 = @loss / @x; let d_2 = @loss / @y;
    let d_3 = @loss / @T;`,
  "a graph whose edges are normalised by degrees": `input x: [f32; n, f]; input A: [f32; n, n];
    input W: [f32; f, h]; let deg[i] = sum[j](A[i, j]);
    let y[i, h] = sum[j, f](A[i, j] / sqrt(deg[i] * deg[j]) * x[j, f] * W[f, h]);
    let loss = sum[i, h](relu(y[i, h])); let d_1 = @loss / @x; let d_2 = @loss / @A;
    let d_3 = @loss / @W;`,
  "steps along a graph that is normalised in each": `input A: [f32; n, n]; let d = 0.85;
    let out[j] = sum[i](A[i, j]); let r[0, i in 0..extent(n)] = 0.2;
    let r[t in 1..10, i] = (1.0 - d) / 5.0 + d * sum[j](A[i, j] * r[t - 1, j] / out[j]);
    let loss = r[9, 0]; let d_1 = @loss / @A; let d_2 = @loss / @d;`,
  "messages along a chain": `input ph: [f32; n, k]; input ps: [f32; k, k];
    let f[0, s in 0..extent(k)] = 0.0;
    let f[i in 1..extent(n), s] = logsumexp[q](f[i - 1, q] + ph[i - 1, q] + ps[q, s]);
    let loss = logsumexp[s](f[extent(n) - 1, s] + ph[extent(n) - 1, s]); let d_1 = @loss / @ph;
    let d_2 = @loss / @ps;`,
};
