/** Services on which a song will play: the level of the master that goes there, and its treatment. */
import type { Platform } from '../../../src-contract/platforms/index.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { useOneTabStop } from '../../components/use-one-tab-stop.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { byService, plannedForecast, plannedMasters, type ServicePlays } from '../../state/planned-plays.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { useListenWords } from './context.tsx'
import { OtherServices, ServiceRow } from './service-plays.tsx'

const COLUMNS = 4

export function PlannedPlays({ row, settings }: { row: SongRow; settings: MasterSettings }) {
  const { l, format } = useListenWords()
  const { auditions } = useApp()
  const stop = useOneTabStop<HTMLTableElement>('button', 'column')
  const shown = useSelect(auditions.store, (state) => state.audition)
  const { integrated_lufs = null, true_peak_dbtp = null } = row.song?.analysis ?? {}
  const level =
    integrated_lufs !== null && true_peak_dbtp !== null
      ? { integratedLufs: integrated_lufs, truePeakDbtp: true_peak_dbtp }
      : undefined
  const planned = plannedMasters(settings, level, shown?.source_id === row.rowId ? shown : null)
  const all = byService(plannedForecast(planned))
  const own = all.filter(({ service }) => settings.platforms.includes(service as Platform))
  const known = [...planned.masters, ...(planned.release ? [planned.release] : [])]
  const rowOf = (plays: ServicePlays) => {
    const master = known.find(({ platform }) => platform === plays.file)
    return (
      <ServiceRow key={plays.service} plays={plays} columns={COLUMNS}>
        <td className="r">{format.target(master?.integrated_lufs ?? 0)} LUFS</td>
        <td className="r wide">{format.target(master?.true_peak_dbtp ?? 0)} dBTP</td>
      </ServiceRow>
    )
  }
  return (
    <section className="verdict planned" aria-label={l.verdict.title}>
      <header>
        <h2>{l.verdict.title}</h2>
        <span className="faint">{l.verdict.planned}</span>
      </header>
      <table aria-label={l.verdict.title} {...stop}>
        <tbody>
          {own.map(rowOf)}
          <OtherServices all={all} columns={COLUMNS}>
            {rowOf}
          </OtherServices>
        </tbody>
      </table>
    </section>
  )
}
