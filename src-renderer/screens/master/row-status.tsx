/** The state of a song in words: the state on the first line, facts and advice on the second. */
import { CircleCheck, CircleX, Clock, Copy, Pause, TriangleAlert } from 'lucide-react'
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Job, Stage } from '../../../src-contract/jobs.ts'
import type { Warning } from '../../../src-contract/report.ts'
import type { Language } from '../../../src-contract/text/language.ts'
import { codecLabel, unbroken } from '../../../src-contract/text/numbers.ts'
import { warningText } from '../../../src-contract/text/text.ts'
import { sharedCosts } from '../../state/costs.ts'
import { failureOf } from '../../state/refusal.ts'
import { partWarnings, refusalOfRow, type SongRow } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'

/** The stages of a song, in the order of the bars. */
const BARS = ['decoding', 'analysing', 'rendering', 'verifying', 'packaging'] as const satisfies readonly Stage[]

export interface RowStatusProps {
  row: SongRow
  /** Place in the queue, 1 is next. */
  place: number | undefined
  /** Seconds until it starts, if known. */
  startsInSeconds: number | null
  /** Seconds until it is done, if known. */
  leftSeconds: number | null
  isPaused: boolean
}

function Lines({
  icon,
  tone,
  head,
  children,
}: {
  icon?: ReactNode
  tone?: string
  head: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="st">
      <b className={tone}>
        {icon}
        {head}
      </b>
      {children}
    </div>
  )
}

const small = { className: 'i s', 'aria-hidden': true } as const

export function RowStatus({ row, place, startsInSeconds, leftSeconds, isPaused }: RowStatusProps) {
  const { t, format, say } = useWords()
  const { kind, upload, song, job } = row
  switch (kind) {
    case 'sending': {
      const size = upload?.sizeBytes ?? 0
      const sent = upload?.sent ?? 0
      // A queued song has not begun; the server reads a fully sent one.
      const word = upload?.state === 'queued' ? t.row.waitingToSend : sent >= 1 ? t.row.checking : null
      if (word)
        return (
          <Lines head={<span>{word}</span>}>
            <span>{format.bytes(size)}</span>
          </Lines>
        )
      return (
        <Lines head={<Doing text={t.row.sending} percent={Math.floor(sent * 100)} isFaint />}>
          <span>{t.row.sendingSize(format.bytes(sent * size), format.bytes(size))}</span>
        </Lines>
      )
    }
    case 'interrupted':
      return (
        <Lines tone="c-warn" icon={<TriangleAlert {...small} />} head={<span>{t.row.interrupted}</span>}>
          <span>{t.row.interruptedWhat}</span>
        </Lines>
      )
    case 'analysing': {
      const { progress } = row
      if (!progress) return <Lines head={<span>{t.row.waitingToAnalyse}</span>} />
      return (
        <Lines head={<Doing text={t.row.analysing} percent={progress.percent} isFaint />}>
          <span>{t.row.analysingWhat[progress.stage]}</span>
        </Lines>
      )
    }
    case 'ready':
      return (
        <Lines head={<span>{t.row.ready}</span>}>
          <Found row={row} />
        </Lines>
      )
    case 'warning': {
      const { damage, remarks } = partWarnings(song?.analysis?.warnings ?? [])
      return (
        <Lines tone="c-warn" icon={<TriangleAlert {...small} />} head={<span>{t.row.warnings(damage.length)}</span>}>
          <Sentences damage={damage} remarks={remarks} />
        </Lines>
      )
    }
    case 'repeated':
      return (
        <Lines icon={<Copy {...small} />} head={<span>{t.row.repeated}</span>}>
          <span className="two-lines" title={t.row.repeatedWhat(row.repeats ?? '')}>
            {unbroken(t.row.repeatedWhat(row.repeats ?? ''))}
          </span>
        </Lines>
      )
    case 'reading':
      return <Lines head={<span>{t.loading}</span>} />
    case 'waiting':
    case 'queued': {
      const held = kind === 'waiting' && song?.error
      if (held)
        return (
          <Lines
            tone="c-warn"
            icon={<TriangleAlert {...small} />}
            head={<span>{t.row.refusedBy[held.code] ?? t.row.queued}</span>}
          >
            <span title={say(held)}>{say(held)}</span>
          </Lines>
        )
      if (isPaused && kind === 'waiting')
        return (
          <Lines icon={<Pause {...small} />} head={<span>{t.row.paused}</span>}>
            <span>{t.row.pausedWhy}</span>
          </Lines>
        )
      return <Queued place={place} startsInSeconds={startsInSeconds} />
    }
    case 'rendering':
      return job ? <Rendering job={job} leftSeconds={leftSeconds} /> : null
    case 'done':
    case 'below':
      return job ? <Ended job={job} /> : null
    case 'cancelled':
    case 'failed':
      return job ? <Failed job={job} isCancelled={kind === 'cancelled'} /> : null
    case 'refused': {
      const error = refusalOfRow(row)
      const why = error && say(error)
      const what = row.analysisError ? t.row.notAnalysed : t.row.refused
      return (
        <Lines
          tone="c-bad"
          icon={<CircleX {...small} />}
          head={<span>{t.row.refusedBy[error?.code ?? ''] ?? what}</span>}
        >
          <span title={[why, error?.requestId && t.requestId(error.requestId)].filter(Boolean).join(' ')}>{why}</span>
        </Lines>
      )
    }
  }
}

