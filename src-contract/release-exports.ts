/** Export of a release as one folder with its delivery certificate, and the later check of such a folder. For the application alone. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, Uuid } from './common.ts'
import { DISTRIBUTORS } from './distributors/index.ts'
import type { RuleName } from './distributors/rules.ts'
import { endpoints } from './endpoint.ts'
import { PLATFORMS } from './platforms/index.ts'
import { CONFIDENCES } from './platforms/platform.ts'

const OUTCOMES = ['pass', 'remedy', 'not_measured'] as const

/** One rule of a receiver, checked on all files. */
const RuleCheck = exactly({
  rule: Type.Unsafe<RuleName>({ type: 'string', description: 'Kind of the rule.' }),
  title: Type.String({ description: 'Rule, for people.' }),
  source: Type.String({ description: 'Page in which the rule stands, or why we advise it.' }),
  confidence: oneOf(CONFIDENCES, 'Foundation of the rule.'),
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

/** The rules of one receiver, checked on the written files. */
export const ReceiverCheck = exactly({
  receiver: oneOf(DISTRIBUTORS, 'Distributor or service.'),
  name: Type.String({ description: 'Its name.' }),
  edition: Type.String({ description: 'Day on which its rules were read.' }),
  outcome: oneOf(OUTCOMES, 'The worst outcome of its rules.'),
  checks: Type.Array(RuleCheck, { description: 'Its rules in order.' }),
})
export type ReceiverCheck = Static<typeof ReceiverCheck>

/** A file of the exported folder. */
export const ExportedFile = exactly({
  name: Type.String({ description: 'Name in the folder.' }),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
})
export type ExportedFile = Static<typeof ExportedFile>

/** What is signed: the files, and how they keep the rules of every receiver. */
export const Certificate = exactly({
  certificate_version: Type.Literal(1, { description: 'Version of this form.' }),
  release_id: Uuid,
  title: Type.String({ description: 'Title of the release.' }),
  artist: Type.String({ description: 'Artist of the release.' }),
  made_at: Type.String({ format: 'date-time', description: 'Time of the export.' }),
  app_version: Type.String(),
  files: Type.Array(ExportedFile, { description: 'Every file of the folder but this one and SHA256SUMS.' }),
  unapplied_tracks: Type.Array(Type.Integer(), {
    description: 'Numbers of the tracks whose trim, fades or gap are not part of their files.',
  }),
  receivers: Type.Array(ReceiverCheck, { description: 'Receivers with their rules.' }),
})
export type Certificate = Static<typeof Certificate>

const ExportedRelease = exactly({
  folder: Type.String({ description: 'Full path of the folder.' }),
  certificate: Certificate,
})
export type ExportedRelease = Static<typeof ExportedRelease>

/** Makers of a signature: this data directory, another key, or nobody; `bad` where it does not belong to the certificate. */
const SIGNERS = ['own', 'other', 'bad', 'none'] as const

/** Result of the check of an exported folder. */
export const VerifiedFolder = exactly({
  folder: Type.String({ description: 'Full path of the folder.' }),
  is_intact: Type.Boolean({ description: 'True where nothing differs and this data directory has signed it.' }),
  signature: oneOf(SIGNERS, 'Who signed the certificate.'),
  title: Type.Optional(Type.String({ description: 'Title of the release in the certificate.' })),
  made_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the export.' })),
  changed: Type.Array(Type.String(), { description: 'Files with other bytes than the certificate says.' }),
  missing: Type.Array(Type.String(), { description: 'Files of the certificate that are not there.' }),
  added: Type.Array(Type.String(), { description: 'Files that the certificate does not know.' }),
})
export type VerifiedFolder = Static<typeof VerifiedFolder>

const tag = 'App'

export const releaseExportEndpoints = endpoints({
  exportRelease: {
    method: 'POST',
    path: '/app/releases/{release_id}/export',
    access: 'session',
    tag,
    summary: 'Write a release into one folder, ready for upload',
    params: exactly({ release_id: Type.String() }),
    body: exactly({
      folder: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Folder in which that of the release is made; the output folder when absent.',
        }),
      ),
      platform: Type.Optional(
        oneOf(PLATFORMS, 'Platform whose masters are taken; the first that every track has when absent.'),
      ),
      receivers: Type.Optional(
        Type.Array(oneOf(DISTRIBUTORS), {
          uniqueItems: true,
          description: 'Receivers that are checked; all when absent.',
        }),
      ),
    }),
    isBodyOptional: true,
    answers: { 200: { description: 'The folder and its certificate.', schema: ExportedRelease } },
    errors: ['RELEASE_NOT_FOUND', 'RELEASE_NOT_READY', 'FOLDER_TAKEN'],
  },
  verifyFolder: {
    method: 'POST',
    path: '/app/releases/verify',
    access: 'session',
    tag,
    summary: 'Check an exported folder against its certificate',
    body: exactly({ folder: Type.String({ minLength: 1, description: 'Full path of the folder.' }) }),
    answers: { 200: { description: 'What differs.', schema: VerifiedFolder } },
    errors: [],
  },
})
