/** Files of a result as they lie in its folder. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { contentOf, filesIn, placeOf, type ResultBytes, type ResultZip } from '../../src-worker/result/result-zip.ts'

const bytesAt = (folder: string, { file, offset, sizeBytes }: ResultBytes): Buffer =>
  readFileSync(path.join(folder, file)).subarray(offset, offset + sizeBytes)

/** Returns the bytes of each file by its name inside the ZIP's folder. */
export function resultFiles(folder: string, zip: ResultZip): Map<string, Buffer> {
  return new Map(filesIn(zip).map((file) => [file, bytesAt(folder, placeOf(zip, file)!)]))
}

/** Returns the bytes of the ZIP. */
export function zipBytes(folder: string, zip: ResultZip): Buffer {
  return Buffer.concat([...contentOf(zip)].map((part) => (part instanceof Uint8Array ? part : bytesAt(folder, part))))
}
