/** Actions on a song of the batch, for its buttons, its menu and the keyboard. */
import { useMemo } from 'react'
import { ERRORS, type ErrorCode } from '../../../src-contract/errors.ts'
import type { MenuItem } from '../../components/dialogs.tsx'
import { pickFiles } from '../../components/pick-files.ts'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { isWorthAgain } from '../../state/jobs.ts'
import { refusalOfRow, type SongRow, titleOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { useCopyCurl } from '../automate/use-copy-curl.ts'

export interface RowActions {
  remove: (rows: readonly SongRow[]) => void
  replace: (row: SongRow) => void
  /** Opens the file dialog; an interrupted file resumes in its place. */
  giveAgain: () => void
  accept: (row: SongRow) => void
  cancel: (row: SongRow) => void
  saveZip: (row: SongRow) => void
  /** Saves the all-services master of each song, one after another; the batch shows failures. Never throws. */
  saveReleases: (rows: readonly SongRow[]) => Promise<void>
  /** Saves one ZIP after another; the batch shows failures. Never throws. */
  saveZips: (rows: readonly SongRow[]) => Promise<void>
  /** Restarts, resends or re-analyses songs at the step that failed. */
  retry: (rows: readonly SongRow[]) => void
  canRetry: (row: SongRow) => boolean
  menu: (row: SongRow) => (MenuItem | null)[]
}

/** Tells whether retrying a song starts it, which costs a credit; otherwise it is uploaded or analysed again. */
export const isStarted = ({ upload, analysisError }: SongRow): boolean => !upload && !analysisError

/** The same object while language and stores stay the same, so that only changed rows re-render. */
export function useRowActions(): RowActions {
  const { batch, notices, saver, stems } = useApp()
  const { t } = useWords()
  const copyCurl = useCopyCurl()
  return useMemo(() => {
    const save = (run: () => Promise<void>) => {
      batch.clearFailure()
      notices.announce(t.row.savingZip)
      run().catch(batch.fail)
    }
    const actions: RowActions = {
      remove: (rows) =>
        batch.remove(
          rows.map((row) => row.rowId),
          rows.length === 1 && rows[0] ? t.list.removed(titleOf(rows[0])) : t.list.removedMany(rows.length),
        ),
      replace: (row) => void pickFiles(false).then((files) => files.length > 0 && batch.addFiles(files, row.rowId)),
      giveAgain: () => void pickFiles(true).then((files) => files.length > 0 && batch.addFiles(files)),
      accept: (row) => batch.marks.accept([row.rowId]),
      cancel(row) {
        void batch.stop([row.rowId])
        notices.show({
          text: t.list.cancelled(titleOf(row)),
          undo: () => void batch.start([row.rowId]),
        })
      },
      saveZip: (row) => row.job && save(() => saver.saveZip(row.job?.job_id ?? '')),
      async saveReleases(rows) {
        batch.clearFailure()
        notices.announce(t.row.savingRelease)
        for (const { job } of rows) if (job?.release) await saver.saveRelease(job).catch(batch.fail)
      },
      async saveZips(rows) {
        batch.clearFailure()
        notices.announce(t.row.savingZip)
        for (const { job } of rows) if (job) await saver.saveZip(job.job_id).catch(batch.fail)
      },
      retry(rows) {
        void batch.start(rows.filter(isStarted).map((row) => row.rowId))
        for (const { rowId, upload, analysisError } of rows) {
          if (upload) batch.uploads.resend(upload.uploadId)
          else if (analysisError) batch.analyseAgain(rowId)
        }
      },
      canRetry(row) {
        if (row.kind === 'failed' || row.kind === 'cancelled') return row.job !== undefined && isWorthAgain(row.job)
        const { code } = refusalOfRow(row) ?? { code: 'UNREACHABLE' }
        const isAway = code === 'UNREACHABLE' || code === 'INSUFFICIENT_CREDITS'
        const isWorthIt = isAway || (code in ERRORS && ERRORS[code as ErrorCode].retryable)
        return isWorthIt && (!row.upload || batch.uploads.canResend(row.upload.uploadId))
      },
      menu(row) {
        const { job, song } = row
        const isMade = row.kind === 'done' || row.kind === 'below'
        const settings = song?.settings ?? batch.store.getState().batch?.settings
        return [
          ...(isMade && job
            ? [
                { text: t.row.listen, onChoose: () => go('listen', job.job_id) },
                ...(job.release ? [{ text: t.row.saveRelease, onChoose: () => void actions.saveReleases([row]) }] : []),
                { text: t.row.saveZip, onChoose: () => actions.saveZip(row) },
                ...job.platforms.map((platform) => ({
                  text: t.row.saveMaster(t.platforms[platform]),
                  onChoose: () => save(() => saver.saveMaster(job.job_id, platform)),
                })),
                ...(window.loudsmith
                  ? [{ text: t.row.reveal, onChoose: () => void saver.reveal(job.job_id).catch(batch.fail) }]
                  : []),
                null,
                {
                  text: t.row.masterAgain,
                  onChoose: () => void batch.masterAgain([job], t.list.again).catch(batch.fail),
                },
              ]
            : []),
          ...(song
            ? [
                {
                  text: t.row.ownSettings,
                  onChoose: () => batch.select({ ids: [row.rowId], anchorId: row.rowId }),
                },
                {
                  text: t.stems.addTo,
                  onChoose: () =>
                    void pickFiles(true).then(
                      (files) => files.length > 0 && stems.askOf(files, { rowId: row.rowId, title: titleOf(row) }),
                    ),
                },
              ]
            : []),
          ...(song && settings
            ? [
                {
                  text: t.row.copyCurl,
                  onChoose: () => {
                    const reference = batch.references.nameOf(settings.reference_source_id)
                    void copyCurl({ filename: song.source.filename, reference, settings })
                  },
                },
              ]
            : []),
          null,
          { text: t.list.moveUp, onChoose: () => batch.move(row.rowId, -1) },
          { text: t.list.moveDown, onChoose: () => batch.move(row.rowId, 1) },
          null,
          { text: t.remove, onChoose: () => actions.remove([row]), isDanger: true },
        ]
      },
    }
    return actions
  }, [batch, notices, saver, stems, copyCurl, t])
}
