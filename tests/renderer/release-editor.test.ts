import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Release, Track, TrackChange } from '../../src-contract/releases.ts'
import { FACTS, fieldOf, noStatements } from '../../src-renderer/state/release-drafts.ts'
import { ReleaseEditor } from '../../src-renderer/state/release-editor.ts'
import { inNameOrder, kindOf, titleOfFile } from '../../src-renderer/state/releases.ts'

const ID = 'release'
const track = (track_id: string, position: number): Track =>
  ({
    ...{ track_id, position, state: 'no_song', title: track_id, artists: [], composers: [], lyricists: [] },
    ...{ explicit: false, gap_before_seconds: 0, trim_start_seconds: 0, trim_end_seconds: 0, fade_in_seconds: 0 },
    ...{ fade_in_shape: 'linear', fade_out_seconds: 0, fade_out_shape: 'linear' },
    ...{ gap_in_file: false, continuous_with_next: false },
  }) as Track

/** A program that keeps one release, takes no UPC but that of twelve digits, and may be away. */
function createProgram() {
  let release = {
    release_id: ID,
    title: 'Old',
    artist: 'Sora',
    kind: 'ep',
    tracks: ['a', 'b', 'c'].map((id, at) => track(id, at + 1)),
  } as unknown as Release
  let nextId = 1
  const state = { isAway: false, calls: [] as string[] }
  const numbered = (tracks: readonly Track[]) => tracks.map((one, at) => ({ ...one, position: at + 1 }))
  const change = (next: Partial<Release>) => {
    release = { ...release, ...next }
    return structuredClone(release)
  }
  const calls = {
    readRelease: () => change({}),
    changeRelease({ body }: { body: Partial<Release> }) {
      if (body.upc && body.upc.length !== 12)
        throw new ApiError({
          ...{ code: 'INVALID_REQUEST', param: 'upc' },
          envelope: {
            error: { code: 'INVALID_REQUEST', message: 'The value of "upc" is wrong.', details: ['Twelve digits.'] },
          },
        })
      return change(body)
    },
    changeTrack: ({ params, body }: { params: { track_id: string }; body: TrackChange }) =>
      change({
        tracks: release.tracks.map((one) => (one.track_id === params.track_id ? ({ ...one, ...body } as Track) : one)),
      }),
    removeTrack: ({ params }: { params: { track_id: string } }) =>
      change({ tracks: numbered(release.tracks.filter(({ track_id }) => track_id !== params.track_id)) }),
    addTracks({ body }: { body: { tracks: TrackChange[]; position?: number } }) {
      const added = body.tracks.map((one) => ({ ...track(`new${nextId++}`, 0), ...one }) as Track)
      return change({
        tracks: numbered(release.tracks.toSpliced((body.position ?? release.tracks.length + 1) - 1, 0, ...added)),
      })
    },
    orderTracks: ({ body }: { body: { track_ids: string[] } }) =>
      change({ tracks: numbered(body.track_ids.map((id) => release.tracks.find((one) => one.track_id === id)!)) }),
  }
  const call = async (name: keyof typeof calls, args: never) => {
    if (state.isAway) throw new ApiError({ code: 'UNREACHABLE' })
    state.calls.push(name)
    return calls[name](args)
  }
  return { state, client: { call } as unknown as Client, stored: () => release }
}

