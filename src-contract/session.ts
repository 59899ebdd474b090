/** The way into the page in a browser: a one-time ticket, exchanged for the session's credential. */
import Type from 'typebox'
import { exactly } from './common.ts'
import { endpoints } from './endpoint.ts'

const tag = 'App'

/** Fragment member of the page's link with the ticket: fragments are never sent to servers or logged. */
const TICKET_MEMBER = 'ticket'

/** Returns the link that opens the page at `baseUrl` once. */
export function linkOf(baseUrl: string, ticket: string): string {
  return `${baseUrl}/#${TICKET_MEMBER}=${ticket}`
}

/** Returns the ticket in a fragment such as `#ticket=abc`; null without a readable one. Pure. */
export function ticketIn(fragment: string): string | null {
  const [, text] = new RegExp(`(?:^#|&)${TICKET_MEMBER}=([^&]+)`).exec(fragment) ?? []
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}

export const sessionEndpoints = endpoints({
  createTicket: {
    method: 'POST',
    path: '/app/tickets',
    access: 'session',
    tag,
    summary: 'Make a one-time ticket for the link of the page',
    description: 'Takes the control credential in `owner.json` of the data directory, which only its owner can read.',
    answers: {
      201: {
        description: 'The ticket. It is exchanged once, at `POST /app/session`, while it is valid.',
        schema: exactly({
          ticket: Type.String(),
          expires_in_seconds: Type.Integer({ description: 'Seconds from this answer on.' }),
        }),
      },
    },
    errors: ['OWNER_REQUIRED'],
  },
  openSession: {
    method: 'POST',
    path: '/app/session',
    access: 'open',
    tag,
    summary: "Exchange a one-time ticket for the app's own credential",
    body: exactly({ ticket: Type.String({ minLength: 1, maxLength: 200 }) }),
    answers: {
      200: {
        description: 'The credential of this start, for `Authorization: Bearer`.',
        schema: exactly({ credential: Type.String() }),
      },
    },
    errors: ['INVALID_REQUEST', 'TICKET_SPENT'],
  },
})
