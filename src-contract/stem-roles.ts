/** Roles of stems and the title of their song, recognised by their file names. */
import { cleanName } from './clean-name.ts'
import { withoutAnyExtension, withoutSongExtension } from './song-files.ts'

/** Roles in the order in which they are shown. */
export const STEM_ROLES = [
  'voice',
  'backing',
  'drums',
  'bass',
  'guitar',
  'keys',
  'strings',
  'synth',
  'fx',
  'other',
] as const
export type StemRole = (typeof STEM_ROLES)[number]

/**
 * Names of roles in lower case, as written by Suno, Moises, LANDR, Demucs and by people, in English and Korean. Of several that end at the
 * same place the longest counts: "bass guitar" is a bass.
 */
const NAMES: Readonly<Record<StemRole, readonly string[]>> = {
  voice: [
    ...['vocal', 'vocals', 'voice', 'voices', 'vox', 'voc', 'vocs', 'lead vocal', 'lead vocals', 'lead voice'],
    ...['main vocal', 'main vocals', 'acapella', 'acappella', 'a cappella', 'singer', 'singing', 'rap', 'speech'],
    ...['narration', 'vocal lead', 'vocals lead', 'vocals main', 'vocal dry', 'vocals dry'],
    ...['보컬', '목소리', '노래', '가창', '랩', '음성', '내레이션', '나레이션'],
  ],
  backing: [
    ...['backing', 'background', 'backup', 'backing vocal', 'backing vocals', 'background vocal', 'background vocals'],
    ...['backing voice', 'background voice', 'backup vocal', 'backup vocals', 'back vocal', 'back vocals'],
    ...['harmony', 'harmonies', 'harmony vocal', 'harmony vocals', 'vocal harmony', 'choir', 'adlib', 'adlibs'],
    ...['ad lib', 'ad libs', 'vocal double', 'vocal doubles', 'double vocal', 'double vocals', 'bgv', 'bgvs', 'bgvox'],
    ...['bvox', 'bv', 'bvs', 'choir vocals', 'chorus vocals', 'adlib vocals', 'secondary vocals', 'other vocals'],
    ...['백보컬', '백 보컬', '백킹', '배킹', '백킹 보컬', '배킹 보컬', '백킹보컬', '배킹보컬', '백그라운드 보컬'],
    ...['코러스', '화음', '합창', '애드립', '애드리브', '서브 보컬', '서브보컬', '하모니'],
  ],
  drums: [
    ...['drum', 'drums', 'drum kit', 'drumkit', 'drum set', 'drum machine', 'drum bus', 'percussion', 'percussions'],
    ...['perc', 'percs', 'kick', 'kicks', 'kick drum', 'bass drum', 'snare', 'snares', 'snare drum', 'clap', 'claps'],
    ...['tom', 'toms', 'hat', 'hats', 'hi hat', 'hi hats', 'hihat', 'hihats', 'hh', 'cymbal', 'cymbals', 'ride'],
    ...[
      'overhead',
      'overheads',
      'shaker',
      'shakers',
      'tambourine',
      'conga',
      'congas',
      'bongo',
      'bongos',
      'beat',
      'beats',
    ],
    ...['rhythm section', 'other kit', 'drum other', 'drums other', 'other drums'],
    ...['드럼', '드럼스', '타악기', '퍼커션', '킥', '스네어', '하이햇', '심벌', '비트', '장구', '북'],
  ],
  bass: [
    ...['bass', 'basses', 'bass guitar', 'bass gtr', 'electric bass', 'double bass', 'upright bass', 'contrabass'],
    ...['synth bass', 'sub bass', 'sub', '808', '808s', 'bassline', 'bass synth', 'bass line', 'bass di', 'bass amp'],
    ...['베이스', '베이스 기타', '베이스기타', '콘트라베이스', '더블베이스', '신스베이스', '신스 베이스'],
  ],
  guitar: [
    ...['guitar', 'guitars', 'gtr', 'gtrs', 'guit', 'acoustic guitar', 'electric guitar', 'lead guitar'],
    ...['rhythm guitar', 'acoustic guitars', 'electric guitars', 'ukulele', 'banjo', 'mandolin', 'guitar strings'],
    ...['기타', '기타리스트', '통기타', '일렉기타', '일렉 기타', '어쿠스틱 기타', '우쿨렐레'],
  ],
  keys: [
    ...['key', 'keys', 'keyboard', 'keyboards', 'piano', 'pianos', 'electric piano', 'grand piano', 'rhodes', 'organ'],
    ...['hammond', 'wurlitzer', 'clavinet', 'harpsichord', 'epiano', 'ep', 'accordion'],
    ...['건반', '키보드', '피아노', '오르간', '일렉피아노', '일렉 피아노', '아코디언'],
  ],
  strings: [
    ...['string', 'strings', 'violin', 'violins', 'viola', 'violas', 'cello', 'cellos', 'orchestra', 'orchestral'],
    ...['string section', 'synth strings', 'strings synth', 'harp', 'bowed strings'],
    ...['현악', '현악기', '스트링', '스트링스', '바이올린', '비올라', '첼로', '오케스트라', '하프', '해금', '가야금'],
  ],
  synth: [
    ...['synth', 'synths', 'synthesizer', 'synthesizers', 'synthesiser', 'pad', 'pads', 'arp', 'arps', 'arpeggio'],
    ...['synth lead', 'lead synth', 'synth pad', 'synth pads', 'pluck', 'plucks'],
    ...['신스', '신디', '신시사이저', '신디사이저', '신스패드', '패드', '아르페지오'],
  ],
  fx: [
    ...['fx', 'sfx', 'effect', 'effects', 'sound effects', 'riser', 'risers', 'sweep', 'sweeps', 'ambience', 'ambient'],
    ...['atmosphere', 'atmospheres', 'foley', 'noise', 'impact', 'impacts', 'transition', 'transitions'],
    ...['효과음', '효과', '이펙트', '앰비언스', '노이즈', '임팩트'],
  ],
  other: [
    ...['other', 'others', 'other instruments', 'other instrument', 'instrumental', 'instrumentals', 'instruments'],
    ...[
      'accompaniment',
      'backing track',
      'backing tracks',
      'music',
      'residual',
      'rest',
      'misc',
      'remaining',
      'remainder',
    ],
    ...['everything else', 'no vocal', 'no vocals', 'no voice', 'minus vocals', 'without vocals', 'karaoke', 'melody'],
    ...[
      'brass',
      'horn',
      'horns',
      'trumpet',
      'trumpets',
      'trombone',
      'sax',
      'saxophone',
      'woodwind',
      'woodwinds',
      'wind',
    ],
    ...['winds', 'flute', 'flutes', 'clarinet', 'oboe', 'non vocals', 'novocals', 'instru', 'inst'],
    ...[
      '기타 악기',
      '기타악기',
      '그 외',
      '그외',
      '나머지',
      '반주',
      '연주',
      '엠알',
      '금관',
      '금관악기',
      '브라스',
      '목관',
    ],
    ...['목관악기', '색소폰', '트럼펫', '플루트', '관악기', '멜로디', '인스트루멘탈', '인스트'],
  ],
}

