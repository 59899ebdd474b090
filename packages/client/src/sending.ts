/** Requests that report the progress of sending a form: by XMLHttpRequest in a page, by a counted stream in Node. */

/** Called with the bytes sent and the total; in a page both include the form's framing. */
export type OnSent = (sentBytes: number, totalBytes: number) => void

/** Returns a fetch that calls `onSent` while a form is sent; in a worker, which cannot count, only at the end. */
export function sendingFetch(onSent: OnSent): typeof fetch {
  return async (address, init = {}) => {
    const { body } = init
    if (!(body instanceof FormData)) return fetch(address, init)
    if (typeof XMLHttpRequest !== 'undefined') return sendByPage(String(address), init, body, onSent)
    if ('process' in globalThis) return sendCounted(address, init, body, onSent)
    const response = await fetch(address, init)
    onSent(bytesIn(body), bytesIn(body))
    return response
  }
}

function sendByPage(address: string, init: RequestInit, form: FormData, onSent: OnSent): Promise<Response> {
  const { method = 'POST', headers, signal } = init
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    request.responseType = 'blob'
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded, total)
    request.onload = () => resolve(new Response(request.response as Blob, answerOf(request)))
    request.onerror = () => reject(new TypeError('the request did not reach the service'))
    request.onabort = () => reject(signal?.reason)
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    if (signal?.aborted) reject(signal.reason)
    else request.send(form)
  })
}

function answerOf(request: XMLHttpRequest): ResponseInit {
  const lines = request.getAllResponseHeaders().trim().split(/\r\n/)
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as [string, string]
  })
  return { status: request.status, statusText: request.statusText, headers }
}

async function sendCounted(
  address: Parameters<typeof fetch>[0],
  init: RequestInit,
  form: FormData,
  onSent: OnSent,
): Promise<Response> {
  // Its files are read on demand.
  const { body, headers: own } = new Response(form)
  const totalBytes = bytesIn(form)
  let sentBytes = 0
  const counted = body?.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        sentBytes = Math.min(totalBytes, sentBytes + piece.length)
        onSent(sentBytes, totalBytes)
        controller.enqueue(piece)
      },
    }),
  )
  const headers = new Headers(init.headers)
  headers.set('Content-Type', own.get('content-type') ?? '')
  return fetch(address, { ...init, headers, ...(counted ? { body: counted } : {}), ...{ duplex: 'half' } })
}

const bytesIn = (form: FormData) =>
  [...form.values()].reduce((sum, value) => sum + (typeof value === 'string' ? 0 : value.size), 0)
