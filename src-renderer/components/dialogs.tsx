/** Dialogs and menus: Radix handles focus, Escape and outside presses; the look is ours. */
import { X } from 'lucide-react'
import { Dialog, DropdownMenu } from 'radix-ui'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { useWords } from '../text/context.tsx'
import { Button } from './button.tsx'
import './dialogs.css'

export interface ModalProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** `full` is as wide as the window; `sheet` slides in from the side and keeps the screen's own column look. */
  shape?: 'box' | 'wide' | 'full' | 'sheet'
  description?: string
  /** Gets the focus when the dialog closes, if its opener is gone by then, as an item of a menu is. */
  returnTo?: RefObject<HTMLElement | null>
}

/** A dialog with its title and a close button. The focus returns to its origin, or to the screen if that is gone. */
export function Modal({ title, isOpen, onClose, children, shape = 'box', description, returnTo }: ModalProps) {
  const { t } = useWords()
  const opener = useRef<Element | null>(null)
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content
          className={`modal ${shape}`}
          tabIndex={-1}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement
            focusFirstField(event)
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // The press that closed the dialog may have moved the focus already.
            if (document.activeElement && document.activeElement !== document.body) return
            const from = returnTo?.current ?? opener.current
            const to = from?.isConnected ? from : document.getElementById('content')
            if (to instanceof HTMLElement) to.focus()
          }}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="row">
            <Dialog.Title className="grow">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="quiet" small label={t.close} icon={<X className="i s" aria-hidden="true" />} />
            </Dialog.Close>
          </header>
          {description && <Dialog.Description className="dim">{description}</Dialog.Description>}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Focuses the first field, otherwise the dialog itself: never its close button. */
function focusFirstField(event: Event) {
  event.preventDefault()
  const dialog = event.currentTarget as HTMLElement
  ;(dialog.querySelector<HTMLElement>('input:checked, input:not([type=radio]), td[tabindex="0"]') ?? dialog).focus()
}

export interface MenuItem {
  readonly text: string
  /** Says more in a second line. */
  readonly sentence?: string
  readonly icon?: ReactNode
  readonly onChoose: () => void
  readonly isDanger?: boolean
  readonly isChosen?: boolean
  readonly whyNot?: string | undefined
}

/**
 * One menu for many rows: it opens under `anchor`, and the focus returns there. A table of thousands of rows has plain
 * buttons and a single menu, since a menu in every row makes drawing slow.
 */
export function MenuAt(props: {
  anchor: HTMLElement
  items: readonly (MenuItem | null)[]
  label: string
  onClose: () => void
}) {
  const { anchor, items, label, onClose } = props
  const { left, top, width, height } = anchor.getBoundingClientRect()
  return (
    <DropdownMenu.Root modal={false} open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden="true" tabIndex={-1} className="anchor" style={{ left, top, width, height }} />
      </DropdownMenu.Trigger>
      <MenuContent items={items} label={label} onCloseAutoFocus={() => anchor.focus()} />
    </DropdownMenu.Root>
  )
}

/** A menu under its trigger. `null` among the items draws a line. */
export function Menu({
  trigger,
  items,
  label,
}: {
  trigger: ReactNode
  items: readonly (MenuItem | null)[]
  label: string
}) {
  // Re-rendered when it opens: the screen may have changed.
  const [isOpen, setOpen] = useState(false)
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <MenuContent items={items} label={label} />
    </DropdownMenu.Root>
  )
}

function MenuContent(props: { items: readonly (MenuItem | null)[]; label: string; onCloseAutoFocus?: () => void }) {
  const { items, label, onCloseAutoFocus } = props
  return (
    // Inside the screen it belongs to: content outside all landmarks is hard to find.
    <DropdownMenu.Portal container={document.getElementById('content')}>
      <DropdownMenu.Content
        className="menu"
        align="end"
        sideOffset={4}
        collisionPadding={8}
        aria-label={label}
        {...(onCloseAutoFocus
          ? {
              onCloseAutoFocus: (event: Event) => {
                event.preventDefault()
                onCloseAutoFocus()
              },
            }
          : {})}
      >
        {items.map((item, index) =>
          item ? (
            <DropdownMenu.Item
              key={item.text}
              className={`menu-item ${item.isDanger ? 'danger' : ''} ${item.isChosen ? 'chosen' : ''}`}
              disabled={item.whyNot !== undefined}
              onSelect={item.onChoose}
              title={item.whyNot}
            >
              {item.icon ?? <span className="i s" />}
              <span>
                {item.text}
                {item.sentence && <small>{item.sentence}</small>}
              </span>
            </DropdownMenu.Item>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity except their position
            <DropdownMenu.Separator key={`line ${index}`} className="menu-line" />
          ),
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  )
}