describe('the open release', () => {
  let program: ReturnType<typeof createProgram>
  let editor: ReleaseEditor
  let kept: Map<string, string>
  const settle = () => vi.advanceTimersByTimeAsync(5000)
  const open = async () => {
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
    }
    editor = new ReleaseEditor({ client: program.client, storage, onStored: () => undefined })
    editor.open(ID)
    await settle()
  }
  const shown = () => editor.store.getState().shown
  const ids = () => shown()?.tracks.map(({ track_id }) => track_id)

  beforeEach(async () => {
    vi.useFakeTimers()
    program = createProgram()
    kept = new Map()
    await open()
  })

  it('shows at once what is written and stores it when the keys rest', async () => {
    for (const title of ['N', 'Ne', 'New']) editor.change(FACTS, { title })
    expect(shown()?.title).toBe('New')
    expect(program.stored().title).toBe('Old')
    await settle()
    expect(program.stored().title).toBe('New')
    expect(program.state.calls.filter((name) => name === 'changeRelease')).toHaveLength(1)
    expect(editor.store.getState()).toMatchObject({ saving: 'saved', draft: {} })
  })

  it('keeps a value that is refused in its field and stores the others', async () => {
    editor.change(FACTS, { upc: '1' })
    editor.change(FACTS, { label: 'Own' })
    await settle()
    expect(program.stored()).toMatchObject({ label: 'Own' })
    expect(editor.store.getState().refused).toEqual({ [fieldOf(FACTS, 'upc')]: 'Twelve digits.' })
    await open()
    expect(shown()?.upc).toBe('1')
    editor.change(FACTS, { upc: '123456789012' })
    expect(editor.store.getState().refused).toEqual({})
    await settle()
    expect(program.stored().upc).toBe('123456789012')
  })

  it('stores what was typed while an older value was being refused', async () => {
    editor.change(FACTS, { upc: '12' })
    const trying = editor.saved()
    editor.change(FACTS, { upc: '036000291452' })
    await trying
    await settle()
    expect(program.stored().upc).toBe('036000291452')
    expect(editor.store.getState()).toMatchObject({ saving: 'saved', refused: {}, draft: {} })
  })

  it('loses no word while the program is away, nor with the page', async () => {
    program.state.isAway = true
    editor.change('b', { title: 'Written' })
    await settle()
    expect(editor.store.getState().saving).toBe('waiting')
    program.state.isAway = false
    await open()
    expect(program.stored().tracks[1]?.title).toBe('Written')
    expect(kept.get('loudsmith.release-drafts')).toBe('{}')
  })

  it('takes one cell or a paste back in one step, and makes it again', async () => {
    editor.changeAll([
      ['a', { isrc: '1' }],
      ['b', { isrc: '2' }],
    ])
    await settle()
    editor.edits.undo()
    await settle()
    expect(program.stored().tracks.map(({ isrc }) => isrc)).toEqual(['', '', undefined])
    editor.edits.redo()
    await settle()
    expect(program.stored().tracks.map(({ isrc }) => isrc)).toEqual(['1', '2', undefined])
  })

  it('takes a statement about AI back without those that were there before', async () => {
    const said = { ...noStatements(FACTS), lyrics: { use: 'none' }, artwork: { use: 'none' } }
    editor.changeAll([[FACTS, { disclosure: said }]])
    await settle()
    editor.changeAll([[FACTS, { disclosure: { ...said, vocals: { use: 'generated' } } }]])
    await settle()
    editor.edits.undo()
    await settle()
    expect(program.stored().disclosure).toEqual(said)
    editor.edits.undo()
    await settle()
    expect(program.stored().disclosure).toEqual(noStatements(FACTS))
  })

  it('moves tracks at once, stores the last order only, and one drag is one step', async () => {
    editor.hold(true)
    editor.move('c', -1)
    editor.move('c', -1)
    editor.hold(false)
    expect(ids()).toEqual(['c', 'a', 'b'])
    expect(shown()?.tracks.map(({ position }) => position)).toEqual([1, 2, 3])
    await settle()
    expect(program.state.calls.filter((name) => name === 'orderTracks')).toHaveLength(1)
    expect(program.stored().tracks.map(({ track_id }) => track_id)).toEqual(['c', 'a', 'b'])
    editor.edits.undo()
    expect(ids()).toEqual(['a', 'b', 'c'])
  })

  it('puts a track back in its place, and steps before that still find it', async () => {
    editor.change('b', { title: 'Second' })
    await settle()
    editor.remove(['b'])
    expect(ids()).toEqual(['a', 'c'])
    await settle()
    expect(program.stored().tracks).toHaveLength(2)
    editor.edits.undo()
    await settle()
    expect(program.stored().tracks.map(({ title }) => title)).toEqual(['a', 'Second', 'c'])
    editor.edits.undo()
    await settle()
    expect(program.stored().tracks.map(({ title }) => title)).toEqual(['a', 'b', 'c'])
  })

  it('keeps the same objects for what did not change', async () => {
    const before = shown()?.tracks
    editor.change('b', { title: 'Other' })
    await settle()
    expect(shown()?.tracks[0]).toBe(before?.[0])
    expect(shown()?.tracks[1]).not.toBe(before?.[1])
  })
})

describe('a release of files', () => {
  it('has its tracks in the order of the numbers in their names', () => {
    const songs = ['10 b.wav', '2 a.wav', '1 c.wav'].map((name) => ({ file: new File([], name) }))
    expect(inNameOrder(songs).map(({ file }) => file.name)).toEqual(['1 c.wav', '2 a.wav', '10 b.wav'])
  })

  it('has titles without the number before them, but never none', () => {
    expect(['01 - Low Tide.wav', '3. 봄밤.flac', '1999.mp3', '7 Rings.wav', '50ft.wav'].map(titleOfFile)).toEqual([
      ...['Low Tide', '봄밤', '1999', 'Rings', '50ft'],
    ])
  })

  it('is a single, an EP or an album by their count', () => {
    expect([1, 2, 6, 7].map(kindOf)).toEqual(['single', 'ep', 'ep', 'album'])
  })
})
