import { formatFacts } from '../../src-contract/formats.ts'
import { MAX_TITLE_LENGTH } from '../../src-contract/limits.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import type { MasterResult, Report, Spectrum, Warning } from '../../src-contract/report.ts'
import { DEFAULT_SETTINGS, EDGE_NAMES, jobSettings, STEERING_NAMES } from '../../src-contract/settings.ts'
import { costText, isWithoutCost } from '../../src-contract/text/costs.ts'
import { decisionText, stageText } from '../../src-contract/text/decisions.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language, type LocalizedText } from '../../src-contract/text/language.ts'
import { change, decibels, frequency, nominalName, playingTime, unbroken } from '../../src-contract/text/numbers.ts'
import { forecastText } from '../../src-contract/text/playback-forecast.ts'
import { genreNames, repairNames } from '../../src-contract/text/setting-words.ts'
import { stemChanges } from '../../src-contract/text/stem-changes.ts'
import { fromStems } from '../../src-contract/text/stem-notes.ts'
import { suggestionText } from '../../src-contract/text/suggestion.ts'
import { changeSummary } from '../../src-contract/text/summary.ts'
import { warningText } from '../../src-contract/text/text.ts'
import { escapeHtml } from './escape-html.ts'
import { bandChanges, levelBetweenDb, type SpectrumPlot, spectrumPlot, timePlot } from './report/plots.ts'
import { reportStyle } from './report/style.ts'
import {
  confidenceNames,
  loudnessNames,
  momentText,
  platformNames,
  playbackText,
  repairDetail,
  sameFileText,
  serviceNames,
  steeringText,
  tierNames,
  verdictReason,
  words,
} from './report/text.ts'

type MasterReport = Report['masters'][number]

/**
 * Returns report.html: one self-contained file, in English and Korean with a switch, dark or light by the reader's system, printable. All
 * content comes from the report. Never throws on a valid report.
 */
