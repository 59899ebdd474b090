import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type FfmpegError, listEncoders, runFfmpeg } from '../../../src-worker/media/ffmpeg.ts'
import { FfmpegMissingError, locateFfmpeg, readVersion } from '../../../src-worker/media/locate.ts'
import { parseTags } from '../../../src-worker/media/tags.ts'
import { quickFfmpeg } from '../../support/quick-ffmpeg.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

function script(name: string, body: string): string {
  writeFileSync(at(name), `#!/bin/sh\n${body}\n`)
  chmodSync(at(name), 0o755)
  return at(name)
}

describe('finding ffmpeg', () => {
  it('uses the one that is set, and only that one', async () => {
    const set = script('mine', 'echo "ffmpeg version 6.1.1-static Copyright"; echo "configuration: --enable-libsoxr"')
    expect(await locateFfmpeg({ explicit: set })).toEqual({
      path: set,
      version: '6.1.1-static',
      origin: 'setting',
      hasSoxr: true,
    })
    await expect(locateFfmpeg({ explicit: at('nowhere') })).rejects.toThrow(FfmpegMissingError)
    const old = script('old', 'echo "ffmpeg version 4.4.2-0ubuntu0.22.04.1 Copyright"')
    await expect(locateFfmpeg({ explicit: old })).rejects.toThrow(/older than 5\.1/)
  })

  it.runIf(process.platform !== 'win32')('does not wait for one that hangs and ignores SIGTERM', async () => {
    execFileSync('mkfifo', [at('never')])
    const deaf = script('deaf', `echo $$ > '${at('deaf.pid')}'; trap '' TERM; read line < '${at('never')}'`)
    await expect(locateFfmpeg({ explicit: deaf })).rejects.toThrow(FfmpegMissingError)
    expect(() => process.kill(Number(readFileSync(at('deaf.pid'), 'utf8')), 0)).toThrow('ESRCH')
  })

  it.runIf(process.platform !== 'win32')('prefers the packaged one to the system one', async () => {
    const resourcesDir = folder
    mkdirSync(at('bin'))
    script('bin/ffmpeg', 'echo "ffmpeg version 7.0 Copyright"')
    expect(await locateFfmpeg({ resourcesDir })).toMatchObject({ origin: 'packaged', version: '7.0', hasSoxr: false })
  })

  // ffmpeg-static, where its download succeeded, comes before.
  it.skipIf(process.platform === 'win32' || ffmpeg.origin === 'ffmpeg-static')(
    'takes the first of the PATH that is new enough, and none that lies where the program happened to be started',
    async () => {
      for (const [place, version] of Object.entries({ here: '9.9', first: '4.4', second: '6.0' })) {
        mkdirSync(at(place))
        script(`${place}/ffmpeg`, `echo "ffmpeg version ${version} Copyright"`)
      }
      const here = path.relative(process.cwd(), at('here'))
      vi.stubEnv('PATH', ['', here, at('first'), at('second')].join(path.delimiter))
      try {
        expect(await locateFfmpeg()).toMatchObject({ origin: 'system', path: at('second/ffmpeg'), version: '6.0' })
      } finally {
        vi.unstubAllEnvs()
      }
    },
  )

  it.each([
    ['ffmpeg version 5.1.9-0+deb12u1 Copyright', true],
    ['ffmpeg version n7.0-7-gd38bf5e08e-20240407 Copyright', true],
    ['ffmpeg version N-112233-gabcdef Copyright', true],
    ['ffmpeg version 5.0.1 Copyright', false],
    ['ffmpeg version 4.4 Copyright', false],
  ])('reads "%s"', (text, isNewEnough) => {
    expect(readVersion(text)).toMatchObject({ isNewEnough })
  })

  it('refuses another program', () => {
    expect(readVersion('avconv version 12')).toBeUndefined()
  })
})

