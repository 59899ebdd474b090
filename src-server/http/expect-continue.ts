/** Support for `Expect: 100-continue` (RFC 9110 section 10.1.1): the client sends a body only when asked for it. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const held = new WeakMap<IncomingMessage, ServerResponse>()

/** Records that the body of `request` is held back until `response` asks for it. */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  held.set(request, response)
}

/** Returns whether the client is still waiting to be asked. */
export function isBodyHeld(request: IncomingMessage): boolean {
  return held.has(request)
}

/** Asks for the body if the client waits for that; every reader of a body calls it first. */
export function askForBody(request: IncomingMessage): void {
  held.get(request)?.writeContinue()
  held.delete(request)
}