export function reportHtml(report: Report): string {
  const sections = [
    heading(report),
    figures(report),
    notes(report.warnings),
    mastersTable(report),
    plots(report),
    deeds(report),
    suggestions(report),
    forecasts(report),
    codecTable(report.masters.map(({ result }) => result)),
    details(report),
    `<footer>${t(words.made)}</footer>`,
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="generator" content="Loudsmith"><title>${escapeHtml(shortened(report.title))} · Loudsmith</title>
<style>${reportStyle}${tabRules(groupMasters(report.masters).length)}</style></head>
<body>${bar()}
<main>${sections.join('\n')}</main>
<script>${script}</script></body></html>
`
}

const script = `(function(){var root=document.documentElement,buttons=document.querySelectorAll('[data-lang]');
function show(lang){root.lang=lang;buttons.forEach(function(b){b.setAttribute('aria-pressed',String(b.dataset.lang===lang))})}
buttons.forEach(function(b){b.addEventListener('click',function(){show(b.dataset.lang)})});
show(${JSON.stringify(LANGUAGES)}.find(function(lang){return (navigator.language||'en').slice(0,2)===lang})||'en')})()`

/** Returns a text in every language; the page shows one of them. */
function t(text: LocalizedText): string {
  if (text.en === text.ko) return escapeHtml(unbroken(text.en))
  const spans = LANGUAGES.map((language) => `<span lang="${language}">${escapeHtml(unbroken(text[language]))}</span>`)
  return spans.join('')
}

const inBoth = (say: (language: Language) => string): LocalizedText => ({ en: say('en'), ko: say('ko') })

/** Returns SVG text in every language: SVG text has no spans that can be hidden, so each language gets its own tspan. */
function svgText(text: LocalizedText): string {
  if (text.en === text.ko) return escapeHtml(text.en)
  return LANGUAGES.map((language) => `<tspan lang="${language}">${escapeHtml(text[language])}</tspan>`).join('')
}

/** A tag may hold twenty thousand characters; as many as a request may name are enough for a heading. */
function shortened(text: string): string {
  const characters = [...text]
  return characters.length > MAX_TITLE_LENGTH ? `${characters.slice(0, MAX_TITLE_LENGTH).join('')}…` : text
}

function bar(): string {
  const buttons = LANGUAGES.map(
    (language) =>
      `<button type="button" data-lang="${language}" aria-pressed="${language === 'en'}">${LANGUAGE_NAMES[language]}</button>`,
  )
  const mark = [10, 16, 6, 16, 10].map((height, i) => `<rect x="${i * 4.5}" width="2.5" height="${height}" rx=".5"/>`)
  return `<header class="bar"><svg viewBox="0 0 20.5 16" fill="currentColor" aria-hidden="true">${mark.join('')}</svg>Loudsmith<div class="switch" role="group" aria-label="Language · 언어">${buttons.join('')}</div></header>`
}

function heading(report: Report): string {
  const { source, settings } = report
  const kilohertz = source.sample_rate_hz / 1000
  const parts = [
    report.artist && `<bdi>${escapeHtml(shortened(report.artist))}</bdi>`,
    playingTime(source.duration_seconds),
    `${escapeHtml(source.codec)} ${kilohertz} kHz`,
    report.stems && t(fromStems(report.stems.count)),
    settings.ai_service !== 'other' && t(serviceNames[settings.ai_service]),
    settings.genre !== 'other' && t(genreNames[settings.genre]),
    t(tierNames[settings.tier]),
  ].filter(Boolean)
  const results = report.masters.map(({ result }) => result)
  const summary = report.summary ?? changeSummary(report.decisions, results)
  const stems = report.stems && stemChanges(report.stems)
  return `<h1><bdi>${escapeHtml(shortened(report.title))}</bdi></h1><p class="meta">${parts.join(' · ')}</p><p class="summary">${t(summary)}</p>${stems ? `<p class="summary">${t(stems)}</p>` : ''}`
}

function figures(report: Report): string {
  const cell = (label: string, value: number | null, unit: string, note: string, isMaster: boolean) =>
    `<div${isMaster ? ' class="out"' : ''}><dt>${label}</dt><dd>${decibels(value, 1)}<small>${unit}</small><div class="note">${note}</div></dd></div>`
  const { measurement } = report.source
  const peak = `${decibels(measurement.true_peak_dbtp, 1)} dBTP · ${t(words.range)} ${decibels(measurement.loudness_range_lu, 1)}&nbsp;LU`
  const cells = groupMasters(report.masters).map(({ names, master: { result } }) =>
    cell(
      t(names),
      result.integrated_lufs,
      'LUFS',
      `${decibels(result.true_peak_dbtp, 1)} dBTP · ${t(words.gain)} ${change(result.gain_db)}&nbsp;dB`,
      true,
    ),
  )
  return `<dl class="figures">${cell(t(words.original), measurement.integrated_lufs, 'LUFS', peak, false)}${cells.join('')}</dl>`
}

function notes(all: readonly Warning[]): string {
  // The table of masters shows a missed target together with its reason.
  const warnings = all.filter(({ code }) => code !== 'TARGET_NOT_REACHED')
  if (warnings.length === 0) return ''
  const items = warnings.map((warning) => {
    const sentence = inBoth((language) => warningText(warning.code, warning.values ?? {}, language))
    const platform = warning.platform ? `${t(platformNames([warning.platform]))}: ` : ''
    return `<li><span class="mark" aria-hidden="true">▲</span><span>${platform}${t(sentence)}</span></li>`
  })
  return `<h2>${t(words.notes)}</h2><ul class="notes">${items.join('')}</ul>`
}

function mastersTable(report: Report): string {
  const before = report.source.measurement
  const head = [
    `<th>${t(words.platform)}</th><th>${t(words.verdict)}</th>`,
    ...[words.loudness, words.truePeak, words.gain, words.range, words.plr, words.limiting].map(
      (word) => `<th class="n">${t(word)}</th>`,
    ),
    `<th>${t(words.playback)}</th>`,
  ]
  const number = (text: string, note = '') => `<td class="n">${text}${note ? `<small>${note}</small>` : ''}</td>`
  const original = [
    `<tr class="source"><th scope="row">${t(words.original)}</th><td></td>`,
    number(decibels(before.integrated_lufs), 'LUFS') + number(decibels(before.true_peak_dbtp), 'dBTP'),
    number('') + number(`${decibels(before.loudness_range_lu, 1)} LU`) + number(`${decibels(before.plr_db, 1)} dB`),
    '<td></td><td></td></tr>',
  ]
  const rows = report.masters.map(({ result }) => {
    const target = `${t(words.target)} ${decibels(result.target_lufs, 1)}`
    const reductions = `${t(words.mean)} ${decibels(result.mean_gain_reduction_db, 1)}`
    const sameFile = sameFileText(result)
    const file = `${result.bit_depth} bit · ${result.sample_rate_hz / 1000} kHz${sameFile ? `<br>${t(sameFile)}` : ''}`
    return [
      `<tr><th scope="row">${t(platformNames([result.platform]))}<small>${file}</small></th>`,
      `<td>${verdict(result)}</td>`,
      number(decibels(result.integrated_lufs), `${target}<br>${t(confidenceNames[result.target_confidence])}`),
      number(decibels(result.true_peak_dbtp), `${t(words.ceiling)} ${decibels(result.ceiling_dbtp, 1)}`),
      number(`${change(result.gain_db)} dB`),
      number(`${decibels(result.loudness_range_lu, 1)} LU`),
      number(`${decibels(result.plr_db, 1)} dB`),
      number(`${t(words.most)} ${decibels(result.max_gain_reduction_db, 1)} dB`, reductions),
      `<td>${t(playbackText(result))}</td></tr>`,
    ].join('')
  })
  return `<h2>${t(words.masters)} <small class="quiet unit-small">${t(words.measured)}</small></h2><div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>${original.join('')}${rows.join('')}</tbody></table></div>`
}

function verdict(result: MasterResult): string {
  if (isWithoutCost(result)) return `<span class="ok">✓ ${t(words.onTarget)}</span>`
  return [
    missedTarget(result),
    ...(result.costs ?? []).map((cost) => `<small>${t(inBoth((language) => costText(cost, language)))}</small>`),
  ].join('')
}

function missedTarget(result: MasterResult): string {
  if (result.verdict === 'on_target') return `<span class="tag">▲ ${t(words.atCost)}</span>`
  const reason = verdictReason(result.verdict_reason)
  return `<span class="tag">▲ ${t(words.belowTarget)}</span>${reason ? `<small>${t(reason)}</small>` : ''}`
}

/** Groups masters with the same sound (from one render), which are drawn once. */
function groupMasters(masters: readonly MasterReport[]): { names: LocalizedText; master: MasterReport }[] {
  const groups = Map.groupBy(masters, ({ result }) => result.sha256)
  return [...groups.values()].map((group) => ({
    names: platformNames(group.map(({ result }) => result.platform)),
    master: group[0]!,
  }))
}

function tabRules(count: number): string {
  return Array.from(
    { length: count },
    (_, i) =>
      `#m${i}:checked~.p${i}{display:block}#m${i}:checked~.tablist [for=m${i}]{background:var(--raised);color:var(--text);border-top-color:var(--accent)}#m${i}:focus-visible~.tablist [for=m${i}]{outline:2px solid var(--focus);outline-offset:-2px}`,
  ).join('')
}

