/**
 * Keeps this machine's own addresses from every proxy. Where `NODE_USE_ENV_PROXY` is set, Node sends `fetch` through `HTTP_PROXY` but
 * for the hosts in `NO_PROXY`, which it reads anew at each request; the service listens on loopback, where no proxy may be asked for
 * it. Imported before anything is fetched.
 */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', '::1']

/** Returns what of `environment` has to change so that loopback is reached directly and everything else as before. Pure. */
export function withDirectLoopback(environment: Readonly<Record<string, string | undefined>>): {
  readonly NO_PROXY: string
  readonly no_proxy: string
} {
  // The one in small letters counts where both are set.
  const given = environment.no_proxy || environment.NO_PROXY || ''
  const hosts = given.split(/[\s,]+/).filter((host) => host !== '')
  const missing = LOOPBACK.filter((host) => !hosts.includes(host))
  const list = hosts.includes('*') ? given : [...hosts, ...missing].join(',')
  return { NO_PROXY: list, no_proxy: list }
}

Object.assign(process.env, withDirectLoopback(process.env))
