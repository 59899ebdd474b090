/** Every key on one sheet. */
import { Fragment } from 'react'
import { useWords } from '../text/context.tsx'
import { Modal } from './dialogs.tsx'
import './key-sheet.css'

const GROUPS = [
  {
    group: 'everywhere',
    rows: [
      ['choose', 'Ctrl O'],
      ['paste', 'Ctrl V'],
      ['undo', 'Ctrl Z'],
      ['redo', 'Ctrl Shift Z'],
      ['search', '/'],
      ['sheet', '?'],
      ['escape', 'Esc'],
    ],
  },
  {
    group: 'list',
    rows: [
      ['start', 'Enter'],
      ['move', '↑ ↓'],
      ['all', 'Ctrl A · Esc'],
      ['reorder', 'Alt ↑ ↓'],
      ['remove', 'Delete'],
      ['play', 'Space'],
      ['playSelected', 'Shift Space'],
    ],
  },
  {
    group: 'release',
    rows: [
      ['play', 'Space'],
      ['swapEqual', 'X'],
      ['levelEqual', 'L'],
      ['seek', '← →'],
      ['write', 'Enter · F2'],
      ['cells', 'Ctrl C · V'],
      ['reorder', 'Alt ↑ ↓'],
      ['clear', 'Delete'],
    ],
  },
  {
    group: 'listen',
    rows: [
      ['play', 'Space'],
      ['versions', '0 · 1–6 · R · C'],
      ['make', 'Shift 1–6'],
      ['swap', 'X'],
      ['difference', '\\'],
      ['suggestion', 'S'],
      ['level', 'L · Shift L'],
      ['seek', '← →'],
      ['loop', 'I · O · P'],
      ['zoom', '+ · −'],
    ],
  },
] as const

export function KeySheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useWords()
  const isMac = navigator.platform.startsWith('Mac')
  return (
    <Modal title={t.keysheet.title} isOpen={isOpen} onClose={onClose} shape="full">
      <div className="keysheet">
        {GROUPS.map(({ group, rows }) => (
          <section key={group}>
            <h3>{t.keysheet.groups[group]}</h3>
            <dl>
              {rows.map(([row, keys]) => (
                <div key={row}>
                  <dt>{t.keysheet.rows[row]}</dt>
                  <dd>
                    {(isMac ? keys.replace('Ctrl', '⌘').replace('Delete', '⌘ ⌫') : keys)
                      .split(' · ')
                      .map((part, index) => (
                        <Fragment key={part}>
                          {index > 0 && <i>·</i>}
                          {part.split(' ').map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                        </Fragment>
                      ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