function plots(report: Report): string {
  const groups = groupMasters(report.masters)
  const inputs = groups.map((_, i) => `<input type="radio" name="m" id="m${i}"${i === 0 ? ' checked' : ''}>`)
  const labels = groups.map(
    ({ names, master }, i) =>
      `<label for="m${i}">${t(names)}<b>${decibels(master.result.integrated_lufs, 1)}</b></label>`,
  )
  const panels = groups.map(
    ({ names, master }, i) => `<div class="panel p${i}">${plotPanel(report, names, master)}</div>`,
  )
  return `<h2>${t(words.plots)}</h2><div class="tabs">${inputs.join('')}<div class="tablist">${labels.join('')}</div>${panels.join('')}</div>`
}

function plotPanel(
  report: Report,
  names: LocalizedText,
  { result, measurement, spectrum, curves }: MasterReport,
): string {
  const legend = (...items: [string, LocalizedText][]) =>
    `<ul class="legend">${items.map(([name, word]) => `<li><i class="l-${name}"></i>${t(word)}</li>`).join('')}</ul>`
  // Stereo curves of a silent channel would only show its dither.
  const stereoOf = (all: typeof curves) => (hasDeadChannel(report) ? { ...all, correlation: [] } : all)
  const time = timePlot(
    {
      durationSeconds: report.source.duration_seconds,
      source: stereoOf(report.source.curves),
      master: stereoOf(curves),
      targetLufs: result.target_lufs,
      ceilingDbtp: result.ceiling_dbtp,
    },
    {
      loudness: svgText(words.loudness),
      peak: svgText(words.peak),
      reduction: svgText(words.reductionLane),
      correlation: svgText(words.correlation),
    },
  )
  const spectra = comparedSpectra(report, spectrum)
  const isAimed = spectra.target?.mid_db.some((level) => level !== null)
  const bands = spectrumPlot(spectra, svgText(words.spectrumLabel))
  const isDrawn = curves.short_term_lufs.some((level) => level !== null)
  const all: [string, LocalizedText][] = [
    ['in', words.original],
    ['out', words.master],
    ['aim', words.target],
  ]
  return [
    `<h3>${t(names)}</h3>`,
    `<figure class="well">${legend(...all, ['cut', words.reduction])}${time}<figcaption>${t(loudnessFinding(report, result))} ${isDrawn ? '' : `${t(words.tooShort)} `}${t(reductionFinding(result))} ${t(stereoFinding(report, measurement.correlation))}</figcaption></figure>`,
    `<figure class="well">${legend(...(isAimed ? all : all.slice(0, 2)))}${bands}<figcaption>${t(spectrumFinding(spectra))} ${isHollow(report) ? `${t(words.ofTheSides)} ` : ''}${t(words.tilt)}</figcaption></figure>`,
  ].join('')
}

