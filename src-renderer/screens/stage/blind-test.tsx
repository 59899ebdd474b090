/** The blind test, shown in place of the version switch: hear A, B and X at one level, identify X, see the score. */

import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type BlindTest, canAnswer, scoreOf } from '../../playback/blind-test.ts'
import { trackOf } from '../../playback/forms.ts'
import { useApp } from '../../state/app-state.ts'
import { useHere, useListenWords, useStage, useTrackName } from './context.tsx'

/** Chance levels: below the first a difference was heard, above the second no difference was shown. */
const SURE = 0.05
const UNSURE = 0.2
const ENOUGH_TRIALS = 10

/** It takes the focus when it opens, and keeps it when a step removes the pressed button. */
export function BlindTestPanel({ onLeave }: { onLeave: () => void }) {
  const { l } = useListenWords()
  const test = useHere((state) => state.blindTest)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus({ preventScroll: true }), [])
  return (
    <section ref={panel} className="row blind" tabIndex={-1} aria-label={l.blind.title}>
      {test === null ? (
        <Setup onLeave={onLeave} />
      ) : test.isOver ? (
        <Score test={test} onLeave={onLeave} />
      ) : (
        <Trial test={test} onLeave={onLeave} />
      )}
    </section>
  )
}

function Setup({ onLeave }: { onLeave: () => void }) {
  const { l } = useListenWords()
  const { playback } = useApp()
  const { item } = useStage()
  const nameOf = useTrackName()
  const versions = useHere((state) => state.versions)
  const copies = useHere((state) => state.copies)
  const readiness = useHere((state) => state.readiness)
  const lastHeard = useHere((state) => state.lastHeard)
  const there = versions.filter((one) => !one.missing && readiness[one.id] !== 'failed')
  const tracks = there.flatMap(({ id }) => [...new Set([id, trackOf(copies, id)])])
  const copy = trackOf(copies, lastHeard)
  // A comparison of a copy with its master shows the effect of the codec.
  const start = (one: string, other: string) => {
    playback.load(item)
    void playback.open()
    playback.blindTest.start(one, other)
  }
  const [a, setA] = useState(copy === lastHeard ? 'source' : lastHeard)
  const [b, setB] = useState(lastHeard === 'source' ? (there[1]?.id ?? 'source') : copy)
  const ids = [useId(), useId()] as const
  const choices = tracks.map((track) => (
    <option key={track} value={track}>
      {nameOf(versions, track)}
    </option>
  ))
  return (
    <>
      <b>{l.blind.title}</b>
      <label htmlFor={ids[0]} className="dim">
        {l.blind.between}
      </label>
      <select id={ids[0]} className="input pick" value={a} onChange={(event) => setA(event.currentTarget.value)}>
        {choices}
      </select>
      <label htmlFor={ids[1]} className="dim">
        {l.blind.and}
      </label>
      <select id={ids[1]} className="input pick" value={b} onChange={(event) => setB(event.currentTarget.value)}>
        {choices}
      </select>
      <Button onClick={() => a !== b && start(a, b)} whyNot={a === b && l.blind.notTwo}>
        {l.blind.start}
      </Button>
      <span className="grow" />
      <span className="faint few">{l.blind.few}</span>
      <Button look="quiet" onClick={onLeave}>
        {l.blind.leave}
      </Button>
    </>
  )
}

function useSides(test: BlindTest) {
  const nameOf = useTrackName()
  const versions = useHere((state) => state.versions)
  return { a: nameOf(versions, test.a), b: nameOf(versions, test.b) }
}

function Trial({ test, onLeave }: { test: BlindTest; onLeave: () => void }) {
  const { l } = useListenWords()
  const { playback } = useApp()
  const sides = useSides(test)
  const group = useId()
  const hasScore = test.trials.length > 0
  const whyNot = !canAnswer(test) && l.blind.hearFirst
  return (
    <>
      <div className="seg abx" role="radiogroup" aria-label={l.blind.title}>
        {(['a', 'b', 'x'] as const).map((side) => (
          <label key={side} className={side === 'x' ? 'split' : undefined}>
            <input
              type="radio"
              className="vh"
              name={group}
              aria-label={l.blind.hear(l.blind[side])}
              checked={test.heard === side}
              onChange={() => playback.blindTest.hear(side)}
            />
            <b>{l.blind[side]}</b>
            {side !== 'x' && <span className="clip">{sides[side]}</span>}
          </label>
        ))}
      </div>
      <Button onClick={() => playback.blindTest.answer('a')} whyNot={whyNot}>
        {l.blind.isA}
      </Button>
      <Button onClick={() => playback.blindTest.answer('b')} whyNot={whyNot}>
        {l.blind.isB}
      </Button>
      <span className="grow" />
      <span className="dim num">{l.blind.trial(test.trials.length + 1)}</span>
      <Button look="quiet" onClick={hasScore ? playback.blindTest.finish : onLeave}>
        {hasScore ? l.blind.stop : l.blind.leave}
      </Button>
    </>
  )
}

function Score({ test, onLeave }: { test: BlindTest; onLeave: () => void }) {
  const { l, format } = useListenWords()
  const { playback } = useApp()
  const { correct, total, chance } = scoreOf(test.trials)
  const meaning = chance < SURE ? l.blind.meaning.sure : chance < UNSURE ? l.blind.meaning.maybe : l.blind.meaning.no
  const percent = chance < 0.0095 ? (chance * 100).toFixed(1) : format.count(chance * 100)
  return (
    <>
      <output className="row score">
        <b className="num">{l.blind.score(correct, total)}</b>
        <span className="dim">{l.blind.chance(percent)}</span>
        <span>{meaning}</span>
        {total < ENOUGH_TRIALS && <span className="faint few">{l.blind.few}</span>}
      </output>
      <span className="grow" />
      <Button onClick={() => playback.blindTest.start(test.a, test.b)}>{l.blind.again}</Button>
      <Button look="quiet" onClick={onLeave}>
        {l.blind.leave}
      </Button>
    </>
  )
}
