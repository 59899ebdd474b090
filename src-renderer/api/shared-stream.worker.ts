/** The shared worker that holds the event stream of all tabs. */
import { createClient } from '../../src-contract/client.ts'
import { ownStream } from '../../src-contract/follow-events.ts'
import { standForHub } from './shared-stream.ts'

standForHub(navigator.locks, (session) => ownStream(createClient({ session, language: () => 'en' })))
