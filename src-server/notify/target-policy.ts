/**
 * Policy of callback targets. The server is bound to loopback only, so loopback, private and public receivers are all allowed. Refused in
 * every spelling are link-local addresses (169.254.0.0/16, fe80::/10) and their predecessor (fec0::/10), the metadata services of clouds
 * elsewhere, unspecified, multicast, broadcast and reserved (240.0.0.0/4) addresses, and this server itself.
 */
import ipaddr from 'ipaddr.js'
import { MAX_URL_LENGTH } from '../../src-contract/limits.ts'
import { WEBHOOK_REASONS, type WebhookReason } from '../../src-contract/text/reasons.ts'

/** Reason for the refusal of an address. */
export type Refusal = WebhookReason

/** Returns the reason as an English clause for the delivery log. */
export function refusalText(refusal: Refusal): string {
  return WEBHOOK_REASONS[refusal].en
}

/** An accepted URL, or why it is refused. */
export type UrlVerdict = { readonly url: URL } | { readonly refusal: Refusal }

/**
 * Returns whether callbacks may be sent to `text`, without a name lookup: at most 2 048 characters, absolute, http or https, no user info,
 * and no refused address in any spelling that the WHATWG URL standard reads as one (decimal, octal, hexadecimal, shortened, embedded in
 * IPv6, full-width digits, trailing dot). `ownPort` is the port of this server. A name that resolves to a refused address passes here and
 * is caught by {@link checkAddress} at delivery. Never throws.
 */
export function checkUrl(text: string, ownPort: number): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return { refusal: 'too_long' }
  // The URL parser tolerates white space, control characters and backslashes; a callback address may not contain any.
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
 * Returns why a connection to `address` (an IPv4 or IPv6 address in text form, zone identifier allowed) at `port` is refused, or undefined
 * if it is allowed. IPv4 addresses inside an IPv6 one are checked too. Never throws: text other than an address is `malformed`.
 */
export function checkAddress(address: string, port: number, ownPort: number): Refusal | undefined {
  const plain = address.replace(/%.*$/, '')
  if (!ipaddr.isValid(plain)) return 'malformed'
  const parsed = ipaddr.parse(plain)
  for (const candidate of [parsed, ...embeddedIpv4(parsed)]) {
    if (contains(SITE_LOCAL, candidate)) return 'link_local'
    if (METADATA_SERVICES.some((block) => contains(block, candidate))) return 'metadata'
    if (RESERVED.some((block) => contains(block, candidate)))
      return candidate.range() === 'broadcast' ? 'multicast' : 'reserved'
    switch (candidate.range()) {
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
  // A connection to an IPv4-mapped address uses IPv4; other embeddings lead to the network.
  return ipaddr.process(address).range() === 'loopback'
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

// RFC 6761 section 6.3: every name below localhost is loopback, even if a resolver disagrees.
function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname)
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Addresses outside the link-local ranges where clouds hand out credentials without authentication, from their own documentation: AWS
 * (fd00:ec2::/32 contains IMDS and EKS Pod Identity), Google (fd20:ce::254), Alibaba, Oracle (192.0.0.192, fd00:c1::a9fe:a9fe), Azure's
 * wire server and Scaleway.
 */
const METADATA_SERVICES = [
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
].map((block) => ipaddr.parseCIDR(block))

/** Site-local addresses, deprecated by RFC 3879. */
const SITE_LOCAL = ipaddr.parseCIDR('fec0::/10')

/** Reserved for future use (RFC 1112 section 4), with the limited broadcast address at its end. */
const RESERVED = [ipaddr.parseCIDR('240.0.0.0/4')]

function contains([network, bits]: Block, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits)
}

/**
 * IPv4 addresses inside an IPv6 one: mapped and compatible (RFC 4291 section 2.5.5), translated (RFC 7915), NAT64 (RFC 6052, with every
 * prefix length inside the local-use prefix of RFC 8215), 6to4 (RFC 3056), Teredo's server and client (RFC 4380 section 4) and
 * ISATAP (RFC 5214 section 6.1).
 */
function embeddedIpv4(address: Address): ipaddr.IPv4[] {
  if (address.kind() === 'ipv4') return []
  const bytes = address.toByteArray()
  const at = (...places: number[]) => new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0))
  const last = at(12, 13, 14, 15)
  // The universal and group bits of the interface identifier may have any value.
  const isIsatap = ((bytes[8] ?? 0) & 0xfc) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0)
  const found = isIsatap || isCompatible ? [last] : []
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
      return [last]
    case 'rfc6052': {
      if (bytes[5] !== 1) return [last]
      // A translator may read any of these positions; the others contain parts of the address and zeros.
      const places = [last, at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12)]
      const meant = places.filter(({ octets: [first = 0] }) => first > 0 && first < 224)
      return meant.length > 0 ? meant : [last]
    }
    case '6to4':
      return [...found, at(2, 3, 4, 5)]
    case 'teredo':
      return [...found, at(4, 5, 6, 7), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))]
    default:
      return found
  }
}