/** Level of the side above the mid from which the side carries the sound, dB: the tone is planned by it, and the target is the side's. */
const HOLLOW_DB = 12

const isHollow = ({ source }: Report) => (source.measurement.side_to_mid_db ?? 0) > HOLLOW_DB

/** Level below which a third octave holds only dither or a resampler's residue, dB. */
const INAUDIBLE_DB = -110

/**
 * Returns the compared spectra: the mids, or the sides of a song whose channels cancel in the middle. Only bands within the bandwidth of
 * the source with sound in both source and master have a level; in all others it is null.
 */
function comparedSpectra(report: Report, master: Spectrum): SpectrumPlot {
  const { source, target_spectrum: target } = report
  const highestHz = Math.min(source.bandwidth_hz ?? Number.POSITIVE_INFINITY, source.sample_rate_hz / 2)
  const levelsOf = (spectrum: Spectrum) => (isHollow(report) ? spectrum.side_db : spectrum.mid_db)
  const isHeard = (spectrum: Spectrum, i: number) => (levelsOf(spectrum)[i] ?? Number.NEGATIVE_INFINITY) > INAUDIBLE_DB
  const isCompared = source.spectrum.band_hz.map(
    (hz, i) => hz <= highestHz && isHeard(source.spectrum, i) && isHeard(master, i),
  )
  const compared = (spectrum: Spectrum): Spectrum => ({
    ...spectrum,
    mid_db: levelsOf(spectrum).map((level, i) => (isCompared[i] ? level : null)),
  })
  return { source: compared(source.spectrum), master: compared(master), target: target && compared(target) }
}

function loudnessFinding(report: Report, result: MasterResult): LocalizedText {
  const before = decibels(report.source.measurement.integrated_lufs, 1)
  const after = decibels(result.integrated_lufs, 1)
  const range = [report.source.measurement.loudness_range_lu, result.loudness_range_lu].map((lu) => decibels(lu, 1))
  return {
    en: `The loudness changed from ${before} to ${after} LUFS, the loudness range from ${range[0]} to ${range[1]} LU.`,
    ko: `음량은 ${before}에서 ${after} LUFS로, 음량 범위는 ${range[0]}에서 ${range[1]} LU로 바뀌었어요.`,
  }
}

function reductionFinding(result: MasterResult): LocalizedText {
  const most = decibels(result.max_gain_reduction_db, 1)
  if (result.max_gain_reduction_db < 0.05) return { en: 'Nothing was limited.', ko: '리미팅은 없었어요.' }
  return { en: `Peaks are reduced by up to ${most} dB.`, ko: `피크는 최대 ${most} dB 줄어요.` }
}

const hasDeadChannel = ({ warnings }: Report) => warnings.some(({ code }) => code === 'INPUT_DEAD_CHANNEL')

