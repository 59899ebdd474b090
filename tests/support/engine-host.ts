/**
 * Engine process that does one piece of work after the other, so that what is loaded and compiled for one serves the next: the engine's
 * entry on the channel of a utility process of Electron, which its parent ends. It ends with the process that forked it.
 */
import { ENGINE } from './built.ts'

const parentPort = {
  postMessage: (message: unknown) => process.send?.(message),
  on(event: 'message' | 'close', listener: (event: { data: unknown }) => void) {
    process.on(event === 'close' ? 'disconnect' : event, (data: unknown) => listener({ data }))
  },
}
Object.assign(process, { parentPort })
await import(ENGINE)
