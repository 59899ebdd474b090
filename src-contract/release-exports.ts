/** Export of a release as one folder with its delivery certificate, and the later check of such a folder (extension). */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, Uuid } from './common.ts'
import { StoredCover } from './covers.ts'
import { RELEASE } from './delivery-target.ts'
import { DisclosureSheet } from './disclosure.ts'
import { FIELD_NEEDS, RELEASE_FIELDS } from './distributors/fields.ts'
import { DISTRIBUTORS } from './distributors/index.ts'
import { RULE_NAMES } from './distributors/rules.ts'
import { endpoints } from './endpoint.ts'
import { FORMAT_NAMES } from './formats.ts'
import { PLATFORMS } from './platforms/index.ts'
import { CONFIDENCES } from './platforms/platform.ts'
import { ReleaseRemark } from './release-remarks.ts'
import { NAMING_FORM } from './settings.ts'
import { LANGUAGES } from './text/language.ts'

/** Masters to export: those for all services, or one platform's. */
const MASTERS = [RELEASE, ...PLATFORMS] as const

/** Labels in the files of an export. */
export const FILE_LABELS = ['release', 'none'] as const

const OUTCOMES = ['pass', 'remedy', 'not_measured'] as const

/** One rule of a receiver, checked on all files. */
const RuleCheck = exactly({
  rule: oneOf(RULE_NAMES, 'Kind of the rule.'),
  title: Type.String({ description: 'Rule, for people.' }),
  source: Type.String({ description: 'Page in which the rule stands, or why we advise it.' }),
  url: Type.Optional(Type.String({ description: 'Address of that page.' })),
  read: Type.Optional(Type.String({ description: 'Day on which it was read; absent for advice.' })),
  dated: Type.Optional(Type.String({ description: 'Day that the page itself bears.' })),
  confidence: oneOf(CONFIDENCES, 'Foundation of the rule.'),
  age_note: Type.Optional(
    Type.String({
      description:
        'Age of a rule that is older than 180 days, for people. Its remedy is offered, but an export no longer follows the rule by itself.',
    }),
  ),
  outcome: oneOf(OUTCOMES, 'Tells whether every file keeps the rule.'),
  remedies: Type.Array(
    exactly({
      file: Type.Optional(Type.String({ description: 'File at fault; absent for the release.' })),
      message: Type.String(),
      values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    }),
    { description: 'What is to be mended, and how.' },
  ),
})

/** Files of all tracks that belong together: of one format, from one kind of master, with or without labels. */
export const FileSet = exactly({
  folder: Type.String({ description: 'Folder within that of the release; empty for that itself.' }),
  master: oneOf(MASTERS, 'Masters that they are made of.'),
  format: oneOf(FORMAT_NAMES, 'Format of the files.'),
  labels: oneOf(FILE_LABELS, 'Labels in the files: those of the release, or none.'),
})
export type FileSet = Static<typeof FileSet>

/** Verdict on the files: no rule that the receiver publishes is broken, one is, or a fact is still unknown. */
const FILES_VERDICTS = ['ready', 'not_ready', 'not_measured'] as const
/** Verdict on names, codes and statements: nothing is missing that the receiver requires, or something is. */
const RELEASE_VERDICTS = ['ready', 'not_ready'] as const

/** One field that receivers ask for. */
export const FieldCheck = exactly({
  field: oneOf(RELEASE_FIELDS, 'Field of the release or of its tracks.'),
  title: Type.String({ description: 'Its name, for people.' }),
  need: oneOf(
    [...FIELD_NEEDS, 'unknown'] as const,
    'Whether this receiver requires it, asks for it, or assigns it where it is blank; `unknown` where no page that could be read says so.',
  ),
  state: oneOf(
    ['given', 'missing', 'assigned'] as const,
    'Given, blank, or blank and assigned by the receiver. For the disclosure “none” is given.',
  ),
  tracks: Type.Optional(Type.Array(Type.Integer(), { description: 'Numbers of the tracks where it is blank.' })),
  message: Type.String({ description: 'State, for people.' }),
  ...Type.Partial(
    Type.Object({
      source: Type.String({ description: 'Page that says so.' }),
      url: Type.String({ description: 'Its address.' }),
      read: Type.String({ description: 'Day on which it was read.' }),
      dated: Type.String({ description: 'Day that the page itself bears.' }),
      confidence: oneOf(CONFIDENCES, 'Foundation.'),
    }),
  ).properties,
})
export type FieldCheck = Static<typeof FieldCheck>

