/** The dialog that exports a release into a folder and shows its certificate. */
import { type FormEvent, useState } from 'react'
import { DISTRIBUTORS, type Distributor, distributorProfile } from '../../../src-contract/distributors/index.ts'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../src-contract/formats.ts'
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { ExportWish } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'
import { ChooseFolder, Problem } from '../settings/section.tsx'
import { CertificateView } from './certificate-view.tsx'

const AUTO = 'auto'

export function ExportDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const { releases } = useApp()
  const { t } = useWords()
  const done = useSelect(releases.exports.store, (state) => state.done[release.release_id])
  const [isAsking, ask] = useState(done === undefined)
  const texts = t.release.export
  return (
    <Modal
      title={texts.title(release.title)}
      {...(isAsking ? { description: texts.text } : {})}
      isOpen
      onClose={onClose}
      shape="wide"
    >
      {isAsking || !done ? (
        <ExportForm release={release} onDone={() => ask(false)} />
      ) : (
        <>
          <CertificateView exported={done} />
          <div className="row end">
            <Button onClick={() => ask(true)}>{texts.again}</Button>
          </div>
        </>
      )}
    </Modal>
  )
}

function ExportForm({ release, onDone }: { release: Release; onDone: () => void }) {
  const { releases, service } = useApp()
  const { t } = useWords()
  const texts = t.release.export
  const output = useSelect(service.store, (state) => state.settings?.output_folder ?? '')
  const [folder, setFolder] = useState(output)
  const [isAsked, setAsked] = useState(false)
  const [platform, setPlatform] = useState<Platform | typeof AUTO>(AUTO)
  const [receivers, setReceivers] = useState<readonly Distributor[]>(DISTRIBUTORS)
  const [formats, setFormats] = useState<readonly Format[]>([])
  const [isZipped, setZipped] = useState(false)
  const isRunning = useSelect(releases.exports.store, (state) => state.runningId !== null)
  const failure = useSelect(releases.exports.store, (state) => state.failure)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (folder.trim() === '' || receivers.length === 0) return
    const wish: ExportWish = {
      folder: folder.trim(),
      ...(platform === AUTO ? {} : { platform }),
      ...(formats.length === 0 ? {} : { formats: [...formats] }),
      ...(isZipped ? { zip: true } : {}),
      ...(receivers.length === DISTRIBUTORS.length ? {} : { receivers: [...receivers] }),
    }
    void releases.exports.run(release.release_id, wish).then((isDone) => isDone && onDone())
  }
  return (
    <form className="form export-form" onSubmit={submit}>
      <div className="folder-field">
        <TextField
          label={texts.folder}
          placeholder={texts.folderHint}
          spellCheck={false}
          value={folder}
          onChange={setFolder}
          problem={isAsked && folder.trim() === '' && t.release.missing}
        />
        <ChooseFolder name={texts.folder} onChosen={setFolder} />
      </div>
      <Masters chosen={platform} onChoose={setPlatform} />
      <Formats chosen={formats} onChoose={setFormats} />
      <Receivers chosen={receivers} onChoose={setReceivers} isAsked={isAsked} />
      <label className="receiver-choice">
        <input type="checkbox" checked={isZipped} onChange={() => setZipped(!isZipped)} />
        <span>{texts.zip}</span>
      </label>
      <Problem problem={isRunning ? null : failure} />
      <div className="row end">
        {isRunning && (
          <Button look="quiet" onClick={() => releases.exports.stop()}>
            {texts.stop}
          </Button>
        )}
        <Button type="submit" look="primary" busyText={isRunning && texts.running}>
          {texts.run}
        </Button>
      </div>
    </form>
  )
}

interface MastersProps {
  chosen: Platform | typeof AUTO
  onChoose: (platform: Platform | typeof AUTO) => void
}

/** Masters that are exported: those for all services where there are some, or those of one platform. */
function Masters({ chosen, onChoose }: MastersProps) {
  const { t } = useWords()
  const texts = t.release.export
  return (
    <div className="field">
      <span className="label">{texts.masters}</span>
      <Segmented
        label={texts.masters}
        columns={3}
        value={chosen}
        onChoose={onChoose}
        options={[
          { value: AUTO, text: texts.auto },
          ...PLATFORMS.map((value) => ({ value, text: t.platforms[value] })),
        ]}
      />
    </div>
  )
}

interface FormatsProps {
  chosen: readonly Format[]
  onChoose: (formats: readonly Format[]) => void
}

interface CheckListProps<Name extends string> {
  all: readonly Name[]
  chosen: readonly Name[]
  nameOf: (one: Name) => string
  onChoose: (chosen: readonly Name[]) => void
}

/** Names of which any may be chosen; the choice has their order. */
function CheckList<Name extends string>({ all, chosen, nameOf, onChoose }: CheckListProps<Name>) {
  const toggle = (one: Name) =>
    onChoose(all.filter((each) => (each === one ? !chosen.includes(one) : chosen.includes(each))))
  return (
    <div className="receivers">
      {all.map((one) => (
        <label key={one} className="receiver-choice">
          <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
          <span className="clip">{nameOf(one)}</span>
        </label>
      ))}
    </div>
  )
}

/** Formats of the files; none for those that the receivers ask for. */
function Formats({ chosen, onChoose }: FormatsProps) {
  const { t } = useWords()
  const texts = t.release.export
  return (
    <fieldset className="field">
      <legend className="label">{texts.formats}</legend>
      <CheckList all={FORMAT_NAMES} chosen={chosen} nameOf={(one) => formatFacts(one).name} onChoose={onChoose} />
      {chosen.length === 0 && <p className="me">{texts.anyFormat}</p>}
    </fieldset>
  )
}

interface ReceiversProps {
  chosen: readonly Distributor[]
  onChoose: (receivers: readonly Distributor[]) => void
  isAsked: boolean
}

function Receivers({ chosen, onChoose, isAsked }: ReceiversProps) {
  const { t, language } = useWords()
  const texts = t.release.export
  const nameOf = (one: Distributor) => distributorProfile(one).name[language]
  return (
    <fieldset className="field">
      <legend className="label">{texts.receivers}</legend>
      <CheckList all={DISTRIBUTORS} chosen={chosen} nameOf={nameOf} onChoose={onChoose} />
      <div className="row">
        <Button look="quiet" small onClick={() => onChoose(DISTRIBUTORS)}>
          {texts.all}
        </Button>
        <Button look="quiet" small onClick={() => onChoose([])}>
          {texts.noReceivers}
        </Button>
        {isAsked && chosen.length === 0 && (
          <p className="c-bad" role="alert">
            {texts.oneReceiver}
          </p>
        )}
      </div>
    </fieldset>
  )
}
