/**
 * Where a callback may go. The server is bound to loopback only, so loopback, private and public receivers are all allowed;
 * never allowed, in any spelling, are link-local (169.254.0.0/16 with the cloud metadata address, fe80::/10), unspecified,
 * multicast and broadcast addresses, and this server itself.
 */
import ipaddr from 'ipaddr.js'
import { MAX_URL_LENGTH } from '../contract/limits.ts'
import { WEBHOOK_REASONS, type WebhookReason } from '../contract/text/reasons.ts'

/** Why an address is refused. */
export type Refusal = WebhookReason

/** Returns the English clause that says why, for the delivery log. */
export function refusalText(refusal: Refusal): string {
  return WEBHOOK_REASONS[refusal].en
}

/** An accepted URL, or why it is refused. */
export type UrlVerdict = { readonly url: URL } | { readonly refusal: Refusal }

/**
 * Returns whether callbacks may be sent to `text`, judged without asking the name service: at most 2 048 characters, absolute,
 * http or https, no user info, and no refused address in any spelling the WHATWG URL standard reads as one (decimal, octal,
 * hexadecimal, shortened, IPv4-mapped or otherwise embedded, full-width digits, trailing dot). `ownPort` is the port of this
 * server. A name that resolves to a refused address passes here and is caught by {@link checkAddress} at delivery. Never throws.
 */
export function checkUrl(text: string, ownPort: number): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return { refusal: 'too_long' }
  // The URL parser forgives white space, control characters and backslashes; a callback address has none.
  if (hasForgivenCharacter(text)) return { refusal: 'malformed' }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return { refusal: 'not_absolute' }
  if (scheme !== 'http' && scheme !== 'https') return { refusal: 'scheme' }
  if (!text.slice(scheme.length + 1).startsWith('//')) return { refusal: 'not_absolute' }
  // The parser would take the path for the host.
  if (text[scheme.length + 3] === '/') return { refusal: 'malformed' }
  if (!URL.canParse(text)) return { refusal: 'malformed' }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(text.slice(scheme.length + 3))) {
    return { refusal: 'credentials' }
  }
  const address = literalAddress(url.hostname)
  const refusal = address === undefined ? undefined : checkAddress(address, portOf(url), ownPort)
  if (refusal) return { refusal }
  if (isLoopbackName(url.hostname) && portOf(url) === ownPort) return { refusal: 'own_port' }
  return { url }
}

/**
 * Returns why a connection to `address` (an IPv4 or IPv6 address in text form, zone identifier allowed) at `port` is refused, or
 * undefined where it is allowed. An IPv4 address carried inside an IPv6 one is judged as itself. Never throws: what is no
 * address is `malformed`.
 */
export function checkAddress(address: string, port: number, ownPort: number): Refusal | undefined {
  const plain = address.replace(/%.*$/, '')
  if (!ipaddr.isValid(plain)) return 'malformed'
  for (const candidate of [ipaddr.parse(plain), embeddedIpv4(ipaddr.parse(plain))]) {
    switch (candidate?.range()) {
      case 'linkLocal':
        return 'link_local'
      case 'unspecified':
        return 'unspecified'
      case 'multicast':
      case 'broadcast':
        return 'multicast'
      case 'loopback':
        if (port === ownPort) return 'own_port'
        break
      default:
    }
  }
  return undefined
}

/** Returns whether a URL leads to this machine by its very spelling: a loopback address or a name below localhost. */
export function isLoopbackUrl(url: URL): boolean {
  if (isLoopbackName(url.hostname)) return true
  const address = literalAddress(url.hostname)
  if (address === undefined) return false
  const parsed = ipaddr.parse(address)
  return (embeddedIpv4(parsed) ?? parsed).range() === 'loopback' || parsed.range() === 'loopback'
}

/** Returns the port a request to `url` connects to: the one named, or the scheme's own. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/** Returns the address that the host of a parsed URL spells, without brackets; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return ipaddr.isValid(bare) ? bare : undefined
}

function hasForgivenCharacter(text: string): boolean {
  return [...text].some((character) => character <= ' ' || character === '\u007f' || character === '\\')
}

// RFC 6761 section 6.3: every name below localhost is loopback, whatever a resolver says.
function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname)
}

/** The IPv4 address inside a mapped, compatible, translated (RFC 6145, RFC 6052, RFC 8215) or 6to4 IPv6 address. */
function embeddedIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.kind() === 'ipv4') return undefined
  const bytes = address.toByteArray()
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0)
  const at = (start: number) => new ipaddr.IPv4(bytes.slice(start, start + 4))
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return at(12)
    case '6to4':
      return at(2)
    default:
      return isCompatible ? at(12) : undefined
  }
}
