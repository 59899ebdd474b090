/**
 * Excludes this machine's own addresses from every proxy. With `NODE_USE_ENV_PROXY`, Node sends `fetch` through `HTTP_PROXY` except for the
 * hosts in `NO_PROXY`, read at each request; the service listens on loopback, which must not go through a proxy. Must be imported before
 * the first fetch.
 */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', '::1']

/** Returns the changes of `environment` that make loopback direct and keep everything else. Pure. */
export function withDirectLoopback(environment: Readonly<Record<string, string | undefined>>): {
  readonly NO_PROXY: string
  readonly no_proxy: string
} {
  // The lower-case variable takes precedence.
  const given = environment.no_proxy || environment.NO_PROXY || ''
  const hosts = given.split(/[\s,]+/).filter((host) => host !== '')
  const missing = LOOPBACK.filter((host) => !hosts.includes(host))
  const list = hosts.includes('*') ? given : [...hosts, ...missing].join(',')
  return { NO_PROXY: list, no_proxy: list }
}

Object.assign(process.env, withDirectLoopback(process.env))