describe('running ffmpeg', () => {
  const decodeToNothing = (from: string, format: string) => ({
    operation: 'read',
    input: { from, format },
    outputOptions: ['-f', 'null'],
    output: '-',
    timeLimitSeconds: 20,
  })

  it('reads a file only with the given demuxer', async () => {
    writeFileSync(at('list.mp3'), '#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:9/secret.mp3\n')
    const failure = runFfmpeg(ffmpeg, decodeToNothing(at('list.mp3'), 'mp3'))
    await expect(failure).rejects.toMatchObject({ name: 'FfmpegError', fault: 'failed', operation: 'read' })
  })

  it('has no network', async () => {
    const failure = runFfmpeg(ffmpeg, decodeToNothing('http://127.0.0.1:9/song.mp3', 'mp3')).catch(
      (error: FfmpegError) => error,
    )
    expect((await failure)!.lastLines.join('\n')).toMatch(/not on whitelist|Protocol/i)
  })

  it('keeps the last lines for the log', async () => {
    const error = await runFfmpeg(ffmpeg, decodeToNothing(at('nothing.wav'), 'wav')).catch((e: FfmpegError) => e)
    expect((error as FfmpegError).lastLines.join('\n')).toMatch(/No such file/)
  })

  it.runIf(process.platform !== 'win32')('ends a call that takes too long', async () => {
    const slow = script('slow', 'exec sleep 30')
    const call = { ...decodeToNothing(at('x.wav'), 'wav'), timeLimitSeconds: 0.5 }
    await expect(runFfmpeg({ ...ffmpeg, path: slow }, call)).rejects.toMatchObject({ fault: 'time_limit' })
  })

  it.runIf(process.platform !== 'win32')('ends the processes that a wrapper of it has started', async () => {
    const wrapper = script('wrapper', `sleep 600 & echo $! > '${at('grandchild')}'; wait`)
    const call = { ...decodeToNothing(at('x.wav'), 'wav'), timeLimitSeconds: 1 }
    await expect(runFfmpeg({ ...ffmpeg, path: wrapper }, call)).rejects.toMatchObject({ fault: 'time_limit' })
    const grandchild = Number(readFileSync(at('grandchild'), 'utf8'))
    // A process that nobody has waited for yet still has its number.
    const isGone = () => {
      try {
        return / Z /.test(readFileSync(`/proc/${grandchild}/stat`, 'utf8'))
      } catch {
        return true
      }
    }
    await expect.poll(isGone).toBe(true)
  })

  it.runIf(process.platform !== 'win32').each([
    ['exit 1', 'failed'],
    ['kill -SEGV $$', 'crashed'],
    ['sh -c "kill -ABRT \\$\\$"', 'crashed'],
    ['kill -KILL $$', 'killed'],
    ['echo "x: Input/output error" >&2; exit 0', 'short'],
    ['echo "  title : Input/output error" >&2; exit 0', undefined],
    ['echo "x: No space left on device" >&2; exit 1', 'disk_full'],
    ['echo "x: Cannot allocate memory" >&2; exit 1', 'out_of_memory'],
  ])('that ends by "%s" is told as %s', async (body, fault) => {
    const ended = runFfmpeg({ ...ffmpeg, path: script('ends', body) }, decodeToNothing(at('x.wav'), 'wav'))
    if (fault) await expect(ended).rejects.toMatchObject({ fault })
    else await ended
  })

  it.runIf(process.platform !== 'win32')('accepts every parsing limit, in each version', async () => {
    writeFloatWav(at('limits.wav'), songLike(1), 44_100)
    const known = [ffmpeg, await locateFfmpeg({ explicit: quickFfmpeg().MASTER_FFMPEG_PATH })]
    for (const one of known) await runFfmpeg(one, decodeToNothing(at('limits.wav'), 'wav'))
  })

  describe.runIf(process.platform !== 'win32')('without any output', () => {
    const pidFile = at('pid')
    const hanging = (before: string) => ({
      ...ffmpeg,
      path: script('hangs', `echo $$ > ${pidFile}; ${before} exec sleep 30`),
    })
    const call = { ...decodeToNothing(at('x.wav'), 'wav'), timeLimitSeconds: 30, stallSeconds: 0.4, output: () => {} }
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }

    it.each([
      ['from the start', ''],
      ['after some output', 'head -c 100000 /dev/zero;'],
      ['after some lines', 'echo hello >&2;'],
    ])('%s is ended long before its time limit, and says so', async (_when, before) => {
      const start = performance.now()
      const failure = runFfmpeg(hanging(before), call)
      await expect(failure).rejects.toMatchObject({
        fault: 'time_limit',
        message: expect.stringContaining('nothing came'),
      })
      expect(performance.now() - start).toBeLessThan(3000)
      await expect.poll(() => isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
    })

    it('is not ended while it gives output, lines or a growing file, however slowly', async () => {
      for (const [sign, output] of [
        ['echo x', () => {}],
        ['echo x >&2', () => {}],
        [`echo x >> ${at('grows')}`, at('grows')],
      ] as const) {
        const slow = script('slow-but-alive', `for i in 1 2 3 4 5 6 7 8; do ${sign}; sleep 0.1; done`)
        await runFfmpeg({ ...ffmpeg, path: slow }, { ...call, output })
      }
    })
  })

  it('knows the audio encoders of an ffmpeg, and no other', async () => {
    const names = await listEncoders(ffmpeg)
    expect(names).toContain('aac')
    expect(names).toContain('flac')
    for (const name of ['mjpeg', '=', 'srt', 'Audio']) expect(names).not.toContain(name)
    await expect(listEncoders({ ...ffmpeg, path: at('gone') })).rejects.toMatchObject({ fault: 'missing' })
  })

  it('reports a missing program', async () => {
    const call = decodeToNothing(at('x.wav'), 'wav')
    await expect(runFfmpeg({ ...ffmpeg, path: at('gone') }, call)).rejects.toMatchObject({ fault: 'missing' })
  })

  it('rejects with the error of the receiver of the output', async () => {
    writeFloatWav(at('song.wav'), songLike(1), 44_100)
    const call = {
      ...decodeToNothing(at('song.wav'), 'wav'),
      outputOptions: ['-f', 'f32le'],
      output: () => {
        throw new Error('enough')
      },
    }
    await expect(runFfmpeg(ffmpeg, call)).rejects.toThrow('enough')
  })
})

describe('tags', () => {
  it('survive the escapes of the metadata format and lose control characters', () => {
    const text =
      ';FFMETADATA1\ntitle=A \\= B \\; C\\\nsecond line\nARTIST=Mi\u0301a\u0007\nencoder=Lavf60\nreplaygain_track_gain=-7 dB\nmood=x\nconstructor=y\n[CHAPTER]\ntitle=no\n'
    expect(parseTags(Buffer.from(text)).tags).toEqual({
      title: 'A = B ; C\nsecond line',
      artist: 'Mía',
      other: { mood: 'x', constructor: 'y' },
    })
  })
})
