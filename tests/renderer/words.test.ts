import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { DECISION_CODES, type Decision, type DecisionCode, STAGES_OF_CHAIN } from '../../src-contract/report.ts'
import { DEFAULT_SETTINGS, type MasterSettings } from '../../src-contract/settings.ts'
import { isSongName } from '../../src-contract/song-files.ts'
import { decisionText, stageText } from '../../src-contract/text/decisions.ts'
import { LANGUAGES, preferredLanguage } from '../../src-contract/text/language.ts'
import { change, decibels, frequency, unbroken } from '../../src-contract/text/numbers.ts'
import { errorText, warningText } from '../../src-contract/text/text.ts'
import { draggedKinds } from '../../src-renderer/api/dropped-files.ts'
import { barPath, barsOf } from '../../src-renderer/components/waveform.tsx'
import { addressOf, routeOf } from '../../src-renderer/router.ts'
import { curlOf, SNIPPETS, type SnippetLanguage, shellQuoted } from '../../src-renderer/screens/automate/snippets.ts'
import { groupsOf } from '../../src-renderer/state/history.ts'
import { en } from '../../src-renderer/text/en.ts'
import { createFormat } from '../../src-renderer/text/format.ts'
import { ko } from '../../src-renderer/text/ko.ts'
import { listenEn } from '../../src-renderer/text/listen.en.ts'
import { listenKo } from '../../src-renderer/text/listen.ko.ts'
import { someSettings } from '../support/batch-songs.ts'

describe('numbers', () => {
  const format = createFormat('en')

  it('carry a true minus, one decimal for what is measured and none too many for a target', () => {
    expect(format.level(-14)).toBe('−14.0')
    expect(format.level(null)).toBe('–')
    expect([format.target(-9.5), format.target(-14)]).toEqual(['−9.5', '−14'])
    expect([format.signed(2.7), format.signed(-1)]).toEqual(['+2.7', '−1'])
    expect([format.signed(0.04), format.signed(-0.04), format.level(-0.04)]).toEqual(['0', '0', '0.0'])
    expect([listenEn.meters.silence, listenKo.meters.silence]).toEqual(['−∞', '−∞'])
  })

  it('say lengths and sizes as musicians read them', () => {
    const lengths = [208, 59.9999, 60, 1, 0.999, 0.5, 0.04]
    expect(lengths.map(format.duration)).toEqual(['3:28', '1:00', '1:00', '0:01', '0:00.9', '0:00.5', '0:00.0'])
    expect([0, 999, 1500, 2_100_000, 300e6, 38.2e9].map(format.bytes)).toEqual([
      '0 B',
      '999 B',
      '2 kB',
      '2.1 MB',
      '300 MB',
      '38 GB',
    ])
  })

  it('name days by distance and count what is left of a retention', () => {
    const now = new Date('2026-03-10T12:00:00')
    expect(format.day('2026-03-10T01:00:00', now)).toBe('Today')
    expect(format.day('2026-03-09T23:00:00', now)).toBe('Yesterday')
    expect(createFormat('ko').day('2026-03-09T23:00:00', now)).toBe('어제')
    expect(createFormat('ko').moment('2026-03-10T09:05:07', now)).toBe('09:05:07')
    expect(format.moment('2026-03-09T09:05:07', now)).toBe('Yesterday')
    const moments = ['2026-03-10T12:00:09', '2026-03-10T11:59:01', '2026-03-10T11:00:01', '2026-03-10T09:30:00']
    expect(moments.map((iso) => format.ago(iso, now))).toEqual([
      'just now',
      'just now',
      '59 minutes ago',
      '2 hours ago',
    ])
    expect(createFormat('ko').ago('2026-03-10T11:59:01', now)).toBe('방금')
    expect(format.ago('2026-03-08T12:00:00', now)).toBe('8 Mar')
    expect(format.day('2025-03-08T12:00:00', now)).toBe('8 March 2025')
    expect(format.daysUntil('2026-04-09T11:00:00', now)).toBe(30)
    expect(format.daysUntil('2026-01-01T00:00:00', now)).toBe(0)
  })
})