/** Both verdicts of a receiver. They do not predict its decision. */
export const Verdicts = exactly({
  files: oneOf(
    FILES_VERDICTS,
    'Files: `ready` if no rule that was found on its pages is broken, as read on the day shown; advice never counts.',
  ),
  release: oneOf(RELEASE_VERDICTS, 'Names, codes and statements: `ready` if nothing that it requires is missing.'),
})
export type Verdicts = Static<typeof Verdicts>

/** The rules of one receiver, checked on the written files: those of the set that meets them best. */
export const ReceiverCheck = exactly({
  receiver: oneOf(DISTRIBUTORS, 'Distributor or service.'),
  name: Type.String({ description: 'Its name.' }),
  edition: Type.String({ description: 'Last day on which its pages were read, or searched where no rule was found.' }),
  outcome: oneOf(OUTCOMES, 'The worst outcome of its rules.'),
  upload: FileSet,
  checks: Type.Array(RuleCheck, { description: 'Its rules in order.' }),
  verdicts: Type.Optional(Verdicts),
  fields: Type.Optional(Type.Array(FieldCheck, { description: 'Names, codes and statements, in order.' })),
  unknown_rules: Type.Optional(
    Type.Array(
      exactly({
        rule: oneOf(RULE_NAMES, 'Kind of the rule.'),
        title: Type.String({ description: 'Rule, for people.' }),
        searched: Type.String({ description: 'Where it was looked for.' }),
      }),
      { description: 'Kinds of rules that were found nowhere: they blame no file. Absent in certificates of before.' },
    ),
  ),
})
export type ReceiverCheck = Static<typeof ReceiverCheck>

/** Readiness of a release for its receivers, before anything is written. */
export const ReleaseReadiness = exactly({
  release_id: Uuid,
  chosen: Type.Array(oneOf(DISTRIBUTORS), { description: 'Receivers of the release, the most important first.' }),
  receivers: Type.Array(ReceiverCheck, {
    description:
      'All receivers, the chosen first, each checked on the files that an export for it alone would write. What only a written file tells is `not_measured`.',
  }),
  remarks: Type.Array(ReleaseRemark, {
    description:
      'Names and codes that receivers reject, each with the change that mends it; nothing is changed by itself.',
  }),
})
export type ReleaseReadiness = Static<typeof ReleaseReadiness>

const level = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

/** Facts of a sound file, measured on the written file; null for unknown facts, and for the level of silence. */
export const SoundFacts = exactly({
  track: Type.Integer({ description: 'Number of the track.' }),
  ...FileSet.properties,
  format_code: Type.Union([Type.Integer(), Type.Null()], { description: 'Format code of a WAV.' }),
  has_bytes_after_audio: Type.Boolean({ description: 'True where anything but the sound follows its start.' }),
  has_tags: Type.Boolean({ description: 'True where the file says anything about the song.' }),
  sample_rate_hz: Type.Integer(),
  bit_depth: Type.Union([Type.Integer(), Type.Null()], { description: 'Bits per sample; null for a lossy file.' }),
  channels: Type.Integer(),
  duration_seconds: Type.Number(),
  silence_start_seconds: Type.Number({ description: 'Silence below −60 dBFS at the start, s.' }),
  silence_end_seconds: Type.Number({ description: 'Silence below −60 dBFS at the end, s.' }),
  integrated_lufs: level('Loudness of the whole file, LUFS.'),
  true_peak_dbtp: level('True peak, dBTP.'),
  true_peak_44k_dbtp: level('True peak after conversion to 44.1 kHz, dBTP.'),
  true_peak_copy_dbtp: level('Highest true peak of its lossy copies, dBTP; of a lossy file its own.'),
  gain_db: Type.Number({
    description: 'Gain against the master: 0, or less where a conversion raised the peaks too far.',
  }),
  samples_sha256: Type.String({ description: 'SHA-256 of the decoded samples: equal for equal sound in any format.' }),
  made_from: Type.String({
    description: 'SHA-256 over all that the file was made of; one that is equal is not made again.',
  }),
})
export type SoundFacts = Static<typeof SoundFacts>

