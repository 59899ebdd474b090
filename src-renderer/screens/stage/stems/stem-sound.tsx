/** The sound of one stem, or the place of the voice in the mix, in the Sound column. */
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { REPAIR_KINDS, type RepairKind } from '../../../../src-contract/repair-kinds.ts'
import type { StemChange } from '../../../../src-contract/stem-mix.ts'
import { Button } from '../../../components/button.tsx'
import { Knob, type KnobRange } from '../../../components/knob.tsx'
import { useOneTabStop } from '../../../components/use-one-tab-stop.ts'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { useWords } from '../../../text/context.tsx'
import { knobRange, printedDb } from '../../master/sound/sound-knobs.tsx'
import { type MixedStem, useMix } from './use-mix.ts'
import './stem-sound.css'

export const GAIN_RANGE: KnobRange = { minimum: -12, maximum: 12, neutral: 0, fine: 0.1, coarse: 0.5 }
const PAN_RANGE: KnobRange = { minimum: -100, maximum: 100, neutral: 0, fine: 1, coarse: 5 }
/** Its lowest place is off; the lowest cut is one step above. */
const LOW_CUT_RANGE: KnobRange = { minimum: 19, maximum: 400, neutral: 19, fine: 1, coarse: 20 }
const VOICE_RANGE: KnobRange = { minimum: -6, maximum: 6, neutral: 0, fine: 0.1, coarse: 0.5 }

/** Repairs that are always at hand for a stem: de-ess, and what tames it. */
const AT_HAND: readonly RepairKind[] = ['sibilance', 'resonance', 'mud']

/** Shows the sound of the chosen stem of a song in place of that of the master, `children`. */
export function StemOrMaster({ sourceId, children }: { sourceId: string | undefined; children: ReactNode }) {
  const { stems } = useApp()
  const mix = useMix(sourceId)
  const number = useSelect(stems.store, (state) => state.chosen[sourceId ?? ''])
  const mixed = mix?.stems.find(({ stem }) => stem.stem === number)
  if (!mix || !sourceId || !mixed) return children
  return <StemSound mixed={mixed} change={mix.change} onBack={() => stems.choose(sourceId, null)} />
}

interface StemSoundProps {
  mixed: MixedStem
  change: (stem: number, change: StemChange) => void
  onBack: () => void
}

function StemSound({ mixed: { stem, name, role, settings }, change, onBack }: StemSoundProps) {
  const { t } = useWords()
  const column = useOneTabStop('input[type=range]', 'column')
  const set = (next: StemChange) => change(stem.stem, next)
  const { gain_db: gainDb = 0, pan_percent: pan = 0, low_cut_hz: lowCutHz } = settings
  const panText = pan === 0 ? t.stems.middle : pan < 0 ? t.stems.left(-pan) : t.stems.right(pan)
  const knob = (key: 'width_percent' | 'tilt_db' | 'punch', label: string, valueText: (value: number) => string) => {
    const range = knobRange(key)
    const value = settings[key] ?? range.neutral
    return (
      <Knob
        {...{ label, value, range, valueText: valueText(value), help: t.sound.help[key] }}
        onChange={(next) => set({ [key]: next })}
      />
    )
  }
  return (
    <section className="sound-part stem-sound" aria-label={t.stems.of(name)}>
      <div className="row sound-head">
        <h2 className="grow clip" title={stem.filename}>
          {name} {name !== t.stems.roles[role] && <span className="faint">{t.stems.roles[role]}</span>}
        </h2>
        <Button look="quiet" small icon={<ArrowLeft className="i s" aria-hidden="true" />} onClick={onBack}>
          {t.stems.master}
        </Button>
      </div>
      <div className="knobs" {...column}>
        <div className="knob-column">
          <Knob
            {...{ label: t.stems.labels.gain, value: gainDb, range: GAIN_RANGE, help: t.stems.help.gain }}
            valueText={printedDb(gainDb)}
            onChange={(gain_db) => set({ gain_db })}
          />
          <Knob
            {...{ label: t.stems.labels.pan, value: pan, range: PAN_RANGE, help: t.stems.help.pan, valueText: panText }}
            onChange={(pan_percent) => set({ pan_percent })}
          />
          {knob('width_percent', t.sound.labels.width_percent, (value) => `${value} %`)}
        </div>
        <div className="knob-column">
          {knob('tilt_db', t.sound.labels.tilt_db, printedDb)}
          <Knob
            {...{ label: t.stems.labels.lowCut, range: LOW_CUT_RANGE, help: t.stems.help.lowCut }}
            value={lowCutHz ?? LOW_CUT_RANGE.neutral}
            valueText={lowCutHz === undefined ? t.stems.off : `${lowCutHz} Hz`}
            onChange={(hz) => set({ low_cut_hz: hz > LOW_CUT_RANGE.neutral ? hz : undefined })}
          />
          {knob('punch', t.stems.labels.transient, (value) =>
            value > 0 ? `+${value}` : String(value).replace('-', '−'),
          )}
        </div>
      </div>
      <StemRepairs
        stemSourceId={stem.source_id}
        made={settings.repairs ?? []}
        onChange={(repairs) => set({ repairs })}
      />
    </section>
  )
}

/** The repairs of a stem: those at hand, those that its analysis offers, and those chosen before. */
function StemRepairs(props: {
  stemSourceId: string
  made: readonly RepairKind[]
  onChange: (repairs: RepairKind[]) => void
}) {
  const { stemSourceId, made, onChange } = props
  const { stems } = useApp()
  const { t } = useWords()
  const offers = useSelect(stems.store, (state) => state.offers[stemSourceId])
  useEffect(() => void stems.findOffers(stemSourceId), [stems, stemSourceId])
  const shown = REPAIR_KINDS.filter((kind) => AT_HAND.includes(kind) || offers?.includes(kind) || made.includes(kind))
  const toggle = (kind: RepairKind, isMade: boolean) =>
    onChange(REPAIR_KINDS.filter((one) => (one === kind ? isMade : made.includes(one))))
  return (
    <fieldset className="field repairs-made">
      <legend className="label">{t.stems.labels.repairs}</legend>
      {shown.map((kind) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={made.includes(kind)}
            onChange={(event) => toggle(kind, event.currentTarget.checked)}
          />
          {t.settings.repairs[kind]}
          {offers?.includes(kind) && <span className="tag">{t.stems.offered}</span>}
        </label>
      ))}
      <p className="tick whole">{t.stems.help.repairs}</p>
    </fieldset>
  )
}

/** Moves the voice of a song with stems against the rest; nothing for a song without stems. */
export function VoiceForward({ sourceId }: { sourceId: string | undefined }) {
  const { t } = useWords()
  const mix = useMix(sourceId)
  if (!mix || mix.stems.length === 0) return null
  const { voiceForwardDb, hasVoice, setVoiceForward } = mix
  return (
    <div className="voice-forward">
      <Knob
        {...{ label: t.stems.labels.voice, range: VOICE_RANGE, value: voiceForwardDb, isDisabled: !hasVoice }}
        valueText={printedDb(voiceForwardDb)}
        help={hasVoice ? t.stems.help.voice : t.stems.help.noVoice}
        onChange={setVoiceForward}
      />
      {!hasVoice && <p className="tick">{t.stems.help.noVoice}</p>}
    </div>
  )
}
