/** The score of the sample song: fourteen bars of 4/4 in E minor that end in G, written for Loudsmith. */

export const TEMPO_BPM = 112
/** Steps of a bar: sixteenths. */
export const STEPS = 16

/**
 * One bar. Notes are written `E5/4`: a pitch and its length in sixteenths; `-/2` is a rest. Drums are sixteen steps: `x` is a stroke,
 * `o` a soft one (an open one of the hats), `.` none.
 */
export interface Bar {
  /** Pitches of the chord, low to high, held through the bar or their half of it. */
  readonly chords: readonly string[]
  readonly bass?: string
  readonly lead?: string
  /** Order of the chord's pitches on the bells, in eighths; 0 is the lowest. */
  readonly bells?: string
  readonly kick?: string
  readonly snare?: string
  readonly clap?: string
  readonly hats?: string
  /** Cymbal on the first beat. */
  readonly hasCrash?: boolean
  /** Brightness of the chords: frequency of their low-pass filter, Hz. */
  readonly brightnessHz: number
  /** Level of each of the three strings of a pitch of the chords, full scale 1. */
  readonly chordLevel: number
}

const INTRO = { bells: '0 2 1 3 2 1 3 2', brightnessHz: 900, chordLevel: 0.06 } as const
const VERSE = {
  bells: '1 3 2 3 1 3 2 3',
  kick: 'x.....x...x.....',
  snare: '....x..o....x...',
  hats: 'x.o.x.x.x.x.x.xo',
  brightnessHz: 1500,
  chordLevel: 0.07,
} as const
const LIFT = {
  bells: '0 1 2 3 2 3 1 3',
  kick: 'x..x..x...x...x.',
  snare: '....x..o.o..x..o',
  clap: '....x.......x...',
  hats: 'x.xox.xox.xoxxxo',
  brightnessHz: 3200,
  chordLevel: 0.085,
} as const

export const BARS: readonly Bar[] = [
  // Intro
  { ...INTRO, chords: ['G3 B3 D4 F#4'] },
  { ...INTRO, chords: ['G3 B3 C4 E4'], hats: '........x...x...' },
  { ...INTRO, chords: ['G3 A3 B3 D4'], hats: 'x...x...x...x.x.', kick: 'x.......x.......', bass: 'G2/16' },
  {
    ...INTRO,
    chords: ['F#3 A3 D4 E4'],
    bass: 'D2/12 F#2/4',
    kick: 'x.......x.......',
    snare: '........o.o.xxxx',
    hats: 'x.x.x.x.x.x.x.x.',
    brightnessHz: 1200,
  },
  // Verse
  {
    ...VERSE,
    chords: ['G3 B3 D4 F#4'],
    bass: 'E2/3 E2/3 -/2 E2/2 E2/3 G2/3',
    lead: '-/2 B4/2 D5/2 E5/4 D5/2 B4/4',
    hasCrash: true,
  },
  {
    ...VERSE,
    chords: ['G3 B3 C4 E4'],
    bass: 'C2/3 C2/3 -/2 C2/2 C2/3 E2/3',
    lead: 'G4/2 A4/2 B4/6 -/2 G4/2 A4/2',
  },
  {
    ...VERSE,
    chords: ['G3 A3 B3 D4'],
    bass: 'G2/3 G2/3 -/2 G2/2 D2/3 G2/3',
    lead: 'B4/3 D5/3 B4/2 A4/4 G4/4',
  },
  {
    ...VERSE,
    chords: ['F#3 A3 D4 E4'],
    bass: 'F#2/3 F#2/3 -/2 D2/2 D2/3 D2/3',
    lead: 'A4/6 F#4/2 A4/2 B4/2 D5/4',
    snare: '....x..o..x.xxxx',
  },
  // Lift
  {
    ...LIFT,
    chords: ['G3 C4 E4 B4'],
    bass: 'C2/3 C2/3 C2/2 C2/2 C2/2 G2/4',
    lead: 'E5/4 G5/4 F#5/2 E5/2 D5/4',
    hasCrash: true,
  },
  {
    ...LIFT,
    chords: ['F#3 A3 D4 A4'],
    bass: 'D2/3 D2/3 D2/2 D2/2 D2/2 A2/4',
    lead: 'F#5/6 E5/2 D5/4 A4/4',
  },
  {
    ...LIFT,
    chords: ['F#3 B3 D4 A4'],
    bass: 'B1/3 B1/3 B1/2 B1/2 B1/2 F#2/4',
    lead: 'D5/3 E5/3 F#5/2 A5/4 F#5/4',
  },
  {
    ...LIFT,
    chords: ['G3 B3 D4 G4'],
    bass: 'E2/3 E2/3 E2/2 E2/2 E2/2 B1/4',
    lead: 'G5/6 F#5/2 E5/4 D5/2 B4/2',
    snare: '....x..o.o..x.xx',
  },
  // Ending
  {
    ...LIFT,
    chords: ['G3 B3 C4 E4', 'F#3 A3 C4 D4'],
    bass: 'A2/3 A2/3 A2/2 D2/3 D2/3 D2/2',
    lead: 'C5/4 B4/2 C5/2 D5/2 E5/2 F#5/4',
    snare: '....x..o..x.xxxx',
    brightnessHz: 2400,
  },
  {
    chords: ['G3 B3 D4 A4'],
    bass: 'G2/14',
    lead: 'G5/14',
    kick: 'x...............',
    hasCrash: true,
    brightnessHz: 1800,
    chordLevel: 0.085,
  },
]
