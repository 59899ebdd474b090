/** Where a song will play: the level of each platform's master, and what the platform does to it. */
import { deliveryTarget, playbackGainDb } from '../../../src-contract/delivery-target.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { unbroken } from '../../../src-contract/text/numbers.ts'
import { useListenWords } from './context.tsx'

/** Gain on playback that counts as none, dB. */
const HEARD_DB = 0.1

export function PlannedPlays({ settings }: { settings: MasterSettings }) {
  const { t, l, format } = useListenWords()
  const { platforms, genre, loudness, target_lufs } = settings
  const playbackText = (target: ReturnType<typeof deliveryTarget>) => {
    const { playback, targetLufs, ceilingDbtp } = target
    if (playback.referenceLufs === null) return l.verdict.playback.unknown
    const gainDb = playbackGainDb(playback, { integratedLufs: targetLufs, truePeakDbtp: ceilingDbtp })
    if (Math.abs(gainDb) <= HEARD_DB) return l.verdict.playback.leave
    return gainDb < 0
      ? l.verdict.playback.turn_down(format.level(-gainDb))
      : l.verdict.playback.turn_up(format.level(gainDb))
  }
  return (
    <section className="verdict planned" aria-label={l.verdict.title}>
      <header>
        <h2>{l.verdict.title}</h2>
        <span className="faint">{l.verdict.planned}</span>
      </header>
      <table aria-label={l.verdict.title}>
        <tbody>
          {platforms.map((platform) => {
            const target = deliveryTarget(platform, genre, loudness, target_lufs)
            return (
              <tr key={platform} title={t.confidence[target.targetConfidence]}>
                <th scope="row">{t.platforms[platform]}</th>
                <td className="r">{format.target(target.targetLufs)} LUFS</td>
                <td className="r wide">{format.target(target.ceilingDbtp)} dBTP</td>
                <td className="dim">{unbroken(playbackText(target))}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