function stereoFinding(report: Report, after: number): LocalizedText {
  if (hasDeadChannel(report)) return words.oneChannel
  const [from, to] = [report.source.measurement.correlation, after].map((value) => decibels(value))
  return {
    en: `Correlation of left and right: ${from} before, ${to} after.`,
    ko: `좌우 상관도: 처리 전 ${from}, 처리 후 ${to}.`,
  }
}

function spectrumFinding({ source, master }: SpectrumPlot): LocalizedText {
  const overall = levelBetweenDb(source, master)
  const largest = bandChanges(source, master)
    .map(({ bandHz, changeDb }) => ({ bandHz, move: changeDb - overall }))
    .reduce((best, one) => (Math.abs(one.move) > Math.abs(best.move) ? one : best), { bandHz: 0, move: 0 })
  if (Math.abs(largest.move) < 0.3) {
    return { en: 'The tonal balance is unchanged within 0.3 dB.', ko: '음색 균형의 변화는 0.3 dB 이내예요.' }
  }
  const place = nominalName(largest.bandHz)
  return {
    en: `The largest change in tonal balance is ${change(largest.move)} dB at ${place}.`,
    ko: `음색 균형이 가장 많이 바뀐 곳은 ${place}로, ${change(largest.move)} dB예요.`,
  }
}

function deeds(report: Report): string {
  const decisions = report.decisions.map((decision) => {
    // Decisions of clipper and limiter belong to the master that was driven hardest.
    const platform = PLATFORMS.find((name) => name === decision.values.platform)
    const sentence = t(inBoth((language) => decisionText(decision, language)))
    return `<li><span class="stage">${t(inBoth((language) => stageText(decision.stage, language)))}</span><span>${platform ? `${t(platformNames([platform]))}: ` : ''}${sentence}</span></li>`
  })
  const repairs = report.repairs.map(
    (repair) => `<div><dt>${t(repairNames[repair.kind])}</dt><dd>${t(repairDetail(repair))}</dd></div>`,
  )
  const repaired =
    repairs.length > 0
      ? `<dl class="list">${repairs.join('')}</dl>`
      : `<p class="quiet">${t(words.nothingRepaired)}</p>`
  return `<div class="two"><section><h2>${t(words.done)}</h2><ol class="done">${decisions.join('')}</ol></section><section><h2>${t(words.repairs)} <small class="quiet unit-small">${t(words.onlyFound)}</small></h2>${repaired}</section></div>`
}

/** The reasons for the analysis's suggestions, applied or not; empty in reports of earlier versions. */
function suggestions({ suggestion }: Report): string {
  if (!suggestion || suggestion.reasons.length === 0) return ''
  const items = suggestion.reasons.map((reason) => `<li>${t(suggestionText(reason))}</li>`)
  return `<section><h2>${t(words.suggested)} <small class="quiet unit-small">${t(words.notApplied)}</small></h2><ul>${items.join('')}</ul></section>`
}

/** Forecast of playback; empty in reports of earlier versions. */
function forecasts({ forecast = [] }: Report): string {
  if (forecast.length === 0) return ''
  const items = forecast.map((one) => `<li>${t({ en: forecastText(one, 'en'), ko: forecastText(one, 'ko') })}</li>`)
  return `<section><h2>${t(words.forecast)}</h2><ul>${items.join('')}</ul></section>`
}