/** A file of the exported folder. */
export const ExportedFile = exactly({
  name: Type.String({ description: 'Name in the folder, with `/` behind that of a folder in it.' }),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  sound: Type.Optional(SoundFacts),
})
export type ExportedFile = Static<typeof ExportedFile>

/** Signed content of a certificate: the files, and how they keep the rules of every receiver. */
export const Certificate = exactly({
  certificate_version: Type.Literal(1, { description: 'Version of this form.' }),
  release_id: Uuid,
  title: Type.String({ description: 'Title of the release.' }),
  artist: Type.String({ description: 'Artist of the release.' }),
  made_at: Type.String({ format: 'date-time', description: 'Time of the export.' }),
  app_version: Type.String(),
  files: Type.Array(ExportedFile, { description: 'Every file of the folder but this one and SHA256SUMS.' }),
  unapplied_tracks: Type.Array(Type.Integer(), {
    description: 'Numbers of the tracks whose files lack the trim, fades or gap that the release asks for.',
  }),
  receivers: Type.Array(ReceiverCheck, {
    description: 'Chosen receivers with their rules and verdicts; without a choice all of them, without verdicts.',
  }),
  cover: Type.Optional(
    exactly(StoredCover.properties, 'The exported cover, with all that was changed in the picture that was sent.'),
  ),
  disclosure: Type.Optional(exactly(DisclosureSheet.properties, 'The AI disclosure sheet.')),
})
export type Certificate = Static<typeof Certificate>

const ExportedRelease = exactly({
  folder: Type.String({ description: 'Full path of the folder.' }),
  zip: Type.Optional(Type.String({ description: 'Full path of the ZIP, where one was asked for.' })),
  certificate: Certificate,
})
export type ExportedRelease = Static<typeof ExportedRelease>

/** Names used by an export. */
const ExportNames = exactly({
  folder: Type.String({ description: 'Name of the folder of the release.' }),
  files: Type.Array(Type.String(), {
    description: 'Names of the sound files in it, set by set in the order of the tracks.',
  }),
})
export type ExportNames = Static<typeof ExportNames>

/** Makers of a signature: this data directory, another key, or none; `bad` for one that does not match the certificate. */
const SIGNERS = ['own', 'other', 'bad', 'none'] as const

/** Result of the check of an exported folder. */
export const VerifiedFolder = exactly({
  folder: Type.String({ description: 'Full path of the folder or ZIP.' }),
  is_intact: Type.Boolean({ description: 'True where nothing differs and this data directory has signed it.' }),
  signature: oneOf(SIGNERS, 'Who signed the certificate.'),
  title: Type.Optional(Type.String({ description: 'Title of the release in the certificate.' })),
  made_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the export.' })),
  changed: Type.Array(Type.String(), { description: 'Files with other bytes than the certificate says.' }),
  missing: Type.Array(Type.String(), { description: 'Files of the certificate that are not there.' }),
  added: Type.Array(Type.String(), { description: 'Files that the certificate does not know.' }),
})
export type VerifiedFolder = Static<typeof VerifiedFolder>

