import { describe, expect, it } from 'vitest'
import type { MasterResult, Report, Spectrum } from '../../../src-contract/report.ts'
import { jobSettings, NEUTRAL_SOUND, shownSettings } from '../../../src-contract/settings.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { planRecipe } from '../../../src-engine/plan.ts'
import { measurementOf, spectrumOf } from '../../../src-worker/mastering/report-facts.ts'
import { reportHtml as reportPage } from '../../../src-worker/result/report-html.ts'
import { reportJson, roundReport } from '../../../src-worker/result/report-json.ts'
import { ordinaryMusic } from '../../engine/chain/signals.ts'

const spectrum = { band_hz: [100, 1000, 10_000], mid_db: [-20, -23, null], side_db: [-40, -41, null] }
const measurement = {
  integrated_lufs: -16.123456,
  short_term_max_lufs: -12,
  momentary_max_lufs: -10,
  loudness_range_lu: 6,
  true_peak_dbtp: -0.01,
  sample_peak_dbfs: -0.1,
  plr_db: 16,
  crest_factor_db: 15,
  correlation: 0.4,
  side_to_mid_db: -8,
}
const curves = {
  step_seconds: 0.5,
  short_term_lufs: [null, -16, -15.123456],
  peak_dbfs: [-3, -2, -1],
  correlation: [1, 0.5, -0.2],
}
const result: Report['masters'][number]['result'] = {
  platform: 'spotify',
  file: 'x_spotify.wav',
  size_bytes: 44_100_000,
  sha256: 'a'.repeat(64),
  sample_rate_hz: 44_100,
  bit_depth: 16,
  target_lufs: -14,
  target_confidence: 'published',
  ceiling_dbtp: -1,
  ceiling_confidence: 'published',
  integrated_lufs: -14.004,
  short_term_max_lufs: -11,
  momentary_max_lufs: -9,
  loudness_range_lu: 5,
  true_peak_dbtp: -1.02,
  plr_db: 13,
  gain_db: 2.1,
  max_gain_reduction_db: 1.5,
  mean_gain_reduction_db: 0.1,
  clip_budget_db: 0,
  verdict: 'on_target',
  playback: { action: 'leave', gain_db: 0 },
}
const master = (change: Partial<typeof result>): Report['masters'][number] => ({
  result: { ...result, ...change },
  measurement,
  spectrum,
  curves: { ...curves, gain_reduction_db: [0, 1.5, 0] },
})
const report: Report = {
  report_version: 1,
  job_id: '12345678-1234-4234-8234-123456789abc',
  title: '<script>alert("등불")</script>',
  artist: 'A & B',
  filename: `"><b onclick='x'>.mp3`,
  created_at: '2026-03-01T12:00:00.000Z',
  engine_version: '1.0.0',
  ffmpeg_version: '7.0',
  source_sha256: 'b'.repeat(64),
  settings: shownSettings(
    jobSettings({ platforms: ['spotify', 'youtube', 'melon'], genre: 'kpop', ai_service: 'suno' }),
  ),
  source: {
    codec: 'MP3 320 kbit/s',
    sample_rate_hz: 44_100,
    channels: 2,
    duration_seconds: 125,
    bandwidth_hz: 16_000,
    measurement,
    spectrum,
    curves,
  },
  repairs: [{ kind: 'resonance', amount_db: -3.1, frequency_hz: 6400, channel: 'side' }],
  decisions: [
    { stage: 'repair', code: 'RESONANCE_TAMED', values: { frequencyHz: 6400, excessDb: 7.2 } },
    { stage: 'land', code: 'STOPPED_BELOW_TARGET', values: { platform: 'melon', missingLu: 0.4 } },
  ],
  warnings: [{ code: 'INPUT_LOSSY', message: 'x', values: { codec: 'MP3 320 kbit/s' } }],
  masters: [
    master({}),
    master({ platform: 'youtube' }),
    master({ platform: 'melon', sha256: 'c'.repeat(64), verdict: 'below_target', verdict_reason: 'dynamics_lost' }),
  ],
}
/** The page with plain spaces, whether a line may break there or not. */
const reportHtml = (given: Report) => reportPage(given).replaceAll('\u00a0', ' ')
const html = reportHtml(report)

