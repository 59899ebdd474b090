/** Where an ffmpeg was found. */
export type FfmpegOrigin = 'setting' | 'packaged' | 'ffmpeg-static' | 'system' | 'npm-fallback'

/** A working ffmpeg: plain data, so that a work order can carry it. */
export interface Ffmpeg {
  readonly path: string
  /** Version as the program prints it, e.g. `6.1.1-static`. */
  readonly version: string
  readonly origin: FfmpegOrigin
}