/** A requested export. */
export const ExportRequest = exactly({
  folder: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Full path of the folder in which that of the release is made. `~` stands for the home folder of the account that runs the service. A program names one inside the folders that the owner allowed; for the application it is the output folder when absent.',
    }),
  ),
  formats: Type.Optional(
    Type.Array(oneOf(FORMAT_NAMES), {
      minItems: 1,
      uniqueItems: true,
      description:
        'Formats of the files. A format that a job lacks is made of its master, free of charge. When absent, those that the named receivers ask for, else WAV of 24 bit.',
    }),
  ),
  platform: Type.Optional(
    oneOf(
      MASTERS,
      'Masters that are taken; when absent those for all services where every track has one, else those of the first platform that every track has.',
    ),
  ),
  by_platform: Type.Optional(
    Type.Boolean({ description: 'Adds a folder for each further platform that every track has masters for.' }),
  ),
  receivers: Type.Optional(
    Type.Array(oneOf(DISTRIBUTORS), {
      uniqueItems: true,
      description:
        'Receivers that are checked; those of the release when absent, and all where it has none. Those that are named get what they ask for: their formats, plain names, a copy without tags.',
    }),
  ),
  file_tags: Type.Optional(oneOf(FILE_LABELS, 'Labels in the files: those of the release, or none.', 'release')),
  naming: Type.Optional(
    Type.String({
      ...NAMING_FORM,
      description: 'Pattern of the file names, as that of a job; `{track} {title}` when absent.',
    }),
  ),
  ascii_names: Type.Optional(
    Type.Boolean({
      description:
        'File names of ASCII letters, digits, `-` and `_` alone; Hangul is romanised. When absent, where a named receiver asks for it.',
    }),
  ),
  zip: Type.Optional(Type.Boolean({ description: 'Adds a ZIP of the folder beside it.' })),
  content_credentials: Type.Optional(
    Type.Boolean({
      description:
        'False leaves the C2PA manifests of sources where they are. When absent, files made of a signed source carry its manifests on, signed by this installation: an MP3 with tags in itself, any other beside it in the folder `provenance`.',
    }),
  ),
  language: Type.Optional(
    oneOf(LANGUAGES, 'Language of certificate, overview and disclosure; that of the request when absent.'),
  ),
})
export type ExportRequest = Static<typeof ExportRequest>

const tag = 'App'

export const releaseExportEndpoints = endpoints({
  exportRelease: {
    method: 'POST',
    path: '/api/v1/releases/{release_id}/export',
    access: 'caller',
    scope: 'master',
    tag: 'Releases',
    summary: 'Write a release into one folder, ready for upload (extension)',
    params: exactly({ release_id: Type.String() }),
    body: ExportRequest,
    isBodyOptional: true,
    answers: { 200: { description: 'The folder and its certificate.', schema: ExportedRelease } },
    errors: ['PATH_NOT_ALLOWED', 'RELEASE_NOT_FOUND', 'RELEASE_NOT_READY', 'FILE_GONE', 'FOLDER_TAKEN'],
  },
  readReadiness: {
    method: 'GET',
    path: '/api/v1/releases/{release_id}/readiness',
    access: 'caller',
    scope: 'read',
    tag: 'Releases',
    summary: 'Check a release against its receivers before it is exported (extension)',
    params: exactly({ release_id: Type.String() }),
    answers: { 200: { description: 'What each receiver would find.', schema: ReleaseReadiness } },
    errors: ['RELEASE_NOT_FOUND'],
  },
  nameExport: {
    method: 'POST',
    path: '/api/v1/releases/{release_id}/export/names',
    access: 'caller',
    scope: 'master',
    tag: 'Releases',
    summary: 'Read the names that an export would give, without one (extension)',
    params: exactly({ release_id: Type.String() }),
    body: ExportRequest,
    isBodyOptional: true,
    answers: { 200: { description: 'The names of the folder and of its sound files.', schema: ExportNames } },
    errors: ['PATH_NOT_ALLOWED', 'RELEASE_NOT_FOUND', 'RELEASE_NOT_READY'],
  },
  readDisclosure: {
    method: 'GET',
    path: '/app/releases/{release_id}/disclosure',
    access: 'session',
    tag,
    summary: 'Read the AI disclosure sheet of a release',
    params: exactly({ release_id: Type.String() }),
    answers: { 200: { description: 'The sheet as an export would write it now.', schema: DisclosureSheet } },
    errors: ['RELEASE_NOT_FOUND'],
  },
  verifyFolder: {
    method: 'POST',
    path: '/api/v1/releases/verify',
    access: 'caller',
    scope: 'read',
    tag: 'Releases',
    summary: 'Check an exported folder, or its ZIP, against its certificate (extension)',
    body: exactly({ folder: Type.String({ minLength: 1, description: 'Full path of the folder, or of its ZIP.' }) }),
    answers: { 200: { description: 'What differs.', schema: VerifiedFolder } },
    errors: ['PATH_NOT_ALLOWED'],
  },
})
