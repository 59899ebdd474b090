/** One file inside the finished ZIP: stored, so its bytes lie in the ZIP as they are and can be served by range. */
export interface ZipEntry {
  /** Full name inside the ZIP: `<folder>/<file>`. */
  readonly name: string
  /** Place of the first byte of the file's content in the ZIP. */
  readonly offset: number
  readonly sizeBytes: number
}

/** The finished, verified ZIP. */
export interface ResultZip {
  /** Name of the ZIP in the attempt folder, safe as a download name: `<folderName>.zip`. */
  readonly fileName: string
  /** The one folder inside: `<title>_master_<first 8 of job id>`. */
  readonly folderName: string
  readonly sizeBytes: number
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string
  readonly entries: readonly ZipEntry[]
}
