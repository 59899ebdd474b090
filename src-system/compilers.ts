/**
 * Switches off V8's middle compiler (Maglev); every program must import this first. In Node 24 and Electron 45 Maglev may crash or compute
 * wrong numbers when it runs in the background of a busy machine: github.com/nodejs/node/issues/64841,
 * github.com/microsoft/vscode/issues/324639. Mastering runs for hours on such machines and must be reproducible; the other compilers are as
 * fast.
 */
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--no-maglev')
