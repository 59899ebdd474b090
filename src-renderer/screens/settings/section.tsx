/** Parts of the sections of the settings. */
import { CircleX } from 'lucide-react'
import { type FormEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type ChoiceProps, Segmented } from '../../components/choices.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Modal, type ModalProps } from '../../components/dialogs.tsx'
import { TextField, type TextFieldProps } from '../../components/text-field.tsx'
import { useApp } from '../../state/app-state.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { useWords } from '../../text/context.tsx'
import './settings.css'

export interface SectionProps {
  titleId: string
}

/** Title, a sentence, and the action of the section. */
export function SectionHead({
  titleId,
  title,
  sub,
  children,
}: {
  titleId: string
  title: string
  sub: string
  children?: ReactNode
}) {
  return (
    <>
      <div className="secthead">
        <h2 id={titleId}>{title}</h2>
        <div className="row">{children}</div>
      </div>
      <p className="sub">{sub}</p>
    </>
  )
}

/** Placeholder during loading. The sections below stay hidden for a short while, to avoid visible jumps. */
export function Reading() {
  return <div className="reading" />
}

/** A setting: its name and a sentence on the left, its control on the right. */
export function Line({ name, text, children }: { name: string; text?: string | undefined; children: ReactNode }) {
  return (
    <div className="row line">
      <div className="grow">
        <div>{name}</div>
        {text && <div className="me">{text}</div>}
      </div>
      <div className="line-control">{children}</div>
    </div>
  )
}

interface ChoiceLineProps<Value extends string> extends Omit<ChoiceProps<Value>, 'label'> {
  name: string
  text?: string | undefined
  className?: string
}

/** A setting whose control is a row of choices with the setting's own name. */
export function ChoiceLine<Value extends string>(props: ChoiceLineProps<Value>) {
  const { name, text, className = 'fit', ...choice } = props
  return (
    <Line name={name} text={text}>
      <Segmented label={name} className={className} {...choice} />
    </Line>
  )
}

export interface SecretBoxProps {
  title: string
  /** Shown only this once: it cannot be read again. */
  value: string
  copyText: string
  /** Control that opened the box: the focus returns to it when the box closes. */
  returnTo: RefObject<HTMLElement | null>
  onSaved: () => void
  /** Further buttons next to the value. */
  more?: ReactNode
  children?: ReactNode
}

/** A new secret. Screen readers announce its title, not its value. */
export function SecretBox({ title, value, copyText, returnTo, onSaved, more, children }: SecretBoxProps) {
  const { t } = useWords()
  const { notices } = useApp()
  useEffect(() => notices.announce(title), [notices, title])
  const close = () => {
    onSaved()
    returnTo.current?.focus()
  }
  return (
    <div className="callout">
      <div className="row">
        <b className="grow">{title}</b>
        <Button look="quiet" small onClick={close}>
          {t.prefs.secretSaved}
        </Button>
      </div>
      <div className="secret">
        <code className="clip">{value}</code>
        <CopyButton small value={value}>
          {copyText}
        </CopyButton>
        {more}
      </div>
      {children}
    </div>
  )
}

/** Failure of an action, next to its control. */
export function Problem({ problem }: { problem: Refusal | null }) {
  const { t, say } = useWords()
  if (!problem) return null
  return (
    <p className="problem" role="alert">
      <CircleX className="i s" aria-hidden="true" />
      <span>{say(problem)}</span>
      {problem.requestId && (
        <details>
          <summary>{t.details}</summary>
          <code>
            {problem.code} · {t.requestId(problem.requestId)}
          </code>
        </details>
      )}
    </p>
  )
}

/** Runs an action and keeps its failure and whether it is running. */
export function useAction() {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(null)
    try {
      await action()
      return true
    } catch (error) {
      setProblem(refusalOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, run, clear: () => setProblem(null) }
}

interface ActionDialogProps extends Pick<ModalProps, 'title' | 'description' | 'onClose'> {
  /** Text of the button, and its progressive form while the action runs. */
  verb: string
  doing: string
  look?: 'plain' | 'danger'
  /** Returns whether the form is complete, and otherwise marks the missing fields. */
  isReady?: () => boolean
  act: () => Promise<unknown>
  children?: ReactNode
}

/** A dialog for one action: its form, its failure, and the button that runs it. It closes when the action has succeeded. */
export function ActionDialog({ verb, doing, look = 'plain', isReady, act, children, ...modal }: ActionDialogProps) {
  const { t } = useWords()
  const { isBusy, problem, run } = useAction()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady && !isReady()) return
    void run(act).then((isDone) => isDone && modal.onClose())
  }
  return (
    <Modal {...modal} isOpen>
      <form className="form" onSubmit={submit}>
        {children}
        <Problem problem={problem} />
        <div className="row end">
          <Button look="quiet" onClick={modal.onClose}>
            {t.cancel}
          </Button>
          <Button type="submit" look={look} busyText={isBusy && doing}>
            {verb}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

interface TextDialogProps extends Omit<ActionDialogProps, 'isReady' | 'act' | 'children'> {
  field: Omit<TextFieldProps, 'value' | 'onChange' | 'problem' | 'ref'>
  /** Message at the field while it is empty. */
  missing: string
  /** Gets the text without spaces around it, never empty. */
  act: (text: string) => Promise<unknown>
  /** Further controls below the text. */
  children?: ReactNode
}

/** A dialog for one action on one text. */
export function TextDialog({ field, missing, act, children, ...dialog }: TextDialogProps) {
  const [value, setValue] = useState('')
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const text = value.trim()
  const isReady = () => {
    setMissing(text === '')
    if (text === '') input.current?.focus()
    return text !== ''
  }
  return (
    <ActionDialog {...dialog} isReady={isReady} act={() => act(text)}>
      <TextField
        {...field}
        ref={input}
        value={value}
        problem={isMissing && missing}
        onChange={(next) => {
          setValue(next)
          setMissing(false)
        }}
      />
      {children}
    </ActionDialog>
  )
}

/** A text with an apply button: typing alone changes nothing. */
export function TextSetting({
  label,
  value,
  placeholder,
  onApply,
}: {
  label: string
  value: string
  placeholder?: string
  onApply: (value: string) => Promise<unknown>
}) {
  const { t } = useWords()
  const id = useId()
  const [text, setText] = useState<string | null>(null)
  const { isBusy, problem, run } = useAction()
  const shown = text ?? value
  const apply = (event: FormEvent) => {
    event.preventDefault()
    void run(() => onApply(shown.trim())).then((isDone) => isDone && setText(null))
  }
  return (
    <form className="row wraps text-setting" onSubmit={apply}>
      <label className="vh" htmlFor={id}>
        {label}
      </label>
      <span className="input" aria-invalid={problem ? true : undefined}>
        <input
          id={id}
          value={shown}
          placeholder={placeholder}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      </span>
      {shown !== value && (
        <Button type="submit" small busyText={isBusy && t.prefs.applying}>
          {t.prefs.apply}
        </Button>
      )}
      <Problem problem={problem} />
    </form>
  )
}

/** Button that asks for a folder in the desktop's dialog; renders nothing in a browser. */
export function ChooseFolder({ name, onChosen }: { name: string; onChosen: (folder: string) => void }) {
  const { t } = useWords()
  if (!window.loudsmith) return null
  return (
    <Button
      small
      aria-label={`${t.prefs.desktop.chooseFolder}: ${name}`}
      onClick={() => void window.loudsmith?.chooseFolder().then((folder) => folder && onChosen(folder))}
    >
      {t.prefs.desktop.chooseFolder}
    </Button>
  )
}