/** Names of a full mix among stems. */
const MIX_NAMES = [
  ...['mix', 'full mix', 'mixdown', 'stereo mix', 'final mix', 'master', 'mastered', 'full song', 'full track'],
  ...['original', 'original mix', 'full', '2mix', '믹스', '원곡', '전체', '마스터', '풀믹스', '완곡', '스테레오 믹스'],
]

interface Name {
  readonly words: string
  readonly role: StemRole | 'mix'
}

const ROLE_NAMES: readonly Name[] = STEM_ROLES.flatMap((role) => NAMES[role].map((words) => ({ words, role })))
const WHOLE_NAMES: readonly Name[] = MIX_NAMES.map((words) => ({ words, role: 'mix' }))

const isHangul = (character: string) => character >= '가' && character <= '힣'

const withoutExtension = (name: string) => withoutSongExtension(withoutAnyExtension(name.replace(/\.zip$/i, '')))

/** Returns the words of a file name in lower case: no extension, number or symbol, `LeadVocals` as two words. */
function wordsOf(fileName: string): string[] {
  return withoutExtension(fileName)
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/808s?|2mix|\p{N}+/gu, (digits) => (/^(808|2mix)/.test(digits) ? ` ${digits} ` : ' '))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Returns the role named last, as in "string synth"; among names with the same end, the longest. A "drum mix" is no mix of the song. */
function namedLast(words: readonly string[]): Name['role'] | undefined {
  return lastOf(ROLE_NAMES, words) ?? lastOf(WHOLE_NAMES, words)
}

