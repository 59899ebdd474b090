/** One-time tickets: each lets one browser exchange the link of the page for the session's credential. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { TICKET_SECONDS } from '../../src-contract/limits.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { AppError } from '../http/app-error.ts'
import { requireOwner, route } from '../http/route.ts'

/** The tickets of this start; none survives it. */
export interface Tickets {
  /** Returns a new ticket, 43 characters of base64url, valid for {@link TICKET_SECONDS} and for one exchange. */
  mint(): string
  /** Returns whether `ticket` was valid, and ends it. */
  redeem(ticket: string): boolean
}

/** Random bytes of a ticket: 256 bits cannot be guessed. */
const TICKET_BYTES = 32
/** More than anyone opens within a ticket's lifetime; a new one replaces the oldest. */
const MAX_OUTSTANDING = 100

/** Returns an empty set of tickets, which keeps digests only. */
export function createTickets({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  readonly random: Pick<Random, 'randomBytes'>
}): Tickets {
  const mintedByDigest = new Map<string, { readonly wallMs: number; readonly monotonicMs: number }>()
  return {
    mint() {
      const ticket = random.randomBytes(TICKET_BYTES).toString('base64url')
      mintedByDigest.set(digest(ticket), { wallMs: clock.now(), monotonicMs: clock.monotonicMs() })
      const [oldest] = mintedByDigest.keys()
      if (mintedByDigest.size > MAX_OUTSTANDING && oldest !== undefined) mintedByDigest.delete(oldest)
      return ticket
    },
    redeem(ticket) {
      const minted = mintedByDigest.get(digest(ticket))
      mintedByDigest.delete(digest(ticket))
      if (!minted) return false
      // The monotonic clock stands still while the machine sleeps, the wall clock can be set back.
      const ageMs = Math.max(clock.now() - minted.wallMs, clock.monotonicMs() - minted.monotonicMs)
      return ageMs < TICKET_SECONDS * 1000
    },
  }
}

/** Serves `/app/tickets` to the owner and `/app/session` to the holder of a ticket. */
export function ticketRoutes(
  app: FastifyInstance,
  {
    tickets,
    sessionCredential,
    onRedeemed,
  }: {
    readonly tickets: Tickets
    readonly sessionCredential: string
    /** Called with a ticket that is spent now. */
    readonly onRedeemed: (ticket: string) => void
  },
): void {
  route(app, ENDPOINTS.createTicket, ({ caller }) => {
    requireOwner(caller)
    return { status: 201, body: { ticket: tickets.mint(), expires_in_seconds: TICKET_SECONDS } }
  })
  route(app, ENDPOINTS.openSession, ({ body }) => {
    if (!tickets.redeem(body.ticket)) throw new AppError('TICKET_SPENT')
    onRedeemed(body.ticket)
    return { status: 200, body: { credential: sessionCredential } }
  })
}

function digest(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url')
}