function Queued({ place, startsInSeconds }: Pick<RowStatusProps, 'place' | 'startsInSeconds'>) {
  const { t } = useWords()
  const starts = startsInSeconds !== null ? t.row.startsIn(startsInSeconds) : place === 1 ? t.row.startsNext : '\u00a0'
  return (
    <Lines icon={<Clock {...small} />} head={<span>{place ? t.row.queuePosition(place) : t.row.queued}</span>}>
      <span>{starts}</span>
    </Lines>
  )
}

function Doing({ text, percent, isFaint }: { text: string; percent: number; isFaint?: boolean }) {
  return (
    <>
      <span>{text}</span>
      <Percent value={percent} isFaint={isFaint ?? false} />
    </>
  )
}

/** Animation of the number to a new value: about the interval between two messages. */
const WALK_MS = 400

/** A percentage that counts up to its value and never back; it jumps with reduced motion. */
export function Percent({ value, isFaint = false }: { value: number; isFaint?: boolean }) {
  const host = useRef<HTMLSpanElement>(null)
  const shown = useRef(value)
  // Written once by React: a later rendering would put back an older percent.
  const [first] = useState(() => percentText(value))
  useEffect(() => {
    const from = shown.current
    if (value <= from) return
    const walkMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : WALK_MS
    const began = performance.now()
    let frame = 0
    const step = (now: number) => {
      const part = walkMs === 0 ? 1 : Math.min(1, Math.max(0, now - began) / walkMs)
      shown.current = from + (value - from) * part
      const text = percentText(shown.current)
      // Setting an equal text would still cost a layout with every frame.
      if (host.current && host.current.textContent !== text) host.current.textContent = text
      if (part < 1) frame = requestAnimationFrame(step)
    }
    step(began)
    return () => cancelAnimationFrame(frame)
  }, [value])
  return (
    <span ref={host} className={`num ${isFaint ? 'faint' : ''}`}>
      {first}
    </span>
  )
}

const percentText = (percent: number) => `${Math.floor(percent)} %`

/** Measurements and further facts of a song. */
function Found({ row }: { row: SongRow }) {
  const { t, format, language } = useWords()
  const found = row.song?.analysis
  if (!found) return null
  const numbers = t.row.readyNumbers(format.level(found.integrated_lufs), format.level(found.true_peak_dbtp))
  const remarks = sentencesOf(found.warnings, language)
  return (
    <span title={[numbers, remarks].filter(Boolean).join(' · ')}>
      {unbroken(numbers)}
      {remarks && <span className="faint"> · {unbroken(remarks)}</span>}
    </span>
  )
}

