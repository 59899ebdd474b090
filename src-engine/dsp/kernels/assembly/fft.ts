// Stockham autosort FFT stages on split real / imaginary parts in double precision (self-sorting: no bit reversal).
// A stage reads (xr, xi) and writes (yr, yi); m = (length of the sub-transform) / 4, s = stride.
// twiddles: per p the six f64 w1r w1i w2r w2i w3r w3i of exp(-2 pi i p k / (4 m)).

// @ts-ignore: decorator
@inline function butterflyScalar(xr: usize, xi: usize, yr: usize, yi: usize, m: usize, p: usize, t: usize): void {
  const m8 = m << 3, a = p << 3, o = p << 5
  const ar = load<f64>(xr + a), br = load<f64>(xr + a + m8), cr = load<f64>(xr + a + 2 * m8), dr = load<f64>(xr + a + 3 * m8)
  const ai = load<f64>(xi + a), bi = load<f64>(xi + a + m8), ci = load<f64>(xi + a + 2 * m8), di = load<f64>(xi + a + 3 * m8)
  const sr = ar + cr, si = ai + ci, er = ar - cr, ei = ai - ci
  const ur = br + dr, ui = bi + di, vr = br - dr, vi = bi - di
  store<f64>(yr + o, sr + ur); store<f64>(yi + o, si + ui)
  let zr = er + vi, zi = ei - vr, wr = load<f64>(t), wi = load<f64>(t, 8)
  store<f64>(yr + o, zr * wr - zi * wi, 8); store<f64>(yi + o, zr * wi + zi * wr, 8)
  zr = sr - ur; zi = si - ui; wr = load<f64>(t, 16); wi = load<f64>(t, 24)
  store<f64>(yr + o, zr * wr - zi * wi, 16); store<f64>(yi + o, zr * wi + zi * wr, 16)
  zr = er - vi; zi = ei + vr; wr = load<f64>(t, 32); wi = load<f64>(t, 40)
  store<f64>(yr + o, zr * wr - zi * wi, 24); store<f64>(yi + o, zr * wi + zi * wr, 24)
}

/** One radix-4 stage. */
export function fftStage4(xr: usize, xi: usize, yr: usize, yi: usize, m: usize, s: usize, twiddles: usize): void {
  if (s == 1) {
    for (let p: usize = 0; p < m; p++) butterflyScalar(xr, xi, yr, yi, m, p, twiddles + p * 48)
    return
  }
  const step = s << 3, far = (m * s) << 3
  for (let p: usize = 0; p < m; p++) {
    const t = twiddles + p * 48
    const w1r = v128.load64_splat(t), w1i = v128.load64_splat(t, 8), w2r = v128.load64_splat(t, 16), w2i = v128.load64_splat(t, 24)
    const w3r = v128.load64_splat(t, 32), w3i = v128.load64_splat(t, 40)
    const base = p * step, out = 4 * p * step
    for (let q: usize = 0; q < step; q += 16) {
      const ra = xr + base + q, ia = xi + base + q
      const ar = v128.load(ra), br = v128.load(ra + far), cr = v128.load(ra + 2 * far), dr = v128.load(ra + 3 * far)
      const ai = v128.load(ia), bi = v128.load(ia + far), ci = v128.load(ia + 2 * far), di = v128.load(ia + 3 * far)
      const sr = f64x2.add(ar, cr), si = f64x2.add(ai, ci), er = f64x2.sub(ar, cr), ei = f64x2.sub(ai, ci)
      const ur = f64x2.add(br, dr), ui = f64x2.add(bi, di), vr = f64x2.sub(br, dr), vi = f64x2.sub(bi, di)
      const rb = yr + out + q, ib = yi + out + q
      v128.store(rb, f64x2.add(sr, ur)); v128.store(ib, f64x2.add(si, ui))
      let zr = f64x2.add(er, vi), zi = f64x2.sub(ei, vr)
      v128.store(rb + step, f64x2.sub(f64x2.mul(zr, w1r), f64x2.mul(zi, w1i)))
      v128.store(ib + step, f64x2.add(f64x2.mul(zr, w1i), f64x2.mul(zi, w1r)))
      zr = f64x2.sub(sr, ur); zi = f64x2.sub(si, ui)
      v128.store(rb + 2 * step, f64x2.sub(f64x2.mul(zr, w2r), f64x2.mul(zi, w2i)))
      v128.store(ib + 2 * step, f64x2.add(f64x2.mul(zr, w2i), f64x2.mul(zi, w2r)))
      zr = f64x2.sub(er, vi); zi = f64x2.add(ei, vr)
      v128.store(rb + 3 * step, f64x2.sub(f64x2.mul(zr, w3r), f64x2.mul(zi, w3i)))
      v128.store(ib + 3 * step, f64x2.add(f64x2.mul(zr, w3i), f64x2.mul(zi, w3r)))
    }
  }
}

/** The last stage of a transform whose size is an odd power of two: s butterflies without twiddles. */
export function fftStage2(xr: usize, xi: usize, yr: usize, yi: usize, s: usize): void {
  const half = s << 3
  if (s == 1) {
    const a = load<f64>(xr), b = load<f64>(xr, 8), c = load<f64>(xi), d = load<f64>(xi, 8)
    store<f64>(yr, a + b); store<f64>(yr, a - b, 8); store<f64>(yi, c + d); store<f64>(yi, c - d, 8)
    return
  }
  for (let q: usize = 0; q < half; q += 16) {
    const a = v128.load(xr + q), b = v128.load(xr + q + half), c = v128.load(xi + q), d = v128.load(xi + q + half)
    v128.store(yr + q, f64x2.add(a, b)); v128.store(yr + q + half, f64x2.sub(a, b))
    v128.store(yi + q, f64x2.add(c, d)); v128.store(yi + q + half, f64x2.sub(c, d))
  }
}