describe('sentences', () => {
  it('group the thousands of what the page counts', () => {
    const { history } = en
    const found = listenEn.repairs.places(12_509)
    expect([en.songs(1), en.songs(5000), found]).toEqual(['1 song', '5,000 songs', '12,509 places'])
    expect([history.selected(5000), history.deleteSelected(5000)]).toEqual(['5,000 selected', 'Delete 5,000'])
    expect([ko.songs(5000), listenKo.repairs.places(12_509)]).toEqual(['5,000곡', '12,509곳'])
    expect([ko.history.selected(5000), ko.history.deleteSelected(5000)]).toEqual(['5,000곡 선택', '5,000곡 삭제'])
  })

  it('count in the singular and the plural, group thousands and keep a sample rate exact', () => {
    const clipped = (count: number) => warningText('INPUT_CLIPPED', { count })
    expect(clipped(1)).toBe('Peaks are clipped in 1 place. Mastering rebuilds them.')
    expect(clipped(1721)).toBe('Peaks are clipped in 1,721 places. Mastering rebuilds them.')
    expect(warningText('INPUT_CLIPPED', { count: 1721 }, 'ko')).toContain('피크 1,721곳이')
    expect(warningText('INPUT_RESAMPLED', { fromHz: 22_050, toHz: 44_100 })).toContain('22.05 kHz to 44.1 kHz')
    expect(errorText('CONCURRENT_LIMIT', { limit: 1 })).toMatch(/^1 job is unfinished/)
    expect(errorText('KEY_LIMIT', { plan: 'free', limit: 0 })).not.toMatch(/Revoke|0/)
  })

  it('speaks of the silent edges that a song has, not of the one that it has not', () => {
    const edges = (startSeconds: number, endSeconds: number, language?: 'ko') =>
      warningText('INPUT_NEAR_SILENT_EDGES', { startSeconds, endSeconds }, language)
    expect(edges(0, 3.1)).toBe('The song has 3.1 s of silence at its end.')
    expect(edges(2.5, 0)).toBe('The song has 2.5 s of silence at its start.')
    expect(edges(0.5, 2.6)).toBe('The song has 0.5 s of silence at its start and 2.6 s at its end.')
    expect(edges(0, 3.1, 'ko')).toBe('뒤에 3.1초의 무음이 있어요.')
    expect(edges(2.5, 0, 'ko')).toBe('앞에 2.5초의 무음이 있어요.')
    expect(edges(0.5, 2.6, 'ko')).toBe('앞에 0.5초, 뒤에 2.6초의 무음이 있어요.')
  })

  it.each<[DecisionCode, Decision['values'], string]>([
    ['DC_REMOVED', { method: 'filtered' }, 'An offset that moves with the music was filtered out.'],
    ['DC_REMOVED', { method: 'subtracted' }, 'A constant offset was removed.'],
    ['CLIPPING_REBUILT', { count: 1721 }, 'Clipped peaks were rebuilt (1,721).'],
    ['CLIPPING_REBUILT', {}, 'Clipped peaks were rebuilt.'],
    ['MUD_CUT', { frequencyHz: 240, gainDb: -1.52 }, 'Mud around 240 Hz was cut by 1.5 dB.'],
    ['BASS_MADE_MONO', { frequencyHz: 120 }, 'The low end below 120 Hz was made mono.'],
    [
      'BASS_MADE_MONO',
      { frequencyHz: 120, from: 'right' },
      'The low end below 120 Hz was made mono: both channels have that of the right one.',
    ],
    [
      'BASS_MADE_MONO',
      { frequencyHz: 110, from: 'left', monoLossDb: 1.6 },
      'The low end of the two channels did not hold together and lost 1.6 dB in mono. Below 110 Hz both channels have that of the left one.',
    ],
    [
      'WHISTLE_REMOVED',
      { frequencyHz: 12_400, excessDb: 17.7, startSeconds: 34.4, endSeconds: 65.2 },
      'A whistle at 12.4 kHz, 17.7 dB above what lies beside it, was removed from 0:34 to 1:05.',
    ],
    [
      'FLUTTER_STEADIED',
      { frequencyHz: 21.5, swingDb: 0.9 },
      'The level fluttered by up to 0.9 dB either way, 21.5 times a second, as the decoder of a music generator makes it; it was steadied.',
    ],
    ['TONE_LEFT_ALONE', { intensity: 0 }, 'At intensity 0 the tone is left alone.'],
    ['TONE_LEFT_ALONE', { intensity: 50 }, 'No fault of tone was found, so it was left alone.'],
    [
      'TONE_LEANED',
      { fault: 'dullness', gainDb: 0.5, frequencyHz: 9000 },
      'The tone leans by 0.5 dB away from a dull top around 9 kHz: possible, but too uncertain to call it a fault.',
    ],
    ['DYNAMICS_LEFT_ALONE', { intensity: 0 }, 'At intensity 0 the dynamics are left alone.'],
    ['DYNAMICS_LEFT_ALONE', { intensity: 50 }, 'The dynamics suit the song and were left alone.'],
    ['GAIN_ONLY', { gainDb: -2.04 }, 'Only gain was needed (−2.0 dB); no peak came near the ceiling.'],
    [
      'CANDIDATE_CHOSEN',
      { candidate: 'as_asked', of: 3, intensity: 50 },
      '3 recipes were tried on the loudest and the quietest passage; the one asked for measured best.',
    ],
  ])('say what was decided and by how much: %s %o', (code, values, sentence) => {
    expect(decisionText({ code, values })).toBe(sentence)
  })

  it('say every decision and every stage in both languages, also where numbers are missing', () => {
    for (const language of LANGUAGES) {
      const texts = DECISION_CODES.map((code) => decisionText({ code, values: {} }, language))
      expect(texts.filter((text) => text.length < 10 || /undefined|NaN|null/.test(text))).toEqual([])
      expect(STAGES_OF_CHAIN.map((stage) => stageText(stage, language)).filter((name) => name === '')).toEqual([])
    }
    expect(decisionText({ code: 'CLIPPING_REBUILT', values: { count: 3 } }, 'ko')).toBe('잘린 피크를 복원했어요 (3).')
  })

  it('are in the language that is asked for first, or most', () => {
    const asked = ['ko, en', 'en,ko', 'ko-KR,ko;q=0.9', 'en;q=0.5, ko;q=0.9', 'ko; q=0.1, en', 'fr, KO', 'fr', 'ko;q=0']
    expect(asked.map(preferredLanguage)).toEqual(['ko', 'en', 'ko', 'ko', 'en', 'ko', 'en', 'en'])
    expect(preferredLanguage(undefined)).toBe('en')
  })

  it('write levels and changes alike wherever they stand', () => {
    expect([-14, -0.004, 0, null, undefined, Number.NEGATIVE_INFINITY].map((value) => decibels(value))).toEqual([
      '−14.00',
      '0.00',
      '0.00',
      '–',
      '–',
      '–',
    ])
    expect([2.74, -3.1, 0.04, -0.04, null].map((value) => change(value))).toEqual(['+2.7', '−3.1', '0.0', '0.0', '–'])
    expect([240.4, 1000, 6400].map(frequency)).toEqual(['240 Hz', '1 kHz', '6.4 kHz'])
  })

  it('name a codec without the encoder that stood in for it', () => {
    const codec = 'Opus 160 kbit/s (ffmpeg libopus, complexity 5)'
    expect(warningText('CODEC_OVERSHOOT', { codec, truePeakDbtp: 0.92 })).toBe(
      'After Opus 160 kbit/s the peaks reach 0.92 dBTP.',
    )
  })

  it('join Korean words by the particle that their last sound asks for', () => {
    const { spectrum } = listenKo
    expect(spectrum.mean(spectrum.theOriginal, '1.0', spectrum.theTarget, '40 Hz', '10 kHz')).toContain('원본과 목표의')
    expect(spectrum.mean(spectrum.theMaster, '1.0', spectrum.theTarget, '40 Hz', '10 kHz')).toContain('마스터와 목표의')
  })

  it('keep a number and its unit on one line', () => {
    expect(unbroken('from 22.05 kHz to 44.1 kHz')).toBe('from 22.05\u00a0kHz to 44.1\u00a0kHz')
  })

  const leaves = (value: unknown, path = ''): [string, string][] => {
    if (typeof value === 'string') return [[path, value]]
    if (value && typeof value === 'object')
      return Object.entries(value).flatMap(([key, one]) => leaves(one, `${path}.${key}`))
    return []
  }

  it('exist in both languages, without an exclamation mark or a please', () => {
    const english = leaves(en)
    const korean = leaves(ko)
    expect(korean.map(([path]) => path).sort()).toEqual(english.map(([path]) => path).sort())
    expect(english.filter(([, text]) => /!|\bplease\b|\boops\b/i.test(text))).toEqual([])
    expect(korean.filter(([, text]) => text.includes('!'))).toEqual([])
  })

  it('call loudness 음량 in Korean, in every room', () => {
    const folders = readdirSync('.').filter((name) => name.startsWith('src-'))
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
    )
    const said = (word: string) =>
      files.filter((file) => /\.(tsx?|html)$/.test(file) && readFileSync(file, 'utf8').includes(word))
    // The grammar of typed words knows what people write.
    expect(said('라우드니스')).toEqual([path.join('src-contract', 'words', 'lexicon.ts')])
    expect(said('음량').length).toBeGreaterThan(3)
  })

  it('count as the language does', () => {
    expect([en.actionBar.start(1), en.actionBar.start(2)]).toEqual(['Start 1 song', 'Start 2 songs'])
    expect(ko.row.queuePosition(2)).toBe('대기열 2번째')
    expect(en.row.warnings(2)).toBe('Two warnings, no credit spent yet')
  })
})

