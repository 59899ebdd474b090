/** Environment variables that the server reads. */
import { wholeNumber } from '../src-contract/whole-number.ts'
import { LOG_LEVELS, type LogLevel } from '../src-system/log.ts'

/** Policy of one process, fixed at its start. */
export interface Config {
  readonly logLevel: LogLevel
  /** An ffmpeg with precedence over every other. */
  readonly ffmpegPath: string | undefined
  /** Time limit of an engine process for one job, milliseconds. */
  readonly jobTimeoutMs: number
  /** Time for an engine process to stop before it is killed, milliseconds. */
  readonly engineGraceMs: number
  /** Time without a request after which the audition process ends, milliseconds. */
  readonly auditionIdleMs: number
  /** Queue between machines, and the store of their files; only used with a farm. */
  readonly queue: string | undefined
  readonly queuePassword: string | undefined
  readonly blobs: string | undefined
  /** Names with our prefix that are not ours: misspelt, or another program's. */
  readonly unknownNames: readonly string[]
}

const DEFAULTS: Omit<Config, 'unknownNames'> = {
  logLevel: 'info',
  ffmpegPath: undefined,
  jobTimeoutMs: 1_800_000,
  engineGraceMs: 3_000,
  auditionIdleMs: 60_000,
  queue: undefined,
  queuePassword: undefined,
  blobs: undefined,
}

const READERS: Readonly<Record<string, (text: string) => Partial<Config>>> = {
  MASTER_LOG_LEVEL: (text) => ({ logLevel: oneOf('MASTER_LOG_LEVEL', LOG_LEVELS, text) }),
  MASTER_FFMPEG_PATH: (text) => ({ ffmpegPath: text }),
  MASTER_JOB_TIMEOUT_MS: (text) => ({ jobTimeoutMs: positive('MASTER_JOB_TIMEOUT_MS', text) }),
  MASTER_ENGINE_GRACE_MS: (text) => ({ engineGraceMs: positive('MASTER_ENGINE_GRACE_MS', text) }),
  MASTER_AUDITION_IDLE_MS: (text) => ({ auditionIdleMs: positive('MASTER_AUDITION_IDLE_MS', text) }),
  MASTER_QUEUE: (text) => ({ queue: text }),
  MASTER_QUEUE_PASSWORD: (text) => ({ queuePassword: text }),
  MASTER_BLOBS: (text) => ({ blobs: text }),
}

/** Names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(READERS)

/** The value of a setting cannot be used. */
export class SettingError extends Error {
  readonly setting: string
  /** Allowed values, if they are a list. */
  readonly allowed: readonly string[] | undefined

  constructor(setting: string, allowed?: readonly string[]) {
    super(`${setting} cannot be used`)
    this.name = 'SettingError'
    this.setting = setting
    this.allowed = allowed
  }
}

/** Returns the frozen configuration. Throws a {@link SettingError} that names the variable if one of ours has an unusable value. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const set = Object.entries(environment).filter(([name, text]) => name.startsWith('MASTER_') && text)
  const parts = set.map(([name, text]) => READERS[name]?.(text ?? ''))
  const unknownNames = set.map(([name]) => name).filter((name) => !SETTING_NAMES.includes(name))
  return Object.freeze(Object.assign({ ...DEFAULTS, unknownNames }, ...parts))
}

function positive(name: string, text: string): number {
  const value = wholeNumber(text) ?? 0
  if (!Number.isSafeInteger(value) || value === 0) throw new SettingError(name)
  return value
}

function oneOf<const Values extends readonly string[]>(name: string, values: Values, text: string): Values[number] {
  if (!values.includes(text)) throw new SettingError(name, values)
  return text
}
