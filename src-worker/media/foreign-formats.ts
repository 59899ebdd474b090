/** Files of other kinds than the three that are read, known by their first bytes. */
import type { FormatReason } from '../../src-contract/text/format-reasons.ts'
import { isText } from './file-bytes.ts'
import { findOtherMpeg } from './mpeg-frames.ts'

/** Bytes from the start of a file that suffice to tell its kind. */
export const KNOWN_BY_BYTES = 65_536

type Magic = readonly [fault: FormatReason, at: number, bytes: string, at2?: number, bytes2?: string]

/** Marks at a fixed position, one byte per character; a second one if the first is shared by a family. The first match counts. */
const MAGICS: readonly Magic[] = [
  ['aac', 4, 'ftyp'],
  ['aac', 4, 'moov'],
  ['aac', 4, 'mdat'],
  ['aac', 0, 'ADIF'],
  ['opus', 0, 'OggS', 28, 'OpusHead'],
  ['ogg', 0, 'OggS'],
  ['aiff', 0, 'FORM', 8, 'AIF'],
  ['avi', 0, 'RIFF', 8, 'AVI '],
  ['midi', 0, 'RIFF', 8, 'RMID'],
  ['picture', 0, 'RIFF', 8, 'WEBP'],
  ['w64', 0, 'riff\x2e\x91\xcf\x11'],
  ['caf', 0, 'caff'],
  ['au', 0, '.snd'],
  ['wma', 0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11'],
  ['wavpack', 0, 'wvpk'],
  ['monkeys_audio', 0, 'MAC '],
  ['monkeys_audio', 0, 'MACF'],
  ['lossless', 0, 'TTA1'],
  ['lossless', 0, 'TTA2'],
  ['lossless', 0, 'tBaK'],
  ['lossless', 0, 'OFR '],
  ['lossless', 0, 'ajkg'],
  ['musepack', 0, 'MPCK'],
  ['musepack', 0, 'MP+'],
  ['dsd', 0, 'DSD '],
  ['dsd', 0, 'FRM8', 12, 'DSD '],
  ['dts', 0, '\x7f\xfe\x80\x01'],
  ['dts', 0, '\xfe\x7f\x01\x80'],
  ['dts', 0, '\x1f\xff\xe8\x00'],
  ['dts', 0, 'DTSHDHDR'],
  ['amr', 0, '#!AMR'],
  ['matroska', 0, '\x1a\x45\xdf\xa3'],
  ['video', 0, '\0\0\x01\xba'],
  ['video', 0, '\0\0\x01\xb3'],
  ['video', 0, 'FLV\x01'],
  ['midi', 0, 'MThd'],
  ['project', 0, 'FLhd'],
  ['zip', 0, 'PK\x03\x04'],
  ['zip', 0, 'PK\x05\x06'],
  ['archive', 0, 'Rar!'],
  ['archive', 0, '7z\xbc\xaf\x27\x1c'],
  ['gzip', 0, '\x1f\x8b\x08'],
  ['picture', 0, '\x89PNG'],
  ['picture', 0, '\xff\xd8\xff'],
  ['picture', 0, 'GIF8'],
  ['document', 0, '%PDF'],
  ['document', 0, '{\\rtf'],
  ['document', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['playlist', 0, '#EXTM3U'],
  ['playlist', 0, '[playlist]'],
  ['mac_companion', 0, '\0\x05\x16\x07'],
]

/** Returns the kind of a file from a mark at its start, or undefined. Never throws. */
export function foreignByMark(start: Buffer): FormatReason | undefined {
  const fits = ([, at, bytes, at2 = 0, bytes2 = '']: Magic) => isText(start, at, bytes) && isText(start, at2, bytes2)
  const found = MAGICS.find(fits)
  if (found) return found[0]
  // ADTS: twelve sync bits with the layer bits zero, which no MP3 has.
  return start.length > 1 && start[0] === 0xff && (start[1]! & 0xf6) === 0xf0 ? 'aac' : undefined
}

/**
 * Returns the kind of a file that is not an MP3, from signs that an MP3 could show as well: a short mark, text, or frames of another layer;
 * undefined if unknown. Never throws.
 */
export function foreignByContent(start: Buffer): FormatReason | undefined {
  if (start.length > 0 && start.every((byte) => byte === 0)) return 'zeros'
  return textKind(start) ?? findOtherMpeg(start) ?? (isAc3(start) ? 'ac3' : undefined)
}

/** Length of text that is examined, bytes. */
const READ_TEXT_BYTES = 1024
/** Shortest text that counts as Base64, characters: a shorter one may be any word. */
const LEAST_BASE64 = 64

function textKind(start: Buffer): FormatReason | undefined {
  const text = start
    .toString('utf8', 0, READ_TEXT_BYTES)
    .replace(/^\ufeff/, '')
    .trimStart()
  if (/^(<!doctype html|<(html|head|body|script|meta|title|center|h1)\b)/i.test(text)) return 'web_page'
  if (/^<(\?xml|!--)/.test(text)) return /<html\b|<!doctype html/i.test(text) ? 'web_page' : 'server_answer'
  if (/^<[A-Za-z]+\s*(xmlns|>)/.test(text)) return 'server_answer'
  if (/^[{[]\s*("|\{\s*"|\}|\])/.test(text)) return 'server_answer'
  if (/^HTTP\/\d/.test(text)) return 'web_page'
  const encoded = text.replace(/^data:[\w/+.-]*;base64,/i, '')
  const isEncoded = encoded.length >= LEAST_BASE64 && /^(?:[\w+/-]+\r?\n?)+={0,2}\s*$/.test(encoded)
  return isEncoded ? 'base64' : undefined
}

/** Syncword, sample rate code and frame size code of AC-3 and E-AC-3 (ETSI TS 102 366, section 4.4.1), twice. */
function isAc3(start: Buffer): boolean {
  if (start.length < 8 || start[0] !== 0x0b || start[1] !== 0x77) return false
  return start.indexOf(Buffer.from([0x0b, 0x77]), 2) > 0
}