/** The English text in a part of the page. */
const readIn = (page: string, part: RegExp) =>
  (page.match(part)?.[0] ?? '')
    .replace(/<(t?span) lang="ko">.*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('report.html', () => {
  it('cannot be made to run or load anything by a title or a file name', () => {
    expect(html.match(/<script>/g)).toHaveLength(1)
    expect(html).not.toContain('<b onclick')
    expect(html).toContain('&lt;script&gt;alert(&quot;등불&quot;)&lt;/script&gt;')
    expect(html).toContain('A &amp; B')
  })

  it('needs no network and no other file', () => {
    expect(html).not.toMatch(/https?:|\ssrc=|\shref=|url\(|@import/)
  })

  it('says everything in English and in Korean', () => {
    const count = (language: string) => html.split(` lang="${language}">`).length - 1
    expect(count('ko')).toBeGreaterThan(40)
    // One more in English: the page itself.
    expect(count('en')).toBe(count('ko') + 1)
    expect(html).toContain('The song is encoded as MP3 320 kbit/s.')
    expect(html).toContain('6.4 kHz에서 7.2 dB 튀는 공진')
    expect(html).toContain('<tspan lang="ko">')
    expect(html).not.toMatch(/ lang="(?:en|ko)"><\//)
  })

  it('keeps numbers and their units on one line', () => {
    expect(reportPage(report)).toContain('6.4\u00a0kHz에서 7.2\u00a0dB 튀는 공진')
    expect(reportPage(report)).toContain('The song is encoded as MP3 320\u00a0kbit/s.')
  })

  it('states every figure of the song and of its masters with its unit', () => {
    expect(readIn(html, /<p class="meta">.*?<\/p>/)).toBe(
      'A &amp; B · 2:05 · MP3 320 kbit/s 44.1 kHz · Suno · K-pop · standard',
    )
    expect(readIn(html, /<dl class="figures">.*?<\/dl>/)).toBe(
      'Original −16.1 LUFS 0.0 dBTP · Range 6.0 LU Spotify, YouTube −14.0 LUFS −1.0 dBTP · Gain +2.1 dB Melon −14.0 LUFS −1.0 dBTP · Gain +2.1 dB',
    )
    expect(readIn(html, /<tr class="source">.*?<\/tr>/)).toBe('Original −16.12 LUFS −0.01 dBTP 6.0 LU 16.0 dB')
    expect(readIn(html, /<tr><th scope="row">Spotify.*?<\/tr>/)).toBe(
      'Spotify 16 bit · 44.1 kHz ✓ On target −14.00 Target −14.0 published −1.02 ceiling −1.0 +2.1 dB 5.0 LU 13.0 dB most 1.5 dB mean 0.1 plays as is',
    )
    expect(readIn(html, /<dt><span lang="en">Duration.*?<\/dl>/)).toBe(
      'Duration 2:05 Bandwidth 16 kHz Settings loudness of the platform · Intensity 50 Created 1 March 2026, 12:00 UTC',
    )
  })

  it.each([
    ['turn_down', 'Spotify turns it down 2.4 dB'],
    ['turn_up', 'Spotify turns it up 2.4 dB'],
    ['leave', 'plays as is'],
    ['unknown', 'no change known'],
  ] as const)('says what a service does on playback: %s', (action, sentence) => {
    const page = reportHtml({ ...report, masters: [master({ playback: { action, gain_db: -2.4 } })] })
    expect(readIn(page, /<tr><th scope="row">Spotify.*?<\/tr>/)).toMatch(new RegExp(`${sentence}$`))
  })

  it.each([
    ['gain_reduction', 'more loudness would need too much limiting'],
    ['dynamics_lost', 'more loudness would cost too much dynamics'],
    ['silent', 'the song is silent'],
  ] as const)('says why a master stops below its target: %s', (verdict_reason, sentence) => {
    const page = reportHtml({ ...report, masters: [master({ verdict: 'below_target', verdict_reason })] })
    expect(readIn(page, /<tr><th scope="row">Spotify.*?<\/tr>/)).toContain(`▲ Below target ${sentence} `)
  })

  it('keeps its tick for a master that gave nothing up, and says what another one did', () => {
    const costs = [{ code: 'LOUD_PARTS_REDUCED' as const, values: { mean_gain_reduction_db: 4.2 } }]
    const of = (result: Partial<MasterResult>) =>
      readIn(reportHtml({ ...report, masters: [master(result)] }), /<tr><th scope="row">Spotify.*?<\/tr>/)
    expect(of({ costs: [] })).toContain('✓ On target')
    expect(of({})).toContain('✓ On target')
    expect(of({ costs })).toContain('▲ On target, at a cost The loud parts lose 4.2 dB on average.')
    expect(of({ costs })).not.toContain('✓')
    expect(of({ costs, verdict: 'below_target', verdict_reason: 'gain_reduction' })).toContain(
      '▲ Below target more loudness would need too much limiting The loud parts lose 4.2 dB on average.',
    )
  })

  it('names the settings of the sound that are not neutral, and none of an older report', () => {
    const of = (settings: Report['settings']) =>
      readIn(reportHtml({ ...report, settings }), /<div><dt><span lang="en">Sound.*?<\/div>/)
    const { platforms, genre, ai_service, tier, intensity, loudness, reference_amount } = report.settings
    expect(of({ platforms, genre, ai_service, tier, intensity, loudness, reference_amount })).toBe('')
    expect(of(report.settings)).toBe('')
    expect(
      of({
        ...report.settings,
        ...{ style: 'warm', tilt_db: -1.5, width_percent: 120, punch: -10, target_lufs: -9.5 },
        skip_repairs: ['mud', 'clicks'],
      }),
    ).toBe(
      'Sound Style warm · Tilt −1.5 dB · Width 120 % · Punch −10 · Not repaired Mud, Clicks · Own target −9.5 LUFS',
    )
  })

  it('gives the place, the number and the amount of a repair', () => {
    const page = reportHtml({
      ...report,
      repairs: [
        { kind: 'clicks', count: 1, channel: 'left' },
        { kind: 'clipping', count: 1200, channel: 'both', amount_db: 2.5 },
        { kind: 'rumble', frequency_hz: 25, amount_db: -19.9 },
      ],
    })
    expect(readIn(page, /<dl class="list"><div><dt><span lang="en">Clicks.*?<\/dl>/)).toBe(
      'Clicks left, 1 place Clipped peaks both channels, 1,200 places, +2.5 dB Rumble below 25 Hz, −19.9 dB',
    )
    expect(page).toContain('<span lang="ko">25 Hz 아래, −19.9 dB</span>')
    expect(page).toContain('<span lang="ko">양쪽 채널, 1,200곳, +2.5 dB</span>')
  })

  it('distinguishes a removed level from a change of level', () => {
    const page = reportHtml({
      ...report,
      repairs: [
        { kind: 'dc_offset', amount_db: -35.5 },
        { kind: 'clicks', count: 1, channel: 'left', amount_db: 0.4 },
        { kind: 'resonance', amount_db: -3.7, frequency_hz: 5957, channel: 'both' },
      ],
    })
    expect(readIn(page, /<dl class="list"><div><dt><span lang="en">DC offset.*?<\/dl>/)).toBe(
      'DC offset −35.5 dBFS Clicks left, 1 place, 0.4 dBFS Resonance 6.0 kHz, both channels, −3.7 dB',
    )
  })

  it('formats the date in the language of the reader', () => {
    expect(html).toContain('>1 March 2026, 12:00 UTC<')
    expect(html).toContain('>2026년 3월 1일 12:00 UTC<')
    expect(html).not.toContain('>2026-03-01T')
  })

  it('writes numbers with a true minus and says which master stopped where', () => {
    expect(html).toContain('−14.00')
    expect(html).not.toMatch(/>-\d/)
    expect(html).toMatch(/Melon: <span lang="en">The master is 0.4 LU below its target/)
  })

  it('tells of each master whether it is on target, or why it is below, and how large its file is', () => {
    const verdicts = [...html.matchAll(/<span class="(?:ok|tag)">([✓▲])/gu)].map(([, mark]) => mark)
    expect(verdicts).toEqual(['✓', '✓', '▲'])
    expect(html).toContain('<small><span lang="en">more loudness would cost too much dynamics</span>')
    expect(html).toContain('44.1 MB')
  })

  it('notes what is worth knowing, and leaves a missed target to the table of masters', () => {
    const missed = { code: 'TARGET_NOT_REACHED', message: 'x', platform: 'melon', values: { missingLu: 0.4 } } as const
    const lossy = { code: 'INPUT_LOSSY', message: 'x', values: { codec: 'MP3 320 kbit/s' } } as const
    const notes = (warnings: Report['warnings']) =>
      reportHtml({ ...report, warnings }).match(/<ul class="notes">.*?<\/ul>/)
    expect(notes([lossy, missed])?.[0].match(/<li>/g)).toHaveLength(1)
    expect(notes([missed])).toBeNull()
  })

  it('tells how much of a reference was matched, and what was not', () => {
    const tone = { amount: 16.5, largestMidDb: 6, largestSideDb: 2.5, upToHz: 16_000 }
    const page = (values: Report['decisions'][number]['values']) =>
      reportHtml({ ...report, decisions: [{ stage: 'tone', code: 'TONE_TOWARD_REFERENCE', values }] })
    expect(page(tone)).toContain('17 % of the way to the reference')
    expect(page({ ...tone, mostMidDb: 6, mostSideDb: 4 })).toContain(
      'Differences beyond 6 dB in the mid and 4 dB in the sides counted only that far.',
    )
    expect(page(tone)).not.toContain('Differences beyond')
  })

  it('gives the intensity that premium chose instead', () => {
    const page = (candidate: string) =>
      reportHtml({
        ...report,
        decisions: [{ stage: 'tone', code: 'CANDIDATE_CHOSEN', values: { candidate, of: 3, intensity: 40 } }],
      })
    expect(page('firmer')).toContain('a firmer one (intensity 40) measured best')
    expect(page('gentler')).toContain('더 부드러운(강도 40) 쪽이')
    expect(page('as_asked')).not.toContain('intensity 40')
  })

  it('says in both languages which platforms get the very same file', () => {
    const others: Partial<typeof result> = { same_bytes_as: ['youtube', 'soundcloud'] }
    const page = reportPage({ ...report, masters: [master(others)] })
    expect(page).toContain('<span lang="en">the same file as for YouTube, SoundCloud</span>')
    expect(page).toContain('<span lang="ko">같은 파일: YouTube, SoundCloud</span>')
    expect(reportPage({ ...report, masters: [master({})] })).not.toContain('the same file')
  })

  it('draws a render that two platforms share once', () => {
    expect(html.match(/class="panel/g)).toHaveLength(2)
    expect(html).toContain('Spotify, YouTube')
  })

  it('shows the plots of one master at a time, of the first to begin with', () => {
    expect(html.match(/<input [^>]*>/g)).toEqual([
      '<input type="radio" name="m" id="m0" checked>',
      '<input type="radio" name="m" id="m1">',
    ])
    expect(html).toContain('#m1:checked~.p1{display:block}')
  })

  it('has a finding in words under every plot', () => {
    expect(html.match(/<figure/g)!.length).toBe(html.match(/<figcaption>/g)!.length)
    expect(html).toContain('The loudness changed from −16.1 to −14.0 LUFS')
  })

  it('does not mention a genre or a service that was not given', () => {
    const named = (settings: Partial<Report['settings']>) =>
      reportHtml({ ...report, settings: { ...report.settings, ...settings } }).match(/<p class="meta">.*?<\/p>/)?.[0]
    expect(named({})).toContain('Suno · K-pop')
    expect(named({ genre: 'other', ai_service: 'other' })).not.toMatch(/other|기타/)
  })

  it('draws peaks from the first moment to the last, and what channels have in common only where they sound', () => {
    const silent = { ...curves, peak_dbfs: [-3, null, -80] }
    const drawn = reportHtml({ ...report, source: { ...report.source, duration_seconds: 1.5, curves: silent } })
    const path = (name: string) => drawn.match(new RegExp(`class="${name}" d="([^"]*)"`))?.[1] ?? ''
    expect(path('in-fill')).toMatch(/^M112 /)
    expect(path('in-fill')).toMatch(/L904 [\d.]+Z$/)
    expect(path('line in thin').match(/[ML]/g)?.join('')).toBe('M')
    expect(path('line out thin').match(/[ML]/g)?.join('')).toBe('MLL')
  })

  it('has axes with numbers and units, and a legend of what is drawn', () => {
    expect(readIn(html, /<svg viewBox="0 0 960 470".*?<\/svg>/)).toBe(
      '0:00 0:15 0:30 0:45 1:00 1:15 1:30 1:45 2:00 Loudness LUFS −12 −18 −24 −30 −36 −14 Peak dB 0 −12 −24 −1 Reduction dB 0 −3 Stereo 1 0 −1',
    )
    expect(readIn(html, /<svg viewBox="0 0 960 306".*?<\/svg>/)).toBe(
      '50 100 200 500 1k 2k 5k 10k Level dB 12 0 −12 −24',
    )
    const [time, bands] = [...html.matchAll(/<ul class="legend">.*?<\/ul>/g)].map(([list]) => readIn(list, /.*/))
    expect(time).toBe('Original Master Target Gain reduction')
    expect(bands).toBe('Original Master')
  })

  it('says how much was limited, or that nothing was', () => {
    expect(html).toContain('Peaks are reduced by up to 1.5 dB.')
    expect(html).not.toContain('Nothing was limited.')
    expect(reportHtml({ ...report, masters: [master({ max_gain_reduction_db: 0.04 })] })).toContain(
      'Nothing was limited.',
    )
  })

  it('draws every curve at its moments and on the scale of its lane', () => {
    const source = { step_seconds: 1, short_term_lufs: [null, -23, -20, -17], peak_dbfs: [0, -6, -60, -30] }
    const after = { step_seconds: 1, short_term_lufs: [-50, -14, -14, -14], peak_dbfs: [-3, -3, -3, -3] }
    const page = reportHtml({
      ...report,
      source: { ...report.source, duration_seconds: 4, curves: { ...source, correlation: [1, 0, -1, -1] } },
      masters: [
        { ...master({}), curves: { ...after, correlation: [1, 0.5, 0, -0.5], gain_reduction_db: [0, 1.5, 4, null] } },
      ],
    })
    const path = (name: string) => page.match(new RegExp(`class="${name}" d="([^"]*)"`))?.[1]
    // A loudness is that of the time before its moment; a peak lies anywhere in its step.
    expect(path('line in')).toBe('M508 85.1L706 68.4L904 51.8')
    expect(path('line out')).toBe('M310 174L508 35.1L706 35.1L904 35.1')
    expect(path('in-fill')).toBe('M112 278L112 207.1L211 207.1L409 221.3L607 278L805 278L904 278L904 278Z')
    expect(path('cut-fill')).toBe('M112 304L112 304L211 304L409 319.5L607 345.3L805 304L904 304L904 304Z')
    expect(path('line in thin')).toBe('M211 392L409 423L607 454L805 454')
    expect(path('line out thin')).toBe('M211 392L409 407.5L607 423L805 438.5')
    const lines = [...page.matchAll(/d="M112 ([\d.]+)H904"\/><text class="tick" [^>]*y="([\d.]+)">([^<]*)/g)]
    expect(lines.slice(0, 13).map(([, y, below, text]) => [text, y, Number(below) - Number(y)])).toEqual([
      ['−12', '24', 4],
      ['−18', '57.3', 4],
      ['−24', '90.7', 4],
      ['−30', '124', 4],
      ['−36', '157.3', 4],
      ['0', '207.1', 4],
      ['−12', '235.5', 4],
      ['−24', '263.8', 4],
      ['0', '304', 4],
      ['−6', '366', 4],
      ['1', '392', 4],
      ['0', '423', 4],
      ['−1', '454', 4],
    ])
    const aims = [...page.matchAll(/class="aim" d="M112 ([\d.]+)H904"\/><text [^>]*>([^<]*)/g)]
    expect(aims.map(([, y, text]) => [y, text])).toEqual([
      ['35.1', '−14'],
      ['209.5', '−1'],
    ])
    const clock = [...page.matchAll(/d="M([\d.]+) 24V454"\/><text [^>]*>([^<]*)/g)]
    expect(clock.map(([, x, text]) => [x, text])).toEqual([
      ['112', '0:00.0'],
      ['211', '0:00.5'],
      ['310', '0:01.0'],
      ['409', '0:01.5'],
      ['508', '0:02.0'],
      ['607', '0:02.5'],
      ['706', '0:03.0'],
      ['805', '0:03.5'],
      ['904', '0:04.0'],
    ])
  })

  it('has a clock of tenths for a song of a second, and says why it has no curve of loudness', () => {
    const short = { ...curves, short_term_lufs: [null, null] }
    const page = reportHtml({
      ...report,
      source: { ...report.source, duration_seconds: 1, curves: short },
      masters: [{ ...master({}), curves: short }],
    })
    expect(page).toContain('>0:00.2</text>')
    expect(page).toContain('too short for a curve')
    expect(html).toContain('>0:15</text>')
    expect(html).not.toContain('too short for a curve')
  })

  it('shades the spectrum where source and master both have levels, and nowhere else', () => {
    const levels = (...mid_db: (number | null)[]) => ({
      band_hz: [100, 200, 500, 1000, 2000, 5000],
      mid_db,
      side_db: mid_db,
    })
    const source = { ...report.source, spectrum: levels(-20, -21, null, -22, -23, -24), sample_rate_hz: 8000 }
    const masters = [{ ...master({}), spectrum: levels(-20, -21, -21, -22, -23, -24) }]
    const page = reportHtml({ ...report, source, masters })
    const drawn = page.slice(page.indexOf('class="out-area'))
    const pointsOf = (name: string) => {
      const path = drawn.match(new RegExp(`${name}" d="([^"]*)"`))?.[1] ?? ''
      return [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => ({ x, y }))
    }
    const [corners, points] = [pointsOf('out-area'), pointsOf('line out')]
    expect(points).toHaveLength(4)
    expect(page.match(/class="out-area/g)).toHaveLength(1)
    const floor = ({ x }: { x?: string | undefined }) => ({ x, y: '280' })
    const [a, b, c, d] = points
    expect(corners).toEqual([floor(a!), a, b, floor(b!), floor(c!), c, d, floor(d!)])
  })

  it('draws the usual slope of music, 4.5 dB per octave of density, as a level line', () => {
    const band_hz = [100, 200, 400, 800, 1600, 3200, 6400, 12_800]
    const mid_db = band_hz.map((hz) => -30 - 1.5 * Math.log2(hz / 100))
    const music = { band_hz, mid_db, side_db: mid_db }
    const source = { ...report.source, spectrum: music, bandwidth_hz: null }
    const page = reportHtml({ ...report, source, masters: [{ ...master({}), spectrum: music }] })
    const path = page.slice(page.indexOf('class="out-area')).match(/class="line out" d="([^"]*)"/)?.[1] ?? ''
    const heights = [...path.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => y)
    // From 12 dB at y = 12 down to −30 dB at y = 280.
    expect(heights).toEqual(Array(8).fill('88.6'))
    expect(readIn(page, /<dt><span lang="en">Bandwidth.*?<\/dd>/)).toBe('Bandwidth full')
  })

  it('names the band that changed most against the others, of those where the ear judges tone', () => {
    const band_hz = [50.12, 100, 251.19, 5000, 16_000]
    const levels = (...mid_db: number[]) => ({ band_hz, mid_db, side_db: mid_db })
    const page = (after: Spectrum) =>
      reportHtml({
        ...report,
        source: { ...report.source, spectrum: levels(-20, -20, -20, -20, -20), bandwidth_hz: null },
        masters: [{ ...master({}), spectrum: after }],
      })
    // All is 2 dB louder: that is no change of balance.
    expect(page(levels(-8, -18, -16.5, -18, -30))).toContain(
      'The largest change in tonal balance is +1.5 dB at 250 Hz.',
    )
    expect(page(levels(-8, -18, -18, -18.2, -30))).toContain('The tonal balance is unchanged within 0.3 dB.')
  })

  it('draws the change of balance that it tells of: what was only made louder lies on the original', () => {
    const band_hz = [100, 200, 400, 800, 1600, 3200, 6400, 12_589]
    const levels = (mid_db: number[]) => ({ band_hz, mid_db, side_db: mid_db })
    const before = band_hz.map((hz) => -30 - 1.5 * Math.log2(hz / 100))
    const changes = [9, 9, 9, 9, 9, 5, 1, 3]
    const after = levels(before.map((level, i) => level + changes[i]!))
    const source = { ...report.source, spectrum: levels(before), bandwidth_hz: null }
    const masters = [{ ...master({}), spectrum: after }]
    const page = reportHtml({ ...report, source, target_spectrum: after, masters })
    const drawn = page.slice(page.lastIndexOf('class="line in"'))
    const heightsOf = (name: string) => {
      const path = drawn.match(new RegExp(`class="line ${name}" d="([^"]*)"`))?.[1] ?? ''
      return [...path.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y))
    }
    // 42 dB are 268 pixels high.
    const movesOf = (name: string) => heightsOf(name).map((y, i) => ((heightsOf('in')[i]! - y) * 42) / 268)
    for (const name of ['out', 'aim']) {
      expect(movesOf(name).map(Math.round)).toEqual([0, 0, 0, 0, 0, -4, -8, -6])
    }
    expect(page).toContain('The largest change in tonal balance is −8.0 dB at 6.3 kHz.')
  })

  it('compares the sides of a song whose channels cancel in the middle', () => {
    const side = { ...spectrum, mid_db: [null, -120, -60], side_db: [-20, -23, -30] }
    const changed = { ...side, side_db: [-32, -23, -30] }
    const hollow = { ...report.source, spectrum: side, measurement: { ...measurement, side_to_mid_db: 70 } }
    const page = reportHtml({ ...report, source: hollow, masters: [{ ...master({}), spectrum: changed }] })
    expect(page).toContain('The largest change in tonal balance is −12.0 dB at 100 Hz.')
    expect(page).toContain('because left and right cancel in the middle')
    expect(html).not.toContain('because left and right cancel in the middle')
  })

  it.each([10, 11.7, 12.3, 14])(
    'draws the tone that was planned for a song whose side lies %f dB above its mid',
    (sideToMidDb) => {
      const audio = ordinaryMusic(4)
      const [left, right] = audio.channels as [Float32Array, Float32Array]
      const midPart = 10 ** (-sideToMidDb / 20)
      for (let i = 0; i < audio.frames; i++) {
        right[i] = left[i]! * (midPart - 1)
        left[i]! *= midPart + 1
      }
      const analysis = analyseSource(audio, { lossy: false })
      const asked = {
        genre: 'ballad',
        ai_service: 'other',
        tier: 'standard',
        intensity: 50,
        reference_amount: 70,
      } as const
      const { targetSpectrum } = planRecipe({ ...asked, sound: NEUTRAL_SOUND, analysis })
      const own = spectrumOf(analysis.comparedSpectrum)
      const page = reportHtml({
        ...report,
        source: { ...report.source, spectrum: own, measurement: measurementOf(analysis) },
        target_spectrum: targetSpectrum!,
        masters: [{ ...master({}), spectrum: own }],
      })
      expect(analysis.sideToMidDb).toBeCloseTo(sideToMidDb, 1)
      expect(page).toContain('class="line aim"')
      expect(page.includes('because left and right cancel in the middle')).toBe(sideToMidDb > 12)
    },
  )

  it('compares no channels where one is silent', () => {
    const warnings = [{ code: 'INPUT_DEAD_CHANNEL', message: 'x', values: { channel: 'left' } }] as const
    const page = reportHtml({ ...report, warnings: [...warnings] })
    expect(page).toContain('Only one channel contains sound.')
    expect(page).not.toMatch(/Correlation of|class="line (in|out) thin"/)
    expect(html).toMatch(/Correlation of left and right: 0\.40 before/)
  })

  it('says what the lossy copies of premium masters are, and nothing of copies where none were made', () => {
    const check = { codec: 'Opus 160 kbit/s (ffmpeg libopus)', true_peak_dbtp: 0.12, ceiling_lowered_db: 1.5 }
    const page = reportHtml({ ...report, masters: [master({ codec_checks: [check] })] })
    expect(page).toContain('Opus 160 kbit/s (ffmpeg libopus)</td><td class="n">0.12 dBTP</td><td class="n">1.5 dB</td>')
    expect(page).toContain('above 0 dBTP they may clip')
    expect(html).not.toContain('above 0 dBTP they may clip')
  })

  it('has a heading of limited length, whatever the tags contain', () => {
    const page = reportHtml({ ...report, title: '긴'.repeat(20_000), artist: '🎧'.repeat(300) })
    expect(page).toContain(`<h1><bdi>${'긴'.repeat(200)}…</bdi></h1>`)
    expect(page).toContain(`<bdi>${'🎧'.repeat(200)}…</bdi>`)
  })

  it('draws no point that is not a number', () => {
    expect(html).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe('report.json', () => {
  it('rounds to significant digits, with null for missing levels', () => {
    const rounded = roundReport({
      ...report,
      source: { ...report.source, measurement: { ...measurement, plr_db: -Infinity } },
    })
    expect(rounded.source.measurement).toMatchObject({ integrated_lufs: -16.123, plr_db: null })
    expect(rounded.source.curves.short_term_lufs).toEqual([null, -16, -15.12])
    const long = [0.123456, null, -1.987654]
    const short = [0.12, null, -1.99]
    const { masters } = roundReport({
      ...report,
      masters: [
        {
          ...master({}),
          spectrum: { band_hz: [62.996052], mid_db: long, side_db: long },
          curves: {
            step_seconds: 0.123456,
            short_term_lufs: long,
            peak_dbfs: long,
            correlation: long,
            gain_reduction_db: long,
          },
        },
      ],
    })
    expect(masters[0]).toMatchObject({
      spectrum: { band_hz: [63], mid_db: short, side_db: short },
      curves: {
        step_seconds: 0.123,
        short_term_lufs: short,
        peak_dbfs: short,
        correlation: short,
        gain_reduction_db: short,
      },
    })
  })

  it('keeps each curve on one line and parses back to the same', () => {
    const text = reportJson(report)
    expect(text).toContain('"short_term_lufs": [null, -16, -15.123456]')
    expect(JSON.parse(text)).toEqual(report)
  })
})