/** Damage of a song; the remarks are in the tooltip, and on the stage. */
function Sentences(props: { damage: readonly Warning[]; remarks: readonly Warning[] }) {
  const { language } = useWords()
  const wrong = unbroken(sentencesOf(props.damage, language))
  return (
    <span className="two-lines" title={[wrong, sentencesOf(props.remarks, language)].filter(Boolean).join(' ')}>
      {wrong}
    </span>
  )
}

function sentencesOf(warnings: readonly Warning[], language: Language): string {
  return warnings.map((warning) => warningText(warning.code, warning.values, language)).join(' ')
}

function Rendering({ job, leftSeconds }: { job: Job; leftSeconds: number | null }) {
  const { t } = useWords()
  const stage = job.stage ?? 'waiting'
  const at = BARS.indexOf(stage as (typeof BARS)[number])
  return (
    <Lines head={<Doing text={t.row.stages[stage]} percent={job.progress} />}>
      <div className="stages" role="img" aria-label={t.row.stageOf(at + 1, t.row.stages[stage])}>
        {BARS.map((bar, i) => (
          <i
            key={bar}
            className={i < at ? 'd' : i === at ? 'a' : undefined}
            style={i === at ? ({ '--p': job.progress } as CSSProperties) : undefined}
          />
        ))}
      </div>
      <span>{leftSeconds === null ? '\u00a0' : t.row.timeLeft(leftSeconds)}</span>
    </Lines>
  )
}

function Ended({ job }: { job: Job }) {
  const { t, format, language } = useWords()
  const below = job.results.filter((result) => result.verdict === 'below_target')
  const others = job.warnings.filter((warning) => warning.code === 'CODEC_OVERSHOOT')
  const costs = sharedCosts(job.results, language)
  return (
    <Lines
      icon={<CircleCheck {...small} />}
      head={<span>{t.row.masters(job.results.length, job.results.length - below.length)}</span>}
    >
      {below.length + others.length + costs.length > 0 && (
        <div className="verd">
          {below.map((result) => (
            <span key={result.platform} className="c-warn">
              <TriangleAlert className="i" aria-hidden="true" />
              <Sentence
                text={t.row.below(
                  t.platforms[result.platform],
                  format.level(result.integrated_lufs),
                  format.level(Math.max(0.1, result.target_lufs - result.integrated_lufs)),
                )}
              />
            </span>
          ))}
          {costs.map(({ text, platforms }) => (
            <span key={text} className="c-warn">
              <TriangleAlert className="i" aria-hidden="true" />
              <Sentence text={`${platforms.map((platform) => t.platforms[platform]).join(', ')}: ${text}`} />
            </span>
          ))}
          {others.map(({ code, platform, file, values = {} }) => (
            <span key={`${code} ${platform ?? file} ${values.codec}`} className="c-warn">
              <TriangleAlert className="i" aria-hidden="true" />
              <Sentence
                text={t.row.overshoot(
                  platform ? t.platforms[platform] : (file ?? ''),
                  codecLabel(values.codec),
                  format.level(Number(values.true_peak_dbtp)),
                )}
              />
            </span>
          ))}
        </div>
      )}
    </Lines>
  )
}

/** A line of notes: in full when the row is open, and in the tooltip. */
function Sentence({ text }: { text: string }) {
  return (
    <span className="dim clip" title={text}>
      {text}
    </span>
  )
}

function Failed({ job, isCancelled }: { job: Job; isCancelled: boolean }) {
  const { t, say } = useWords()
  const refund = job.credits_refunded > 0 ? t.row.refunded(job.credits_refunded) : null
  if (isCancelled) return <Lines head={<span>{t.row.cancelled}</span>}>{refund && <span>{refund}</span>}</Lines>
  const reason = say(failureOf(job))
  return (
    <Lines
      tone="c-bad"
      icon={<CircleX {...small} />}
      // The refund comes first, where it is never cut off.
      head={<span>{[t.row.failedHead, refund].filter(Boolean).join(' · ')}</span>}
    >
      <span title={reason}>{reason}</span>
    </Lines>
  )
}
