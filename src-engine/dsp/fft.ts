import { kernelPlace } from './kernels/kernels.ts'

/** Complex discrete Fourier transform of a power of two. Calls allocate nothing. */
export interface ComplexFft {
  /** X[k] = Σ x[n]·exp(−2πikn/size), in place on two arrays of `size`. */
  forward(re: Float64Array, im: Float64Array): void
  /** x[n] = 1/size · Σ X[k]·exp(+2πikn/size), in place: the inverse of `forward`. */
  inverse(re: Float64Array, im: Float64Array): void
}

/** Real discrete Fourier transform of a power of two. Calls allocate nothing. */
export interface RealFft {
  /** Bins 0 … size/2 (size/2 + 1 values in `re` and `im`) of `size` samples; unscaled. */
  forward(samples: Float32Array | Float64Array, re: Float64Array, im: Float64Array): void
  /** `size` samples of bins 0 … size/2, scaled by 1/size: the inverse of `forward`. im[0] and im[size/2] are ignored. */
  inverse(re: Float64Array, im: Float64Array, samples: Float32Array | Float64Array): void
}

const maxComplexSize = 131072

interface Stage {
  readonly quarter: number
  readonly stride: number
  readonly twiddles: number
}

interface Plan {
  readonly stages: readonly Stage[]
  readonly lastStride: number | null
}

const workspace = kernelPlace((kernels) => {
  const buffer = (): number => kernels.allocate(maxComplexSize * 8)
  return { buffers: [buffer(), buffer(), buffer(), buffer()] as const }
})

const plans = new Map<number, Plan>()

function planOf(size: number): Plan {
  if (!Number.isInteger(Math.log2(size)) || size < 2 || size > maxComplexSize) throw new RangeError(`FFT size ${size}`)
  const known = plans.get(size)
  if (known !== undefined) return known
  const { kernels } = workspace()
  const stages: Stage[] = []
  let length = size
  let stride = 1
  while (length >= 4) {
    const quarter = length / 4
    const twiddles = kernels.allocate(quarter * 48)
    for (let p = 0; p < quarter; p++) {
      for (let k = 1; k <= 3; k++) {
        const phase = (-2 * Math.PI * p * k) / length
        kernels.f64[(twiddles >> 3) + p * 6 + (k - 1) * 2] = Math.cos(phase)
        kernels.f64[(twiddles >> 3) + p * 6 + (k - 1) * 2 + 1] = Math.sin(phase)
      }
    }
    stages.push({ quarter, stride, twiddles })
    length = quarter
    stride *= 4
  }
  const plan = { stages, lastStride: length === 2 ? stride : null }
  plans.set(size, plan)
  return plan
}

/** A forward transform within the kernels' memory. */
export interface KernelFft {
  /** Byte addresses of the input's parts, `size` f64 each; every transform of the thread shares them. */
  readonly re: number
  readonly im: number
  /** Transforms and returns the addresses of the result's parts, valid until the next transform. */
  forward(): { readonly re: number; readonly im: number }
}

/** Returns a complex transform between two kernels; throws as {@link createComplexFft} does. */
export function createKernelFft(size: number): KernelFft {
  const plan = planOf(size)
  const [re, im] = workspace().buffers
  return { re, im, forward: () => runStages(plan) }
}

/** The result of an odd number of stages lies in the other pair of buffers. */
function runStages(plan: Plan): { re: number; im: number } {
  const { kernels, buffers } = workspace()
  let [xr, xi, yr, yi] = buffers
  for (const { quarter, stride, twiddles } of plan.stages) {
    kernels.fftStage4(xr, xi, yr, yi, quarter, stride, twiddles)
    ;[xr, xi, yr, yi] = [yr, yi, xr, xi]
  }
  if (plan.lastStride !== null) {
    kernels.fftStage2(xr, xi, yr, yi, plan.lastStride)
    ;[xr, xi] = [yr, yi]
  }
  return { re: xr, im: xi }
}

