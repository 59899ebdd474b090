/**
 * To be imported first by every program. V8 as it is in Node 24 and Electron 45 may crash, or compute with wrong numbers, when its
 * middle compiler (Maglev) works in the background of a busy machine: github.com/nodejs/node/issues/64841,
 * github.com/microsoft/vscode/issues/324639. Songs are mastered for hours on such machines, and twice the same; the other compilers
 * do the work as fast.
 */
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--no-maglev')
