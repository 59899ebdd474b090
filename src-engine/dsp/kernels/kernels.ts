import { kernelsBase64 } from './kernels.generated.ts'

/** Most frames per kernel call; longer audio moves through the kernels' memory in pieces of this size. */
export const kernelFrames = 4096

/** The compiled kernels; every argument that is an address is a byte address in {@link Kernels.memory}. */
interface KernelExports {
  readonly memory: WebAssembly.Memory
  allocate(bytes: number): number
  biquadCascade(
    left: number,
    right: number,
    frames: number,
    coefficients: number,
    state: number,
    sections: number,
    scratch: number,
  ): void
  fftStage4(xr: number, xi: number, yr: number, yi: number, quarter: number, stride: number, twiddles: number): void
  fftStage2(xr: number, xi: number, yr: number, yi: number, stride: number): void
  weightedEnergies(
    left: number,
    right: number,
    frames: number,
    coefficients: number,
    state: number,
    groupFrames: number,
    energies: number,
  ): void
  peakGroups(
    x: number,
    groups: number,
    taps: number,
    peaks: number,
    scratch: number,
    floor: number,
    ratio: number,
    topBand: number,
  ): number
  densePeak(
    x: number,
    groups: number,
    taps: number,
    peaks: number,
    best: number,
    closer: number,
    topBand: number,
  ): number
  windowedLags(samples: number, window: number, length: number, order: number, lags: number, scratch: number): void
  addClipError(
    x: number,
    y: number,
    groups: number,
    peaks: number,
    knee: number,
    limit: number,
    upTaps: number,
    downTaps: number,
    errors: number,
  ): void
  applyGainCurve(x: number, groups: number, controls: number, weights: number, drive: number): void
  limiterStateBytes(): number
  limitGroups(
    peaks: number,
    count: number,
    controls: number,
    threshold: number,
    half: number,
    w1: number,
    fastDecay: number,
    slowRise: number,
    slowFall: number,
    state: number,
  ): void
  limitedEnergy(energies: number, controls: number, count: number): number
  stereoSums(left: number, right: number, frames: number, sums: number): void
  windowMidSide(left: number, right: number, window: number, frames: number, re: number, im: number): void
  midSidePowers(re: number, im: number, size: number, scale: number, mid: number, side: number): void
  bandSums(powers: number, bands: number, count: number, sums: number): void
  windowDifference(
    xl: number,
    xr: number,
    yl: number,
    yr: number,
    gain: number,
    window: number,
    frames: number,
    re: number,
    im: number,
  ): void
  stereoBands(re: number, im: number, size: number, edges: number, count: number, sums: number): void
  planesOf16(bytes: number, frames: number, left: number, right: number): void
  planesOf24(bytes: number, frames: number, left: number, right: number): void
  quantise(
    left: number,
    right: number,
    frames: number,
    bytes: number,
    out: number,
    isShaped: boolean,
    coefficients: number,
    state: number,
    scratch: number,
  ): void
  splitFourBands(
    left: number,
    right: number,
    steps: number,
    coefficients: number,
    state: number,
    bands: number,
    energies: number,
  ): void
  addFourBands(left: number, right: number, steps: number, bands: number, changes: number): void
  takeAway(rest: number, part: number, frames: number): void
  stepEnergies(left: number, right: number, frames: number, offset: number, sums: number): void
  addBand(
    left: number,
    right: number,
    bandLeft: number,
    bandRight: number,
    frames: number,
    offset: number,
    gains: number,
  ): void
  halfPoints(x: number, frames: number, taps: number, count: number, out: number): void
  saturationErrors(points: number, count: number, asymmetry: number, bend: number): void
  joinErrors(x: number, frames: number, asymmetry: number, bend: number, errors: number): void
  filterErrors(
    left: number,
    right: number,
    errorLeft: number,
    errorRight: number,
    steps: number,
    coefficients: number,
    state: number,
    sums: number,
  ): void
  addErrors(x: number, error: number, steps: number, gains: number): void
}

/** The kernels with views over their memory, which never grows: the views stay valid for the life of the thread. */
export interface Kernels extends Omit<KernelExports, 'memory'> {
  readonly u8: Uint8Array
  readonly i32: Int32Array
  readonly f32: Float32Array
  readonly f64: Float64Array
}

let compiled: WebAssembly.Module | undefined
let loaded: Kernels | undefined

/**
 * Returns the compiled kernels, which can be posted to another thread for {@link adoptKernels}: compiling and optimising them takes
 * some 0.1 s of a core. Throws an Error with a message for the user on a machine whose processor or runtime has no WebAssembly SIMD.
 */
export function compiledKernels(): WebAssembly.Module {
  compiled ??= compile(Buffer.from(kernelsBase64, 'base64'))
  return compiled
}

/** Adopts kernels compiled by another thread. Must be called before this thread computes anything. */
export function adoptKernels(module: WebAssembly.Module): void {
  compiled = module
}

/** Returns this thread's only instance of the kernels, made on the first call; throws as {@link compiledKernels} does. */
export function loadKernels(): Kernels {
  loaded ??= instantiate(compiledKernels())
  return loaded
}

/**
 * Returns an accessor for the memory that `lay` allocates for the kernels, once per thread, on the first call. Memory is never freed, so
 * every file that uses kernels has one such place.
 */
export function kernelPlace<Place extends object>(
  lay: (kernels: Kernels) => Place,
): () => Place & { readonly kernels: Kernels } {
  let laid: (Place & { readonly kernels: Kernels }) | undefined
  return () => {
    if (laid === undefined) {
      const kernels = loadKernels()
      laid = { kernels, ...lay(kernels) }
    }
    return laid
  }
}

/** Compiles the given module bytes; see {@link compiledKernels}. */
export function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  if (!WebAssembly.validate(bytes)) {
    throw new Error('The mastering engine needs WebAssembly SIMD, which this processor or runtime does not offer.')
  }
  return new WebAssembly.Module(bytes)
}

function instantiate(module: WebAssembly.Module): Kernels {
  const exports = new WebAssembly.Instance(module).exports as unknown as KernelExports
  const { buffer } = exports.memory
  return {
    ...exports,
    u8: new Uint8Array(buffer),
    i32: new Int32Array(buffer),
    f32: new Float32Array(buffer),
    f64: new Float64Array(buffer),
  }
}
