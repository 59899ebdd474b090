/**
 * Entry of an engine process: one piece of work in, progress and one answer out, then it ends; or calls about auditions, which it answers
 * for as long as it lives. It owns no database and no socket, and it ends when its parent's channel closes. Started by child_process.fork or by Electron's utilityProcess.
 */
import '../../src-system/compilers.ts'
import { constants, getPriority, setPriority } from 'node:os'
import { AuditionEngine } from '../audition/audition-engine.ts'
import { renderAlone } from '../audition/render-alone.ts'
import { mixStems } from '../stems/mix-stems.ts'
import { analyseSong } from './analyse-song.ts'
import { makeExportFiles, measureRecord } from './export-files.ts'
import { masterSong } from './pipeline.ts'
import { describeFailure, WorkFailure } from './work-failure.ts'
import { type AuditionCall, isFinal, type WorkerCommand, type WorkerMessage, type WorkProgress } from './work-order.ts'

/** Channel to the parent: IPC of a forked process, or `parentPort` of a utilityProcess. */
interface Parent {
  send(message: WorkerMessage): Promise<void>
  onCommand(receive: (command: WorkerCommand) => void): void
}

/** Part of Electron's `parentPort` in a utilityProcess (electronjs.org, "parentPort"). */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  on(event: 'close', listener: () => void): void
}

function connectToParent(): Parent {
  const { parentPort } = process as NodeJS.Process & { parentPort?: ParentPort }
  if (parentPort) {
    parentPort.on('close', () => process.exit(0))
    return {
      // A utility process that exits right after posting may take the message with it: its parent ends it on the last one.
      send: (message) => {
        parentPort.postMessage(message)
        return isFinal(message) ? new Promise(() => {}) : Promise.resolve()
      },
      onCommand: (receive) => parentPort.on('message', ({ data }) => receive(data as WorkerCommand)),
    }
  }
  // The server has ended.
  process.on('disconnect', () => process.exit(0))
  return {
    send: (message) => new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve())),
    onCommand: (receive) => process.on('message', (message) => receive(message as WorkerCommand)),
  }
}

/** Command that ends the process once it is answered. */
type PieceOfWork = Exclude<WorkerCommand, AuditionCall | { type: 'abort' }>

async function answer(command: PieceOfWork, parent: Parent, signal: AbortSignal): Promise<WorkerMessage> {
  try {
    const send = (progress: WorkProgress) => void parent.send(progress)
    if (command.type === 'analyse')
      return { type: 'analysed', analysis: await analyseSong(command.order, send, signal) }
    if (command.type === 'render') return { type: 'rendered', master: await renderAlone(command.order, send, signal) }
    if (command.type === 'export') return { type: 'exported', files: await makeExportFiles(command.order, signal) }
    if (command.type === 'measure_record')
      return { type: 'record_measured', level: await measureRecord(command.order, signal) }
    if (command.type === 'mix_stems') {
      const onProgress = (fraction: number) => send({ type: 'progress', stage: 'decoding', fraction })
      return { type: 'mixed', mix: await mixStems(command.order, signal, onProgress) }
    }
    const result = await masterSong(command.order, send, signal)
    return { type: 'done', result }
  } catch (error) {
    return describeFailure(error)
  }
}

/** Lowers the priority of this process and of each ffmpeg that it starts below the window, the API and other programs. */
function lowerPriority(): void {
  const below = constants.priority.PRIORITY_BELOW_NORMAL
  try {
    // A service that runs at an even lower priority keeps it.
    if (getPriority() < below) setPriority(below)
  } catch {
    // Without the right to do so, all processes have the same priority.
  }
}

// The server passes this flag to a process that feeds playback, which must not wait for other programs.
if (!process.argv.includes('listened-to')) lowerPriority()
// SoX's 64-bit code differs in the last bits between processors with and without AVX: every ffmpeg started here does without.
process.env.SOXR_USE_SIMD64 = '0'
const parent = connectToParent()
const abort = new AbortController()
const auditions = new AuditionEngine()
parent.onCommand(async (command) => {
  if (command.type === 'abort') {
    abort.abort(new WorkFailure('CANCELLED'))
    return
  }
  if (command.type === 'audition' || command.type === 'stop') {
    const answered = await auditions.answer(command)
    if (answered) await parent.send(answered)
    return
  }
  await parent.send(await answer(command, parent, abort.signal))
  process.exit(0)
})