describe('samples of the API', () => {
  it('survive a file name with spaces and quotes in a shell', () => {
    expect(shellQuoted('plain.wav')).toBe('plain.wav')
    expect(shellQuoted("it's mine.wav")).toBe(`'it'\\''s mine.wav'`)
    const curl = (filename: string) => curlOf('http://127.0.0.1:1', { filename, settings: someSettings })
    expect(curl('my song.wav')).toContain("-F 'file=@my song.wav'")
    expect(curl("It's 봄; rm.wav")).toContain(`-F 'file=@"It'\\''s 봄; rm.wav"'`)
  })

  const programs = (Object.keys(SNIPPETS) as SnippetLanguage[]).filter((language) => language !== 'mcp')
  it.each(programs)('carry everything that is set, as %s', (language) => {
    const settings: MasterSettings = {
      ...DEFAULT_SETTINGS,
      platforms: ['spotify', 'melon'],
      genre: 'edm',
      ai_service: 'udio',
      tier: 'premium',
      intensity: 63,
      loudness: 'competitive',
      reference_source_id: 'r',
      reference_amount: 41,
    }
    const sample = { filename: 'a.wav', reference: 'like this.wav', settings }
    const code = SNIPPETS[language]({ ...sample, baseUrl: 'http://127.0.0.1:1', comments: en.automate.comments })
    expect(code).toContain('http://127.0.0.1:1/api/v1')
    for (const value of ['spotify,melon', 'edm', 'udio', 'premium', '63', 'competitive', '41', 'reference_file'])
      expect(code).toContain(value)
  })
})