/** Transforms in place. */
function transform(plan: Plan, size: number, re: Float64Array, im: Float64Array): void {
  const { kernels, buffers } = workspace()
  kernels.f64.set(re, buffers[0] >> 3)
  kernels.f64.set(im, buffers[1] >> 3)
  const result = runStages(plan)
  re.set(kernels.f64.subarray(result.re >> 3, (result.re >> 3) + size))
  im.set(kernels.f64.subarray(result.im >> 3, (result.im >> 3) + size))
}

/** Returns a complex transform of `size`. Throws a RangeError unless size is a power of two, 2 … 131072. */
export function createComplexFft(size: number): ComplexFft {
  const plan = planOf(size)
  return {
    forward: (re, im) => transform(plan, size, re, im),
    inverse(re, im) {
      // Swapping the parts conjugates input and output: the forward stages serve both directions.
      transform(plan, size, im, re)
      const scale = 1 / size
      for (let i = 0; i < size; i++) {
        re[i]! *= scale
        im[i]! *= scale
      }
    },
  }
}

interface Turns {
  readonly cos: Float64Array
  readonly sin: Float64Array
}

const knownTurns = new Map<number, Turns>()

/** Cosine and sine of the first quarter of a turn in `size` parts. */
function turnsOf(size: number): Turns {
  const known = knownTurns.get(size)
  if (known !== undefined) return known
  const partsOf = (wave: (angle: number) => number) =>
    Float64Array.from({ length: size / 4 + 1 }, (_, k) => wave((2 * Math.PI * k) / size))
  const turns = { cos: partsOf(Math.cos), sin: partsOf(Math.sin) }
  knownTurns.set(size, turns)
  return turns
}

/** Returns a real transform of `size`. Throws a RangeError unless size is a power of two, 4 … 262144. */
export function createRealFft(size: number): RealFft {
  const half = size / 2
  const complex = createComplexFft(half)
  const zr = new Float64Array(half)
  const zi = new Float64Array(half)
  const { cos, sin } = turnsOf(size)
  return {
    forward(samples, re, im) {
      for (let i = 0; i < half; i++) {
        zr[i] = samples[2 * i]!
        zi[i] = samples[2 * i + 1]!
      }
      complex.forward(zr, zi)
      const dc = zr[0]!
      const nyquist = zi[0]!
      for (let k = 1; k <= half / 2; k++) {
        const evenRe = (zr[k]! + zr[half - k]!) / 2
        const evenIm = (zi[k]! - zi[half - k]!) / 2
        const oddRe = (zi[k]! + zi[half - k]!) / 2
        const oddIm = (zr[half - k]! - zr[k]!) / 2
        const turnedRe = oddRe * cos[k]! + oddIm * sin[k]!
        const turnedIm = oddIm * cos[k]! - oddRe * sin[k]!
        re[k] = evenRe + turnedRe
        im[k] = evenIm + turnedIm
        re[half - k] = evenRe - turnedRe
        im[half - k] = turnedIm - evenIm
      }
      re[0] = dc + nyquist
      im[0] = 0
      re[half] = dc - nyquist
      im[half] = 0
    },
    inverse(re, im, samples) {
      zr[0] = (re[0]! + re[half]!) / 2
      zi[0] = (re[0]! - re[half]!) / 2
      for (let k = 1; k <= half / 2; k++) {
        const evenRe = (re[k]! + re[half - k]!) / 2
        const evenIm = (im[k]! - im[half - k]!) / 2
        const turnedRe = (re[k]! - re[half - k]!) / 2
        const turnedIm = (im[k]! + im[half - k]!) / 2
        const oddRe = turnedRe * cos[k]! - turnedIm * sin[k]!
        const oddIm = turnedIm * cos[k]! + turnedRe * sin[k]!
        zr[k] = evenRe - oddIm
        zi[k] = evenIm + oddRe
        zr[half - k] = evenRe + oddIm
        zi[half - k] = oddRe - evenIm
      }
      complex.inverse(zr, zi)
      for (let i = 0; i < half; i++) {
        samples[2 * i] = zr[i]!
        samples[2 * i + 1] = zi[i]!
      }
    },
  }
}
