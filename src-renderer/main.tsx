import './styles/tokens.css'
import './styles/base.css'
import './styles/plots.css'
import './styles/controls.css'
import './styles/shell.css'
import { createRoot } from 'react-dom/client'
import { createClient } from '../src-contract/client.ts'
import { openSession } from './api/session.ts'
import { App } from './app.tsx'
import { AppContext, createAppState } from './state/app-state.ts'

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