function codecTable(results: readonly MasterResult[]): string {
  const rows = results.flatMap(({ platform, codec_checks }) =>
    (codec_checks ?? []).map(
      (check) =>
        `<tr><th scope="row">${t(platformNames([platform]))}</th><td>${escapeHtml(check.codec)}</td><td class="n">${decibels(check.true_peak_dbtp)} dBTP</td><td class="n">${decibels(check.ceiling_lowered_db, 1)} dB</td></tr>`,
    ),
  )
  if (rows.length === 0) return ''
  const head = `<th>${t(words.platform)}</th><th>${t(words.codec)}</th><th class="n">${t(words.truePeak)}</th><th class="n">${t(words.lowered)}</th>`
  return `<h2>${t(words.codecs)} <small class="quiet unit-small">${t(words.copies)}</small></h2><div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** Returns the non-neutral settings of sound and edges as one row; empty without any. */
function steering(settings: Report['settings']): string {
  const all = jobSettings(settings)
  const told = [...STEERING_NAMES, ...EDGE_NAMES].filter((name) => String(all[name]) !== String(DEFAULT_SETTINGS[name]))
  if (told.length === 0) return ''
  const text = inBoth((language) => told.map((name) => steeringText(name, all)[language]).join(' · '))
  return `<div><dt>${t(words.steering)}</dt><dd>${t(text)}</dd></div>`
}

/** Returns the amount of a reference, with the limit and the loudness where they are set. */
function referenceText({
  reference_amount,
  reference_clamp_db: clampDb,
  reference_loudness,
}: Report['settings']): string {
  return [
    `${reference_amount} %`,
    ...(clampDb === undefined ? [] : [`± ${clampDb} dB`]),
    ...(reference_loudness ? [t(words.referenceLoudness)] : []),
  ].join(' · ')
}

function details(report: Report): string {
  const { settings, source } = report
  const row = (label: LocalizedText, value: string) => `<div><dt>${t(label)}</dt><dd>${value}</dd></div>`
  const code = (text: string) => `<code>${escapeHtml(text)}</code>`
  const name = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`
  const references = [
    ...(report.reference_filename ? [name(report.reference_filename)] : []),
    ...(settings.saved_targets ?? []).map(({ name: target = '–', weight = 1 }) => `${name(target)} × ${weight}`),
  ]
  const reference =
    references.length > 0
      ? row(words.reference, references.join(' · ')) + row(words.referenceAmount, referenceText(settings))
      : ''
  const formatNames = (settings.formats ?? []).map((format) => escapeHtml(formatFacts(format).name)).join(' · ')
  const left = [
    row(words.source, `<bdi>${escapeHtml(report.filename)}</bdi>`),
    row(words.duration, playingTime(source.duration_seconds)),
    row(
      words.bandwidth,
      source.bandwidth_hz === null ? t(words.full) : frequency(Math.round(source.bandwidth_hz / 100) * 100),
    ),
    row(words.settings, `${t(loudnessNames[settings.loudness])} · ${t(words.intensity)} ${settings.intensity}`),
    steering(settings),
    formatNames === '' ? '' : row(words.formats, formatNames),
    reference,
    row(words.created, `<time datetime="${escapeHtml(report.created_at)}">${t(momentText(report.created_at))}</time>`),
  ]
  const right = [
    row(words.engine, code(report.engine_version)),
    row(words.decoder, code(report.ffmpeg_version)),
    row(words.job, code(report.job_id)),
    row({ en: 'SHA-256 of the source', ko: '원본 SHA-256' }, code(report.source_sha256)),
  ]
  const isMeasured = report.release !== undefined || report.masters.some(({ result }) => result.files !== undefined)
  const files = filesOf(report).map(
    ({ file, size_bytes, sha256, figures }) =>
      `<tr><th scope="row"><bdi>${escapeHtml(file)}</bdi></th><td class="n">${(size_bytes / 1e6).toFixed(1)} MB</td>${isMeasured ? `<td class="n">${figures}</td>` : ''}<td><code>${sha256}</code></td></tr>`,
  )
  return `<h2>${t(words.details)}</h2><div class="two"><dl class="list">${left.join('')}</dl><dl class="list">${right.join('')}</dl></div><div class="scroll"><table class="files"><thead><tr><th>${t(words.file)}</th><th></th>${isMeasured ? '<th></th>' : ''}<th>${t(words.checksum)}</th></tr></thead><tbody>${files.join('')}</tbody></table></div>`
}

/** Every file of the result, each once, with loudness and true peak as they were read back. */
function filesOf(report: Report) {
  const results = [...report.masters.map(({ result }) => result), ...(report.release ? [report.release.result] : [])]
  const all = results.flatMap((result) => [result, ...(result.files ?? [])])
  const files = [...new Map(all.map((one) => [one.file, one])).values()]
  return files.map(({ file, size_bytes, sha256, integrated_lufs, true_peak_dbtp }) => {
    const figures = `${decibels(integrated_lufs, 1)} LUFS<small>${decibels(true_peak_dbtp, 1)} dBTP</small>`
    return { file, size_bytes, sha256, figures }
  })
}