function lastOf(names: readonly Name[], words: readonly string[]): Name['role'] | undefined {
  const text = ` ${words.join(' ')} `
  let best: { readonly end: number; readonly length: number; readonly role: Name['role'] } | undefined
  for (const { words: name, role } of names) {
    // Korean words are joined without spaces: 리드보컬.
    const needle = isHangul(name[0]!) && name.length > 1 ? name : ` ${name} `
    const at = text.lastIndexOf(needle)
    if (at < 0) continue
    const end = at + needle.trimEnd().length
    if (!best || end > best.end || (end === best.end && name.length > best.length))
      best = { end, length: name.length, role }
  }
  return best?.role
}

/** Returns the words that all names have, each as often as they all have it. */
function commonWords(names: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = names
  return others.reduce<string[]>(
    (common, words) => {
      const left = [...words]
      return common.filter((word) => {
        const at = left.indexOf(word)
        if (at >= 0) left.splice(at, 1)
        return at >= 0
      })
    },
    [...first],
  )
}

function without(words: readonly string[], some: readonly string[]): string[] {
  const left = [...some]
  return words.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/**
 * Returns the role of each file of a set by its name: `mix` for the full mix among its stems, undefined for a name without a role. Words
 * common to all names are the song's title and are ignored, unless nothing else is left: a file named by the title alone is the mix, if the
 * title is no role and all others have one. Pure.
 */
export function rolesOfNames(fileNames: readonly string[]): (StemRole | 'mix' | undefined)[] {
  const names = fileNames.map(wordsOf)
  const title = names.length > 1 ? commonWords(names) : []
  const own = names.map((words) => without(words, title))
  const roles = own.map(namedLast)
  const ofTitle = title.length > 0 ? namedLast(title) : undefined
  const [whole, ...others] = own.flatMap((words, index) => (words.length === 0 ? [index] : []))
  const isWhole = whole !== undefined && others.length === 0 && title.length > 0 && (ofTitle ?? 'mix') === 'mix'
  const isMix = (index: number) => isWhole && index === whole && roles.every((role, at) => role || at === whole)
  return names.map((words, index) =>
    isMix(index) && names.length > 2 ? 'mix' : (roles[index] ?? (title.length > 0 ? namedLast(words) : undefined)),
  )
}

/** Returns the title of a song by its stems: the name of their ZIP, or the beginning that their names have in common; perhaps empty. Pure. */
export function titleOfStems(fileNames: readonly string[]): string {
  const names = fileNames.map(withoutExtension)
  let common = names[0] ?? ''
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1)
  // A word ends before any character that is no letter.
  const isWhole = names.every((name) => !/^[\p{L}\p{N}]/u.test(name.slice(common.length)))
  const words = isWhole || /[^\p{L}\p{N}]$/u.test(common) ? common : common.replace(/[\p{L}\p{N}]+$/u, '')
  return cleanName(words.replace(/[\s\-_–—.([{]+$/u, ''))
}
