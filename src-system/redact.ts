/** Redaction of secrets and user names from texts that leave this computer. */

export interface Redaction {
  /** Home folder of the user, which becomes `~`. */
  readonly home?: string
  /** Known secrets, removed wherever they appear. */
  readonly secrets?: readonly string[]
}

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])$/i
/** Shortest secret, characters; shorter words appear in any text. */
const SHORTEST_SECRET = 6

/**
 * Returns a text without API keys, webhook secrets, bearer credentials, values named as secrets, links and the known secrets. Addresses
 * lose user, password and query; other machines' keep only their host, since the path of a webhook is often its secret. Home folders become
 * `~`. The text may be JSON with doubled backslashes. Never throws.
 */
export function redact(text: string, { home = '', secrets = [] }: Redaction = {}): string {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET)
  const without = known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  const plain = without
    .replace(/ams_live_[0-9a-f]{32}/gi, 'ams_live_[redacted]')
    .replace(/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_[redacted]')
    .replace(/(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi, '$1[redacted]')
    .replace(/(#(?:session|ticket)=)[^\s"&]+/g, '$1[redacted]')
    .replace(/(\/l\/)[A-Za-z0-9_-]{16,}/g, '$1[redacted]')
    .replace(NAMED_SECRET, '$1[redacted]')
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'<>/@\\]+@/gi, '$1')
    .replace(ADDRESS, (_, scheme: string, host: string, port: string, rest: string) =>
      shortened(scheme, host, port, rest),
    )
  return withoutHome(plain, home)
}

/** Value of a variable, member, header or parameter with the name of a secret. */
const NAMED_SECRET =
  /((?:\b|_)(?:password|passwd|secret|token|api_?key|access_?key|cookie|authorization)"?\s*[=:]\s*"?)(?!\[redacted\]|Bearer\s)[^\s"&,;}]+/gi

/** Scheme, user and password, host, port, and the rest up to a character invalid in addresses. */
const ADDRESS =
  /\b(https?|rediss?|s3|ftp):\/\/(?:[^\s"'<>/@\\]*@)?(\[[0-9a-f:.]+\]|[^\s"'<>/:?#@\\]+)(:\d+)?([^\s"'<>\\]*)/gi

function shortened(scheme: string, host: string, port = '', rest = ''): string {
  const shown = LOOPBACK.test(host) ? rest.replace(/\?.*$/, '?[redacted]') : /^\/?$/.test(rest) ? rest : '/[redacted]'
  return `${scheme}://${host}${port}${shown}`
}

/** Homes of users on the three systems. */
const HOME = /(?:\/home\/|\/Users\/|\b[A-Z]:(?:\\\\?|\/)Users(?:\\\\?|\/))[^\s"'<>/\\:]+/g

function withoutHome(text: string, home: string): string {
  const spellings = home.length > 1 ? [home, home.replaceAll('\\', '\\\\')] : []
  // Must not match a folder whose name only begins like it.
  const ofUser = spellings.map(
    (spelling) => new RegExp(`${spelling.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`, 'g'),
  )
  return [...ofUser, HOME].reduce((rest, pattern) => rest.replace(pattern, '~'), text)
}
