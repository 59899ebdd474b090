import { expect, test } from 'vitest'
import { rolesOfNames, STEM_ROLES, type StemRole } from '../../src-contract/stem-roles.ts'

/** Names that a file has by itself, by the role that they mean. */
const NAMES: Readonly<Record<StemRole | 'mix' | 'none', readonly string[]>> = {
  voice: [
    ...['Vocals.wav', '0 Lead Vocals.wav', 'lead_vocals.flac', 'LeadVocals.wav', 'Night Drive (Vocals).wav', 'VOX.wav'],
    ...['Night Drive-vocals-C major-120bpm-441hz.wav', '🎤 Vocals (3).mp3', 'Vocals-2.wav', 'acapella.wav', 'vocals'],
    ...[
      'Guitar Man - Vocals.wav',
      '보컬.wav',
      '리드보컬.wav',
      '01_메인 보컬.wav',
      '보컬1.mp3',
      'Bass Voice.wav',
      '랩.wav',
    ],
    '보컬.wav'.normalize('NFD'),
  ],
  backing: [
    ...['1 Backing Vocals.wav', 'Background Vocals.wav', 'backing_vocal.wav', 'Vocals (Backing).wav', 'BGV.wav'],
    ...['Harmonies.wav', 'Choir.wav', 'vocal harmony.wav', 'ad-libs.wav', '코러스.wav', '백보컬.wav', '화음 2.wav'],
  ],
  drums: [
    ...['Drums (3).wav', '2 Drums.wav', '🥁Drums.wav', 'Percussion.wav', 'Kick.wav', 'Bass Drum.wav', 'hi-hat.wav'],
    ...[
      'Snare_01.wav',
      'Drum Machine.wav',
      'cymbals.wav',
      '드럼.wav',
      '베이스 드럼.wav',
      '타악기.flac',
      'Overheads.wav',
    ],
  ],
  bass: [
    ...['Bass.wav', 'Bass Guitar.wav', 'Synth Bass.wav', 'Sub.wav', '808.wav', '808s.wav', 'Double Bass.wav'],
    ...[
      'String Bass.wav',
      '베이스.wav',
      '베이스 기타.wav',
      '베이스기타.wav',
      'Drums of War (Bass).wav',
      '3_bass_120.wav',
    ],
  ],
  guitar: [
    ...['Guitar.wav', 'Electric Guitars.wav', 'Lead Guitar.wav', 'ac_gtr.wav', 'gtr L.wav', '기타.wav', '통기타.wav'],
    ...['일렉기타 2.wav', 'Rhythm Guitar.wav'],
  ],
  keys: ['Keyboard.wav', 'Keys.wav', 'Piano.wav', 'Organ.wav', 'E-Piano.wav', '피아노.wav', '건반.wav', 'Rhodes 2.wav'],
  strings: ['Strings.wav', 'Violins.wav', 'Synth Strings.wav', 'cello.wav', '현악기.wav', '스트링.wav', '가야금.wav'],
  synth: ['Synth.wav', 'String Synth.wav', 'Synth Lead.wav', 'pads.wav', 'Arp.wav', '신스.wav', '신디사이저.wav'],
  fx: ['FX.wav', 'sfx.wav', 'Vocal FX.wav', 'Guitar effects.wav', 'Riser.wav', '효과음.wav', '이펙트.wav'],
  other: [
    ...[
      'Other.wav',
      'others.wav',
      'no_vocals.wav',
      'Instrumental.wav',
      'accompaniment.mp3',
      'Brass.wav',
      'Woodwinds.wav',
    ],
    ...['backing track.wav', '기타 악기.wav', '그 외.wav', '반주.wav', 'Music.wav', 'Sax.wav', '나머지.wav'],
  ],
  mix: [
    'Full Mix.wav',
    'Night Drive (master).wav',
    'original.wav',
    '원곡.wav',
    '2mix.wav',
    'mixdown.wav',
    '풀믹스.wav',
  ],
  none: [
    'Night Drive.wav',
    'track 03.wav',
    'Basswood.wav',
    'Stringent.wav',
    'Capital.wav',
    '',
    '.wav',
    '노을.wav',
    '01.wav',
  ],
}

const ROWS = Object.entries(NAMES).flatMap(([role, names]) => names.map((name) => ({ name, role })))

test.each(ROWS)('$name is $role', ({ name, role }) => {
  expect(rolesOfNames([name])).toEqual([role === 'none' ? undefined : role])
})

test('every role has names in the table', () => {
  expect(STEM_ROLES.filter((role) => NAMES[role].length === 0)).toEqual([])
})

test('words of the title, which all names have, name no role', () => {
  expect(rolesOfNames(['Vocals - Drum Song.wav', 'Bass - Drum Song.wav', 'Drums - Drum Song.wav'])).toEqual([
    ...['voice', 'bass', 'drums'],
  ])
  expect(rolesOfNames(['Piano Man.wav', 'Piano Man Strings.wav', 'Piano Man Keys.wav'])).toEqual([
    ...['keys', 'strings', 'keys'],
  ])
})

test('names with a common word and no other keep their role', () => {
  expect(rolesOfNames(['Lead Vocals.wav', 'Backing Vocals.wav'])).toEqual(['voice', 'backing'])
  expect(rolesOfNames(['Drums (1).wav', 'Drums (2).wav'])).toEqual(['drums', 'drums'])
})

test("the twelve stems of Suno's export", () => {
  const names = [
    ...['Vocals', 'Backing Vocals', 'Drums', 'Bass', 'Guitar', 'Keyboard', 'Percussion', 'Strings', 'Synth', 'FX'],
    ...['Brass', 'Woodwinds'],
  ]
  expect(rolesOfNames(names.map((name, index) => `${index} 한밤의 노래 - ${name}.wav`))).toEqual([
    ...['voice', 'backing', 'drums', 'bass', 'guitar', 'keys', 'drums', 'strings', 'synth', 'fx', 'other', 'other'],
  ])
})

test('a name of a thousand words is read', () => {
  expect(rolesOfNames([`${'drums '.repeat(1000)}bass.wav`])).toEqual(['bass'])
})
