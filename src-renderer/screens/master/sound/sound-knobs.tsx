/** The seven faders of the sound and the other numeric settings, each with its effect, use and cost. */
import { useCallback, useMemo } from 'react'
import { type MasterSettings, SETTINGS } from '../../../../src-contract/settings.ts'
import { change as signed } from '../../../../src-contract/text/numbers.ts'
import type { NumberName } from '../../../../src-contract/text/setting-words.ts'
import { Knob, type KnobRange } from '../../../components/knob.tsx'
import { useOneTabStop } from '../../../components/use-one-tab-stop.ts'
import { useWords } from '../../../text/context.tsx'

export const printedDb = (db: number) => (Math.abs(db) < 0.05 ? '0 dB' : `${signed(db)} dB`)
const printedAmount = (value: number) => (value > 0 ? `+${value}` : String(value).replace('-', '−'))

const PRINTED: Partial<Record<NumberName, (value: number) => string>> = {
  tilt_db: printedDb,
  bass_db: printedDb,
  presence_db: printedDb,
  air_db: printedDb,
  highs_side_db: printedDb,
  reference_clamp_db: (value) => `${value} dB`,
  width_percent: (value) => `${value} %`,
  punch: printedAmount,
}

/** Returns the range of a setting: tenths of a decibel, else whole numbers. */
export function knobRange(name: NumberName): KnobRange {
  const { minimum, maximum, standard, kind } = SETTINGS[name]
  return {
    minimum,
    maximum,
    neutral: standard,
    ...(kind === 'decimal' ? { fine: 0.1, coarse: 0.5 } : { fine: 1, coarse: 5 }),
  }
}

export interface SettingKnobProps {
  name: NumberName
  settings: MasterSettings
  /** Settings that differ among the selected songs. */
  mixed: ReadonlySet<string>
  change: (change: Partial<MasterSettings>) => void
}

export function SettingKnob({ name, settings, mixed, change }: SettingKnobProps) {
  const { t } = useWords()
  const range = useMemo(() => knobRange(name), [name])
  const onChange = useCallback((next: number) => change({ [name]: next }), [change, name])
  const value = settings[name]
  const print = PRINTED[name] ?? String
  return (
    <Knob
      label={t.sound.labels[name]}
      value={value}
      range={range}
      valueText={mixed.has(name) ? t.sound.mixed : print(value)}
      help={t.sound.help[name]}
      onChange={onChange}
    />
  )
}

const TONE = ['bass_db', 'tilt_db', 'presence_db', 'air_db'] as const
const SPACE = ['width_percent', 'punch', 'warmth'] as const

export function SoundKnobs({ children, ...props }: Omit<SettingKnobProps, 'name'> & { children: React.ReactNode }) {
  const stop = useOneTabStop('input[type=range]', 'column')
  return (
    <div className="knobs" {...stop}>
      <div className="knob-column">
        {TONE.map((name) => (
          <SettingKnob key={name} name={name} {...props} />
        ))}
      </div>
      <div className="knob-column">
        {SPACE.map((name) => (
          <SettingKnob key={name} name={name} {...props} />
        ))}
        {children}
      </div>
    </div>
  )
}
