/**
 * Start of the built command line, `dist/main/cli.js`: in syntax that an outdated Node can still parse, to report that it is too old. It
 * imports nothing before.
 */

/** Oldest Node that package.json names. */
const OLDEST = [22, 18] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  const [needed, here] = [OLDEST.join('.'), process.versions.node]
  const locale = process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || ''
  console.error(
    /^ko(?![a-z])/i.test(locale)
      ? `Loudsmith에는 Node ${needed} 이상이 필요한데 지금 버전은 ${here}이에요. 새 버전을 설치하세요.`
      : `Loudsmith needs Node ${needed} or newer, and this is ${here}. Install a newer one.`,
  )
  process.exitCode = 1
} else {
  void import('./cli.ts')
}
