/** Names in plain ASCII. Hangul follows the Revised Romanization of Korean (Ministry of Culture, notice 2000-8). Pure. */

const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3
const VOWELS_PER_INITIAL = 21
const FINALS_PER_VOWEL = 28
/** Place of the silent initial ㅇ. */
const SILENT = 11

const INITIALS = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ').map((text) => text.replace('-', ''))
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
/** Finals before a pause or a consonant, and before a vowel; the first stands for no final. */
const FINALS = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')
const LINKED = '- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -'.split(' ')
/** Finals that make the consonant behind them breathed: ㄶ, ㅀ, ㅎ. */
const BREATHING: ReadonlySet<number> = new Set([6, 15, 27])
const BREATHED: Readonly<Record<string, string>> = { g: 'k', d: 't', j: 'ch' }
/** A final before ㄴ, ㅁ and ㄹ; ㄹ changes as well. */
const BEFORE_NASAL: Readonly<Record<string, string>> = { k: 'ng', t: 'n', p: 'm' }

interface Syllable {
  readonly initial: number
  readonly vowel: number
  readonly final: number
}

function syllableOf(character: string): Syllable | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) return undefined
  const index = code - FIRST_SYLLABLE
  const final = index % FINALS_PER_VOWEL
  const vowel = ((index - final) / FINALS_PER_VOWEL) % VOWELS_PER_INITIAL
  return { initial: Math.floor(index / (FINALS_PER_VOWEL * VOWELS_PER_INITIAL)), vowel, final }
}

/** Romanises the Hangul of a text with assimilated sounds, as spoken; other characters stay. Never throws. */
export function romanised(text: string): string {
  const characters = [...text.normalize('NFC')]
  let spelled = ''
  let initial: string | undefined
  for (const [i, character] of characters.entries()) {
    const syllable = syllableOf(character)
    if (!syllable) {
      spelled += character
      initial = undefined
      continue
    }
    const next = syllableOf(characters[i + 1] ?? '')
    const border = borderOf(syllable.final, next)
    spelled += (initial ?? INITIALS[syllable.initial]!) + VOWELS[syllable.vowel]! + border.final
    initial = next && border.initial
  }
  return spelled
}

/** Sounds of a final and of the initial behind it. */
function borderOf(final: number, next: Syllable | undefined): { readonly final: string; readonly initial: string } {
  const sound = FINALS[final]!.replace('-', '')
  if (!next) return { final: sound, initial: '' }
  const initial = INITIALS[next.initial]!
  if (next.initial === SILENT) return linked(final, VOWELS[next.vowel] === 'i')
  const breathed = BREATHING.has(final) ? BREATHED[initial] : undefined
  if (breathed) return { final: sound === 't' ? '' : sound, initial: breathed }
  if (initial === 'r') {
    if (sound === 'n' || sound === 'l') return { final: 'l', initial: 'l' }
    return sound === '' ? { final: '', initial } : { final: BEFORE_NASAL[sound] ?? sound, initial: 'n' }
  }
  if (initial === 'n' && sound === 'l') return { final: 'l', initial: 'l' }
  const isNasal = initial === 'n' || initial === 'm'
  return { final: isNasal ? (BEFORE_NASAL[sound] ?? sound) : sound, initial }
}

/** Links a final to the following vowel; before i, ㄷ and ㅌ turn to j and ch. */
function linked(final: number, isBeforeI: boolean): { readonly final: string; readonly initial: string } {
  const sound = LINKED[final]!.replace('-', '')
  if (isBeforeI && (sound === 'd' || sound === 't')) return { final: sound === 'd' ? 'j' : 'ch', initial: '' }
  return { final: sound, initial: '' }
}

/**
 * Returns a name of only ASCII letters, digits, `-` and `_`, as some distributors require; empty if nothing is left, such as for a script
 * that is not transcribed. Never throws.
 */
export function asciiName(text: string): string {
  return romanised(text)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[_-]+|[_-]+$/g, '')
}