describe('addresses in the page', () => {
  it('lead to a screen and back, whatever a job is called', () => {
    expect(routeOf(addressOf('listen', 'a/b c'))).toEqual({ screen: 'listen', detail: 'a/b c' })
    expect(routeOf('')).toEqual({ screen: 'master', detail: '' })
    expect(routeOf('#/nowhere')).toEqual({ screen: 'master', detail: '' })
  })

  it('lead to a screen that can be drawn where they cannot be read', () => {
    expect(['#/listen/%', '#/listen/a%E3', '#/listen', '#/listen/', '#/listen//b', '#%'].map(routeOf)).toEqual(
      Array(6).fill({ screen: 'master', detail: '' }),
    )
    expect(routeOf('#/settings/%')).toEqual({ screen: 'settings', detail: '' })
    expect(routeOf('#/history/%E3%81')).toEqual({ screen: 'history', detail: '' })
  })
})

describe('a drop', () => {
  it('keeps songs of a folder by their name and leaves covers and hidden files', () => {
    expect(['a.WAV', 'b.flac', '노래.mp3'].every(isSongName)).toBe(true)
    expect(['cover.jpg', '._a.wav', 'a.wav.txt'].some(isSongName)).toBe(false)
  })

  it('tells before it is let go how many files can be read', () => {
    const items = [
      { kind: 'file', type: 'audio/mpeg' },
      { kind: 'file', type: 'image/png' },
      { kind: 'file', type: '' },
      { kind: 'string', type: 'text/plain' },
    ]
    expect(draggedKinds(items)).toEqual({ all: 3, readable: 2 })
  })
})

describe('the waveform of a row', () => {
  it('has as many bars as fit, from any number of slices, and never less than a line', () => {
    expect(barsOf([0, 1, 0, 1], 2)).toEqual([0.5, 0.5])
    expect(barsOf([1], 3)).toEqual([1, 1, 1])
    expect(barsOf([], 3)).toEqual([])
    expect(barPath([0])).toBe('M0 17.0h2v2.0h-2z')
    expect(barPath([9])).toBe('M0 1.0h2v34.0h-2z')
  })
})

describe('history in groups', () => {
  it('keeps a batch together and single songs by their day', () => {
    const job = (job_id: string, batch_id: string | undefined, created_at: string) =>
      ({ job_id, created_at, ...(batch_id ? { batch_id } : {}) }) as never
    const all = [
      job('1', 'b', '2026-01-02T10:00'),
      job('2', undefined, '2026-01-02T09:00'),
      job('3', 'b', '2026-01-02T08:00'),
      job('4', undefined, '2026-01-01T08:00'),
    ]
    const of = (isFiltered: boolean, hasMore: boolean) =>
      groupsOf(all, { dayOf: (iso) => iso.slice(0, 10), isFiltered, hasMore })
    const groups = of(false, false)
    expect(groups.map((group) => group.jobs.length)).toEqual([2, 1, 1])
    expect(groups.map((group) => group.batchId)).toEqual(['b', null, null])
    const whole = (...given: [boolean, boolean]) => of(...given).map((group) => group.isWhole)
    expect([whole(false, false), whole(false, true), whole(true, false)]).toEqual([
      [true, true, true],
      [true, true, false],
      [false, false, false],
    ])
  })
})
