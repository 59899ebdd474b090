/** The menu of the master that is heard: as uploaded, after a codec, and the difference alone. */
import { Check, ChevronDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { COPY_CODEC_NAMES, type CopyCodec, copyCodecName } from '../../../src-contract/codecs.ts'
import { type Platform, platformFacts } from '../../../src-contract/platforms/index.ts'
import { DIFFERENCE_KEY } from '../../components/difference-button.tsx'
import { AS_UPLOADED } from '../../playback/forms.ts'
import { differenceOf, type PlaybackState, type PlaybackVersion } from '../../playback/state.ts'
import { useApp } from '../../state/app-state.ts'
import { useHere, useListenWords, useStage, useVersionName } from './context.tsx'

/** Encoder of each codec, null if this ffmpeg has none; undefined until known. */
type Encoders = Partial<Record<CopyCodec, string | null>>

/**
 * Asks once which codecs this machine can encode. Until then every codec can be chosen, and the server's answer gives
 * the reason for a failure.
 */
function useEncoders(): Encoders {
  const { client } = useApp()
  const [encoders, setEncoders] = useState<Encoders>({})
  useEffect(() => {
    const leaving = new AbortController()
    client
      .call('listCopyCodecs', { signal: leaving.signal })
      .then(({ codecs }) =>
        setEncoders(Object.fromEntries(codecs.map(({ codec, encoder = null }) => [codec, encoder]))),
      )
      .catch(() => {})
    return () => leaving.abort()
  }, [client])
  return encoders
}

/** Returns the rest of an encoder's name after its codec: `ffmpeg aac`. */
function encoderWords(encoder: string, codec: CopyCodec): string {
  const { full } = copyCodecName(codec)
  return encoder.startsWith(`${full} (`) ? encoder.slice(full.length + 2, -1) : encoder
}

/** Returns the platform master that is heard; undefined for any other version. */
const masterOf = ({ versions, version }: PlaybackState): PlaybackVersion | undefined =>
  versions.find((one) => one.id === version && one.platform !== undefined && one.kind !== 'audition' && !one.missing)

export function CopyMenu() {
  const { l } = useListenWords()
  const { playback } = useApp()
  const { item } = useStage()
  const encoders = useEncoders()
  const nameOf = useVersionName()
  const version = useHere(masterOf)
  const { codec, making } = useHere(({ copies }) => copies[version?.id ?? '']) ?? AS_UPLOADED
  const chosen = making ?? codec
  if (!version?.platform) return null
  const text = chosen ? copyCodecName(chosen).short : l.copies.asUploaded
  return (
    // A copy is made for the loaded song.
    <DropdownMenu.Root modal={false} onOpenChange={(isOpen) => isOpen && playback.load(item)}>
      <DropdownMenu.Trigger asChild>
        <button
          type="button"
          className="btn quiet sm forms"
          aria-label={l.copies.menu(nameOf(version), chosen ? copyCodecName(chosen).full : l.copies.asUploaded)}
          aria-busy={making !== null || undefined}
          title={l.copies.hint}
        >
          <span className="clip">{making ? l.copies.encoding : text}</span>
          <ChevronDown className="i s" aria-hidden="true" />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.getElementById('content')}>
        <DropdownMenu.Content className="menu copy-menu" align="end" sideOffset={4} collisionPadding={8}>
          <FormItems id={version.id} platform={version.platform} chosen={chosen} encoders={encoders} />
          <DropdownMenu.Separator className="menu-line" />
          <DifferenceItem id={version.id} />
          <p className="menu-note">{l.copies.note}</p>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface FormItemsProps {
  readonly id: string
  readonly platform: Platform
  readonly chosen: CopyCodec | null
  readonly encoders: Encoders
}

/** The forms: as uploaded, then the platform's streaming codecs, then the others. */
function FormItems({ id, platform, chosen, encoders }: FormItemsProps) {
  const { t, l } = useListenWords()
  const { playback } = useApp()
  const { streams } = platformFacts(platform)
  const item = (codec: CopyCodec) => {
    const encoder = encoders[codec]
    return (
      <DropdownMenu.RadioItem key={codec} className="menu-item" value={codec} disabled={encoder === null}>
        <Marked>
          {copyCodecName(codec).full}
          {encoder !== undefined && (
            <small>{encoder === null ? l.copies.noEncoder : encoderWords(encoder, codec)}</small>
          )}
        </Marked>
      </DropdownMenu.RadioItem>
    )
  }
  return (
    <DropdownMenu.RadioGroup
      value={chosen ?? ''}
      onValueChange={(value) => playback.late.hearCopy(id, COPY_CODEC_NAMES.find((one) => one === value) ?? null)}
    >
      <DropdownMenu.RadioItem className="menu-item" value="">
        <Marked>{l.copies.asUploaded}</Marked>
      </DropdownMenu.RadioItem>
      <DropdownMenu.Label className="menu-head">{l.copies.streamed(t.platforms[platform])}</DropdownMenu.Label>
      {streams.map(item)}
      <DropdownMenu.Label className="menu-head">{l.copies.others}</DropdownMenu.Label>
      {COPY_CODEC_NAMES.filter((codec) => !streams.includes(codec)).map(item)}
    </DropdownMenu.RadioGroup>
  )
}

/** Turns the difference of this version on and off. */
function DifferenceItem({ id }: { id: string }) {
  const { l } = useListenWords()
  const { playback } = useApp()
  const isOn = useHere((state) => state.version === id && state.isDifference)
  const canHear = useHere((state) => differenceOf({ ...state, version: id }) !== null)
  const hold = (isDifference: boolean) => {
    playback.choose(id)
    playback.holdDifference(isDifference)
  }
  return (
    <DropdownMenu.CheckboxItem className="menu-item" checked={isOn} disabled={!canHear} onCheckedChange={hold}>
      <Marked>{l.difference.alone}</Marked>
      <span className="grow" />
      <span aria-hidden="true">
        <kbd>{DIFFERENCE_KEY}</kbd>
      </span>
    </DropdownMenu.CheckboxItem>
  )
}

/** Content of an item, after the mark of the current choice. */
function Marked({ children }: { children: ReactNode }) {
  return (
    <>
      <span className="menu-mark" aria-hidden="true">
        <DropdownMenu.ItemIndicator>
          <Check className="i s" />
        </DropdownMenu.ItemIndicator>
      </span>
      <span>{children}</span>
    </>
  )
}

/** Reasons why copies could not be made or read. */
export function CopyFailures() {
  const { l, say } = useListenWords()
  const nameOf = useVersionName()
  const versions = useHere((state) => state.versions)
  const copies = useHere((state) => state.copies)
  return versions.map((version) => {
    const { failed } = copies[version.id] ?? AS_UPLOADED
    if (!failed) return null
    return (
      <p key={version.id} className="strip inline" role="alert">
        {l.copies.failed(nameOf(version), copyCodecName(failed.codec).full, say(failed.refusal))}
      </p>
    )
  })
}
