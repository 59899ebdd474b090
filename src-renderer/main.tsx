import { createRoot } from 'react-dom/client'
import { createClient } from '../src-contract/client.ts'
import { openSession } from './api/session.ts'
import { App } from './app.tsx'
import { AppContext, createAppState } from './state/app-state.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/overlays.css'
import './styles/shell.css'
import './styles/first-run.css'
import './styles/pages.css'
import './screens/transport.css'
import './screens/master/master.css'
import './screens/master/bench.css'
import './screens/master/sound/sound.css'
import './screens/stage/stage.css'
import './styles/narrow.css'

const client = createClient({ session: null, language: () => navigator.language })
const app = createAppState(await openSession(client))
// A link from a newer start, opened in this tab, changes only the fragment: the page does not reload by itself.
addEventListener('hashchange', () => void openSession(client).then(app.reopen))
void app.start(new AbortController().signal)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <AppContext value={app}>
      <App />
    </AppContext>,
  )
