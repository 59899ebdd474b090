/**
 * A sound engineer's vocabulary in English and Korean: the settings that each word changes, and how. Steps and choices are our
 * recommendation. A pattern is a regular expression without anchors; a Korean one is a stem that any ending may follow, and one with a
 * hyphen is a verb, matched in all its forms.
 */
import type { Format } from '../formats.ts'
import { PLATFORMS, type Platform, platformFacts } from '../platforms/index.ts'
import type { RepairKind } from '../repair-kinds.ts'
import { type JobSettings, SETTINGS, type SettingName } from '../settings.ts'

/** A setting that words move up or down. */
export type Knob = {
  [Name in SettingName]: JobSettings[Name] extends number | null ? Name : never
}[SettingName]

export type Sign = 1 | -1

/** Meaning of a word. */
export type Meaning =
  /**
   * A property of the sound. A `fault` on its own is a complaint, never a wish. `isFaint`: counts only if nothing else is said. `ofPart`:
   * next to a part, it tells how much of that part there is ("huge bass").
   */
  | {
      readonly kind: 'quality'
      readonly knob: Knob
      readonly sign: Sign
      readonly ofPart?: Sign
      readonly isFault?: boolean
      readonly isFaint?: boolean
      readonly yields?: boolean
    }
  /**
   * A part of the sound, the subject of levels and directions. `sign`: −1 if the knob moves the other way. `kept`: the settings that keep
   * it as it is. `yields`: gives way to another wish for its knob.
   */
  | {
      readonly kind: 'part'
      readonly knob: Knob
      readonly sign?: Sign
      readonly kept?: Partial<JobSettings>
      readonly isVague?: boolean
      readonly yields?: boolean
    }
  /** A level of a part; `alone` is the knob it refers to without a part. `isOver`: of a part that covers another one. */
  | {
      readonly kind: 'level'
      readonly sign: Sign
      readonly alone: Knob
      readonly isFault?: boolean
      readonly isOver?: boolean
    }
  /** Words of description: the words after them are not a wish. */
  | { readonly kind: 'statement' }
  /** More or less of the named thing. `isTidy`: next to a quality it only asks for that quality. */
  | { readonly kind: 'direction'; readonly sign: Sign; readonly isTidy?: boolean }
  /** None at all of what is named. */
  | { readonly kind: 'none' }
  /** Factor of the step. */
  | { readonly kind: 'degree'; readonly factor: number }
  | { readonly kind: 'too' }
  | { readonly kind: 'not'; readonly isStated?: boolean; readonly isWaived?: boolean }
  | { readonly kind: 'keep' }
  /** A setting with its value. */
  | { readonly kind: 'choice'; readonly settings: Partial<JobSettings> }
  /** The name of a repair, or of the damage it repairs. A negation switches the repair off. */
  | { readonly kind: 'repair'; readonly repair: RepairKind; readonly isDamage?: boolean }
  /** The word "style", which turns a neighbouring quality into the name of a style. */
  | { readonly kind: 'style' }
  /** The settings of the job before. */
  | { readonly kind: 'last' }
  /** End of a clause. `joins`: the next one may have the same direction. */
  | { readonly kind: 'break'; readonly joins?: boolean }
  /** A word without a meaning of its own. */
  | { readonly kind: 'filler' }

export interface Term {
  readonly en?: string
  readonly ko?: string
  readonly meaning: Meaning
}

/** Step of a knob at a word without a degree, in its unit. */
export const STEPS: Readonly<Partial<Record<Knob, number>>> = {
  tilt_db: 1,
  bass_db: 1.5,
  presence_db: 1,
  air_db: 1.5,
  width_percent: 20,
  highs_side_db: 3,
  punch: 25,
  warmth: 25,
  density: 25,
  target_lufs: 1.5,
  intensity: 20,
  tone_amount: 40,
  dynamics_amount: 40,
  image_amount: 40,
  fade_in_seconds: 3,
  fade_out_seconds: 3,
}

const choice = (settings: Partial<JobSettings>, en: string, ko: string): Term => ({
  ...{ en, ko },
  meaning: { kind: 'choice', settings },
})
const platform = (id: Platform): Term => {
  const { name, alsoCalled } = platformFacts(id)
  const all = [...Object.values(name), ...alsoCalled].map((one) => one.toLowerCase()).join('|')
  return choice({ platforms: [id] }, all, all)
}
const format = (name: Format, en: string) => choice({ formats: [name] }, en, en)
const repair = (kind: RepairKind, en: string, ko: string): Term => ({
  en,
  ko,
  meaning: { kind: 'repair', repair: kind },
})
const damage = (kind: RepairKind, en: string, ko: string): Term => ({
  ...{ en, ko },
  meaning: { kind: 'repair', repair: kind, isDamage: true },
})

/**
 * Returns the words of a table: a row has a kind, its knob, sign and marks, and the patterns in English and Korean, parted by `~`. `part+` is
 * `ofPart`, `keeps:` names the setting that is 0 where the part is kept.
 */
const table = (rows: string): Term[] =>
  rows
    .trim()
    .split('\n')
    .map((row) => {
      const [head = '', en = '', ko = ''] = row.split(' ~ ')
      const [kind, ...marks] = head.split(' ')
      const has = (mark: string) => marks.includes(mark)
      const knob = marks.find((mark) => mark in SETTINGS)
      const kept = marks.find((mark) => mark.startsWith('keeps:'))?.slice(6)
      const meaning = {
        ...{
          kind,
          knob,
          alone: knob,
          factor: Number(marks[0]),
          ofPart: has('part+') ? 1 : has('part-') ? -1 : undefined,
        },
        ...{ sign: has('-') ? -1 : 1, kept: kept && { [kept]: 0 }, joins: has('joins'), yields: has('yields') },
        ...{ isFault: has('fault'), isFaint: has('faint'), isOver: has('over'), isVague: has('vague') },
        ...{ isTidy: has('tidy'), isStated: has('stated'), isWaived: has('waived') },
      }
      return { en, ko, meaning: meaning as unknown as Meaning }
    })

const PLATFORM_NAMES = PLATFORMS.flatMap((id) => [id, ...Object.values(platformFacts(id).name)])
  .join('|')
  .toLowerCase()

/** Words with a meaning of their own beside certain others; before the same words elsewhere. */
const CONTEXTUAL = table(String.raw`
part presence_db ~  ~ 노래(?=[가는] 반주)
quality bass_db + fault ~  ~ (?<=(저음|저역|베이스|로우|킥)[은는이가도]? (너무 |좀 |다 )?)뭉개지-
filler ~ back (in)?to(?= (the|my|it))
filler ~ (?<=(${PLATFORM_NAMES}) )(loudness|levels?|volume|standards?|target)
direction + ~ (?<=(bring|get|give) (the |my |some |that |more )?(\w+ ){1,2})back(?=$|[,.;!]| please)|max(imum)?(?= (width|bass|punch|warmth|air|presence|density))
too ~ (it.?s|is|are|sounds) all(?= (bass|treble|highs?|lows?|mids?|drums|vocals?|low end|top end)\b)|so (much|many)(?! (more|less|better|\w+er)\b)|(?<!(it|this|mix|song|track|master|everything|all) (is|sounds|feels) )(?<=\w (is|are|sounds|feels) )overdone
level presence_db + ~ (bring|draw|push)(?= ((?!out)\w+ ){1,3}out\b(?! of))|un-?bury
direction - ~ back(?= (it|this|that|them|the \w+) (off|down))|(roll|take|pull|thin|scoop|carve|dial|suck|cut|knock|shave|filter|eq|pare|trim)(?= ((?!out|off|away|up)\w+ ){1,4}(off|out|away)\b)|(do not|don.?t|not|never)(?= ((?!but|just|only)\w+ ){1,4}(so|too) (?!much|many))|(do not|don.?t) (need|want)( (so|that|as|this|too))+ (much|many)|-{2,}|half( as much| of)?(?= (the|that) )
level presence_db - fault ~ ((is|are|was|does|do) ?)?(not|n.?t|never|aint)(?= (\w+ ){0,2}enough)|no(?= (bass|lows?|low[ -]end|bottom|subs?|highs?|top[ -]end|treble|air|punch|impact|energy|life|warmth|width|body|weight|depth|clarity|presence|dynamics|drums|kick|vocals?|beat)(?=$|[,.;!]| (in|on|here|at|and|but)\b))|no(?= (\w+ ){1,3}(at all|whatsoever|here|in (it|this|the (song|mix|track))))|(do(es)?|is|are) ?(not|n.?t)( (really|quite|even))*(?= (com(e|ing)|cut(ting)? through|stand(ing)? out|pop(ping)?|shin(e|ing)|translate)\b)|(?<=[a-z] )(do(es)? ?(not|n.?t))(?= (punch|hit|slap|knock|kick|bounce|sparkle|breathe|groove)\b)
`)

const QUALITIES = table(String.raw`
quality tilt_db + ~ radiant|luminous|lift the (veil|blanket|curtain)|(tak|pull)(e|ing) (the|that) (blanket|veil|curtain) off|uncover|unmuffle|bright(er|est|ness|en)?|zest(y|ier)|zing(y)?|sunny|sunnier|hi-?fi|pristine|modern sheen|brightened|vivid|vibrant|brilliant ~ 밝기|환함|생생한 고음|상쾌|모던|눈부시-|눈부셔|(쭉쭉?|시원하게) ?뻗|밝|화사|영롱|경쾌|화려|쨍쨍|청명|환해|반짝이는 톤|환하|환한|쨍하게|생기|산뜻
quality tilt_db - ~ dim(mer)?|shadowy|night-?time|smoky|smokey|dark(er|est|ness|en)?|darkened|gloomy|warmish|moody top|mellow(er)? ~ 어둡-|다크|칙칙하게|무거운 분위기|톤 ?다운|무드 ?있|가라앉은 느낌|차분|침침
quality tilt_db - fault ~ ((sound|feel)(s|ing)? )?like (it.?s |they.?re |she.?s |he.?s )?(singing |playing |coming )?(from |out of )?(in|inside|under|behind|through|over)?( of)? ?(an? |the |my )?((small|wooden|tiny|big|thick|heavy|wet) )?(box|closet|blanket|pillow|door|wall|curtain|bag|bucket)|dim|lack-?luster|drab|indistinct|unclear|occluded|cotton(y| wool)?|fuzzy|smeared|unfocus(s?ed)|haz(e|iness)|wooden|gr[ea]y|(recorded )?(in|inside) an? (closet|box|bucket|bag|cupboard|wardrobe)|(?<=(feels?|sounds?|is|are|too) )rolled off|muted|smothered|suffocat(ed|ing)|blurr(y|ed)|smear(y|ed)|(from )?(behind a (door|wall|curtain)|under a pillow)|dull(er|ness)?|woolly|wooly|congested|airless|claustrophobic|lo-?res|blanket over( (it|the speakers|everything))?|under ?water|cloudy|murky|foggy|hazy|closed([ -](in|off|up))?|box(y|ier|iness)|boxed in|muffled|stuffy|veiled|blanket(ed)? ~ (막|이불|커튼|천|솜|벽|안개|담요|마스크)[이을에로]? ?(하나 ?)?(낀|끼-|씌|덮|친|쳐|가린|쌓인|둘러|뒤|너머)|(박스|상자|통|터널|수건|마스크|옆방|문|이불|물) ?(안|속|뒤|너머|밖)(에서)?( ?(나는|나오는|들리는|부르는|말하는))?|뿌얘|희미|불투명|어두침침|멍멍|눅눅|갑갑|답답|먹먹|텁텁|꽉 ?막|뻑뻑|침침한|맹맹|둔탁|멍청|물속|이불( ?(속|덮[은어인힌]))?|먹힌|갇히-|흐릿|흐리-|뿌옇|뿌연|칙칙|탁탁한|막히-
quality punch + part+ ~ excit(ing|ement|ed)|thrill(ing)?|pizzazz|zing|fire
quality tilt_db + ~ refreshing ~ 시원(시원)?|뻥 ?뚫|뚫|청량|([탁확] ?)?(트인|트이|틔)
quality tilt_db + part- ~ lighter
quality presence_db - part- ~ soft(er|en|ness)?|relax(ed)?
quality width_percent - part- ~ smaller
quality dynamics_amount - part+ ~ life
quality intensity - part- ~ (do not|don.?t) overdo( it)?|not overdone ~ (너무 )?과하지 ?않|오버하지
quality bass_db + part+ ~ deep(er|en|est)?|heav(y|ier|iest)|hefty|weightier|powerful|beefy|beefier|(f|ph)at(ter|test|ten)?|thi(ck(er|en)?|cc)|full(er)?
quality bass_db + ~ fill(s|ed|ing)?( (it|this|things|the (sound|mix|low end)))( (out|up|in))?|fill(s|ed|ing)? (out|up|in)|(shake|rattle|move) (the|my|our)( whole)? (room|house|floor|walls?|car|trunk|club|place)|balls|cojones|chest(y|ier)?|girth|heft|trunk|chugs?|chuggy|chugging|thud(s|dy)?|fatness|bod(y|ied)|oomph|beef|meat(y|ier)?|rich(er|ness)?|bass[- ]?heavy|chunky|chunkier|heaviness|weight(y|ier)?|fullness|thickness|bassy|bassier ~ 알찬|알차-|양감|(배|가슴)[에까지]* ?울리는|육중|두께|살을? ?(붙|찌)|묵직|흔들리-|(우퍼[가를] ?)?울리[게도]|두껍-|쿵쾅|우퍼감|살집|속 ?찬|무게감|풍만|꽉 ?차-|든든|풍부|두텁-|웅장한 저음|중후|볼륨감|쿵쿵|두툼|풍성|깊|무겁-
quality bass_db + part+ ~ booming low ~ 빵빵
quality presence_db + part+ ~ audible|hear(able)? ~ 존재감|잘 ?들리|잘 ?들려|잘 ?들렸|도드라|생생|살아 ?있
quality bass_db - fault ~ (((sound|feel)(s|ing)? )?(like|as if) |out of |through )(it.?s |they.?re )?(coming )?(from |through |out of |on |over )?(an? |the |my )?((old|cheap|tiny|little|bad|toy|am|transistor|clock) )*(phone|telephone|walkie[- ]talkie|radio|megaphone|laptop|tin|can|tv|speakerphone|toy|headset)( speakers?| calls?)?|lightweight|weightless|scrawny|flimsy|skeletal|bony|wispy|anaemic|insubstantial|undernourished|no substance|lean(er)?|thin(ner|ness)?|bassless|gutless|weedy|weak low end|papery|skinny|puny|lightweight|wimpy bass|tinny|tinnier|anemic|(like a )?tin can|small and weak ~ (전화기?|휴대폰|핸드폰|라디오|확성기|장난감|무전기|수화기|깡통|싸구려 ?스피커)( ?(스피커|통화))?( ?(에서|속에서|로|안에서))?( ?(나는|나오는|듣는|들리는))?( ?소리)?(?= ?(같|처럼|나요|나는|나네|나고))|왜소|앙상|야위|빈티|힘없는 저음|얇|앏|가늘|얄팍|마른|홀쭉|속 ?빈|가볍-|빈약|깡통
quality bass_db + fault ~ subby|bulbous|muddying|bottom[- ]heavy|bass[- ]?heavy mess|thick soup|(low end |bass )?build-?up|wool|floppy|wobbl(y|ing)|shaky|bus(y|ier)|hum(s|ming)?|(mic )?pop(s|ping)( p.?s)?|clutter(ed)?|crowded|sloppy|boom(y|ier|iness|ing)?|plosives?|low-?mid build-?up|swampy|dron(e|ing)|overpowering|booming|loose|flabby|muddled|mush(y|ier)?|flub(by)?|bass is everywhere|mud(dy|dier|diness)?|rumbl(es?|y|ing)|woof(y|iness)|bloated|tubby ~ 웅얼|윙윙|웅~*웅|울린|울려|울리는 저음|울림|질척|끈적|흙탕|뭉글|뭉개진 저음|퉁퉁|뚱뚱|뒤룩|둔하|둔해|둔한|방방|웅웅대|웅웅|붕붕|꿀렁|우우웅|벙찌|부웅|뭉치-|뭉쳐|팝핑|파열음|부글|뭉개지는|벙벙|울려요|울림이|우웅|먹먹한 저음|둥둥|벙벙|부밍|탁하|탁한|탁해
quality presence_db + ~ pure|purity|discernible|decipherable|(well[- ])?separat(ed?|ion|ing)|legible|lucid|pronounced|definition|precis(e|ion)|transparen(t|cy)|present|presence|underst(and|ood|andable)|intelligible|detail(ed|s)?|focus(ed)?|clear(er|est|ly)?|clarity|intelligib(le|ility)|articulate|defin(ed|ition)|crisp vocals? ~ 알아듣-|알아들|분리(도|감)?|해상도|해상력|정확히 ?들|구분|윤곽|투명|섬세|정교|또렷|또랑|초롱|또박|선명|깨어|깨끗|깔끔|분명|[까카]랑|명징|똑똑히|디테일|명료|뚜렷|명확
quality presence_db + fault ~ rough(er|ness)?|coarse|ragged|caustic|cutting|ice-?pick(y|s)?|shout(y|s|ing)|bark(y|ing)|(?<!(an|my|the|your) )ear-?splitting|in your face highs|hard on (the|my|your) ears?|too much edge|overly sharp|razor|squawk(y|s|ing)?|squeal(y|s|ing)?|piping|steely|peaky|harsh(er|est|ness)?|de-?harsh|jagged|piercingly|honk(s|ing)?|nasall?y|nose|rasp(y|ier|ing)?|quack(y|ing)?|ring(s|y|ing)?|clang(s|y|ing)?|edge|crunch|stab(s|bing)?|honk|aggress(ive|ion)|fierce|scratchy|screechy|screaming|metallic|brash|spiky|poking( out)?|pok(e|es) out|stab(by|bing)|in the 3k|grainy|crunchy|pierc(e|ing)|shrill(er|ness)?|sharp(er|ness)?|strident|abrasive|grating|nasal|honky|edgy|aggressive|biting|ear.?piercing ~ 긁|까칠|까끌|까슬|날이? ?서|날 ?선|날것 ?같은 고음|뻗는|쏴|쏘아|귀를 ?(괴롭|후비-|긁-)|매섭-|독하|따갑-|찢어지-|찢기-|갈라|찡|쨍쨍|쩌렁쩌렁|째는|센 ?발음|거슬리는 고음|칼(날)?(?= ?(같|처럼))|송곳(?= ?(같|처럼))|메탈릭|날카|쇳소리|쏘-|귀를 ?(찌르-|때리-)|코 ?막|콧소리|공격|쩌렁|코맹맹|비음|뻗치|따끔|찢어|갈라지-|시끄러운 고음|뾰족|빡빡한|앵앵|째지|금속|찌르-|거칠-|자극|앙칼|쨍
quality bass_db + part+ fault ~ mess(y|ier)?|(blur|smear|run|bleed)(s|red|ing)? (together|into each other) ~ 지저분
quality presence_db + part+ fault ~ resonan(t|ces?)|peaks? ~ 공진|피크
quality bass_db - ~ (low|lo)[- ]?cut|(high|hi)[- ]?pass(ed)?( it)? ~ 로우 ?컷|하이 ?패스
quality air_db - ~ (high|hi)[- ]?cut|(low|lo)[- ]?pass(ed)?( it)? ~ 하이 ?컷|로우 ?패스
quality presence_db - ~ eas(y|ier) on (the|my|your) ears?|easier to listen( to)?|sooth(e|ing)|rounder|cushion(y|ed)?|gentle on the ears|warm and smooth|satin|supple|take the sharpness (off|out)|less tiring|non-?fatiguing|relaxing|liquid|fluid|smooth(er|est|ness)?|tak(e|ing) (some of |a bit of )?the (edge|sting|bite) (off|out)( of)?|buttery|tender(er)?|chill(ed|er)?( out)?|calm(er)|lush|sweet(er|en)?|pleasant|comfortable|creamy|mild(er)?|easy on the ears?|velvety|gentler? on (the|my) ears?|polite|round(er|ed)? ~ 둥글둥글|유려|나긋|온화|듣기 ?(좋|편|쉽)|편안히|나긋나긋|고르게 ?들|부들부들|부드럽-|귀가 ?편|듣기 ?편|편하|편한|매끈|보드라|달콤|감미로운 소리|유한|순하|편안|은은한 고음|촉촉|말랑|둥글|매끄
quality presence_db + part+ fault faint ~ (hurts?|hurting|tires?|tiring|exhaust(s|ing)|fatigu(es?|ing)|wear(s|ing)? out)( (my|the))?( ears?)? ~ 귀[가는도]? ?(좀 ?|너무 ?|안 ?)?(아프|아파|아픈|피곤|따갑|따가)|피곤|피로
quality air_db + ~ glimmer(y|ing)?|gleam(ing)?|crystalline|openness up top|sprinkle of fairy dust|breath of air|glow(ing)?|lustre|luster|tingl(e|y)|gloss|angelic|heavenly|air(y|ier|iness)?|glisten(s|ing)?|twinkl(e|y|ing)|crystal(line)?( clear)?|zingy top|open top|breathy|breathiness|glitter(y)?|glassy shine|shin(e|y|ier)|lush highs|expensive|sparkl(e|y|ing)|shimmer(y|ing)?|crisp(er|y|ier|ness)?|silky|silk|glossy|sheen ~ 촤르르|촤아|럭셔리|천사|빛나-|윤기|공기감|세련|반짝|반짝반짝|살랑|호흡감|하늘하늘|에어|샤르르|청아|맑|투명한 고음|고급|찰랑|바삭|크리스피|사각|샤한|샤하|샤라락
quality air_db + fault ~ de-?ess(ing)?(?=( \w+){0,3} (a (bit|little|touch|tad)|more|harder|again))|(too many|so many) s.?s|s.?s|ess-?y|whistl(y|ing) s|tss+|crackle|static|tizz(y)?|wash(y|ing)?|(top|treble)[- ]heavy|(background )?noise|buzz(y|ing)?|splash(y|ier)?|sibilan(t|ce)|s.?s |t.?s and s.?s|lispy|de-?sibilance|spit|sizzl(e|y|ing)|lisp(y)?|ess sounds?|hissy|spitty|esses|ess(es|y)|s sounds?|s[ -]?es|fizz(y|ier|iness)?|hiss(y|ing)?|brittle ~ 치이+익?|쉬이+익?|스으+|[씨쓰]익|쉭쉭|치찰|시옷|쌔한|샥샥|챙챙|쨍그랑( ?거리-)?|칭칭|찰그랑|파찰|지직|지지직|자글|치찰음|지글|찌글|치지직|쉭|잡음|노이즈|히스|ㅅ ?소리|쓰읍|츠츠|스스|스[ -]?소리|쌕쌕|시옷|쓰 ?소리|칙칙거|치치|쉿|치익|ㅅ ?발음|시옷
quality width_percent + ~ ethereal|(spread|pann?ed|stretch(ed)?)( out)?|wrap(s|ped)? around( me)?|3-?d|dimension(al)?|larger than life|cinematic|stadium|arena|all around( me)?|airy space|out(side)? (of )?the speakers|side to side|left and right|depth|three-dimensional|live (feel|sound|room|vibe)|wide(r|st|n|ned)?|cavernous|surround(ing)?|enveloping|width on it|ambient space|space|broad(er|en)?|expansive|immersive|roomy|(?<!(in|of|my|this|from) (the )?)room(ier)?|epic|3d|panoramic|spacious(ness)?|spread ~ 몽환|영화 ?같|사방|감싸-|에워싸-|둘러싸-|홀 ?같|넓이감|스테레오감|양쪽으로 ?(벌리-|펼치-|보내|나가)|좌우로 ?(벌리-|펼치-|보내|퍼)|크고 ?넓은 느낌|퍼뜨리-|쫙 ?(퍼지-|펼치-)|현장감|라이브(처럼|같)|라이브 ?(느낌|같)|양옆으로|넓|공간감|벌어지-|스케일감|광대|3d|스케일|광활|퍼지-|벌리-|확장|이머시브|웅장|와이드|펼[치쳐]|입체
quality width_percent + part+ ~  ~ 꽉 ?채
quality width_percent + part+ ~ open(er|ness)?( up)?|big(ger|gest)?|huge|massive|enormous|giant|gigantic|large(r)? ~ 거대|큼직
quality width_percent - ~ tight(er|en)?( up)? (the )?(stereo|image|width|sides)|(closer|nearer|close) to mono|bring the sides in|collapse(d)?|focus(s?ed)? (in )?the cent(er|re)|more cent(er|re)|less spread|narrow(er|est)?|pull (in the (stereo|sides)|the (stereo( image)?|sides) in)|cramped|in the middle|to the (middle|cent(er|re))|narrowing|tighter stereo|closer together|focused stereo|cent(er|re)d|mono-?ish ~ 모아|오므리-|한데 ?모|안쪽으로|좁|(가운데|센터|중앙)(로|으로)|모으-
quality punch + ~ (wak(e|es|ing)|liven|perk|spic(e|es)|jazz|fir(e|ed))( (it|this|them|things|everything|the (song|track|drums|mix)))? up|alive|bring(s|ing)?( (it|this|them))? to life|kick in the (chest|teeth|gut|face)|in the (chest|gut)|whack|clap|thwap|crash(ing)? harder|weighty hits?|hit hard|(more )?spring|boun(ce|cing)|urgen(t|cy)|momentum|vital(ity)?|stomp(ing)?|gut punch|intense|ferocious|blast|swing|brutal|vicious|violent|mean|angry|robust|savage|killer|punch(y|ier|iness)?|wallop(s|ing)?|pound(s|ing)?|hammer(s|ing)?|hit(s|ting)?( (like a \w+|me|you|hard(er)?))?|power|pulse|throb(s|bing)?|swagger|attitude|(kick |beater )click|click (on|of|in|from) the (kick|beater)|beater|(?<!(mid|low|high|bass|treble|sub|end)s? )energ(y|etic)|slap(s|py)?|groov(e|y|ier)|kick(s)? (more|harder|hard)|percussive|aggressive drums|weighty drums|explo(sive|des?)|tough(er)?|strong(er)? drums|hard(er)? hitting|bounc(e|y|ier)|hit(s|ting)? hard(er)?|hard[ -]hitting|pop(s|ping)? more|crack|smack|thump(y)?|kick ass|energetic drums|bite|banging|bang(s|er)?|thwack|drive|driving|tight(er|en|ness)?|snap(py|pier|piness)?|attacks?|transients?|impact|slam|kick(s)? harder|hits? harder|knock(s|ing)?|firm(er)?|solid ~ 때려|치고 ?나|딱딱(?= ?(때|치|끊|붙|맞))|(가슴|심장)[을이에]? ?(때리-|울리-|치-|쿵)|찰지|찰진|쩍쩍|생동|살아 ?움직|역동|뜨겁-|불타|신남|흥|맛깔|톡톡|통 ?튀|튕기-|꿈틀|댐핑|추진력|힘차게|때리는 ?맛|세차|우렁찬 드럼|텐션|긴박|폭발|터프|와일드|사납|거세|박진|쿵쾅|질주|탱탱|꽝꽝|쾅쾅|펀치( ?있)?|에너지|활기(차)?|생기 ?있|신나|파워풀|타이트|쫀득|때렸|타격|쫄깃|통통|그루브|리듬감|쳐 ?주|빡세|쿵쿵 ?치|빵빵 ?터|때리|빡|꽂히-|박히-|[쫙착짝딱] ?붙|쿵|힘차|힘 ?있|파워|찰싹|쫙|박력|강렬|두들|짱짱|단단|탄탄|때리-|어택|쫀쫀|조이-|임팩트|탁탁
quality punch - ~ (round|shave|smooth|soften|tame|catch)( (off|out|down))? the (peaks|spikes|hits|transients|attacks?)|(soft|smooth|round|gentl)(er?|en|ed)? (out )?(the )?(attacks?|transients?|drums?) ~ 힘을? ?빼-|(어택|트랜지언트|드럼)[을를은]? ?(더 ?|좀 ?)?(부드럽|부드러|말랑)
quality density - fault ~ (verse|intro|bridge|outro)s? (is|are) (too |so |way too )?(quiet|low|soft)|(quiet|soft|low) (parts?|bits?|sections?|verses?|moments?) ((are |is |get )?(too |so |way too )?(quiet|low|soft|lost)|disappear|vanish)|(volume|level|loudness) (drops|dips|jumps|swings|varies|changes|goes up and down)|uneven|inconsistent|jump(y|s|ing)?( (around|in (volume|level)))*|(up and down|all over( the place)?)( in (volume|level)| volume)|(vocal |volume |level )(jumps|swings) ~ (음량|볼륨|소리 ?크기|소리) ?차이[가이]? ?(너무 ?)?(심하-|심해|심한|크|커|많|나)|조용한 ?(부분|곳|파트)|조용한 데(?=[가는서])|널뛰|들쭉날쭉|들쑥날쑥|고르지 ?(않|못)|왔다 ?갔다|오르락내리락|(작은|조용한) ?(부분|데|곳|파트)[이은]? ?(너무 ?)?(작|안 ?들)
quality density + ~ knit|weld(ed)?|cement|mesh(ed)?|glu(e|ed|ing)|blend(ed)?|gel|cohesi(ve|on)|(glued |blended |hold )?together|more pump(ing)?|make (it|this|everything) (more )?(even|steady|consistent)|parallel compress(ion|ed)|(more even|consistent|steady|controlled|uniform|stable|even (?=(volume|level|loudness)))(er)?( (volume|level|loudness)s?)?|(level|even)(s|ed|ing)?( (it|this|them|things|everything|the \w+))? out|hold(s|ing)?( (it|this|things|everything))? together|bring up the quiet (parts|bits|sections)|squeez(e|ing) (it|this|harder|more)|dens(e|er|ity)|compact|(?<!(not|n.?t|never) )(crush|squash|smash|slam|flatten) (it|this) ~ (큰|작은|조용한|시끄러운) ?(소리|부분|데)(이?[와과랑]|하고)? ?(큰|작은|조용한|시끄러운) ?(소리|부분|데)(의)? ?(차이|격차)[를가]? ?(줄이-|줄여|없애-|없애|적)|잘 ?섞|잘 ?뭉치-|접착제?|찰싹 ?붙|한 ?덩어리|뭉쳐서 ?하나|일체감|조화|하나처럼|하나로( ?(뭉치|뭉쳐|묶|합치|합쳐))?|붙이-|묶-|묶어|어우러지-|섞이-|녹아들|글루|(일정|고르-|고른|균일|균등)(한 ?볼륨)?|꾹꾹( ?누르-)?|눌러 ?담|(볼륨|음량|소리 ?크기)[을를]? ?(일정|고르)|밀도|촘촘|빽빽|꽉꽉( ?(채우|채워|차))?
quality warmth + ~ dust(y|ed)?|worn|rough(ed)?( (it|this))? up|nostalgic|old (record|tape|vinyl|school|time|radio) (sound|feel|vibe)|amber|honeyed|honey|toast(ed)?|valve(s|y)?|console|human|soulful|rust(y|ic)|dirtier|gnarl(y|ier)|fuzz(?= (on|to|in))|syrupy|roasted|warm(er|est|th|ing)?( (it|things) up)?|grit(ty|tier)?|dirt(y|ier)?( it up)?|distort(ion|ed)?|drive it|toasty|woody|colou?r(ed|ful)?|tubey|vinyl|lo-?fi warmth|harmonics|overdrive|old[ -]school|sepia|organic|saturat(ed|ion|e)|analog(ue)?|tube(s|y)?|tape|vintage|retro|co[sz]y ~ 온화한 톤|로파이|레코드판|바이닐|오래된 (느낌|음반)|옛날 (느낌|감성|노래)|사람 ?냄새|인간미|따뜻함|따숩|따스함|훈훈함|두꺼운 배음|질감|따뜻|따듯|따땃|웜|그릿|드라이브|디스토션|왜곡|찌그러진 맛|색깔[을를]? ?(입히-|넣|더하-|있|추가)|훈훈|아늑|엘피|lp|더럽히-|더럽|포근|배음|감미|따스|온기|새추레이션|새츄레이션|포화|아날로그|빈티지|레트로|진공관|테이프
quality warmth - fault ~ plastic(ky)?|analytical|synthetic|soulless|lifelessly clean|computer-?(ish|y)?|antiseptic|brittle and cold|cool(er)?|chilly|electronic|mechanical|cold(er|ness)?|clinical|sterile|icy|digital|glassy ~ 차가움|인조|플라스틱|서늘|싸늘|기계음|컴퓨터( ?소리)?|삭막|온기[가는]? ?없|디지털|차갑-|차디찬|냉랭
quality target_lufs + ~ (push|press) (it|this)( (harder|further|more))?|turn(ed)?( (it|this|that|everything|the (song|track|mix|whole (thing|song|track|mix))))? up(?! (the|my|his|her|your|those|these)\b)|loudness
quality target_lufs - ~ turn(ed)?( (it|this|that|everything|the (song|track|mix|whole (thing|song|track|mix))))? down(?! (the|my|his|her|your|those|these)\b)
quality target_lufs - yields ~ ((leave|keep)( (me|some|more|a bit of))* )?headroom ~ 헤드룸[을도]?( ?(좀|조금|더))?( ?(남[기겨]|확보))?
quality dynamics_amount - ~ (open up|free|restore|bring back) the dynamics|dynamic range|breathing room|uncompress(ed)?|unsquash(ed)?|(let|give) (it|the (mix|song|track|drums)) (some )?(breathe|breathing room)|ups and downs|light and shade|ebb and flow|dynamics?|dynamic range compression off|room to breathe|movement|contrast|dynamic range|breath(e|ing|es)?|lively ~ (큰|작은|조용한|시끄러운) ?(소리|부분|데)(이?[와과랑]|하고)? ?(큰|작은|조용한|시끄러운) ?(소리|부분|데)(의)? ?(차이|격차)[를가]?( ?더)? ?(났으면|나게|키우-|살리-|있게|유지)|숨 ?통|숨 ?쉴|여유|자연스러운 강약|(압축|컴프)[을를]? ?풀|높낮이|살아 ?숨|다이내믹|다이나믹|강약|숨 ?쉬|호흡|여백|셈여림|기복|숨
quality dynamics_amount + fault ~ (as )?flat as a pancake|distorting|distorts|break(s|ing)? up|fall(s|ing)? apart|crackl(es?|ing|y)|fried|cooked|clipp(ed|y)|overdriven|pump(s|y|ing)( and breath(es|ing))?|pinned|hammered|stepped on|crammed|jammed|dynamic-?less|flat-?lined|wall of noise|(limiter|limiting|compressor|compression) (is|feels|sounds)( (working|going|hitting))? (too|so|really|way too) (hard|heavy|strong|obvious|much)|over-?limited|constricted|pinched|stiff|rigid|compress(ed)?|limited|smashed|sausag(e|ed)|chok(ed|ing)|strangled|squash(ed|ing)?|crush|squeez(e|ed)|flattened|brick ?wall(ed)?|overcooked|slammed|over-?compress(ed|ion)?|flat ?tened|pumping|crushed|lifeless dynamics ~ 눌려|짓이기-|찌부|펌핑|꽉 ?눌|깨져|뻥튀기|짜부|짓뭉개-|조여 ?있|빡빡하게 ?(누르-|눌러|눌렀)|깨지-|눌리-|숨이? ?막히-|찌그러지-|짓눌|납작|과압축|벽돌|꽉 ?막|뭉개진 다이내믹|펌핑
quality dynamics_amount + part- fault ~  ~ 누르-
quality intensity - ~ (do(ing)? )?(less|little|not so much|not as much) (process(ing)?|master(ing)?)|do(ing)? (less|little)|(a )?light(er)? touch|raw|(bare |the )?minimum|(dial|pull|tone|ease|scale)( (back|down|off))? (the|this) master(ing)?(?! (down|up)( by)? \d)( (back|down|off))?|subtl(e|er|y)|moderate(ly)?|restrained|easy does it|(go |take it )?easy( on (it|the (master(ing)?|processing)))?|conservative(ly)?|minimal(ly)?|light(ly)?|hands-off|delicate(ly)?|less aggressive master|gentl(e|er|y)|natural(ly)?|transparent(ly)?|light touch|untouched ~ 너무 ?(많이 ?)?(건드리|만지|손대|바꾸)지 ?(말|마)|덜 ?(건드리-|건드려|만지-|만져|손대-)|(보정|처리|가공)[은을를]? ?(좀 ?)?(조금만|살짝만|적게|덜)|날것|최소한|내추럴|자연스|은은|적당|욕심내지|무난|심플|적당히|살짝만 ?손|담백|절제|가볍게 ?마스터|살살|마스터(링)?[은을를]? ?(티 ?안 ?나게|살짝|조금|약하게|가볍게)
quality intensity + ~ process(ed|ing)?|intens(e|ity)|polish(ed)?|(go )?heav(y|ier)( |-)(handed|(on (it|the (master(ing)?|processing))|(master(ing)?|processing)))|(go|get) (hard|all in|nuts|wild|crazy)|(no|do not|don.?t) hold(ing)? (anything )?back ~ 처리|가공|마스터링 ?강도|마스터(링)?[을를은]? ?((좀|더) ?)*(세게|쎄게|강하게|빡세게)|세기|보정|과감|(세게|강하게|빡세게) ?(마스터|처리|가공)
quality punch + fault ~ disjointed|disconnected|scattered|pokey|all over the place ~ 동떨어지-|겉돌|따로 ?놀|붕 ?뜨-|붕 ?떠
quality intensity + fault ~ over-?(cooked|baked|polished|produced|mastered|done)|unnatural|fake|over-?process(ed|ing)|artificial|robotic|overdone ~ 인공적|부자연|작위적|가짜( ?같)?|로봇|인위적|기계적|과보정
quality intensity - fault faint ~ cheap(er)?|amateur(ish)?|demo-?(y|ish|like|quality)?|unprofessional|homemade|unfinished ~ 싸구려|아마추어|데모|어설프-|어설퍼|허접
quality intensity + faint ~ pro|professional(ly)?|studio[- ]?(quality|grade|like)?|finished|release[- ]?ready|high[- ]?(end|quality)(?! (freq|boost|cut|roll)) ~ 프로|전문적|완성도|(스튜디오|프로) ?(퀄리티|같)|퀄리티
quality width_percent - fault ~ ((feels?|sounds?|is|it.?s|too|so|kinda|almost|pretty|very|basically|like) )+mono(?! ?-?compat)|(stuck|squeezed|bunched|crammed|piled)( up)? (in|to) the (middle|cent(er|re))|one-?dimensional ~ 좁아 ?터지-|비좁|모노( ?(같|처럼 ?들|느낌이))|(한?가운데|중앙|센터|중간)(에만|에|로만|로)? ?(뭉치-|뭉쳐|몰리-|몰려|쏠리-|쏠려|모여 ?있)|평면적|평면 ?같|1차원|한 ?(점|곳|군데)에 ?(모이-|모여)
quality punch + fault ~ click(y|ier)|(spiky|sharp|sharper|harsh|hard|aggressive|pokey|poking|jumpy|overly sharp) (attacks?|transients?)|(?<=(less|too much|more) )click ~ 틱틱(거리-)?|딱딱거리-
quality width_percent + fault ~ (hole|gap|nothing) in the (middle|cent(er|re))|(empty|hollow|weak) (middle|cent(er|re))|(the )?(middle|cent(er|re)) (is|feels|sounds|seems)?( (so|too|kind of|a bit))* ?(empty|hollow|weak|missing)|phas(e|ey|y|iness)( issues?| problems?)?|out of phase ~ (가운데|중앙|센터)[가이는은]? ?(텅 ?)?(비-|빈|비어|허전|뻥 ?뚫|약하-|약해)|위상( ?문제)?
quality highs_side_db - ~ (in |for )?mono[- ]?compatib(le|ility)|((works?|holds? up|survives?|fine|ok(ay)?|good|sounds? (good|fine|ok(ay)?)) )+in mono ~ 모노( ?호환성?|(에서|로)( ?(들어|틀어))?도( ?(괜찮|문제 ?없|잘 ?들))?)
quality bass_db - part- fault ~ hollow|empty|small|tiny|(bottom|bass)[- ]light ~ 텅 ?비-|텅 ?빈|빈 ?느낌|허하|비어|비는|비네|휑|허전
quality punch - fault ~ (attacks?|transients?) (is|are|sounds?|feels?) (too |so |very |a bit )*(dull|weak|soft|gone|missing|flat|lost|poor)|lifeless|dead|limp|lame|cardboard|bland|wimpy|sluggish|lethargic|dragging|sleepy|drowsy|tired|soggy|polite ~ 물렁|물러|뭉툭|힘이? ?빠|맥아리[가]? ?없|매가리|맥빠|맥없|늘어|축 ?처|쳐지-|지루|재미없
`)

const PARTS = table(String.raw`
part bass_db ~ bass guitars?|bass(es|line)?|base|low(er)?[ -]?mids?|(low|bottom)[ -]shelf|down low|bottom|low frequency|low range|kick and bass|low[ -]?ends?|lows|low freq(uencie|uency)?s?|subs?|subwoofers?|(double|upright) bass|low notes?|sub-?bass|808s?|bottom( end)?|(?<=(more|less|some|extra|the) )low(?! (in|volume)) ~ 저음부?|저역|초저음|저주파|로우엔드|우퍼|아랫|아래쪽|밑단|낮은 ?음|킥베이스|초저역|(서브 ?)?베이스( ?기타)?|서브|로우( ?미드)?|중저음|중저역|밑
part presence_db ~ vocals?|voices?|vox|sing(er|ing)|vocalists?|(backing|lead|main) (vocals?|voices?)|bgvs?|ad[- ]?libs?|harmon(y|ies)|choir|speech|dialog(ue)?|narrat(ion|or)|hosts?|guests?|talking|spoken( word)?|screams?|growls?|solos?|rapp(er|ing)|(?<=(the|my|his|her|our) )raps?|melody|mid ?range|synth lead|lead( vocals?)?|words|lyrics|consonants|diction|enunciation|pronunciation|syllables|snares?|((upper|high) )?mids? ~ 보컬|랩(?=[이을은도만]|(이)? (더|좀|소리|볼륨|파트|부분|안|잘))|목소리|말소리|노래 ?부르는( ?소리)?|노래 ?소리|노래하는|음성|랩 ?목소리|코러스|합창|화음|애드립|발음|내레이션|나레이션|대사|(하이 ?)?미드|중고역|싱어|멜로디|스네어|노랫소리|가사|가수|자음|딕션|중음|중역|중고음
part presence_db yields ~ ((electric|acoustic|rhythm) )?(guitars?|gtrs?) ~ 통기타|일렉( ?기타)?|어쿠스틱 ?기타|기타
part air_db ~ highs?|high[ -]?ends?|treble|cymbals?|breaths|(breath|mouth) noises?|lip smacks?|(high|top)[ -]shelf|(the )?ride|crash(es)?|overheads?|trebly|hi-?hats?|cymbal wash|high frequency|trebles?|upper end|top( end)?|high freq(uencie|uency)?s?|high notes?|hats?|hi-?hats? ~ 고음부?|고역|높은 ?음|트레블|고주파|윗단|윗 ?소리|고음역|심벌즈?|하이|초고역|하이햇|숨소리
part width_percent keeps:image_amount ~ width|stereo( (image|width|field|spread))?|sides?|image ~ 스테레오|폭|너비|넓이|좌우|양쪽|양옆|사이드|이미지
part image_amount keeps:image_amount ~ (stereo )?widening ~ 스테레오 ?확장
part presence_db - ~ (background|backing) (tracks?|music|instruments?)|accompaniment|instrumental|bgm ~ 반주|엠알|mr|배경 ?음악|브금|bgm
part punch ~ drums?|kick( drum)?s?|toms?|beats?|percussion|rhythm ~ 드럼|킥( ?드럼)?|탐탐?|비트|리듬|타악기|퍼커션
part dynamics_amount ~ (compress|limit)(ion|or|er|ing) ~ 컴프레션|컴프레서|컴프|압축|리미터
part highs_side_db ~ sides? highs|high sides?|highs? (in|on|of|at) the sides? ~ 사이드 ?(하이|고음|고역)
part tilt_db keeps:tone_amount ~ tilt|tonal balance|tone|eq ~ 기울기|음색|톤|이큐
part target_lufs ~ volume|level|loudness|target|gain|output ~ 음량|음압|볼륨|전체 ?볼륨|전체 ?음량|게인|소리 ?크기|라우드니스
part target_lufs vague ~ whole thing|everything|overall ~ 소리|사운드|전체
part trim_start_seconds ~ (trim|cut|crop|chop)( off)? the (first|start|beginning|front)|off (of )?the (start|front|beginning) ~ (앞|첫|처음|앞쪽|시작) ?(부분)?(에서|을|를|은)?(?= ?\d+ ?초)
part fade_out_seconds ~ fad(e|ing|es) ?-?out|fad(e|es|ing) (it |the (song|track|end|ending) )?(slowly )?out ~ 페이드 ?아웃
part fade_in_seconds ~ fad(e|es|ing) (it |the (song|track|start|intro) )?(slowly )?in|fad(e|ing|es) ?-?in ~ 페이드 ?인
`)

const LEVELS = table(`
level target_lufs + ~ loud(er|est|ly)?|hot(ter|test)?|volume up|blast(ing)?|slamming|crank(ed)?( (it|up|the volume))* ~ 크|커|컸|큰|우렁|(빵 ?)?터지[게도]
level target_lufs - ~ quiet(er|est|ly)?|silent|softer overall|low in volume|soft volume ~ 작|조용|줄어|잔잔
level presence_db + ~ (?<=(voice|vocals?|lyrics|singer) )first|(stay|sit|be)s? (right )?on top|on top of (everything|the (mix|beat|music|track|instruments)|it all)|intimate|intimacy|out of the (fog|background|mix)|in focus|centre stage|center stage|up top of the mix|front and cent(er|re)|spotlight|com(e|es|ing) (through|across)|shin(e|es|ing)( through)?|focus on|present in the mix|forward|near(er)?|close(r)?( up)?|(up |out )?(in |at )?(the )?front|up ?front|(?<=(need|needs|has|have|want|them|it|should|must) )(to )?cut(?=$|[,.;!?])|(stand(s|ing)?|bring(ing)?|brought|come(s)?|jump(s|ing)?|pop(s)?)( (it|them))? out|(all )?(up )?in[- ](your|yer|my)[- ]face|strong(er|est)?|prominent|out in front|in front|poke through|cut(s|ting)? through|closer|dominant|noticeable|sit on top|on top of the mix ~ 높(아|은|다|네)|앞으로( ?(빼|나오|나와|끌어))?|힘을? ?(좀 ?)?(실|주|더)|당기-|끌어 ?당|전면|두드러|돋보|부각|가까이|가깝|앞에|위로|튀어|튀-|잘 ?들
level presence_db + ~  ~ (?<!게 )(들리(?=게|도록)|들렸(?=으면))
level punch + ~ harder ~ 살아나-|살았(?=으면)|세|쎄-|셌|강하|강한|강해
level punch + ~ (?<=(drums?|snares?|kicks?|beats?|vocals?|voice|bass|mix|track|song|chorus|it|this|everything|really|them) )pop
level target_lufs - fault ~ (not|n.t) loud enough|so+ quiet|quiet(er)? (compared|next) (to|with)|inaudible ~ 안 ?커|작게 ?들
level presence_db - ~ ((further|farther|sit|laid|lay|lie) )?back(ward)?|far(ther|ther)? away ~ 뒤로( ?(빼|보내|물러))?|뒤에|멀리|멀게|멀어|약하게|여리
level presence_db - fault ~ poor|lacking|insufficient|light on|(i |we )?(keep |.?m |am )?losing(?= (the|my|his|her))|(is |are |gets? |getting )?drown(s|ing|ed)|(has|have|had|got|with|there.?s|there is|there are|feel(s|ing)?|sound(s|ing)?) (no|zero|not much|little|hardly any|barely any|almost no)|mumbl(y|ed|ing|es)|slurred|unintelligible|indistinct|struggl(es|ing)( to be heard)?|disappear(s|ed|ing)?|vanish(es|ed|ing)?|nonexistent|non-existent|fad(es|ing) into( the)?|washed out|gone|absent|far off|(another|a different|the next|the other) (room|building|house)|(in )?(a |the )?(cave|tunnel|bathroom|hallway|well)|not( quite)? there|where (are|is|did|has|have|do)|where.?s|(can.?t|cannot|hard to|barely|hardly)( (even|really|quite))* (hear|make out|feel)( the)?|lack(s|ing)?( of)?|buried|eaten( up)?|shy|not enough|too (low|soft)|faint|timid|recessed|sunk(en)?|covered|masked|swallowed|under( the (beat|mix|music|instruments))?|behind( the (beat|mix|music|instruments))?|lost|missing|drown(ed|ing)|hidden|distant ~ 먼(?= ?느낌)|낮(아|은|다|음|네)|안 ?(살-|살아|나와|나오-|느껴)|전달[이도]? ?(잘 ?)?(안|약|부족)|뚝? ?(잘린|잘려)|밀리-|(악기|반주|비트|드럼|베이스|기타|신스)(들)?(에|한테) ?눌려|(악기|반주|비트|드럼|베이스|기타|신스)(들)?(에|한테) ?눌리-|묻히-|파묻|가려지-|먹히-|빈약한|빠져|죽어|죽은|죽었|아쉽-|부족|적[어은네다습]|모자라|(잘 )?안 ?들리-|멀리서|들리지 ?않|없어요|안 ?보이|존재감[이도]? ?없|약하게 ?들
level tilt_db - fault ~ smudged ~ 뭉개
level punch - fault ~ weak(er)?|flat|feeble|powerless|boring ~ 밋밋|평평|심심|흐지부지|힘이 ?없|힘없|약하-|약해|얌전
level presence_db + fault ~ (attack|kill|hurt|stab|annoy|bother)(s|ing)?( (me|(my|the|your) ears?))?|irritating|distracting|painful|unbearable ~ 신경 ?쓰|괴로|짜증|아프|아파|아픈|거슬리-|따갑-
level target_lufs + fault ~ nois(y|ier)( overall)?|deafening|earsplitting|blaring ~ 시끄|요란
level presence_db + fault over ~ (is |are )?(eat|swallow|overpower|overwhelm|mask|dominat|drown(?=(s|ing)? (out|the|my|her|his|every))|swamp|bury|buri|cover|hid|smother|obscur|crowd|chok|fight|clash|compet)(s|ing|es?)?( (out|up))?( (everything|(the )?(whole )?(mix|song|track)|it all))?|takes? over|(stick|jump|leap)(s|ing)? out( too much)?|all i (can )?hear|(gets?|getting|is|are) in the way( of)?|everywhere ~ 터질 ?(것|거) ?같|잡아 ?먹|압박|압도|덮어|덮는|덮고|방해
quality air_db - fault ~ top[- ]light
level presence_db - fault over ~  ~ 가려|가리-|가린|먹어|묻어
`)

const MODIFIERS = table(String.raw`
direction + ~ (could|can|would|might) (use|do with|handle|benefit from|take)|miss(es)?|crav(e|ing)|hungry for|load up on|build up|bring back|restore|give me( back)?|double the|highlight|showcas(e|ing)|prioriti[sz]e|favou?r|\+{2,}|twice( as much)?|much more|many more|more|nudge( up)?|goose|juice( up)?|jack(ed)? up|ramp(ed)? up|inject|throw in|pour( on)?|sprinkle|dial in|up|boost(ed|ing)?|turn up|hype(d)?|feature|strengthen|fatten up|beef up|thicken up|reinforce|pump( up)?|bump( up)?|dial up|crank up|grow|bigger|give it|with more|pronounced|accentuate|bring out|louder|rais(e|ed|ing)|add(ed|ing)?|increas(e|ed|ing)|lift(ed)?|enhance|push|bring up|extra|higher|stronger|emphasi[sz]e ~ 필요(?! ?없)|띄우-|앞세우-|많(았으면|으면|게|아졌으면|아지게)|더|넣|열어|깔|받치-|채우-|얹|올리-|업|돋우-|밀-|밀어|가득|충분|풍성히|끌어올|높이-|높게|키우-|늘리-|더하-|살리-|추가|강조|중요|핵심|많[이은아]? ?(넣|주)|보강|부스트|올림
direction - ~ halve|half the|bury|back off(?= the)|smooth over|go light(er)? on|lighten( up)?|undo|unload|weaken|less|half as|turn down|tone down|carve( out)?|thin out|notch out|rein in|backed off|subdue(d)?|quieten|scoop(ed)?( out)?|off|too much of|dial (it |them )?(down|back)|hold back( on)?|back off|ease (off|up)( on)?|trim|shelve( (off|down))?|notch( out)?|tuck(ed)?( (in|back))?|duck|nuke|ditch|rein|chop|(?<!(the|a|my|this|edm|bass|each|every|first|second|big) )drop|lose( some of)?|shave( off)?|take down|minimi[sz]e|(go |take it )?easy on(?! (it|the (master|processing|ears?)))|de-?emphasi[sz]e|dampen|mellow out|diminish|kill|knock( (it|this|that))? (down|back)|turn down|bring down|take (some|a little|a bit)( of)?( the)?|dip|suppress|limit|not (so|that|as|too|quite so)( much)?|down|cut(ting)?|lower(ed|ing)?|reduc(e|ed|ing)|decreas(e|ed|ing)|tam(e|ed|ing)|fewer|attenuat(e|ed)|tone(d)? down|dial back|roll off|pull(ed)?( (it|them))? (back|down)|calm|ease|soften|take (out|off) ~ 다이어트|날리-|덜어내-|치워|풀어|덜|적게|줄이-|다운|진정|빼 ?주면서|깎아|완화|순화|약하게|낮추-|낮게|내리-|깎|죽이-|파-|도려내-|롤 ?오프|쳐내|누그러뜨리-|잡아|잡아줘|덜어|누그러|억제|컷|가라앉
direction - tidy ~ clean(er|ed|ing)?( up)?|tidy up|clear up|control|fix|smooth(en)?( out) ~ 다듬|정리|조절|정돈|단정
none ~ no(ne)?(?! (\w+ ){0,2}(boost(ing)?|lift(ing)?|increase|push))|without|minus|free of|lose all|remov(e|ed|ing)|get rid of|rid of|eliminate|zero ~ 없이|없애|없었으면|없으면|안 ?나게|제로|제거|(걸|쓰|먹이)지 ?(마|말|않)|빼-|없게|없앨|끄|꺼
degree 0.5 ~ (a )?(tiny|teeny|wee|small|little) (bit|touch|amount)|teensy|slightest( bit)?|ever so|by a hair|half a (step|touch)|a (little|tiny|wee)( bit)?|((a|one) )?(smidge(n)?|skosh|dollop|pinch|dash)( of)?|nothing (too )?(crazy|fancy|extreme|drastic|wild|major)|a notch|a couple|a fraction|half a notch|ever so slightly|kinda|kind of|sort of|(just )?a (hair|smidge|pinch|dash|taste|nudge)|barely|gently|carefully|mild(ly)?|a bit|a touch|a tad|a hint( of)?|slight(ly)?|somewhat|bit|touch|tad|little|just a hair ~ 티 ?안 ?나게|조금|살짝|미세|한 ?방울|한끗|슬쩍|살며시|쬐끔|아주 ?약간|약간|한 ?(단계|칸|눈금)|쪼금|아주 ?조금|아주 ?살짝|한 ?스푼|한 ?꼬집
degree 2 ~ much|to the max|max(ed)?( out)?|(a )?(heap|bunch|load)s?( of)?|plenty( of)?|hella|mega|ultra|insanely|crazy|stupid(ly)?|ridiculously|absolutely|totally|((mother)?fuck|freak|frick?)in.?g?|damn|bloody|a lot|loads( of)?|a good deal|noticeably|clearly|drastically|twice as|tons( of)?|hugely|dramatically|strongly|extremely|so much|big time|massive amounts of|lots( of)?|far|way|very|really|super|heavily|massively|considerably|significantly|a ton( of)? ~ 개(?=[작크쎄약시답커구])|ㄹㅇ|많이|최대한|한계까지|훨씬?|겁나|존나|졸라|열라|완전|팍팍|두 ?배|한껏|대단히|왕창|듬뿍|꽤|상당히|굉장히|무척|아주|매우|엄청|확|팍|진짜|정말|크게 ?크게|대폭|한참
too ~ (way |far )?too( much| many)?|over(ly)?( the top)?|out of control|overly|excessive(ly)?|(is|are) too much ~ 너무|지나치|넘|오버|심각|거북|부담|과하-|과해|심하|심해|심한|많
not stated ~ (is|are|does|was)n.t( (sound|feel))?|(is|are) not|it.s not|not very ~ 않[아네습]
not waived ~ (don.?t|do not) (care|mind|worry)( about)?|idc( about)?|never ?mind|forget( about)?|who cares about|(no|don.?t|do not|doesn.?t|does not) need( (to|for))?( (be|get|make|have))?( (it|them))?|(doesn.?t|does not|don.?t|do not) have to( be)?|need not( be)? ~ (않|안 ?그래|안 ?해)아?도 ?(되|된|됩|돼|됐|괜찮)|필요[는가도]? ?없
not ~ without (it |this |the \w+ )?(getting|being|becoming|going|sounding|making (it|this|everything|the \w+))( (any|too|more))?|not|no(?= (\w+ ){0,2}(boost(ing)?|lift(ing)?|increase|push))|rather than|instead of|no (more|extra|additional)|without more|without (adding )?(any )?(more|extra)|don'?t|do not|doesn'?t|isn'?t|aren'?t|shouldn'?t|wouldn'?t|never|neither|nor|won'?t|stop|avoid|leave out|skip ~ 않|안|말|마|없도록|싫|못|아니
keep ~ (?<!(not|n.?t)( \w+){0,3} )(loud|bright|warm|wide|dark|punchy|clear) enough|stay(s|ing)?( put)?|sits? (well|nicely|right|fine)|works?( (well|fine|great|for me))?|(is|are) not the (problem|issue)|(doesn.?t|don.?t) need (anything|work|changing|to change)|no need to (change|touch)|keep(ing)?|((i|we) )?(really )?(?<!would )(liked?|loved?) (how|the|that|what)|nothing wrong with|no (problem|issue|complaint)s? with|happy with|except( for)?|apart from|aside from|other than|without (losing|touching|changing|killing|hurting|ruining|messing with)( up)?|stay away from|preserv(e|ing)|retain|(don'?t|do not) (lose|touch|change|alter|mess with|kill)|(is|are|was|sounds?|feels?) (already |all |just |pretty |really )*(fine|perfect|great|good|ok(ay)?|spot on|right|lovely|nice|cool)|already(?! too)|leave|(hands|hold) off|as (it|they) (is|are)|unchanged|maintain ~ 만족|완벽|이대로|지금처럼|제외|유지|놔두-|냅두-|내버려 ?두-|(그냥|가만히?) ?두-|그대로( ?(두|놔|둬|놓))?|(?<!([게면]|[쪽편]이) ?)(좋|괜찮)(은데|지만|으니|고|으나|아요|습니다)|마음에 ?들|딱 ?좋|(이미 ?)?충분(하니|한데|해요|하고|합)|(건드리|바꾸|건들|손대|만지)지 ?(마|말|않)|보존|지켜|지키
statement ~ (she|he|they|we|you)'?(s|re)|it'?s(?! (need|want|got|gonna|supposed|to be))|is|are|was|were|sounds|feels|seems|looks|there'?s|that'?s|i'?m hearing
filler ~ keep (it|this|things|everything)
style ~ styles?|preset ~ 스타일|프리셋
last ~ (just )?(like|as|same as|as on|as in|as with)? ?(the )?(last|previous) (one|time|song|master|job|track)|(same )?as before|like before ~ (저번|지난번|이전|전|아까|지난)( ?(곡|노래|마스터|것|거|번))? ?(처럼|같이|대로|과 ?같이|하고 ?똑같이)|지난번처럼
`)

const CHOICES: readonly Term[] = [
  choice(
    { width_percent: 0 },
    '((collapse|fold|sum)( (it|this|everything))?( down)? (in)?to )?mono(?! ?-?compat)',
    '모노',
  ),
  choice(
    { loudness: 'competitive' },
    'competitive|(club|radio|festival|commercial(ly)?)[ -](loud(ness)?|level|ready)|as loud as (possible|it gets|you can|(the )?radio)|max(im(um|al))? (loudness|volume)|loudness war',
    '최대한 ?크게|제일 ?크게|가장 ?크게|경쟁력 ?있',
  ),
  choice(
    { loudness: 'platform' },
    '(streaming|platform|standard|normal)( services?)? (loudness|levels?|volume|targets?)',
    '(스트리밍|플랫폼|표준) ?(기준|음량|규격|레벨)',
  ),
  choice({ tier: 'premium' }, 'premium', '프리미엄'),
  choice(
    { release_master: true },
    'release master|for (a |my )?distributor',
    '유통용|배급용|발매용|유통사에( ?(보내-|보낼|낼|줄))?',
  ),
  choice({ genre: 'kpop' }, 'k-?pop', '케이팝|k팝'),
  choice({ genre: 'edm' }, 'edm|house|techno|dance', 'edm|이디엠|댄스|하우스|테크노'),
  choice({ genre: 'ballad' }, 'ballad', '발라드'),
  choice({ genre: 'hiphop' }, 'hip[ -]?hop|rap|trap', '힙합|랩|트랩'),
  choice({ genre: 'pop' }, 'pop', '팝(송)?'),
  choice({ ai_service: 'suno' }, 'suno', '수노|suno'),
  choice({ ai_service: 'udio' }, 'udio', '유디오|udio'),
  choice({ ai_service: 'elevenlabs' }, 'eleven ?labs', '일레븐랩스'),
  ...PLATFORMS.map(platform),
  format('flac24', 'flac'),
  format('mp3_320', 'mp3'),
  format('aac_256', 'aac|m4a'),
  repair('clicks', 'de-?click(ing|er)?', '디클릭|클릭 ?제거'),
  damage('clicks', 'clicks?', '클릭'),
  repair('clipping', 'de-?clip(ping|per)?', '디클립|클리핑 ?복원'),
  damage('clipping', 'clipping', '클리핑'),
  repair('sibilance', 'de-?ess(ing|er)?', '디에싱|디에서'),
  damage('whistle', 'whistles?', '휘파람'),
]

const BREAKS_AND_FILLERS = table(String.raw`
break joins ~ and|or|plus|& ~ 및|또는|이랑
break ~ but|yet|so(?= (easy|be|go|keep|make|please|i|we|it|the|can|could|do|don.?t|give|no|less|more|just|turn|add|let)\b)|while|then|though|only|just|with ~ 그리고|하지만|그런데|근데|대신|다만|그러면서|만
filler ~ as (loud|quiet) as(?= (${PLATFORM_NAMES}))
filler ~ his|ai|system|exactly|area|field|musical|quality|white|filter|pan|single|chang(e|ed|ing)|making|come|stuck|moved?|plac(e|ed)|shift|put|go(es)?|they|he|she|really|twist|just so|in the room|(small|tiny|cheap|little|bad|big|good) (speakers?|earbuds|phones?|headphones?)|(i|we|you)( can| still)* hear (it|this|that|how)|aim(ing)?|nothing|came|turned|shooting|looking|hoping|still|again|somehow|em|'em|amp|thing|between|through(?= (the|my|a)\b)|verses|choruses|amps|drops|hooks?|bridges?|their|response|boom ?bap|go(ing)? back( to( (how|what)( (it|that) was)?)?)?|away|sure|help|recorded|garbage|better|cent(er|re)|middle|whole|entire|easier to|things|been|death|bugging (me|us)|sit(s|ting)?|further|wtf|why|terrible|awful|horribl[ey]|bad(ly)?|vibes?|about|'s|masters|coming|comes|others?|other (songs?|tracks?|people.?s|stuff)|everyone|everybody|someone|something|anything|it.?ll|i.?ll|at (a )?(loud|high|low|full|normal|any|loud(er)?) (volumes?|levels?)|right now|at the moment|in general|as well|by about|roughly|approximately|stuff|ones?|own|general|first|second|third|after|before|again|until|what|which|who|how|any|such|might|must|shall|may|do(es)?|did|had|been|being|am|really|bad|weird(ly)?|plus|also|bits?|sound(s)? like|lufs|compared( (to|with))?|between (the )?\w+ and (the )?\w+|laptops?|airpods|earbuds|monitors|still|getting|under|behind|beneath|below|above|notes?|shelf|region|normali[sz]e|bc|cu[zs]|because|since|u|ur|pl[sz]|plea?se|thx|gonna|wanna|gotta|gimme|hey|hi|ok(ay)?|lol|haha|bro|dude|man|mate|guys|fine|perfect|great|kinda|rather|fairly|even|drop|hmm+|uh|um|well|thing|treat(ed)?|(i'?d|i would|would|i) like|i'?d prefer|i'?d love|i'?d|i'?m|we'?d|let'?s|can we|feel|prefer|sounding|character|take|else|record|club|hear|felt|frequencies|frequency|those|these|say|export|well|limiter|songs|radio|idol|enough|undefined|tone wise|by|band|love|wish|around|chorus|verse|intro|outro|drop|part|parts|section|speakers?|releases?|commercial|headphones?|earphones?|car|phone|instruments?|music|audio|recording|than the (last|previous) (one|time|song)|than before|if|possible|thanks?|thank you|try|maybe|perhaps|pretty|quite|going|go|into|out|last|over the last|seconds of|him|her|them|they|where|when|it'?s got|got|has got|comes? across|little too|hard|loosen up|really want|actually|honestly|basically|mostly|generally|listen(ing)?|ear|ears|hold|no more than|same|do|i (want|need|hate|think|feel)|(to )?make(s)?|the|an?|its|it|was|be|to|of|for|on|at|in|by|from|as|than|now|that|this|my|our|your|mine|me|i|you|we|so|sound|song|track|mix|master(ed|ing)?|please|can|could|would|should|need(s|ed)?|want(s|ed)?|have|has|give(s)?|get(s)?|let|set|put|bring|pull|turn|some|also|too|feel|kind|sort|taste|how|alone|touch|all|both|over|end|made|made with|repair(ing|s)?|using|right|version|there|bit|here|nice|good|and|like|s ~ 감성|ai|진하게|바뀌-|바꼈|중심이?|레인지|한 ?발|동안|수(?= ?(있|없))|고치-|갑시다|문제|아직도?|여전히|역시|자꾸|계속|되-|실래|계세|원본|건(?= |$)|벽에|반으로|왜케|귀를(?= 압)|비해|라인|(다른|딴|남의) (가수|사람)들?( (노래|곡|음악)들?)?|바로|옛날|메인|공간(?=[이은] ((좀|너무|약간) )?(답답|좁|넓))|속이|배에|색감|악기들|차이|넘치-|오래|들으-|들었|듣-|듣다|차트|순위|노래들?|나오는|소리로|톤으로|톤이|분위기(로)?|스타일로|버전|상태|막|되면|한데|근데요|있으면|괜찮|이상|별로예요|별루|(저번|지난번|아까|전)보다|때문(에)?|땜에|힘들-|힘드-|안 ?돼요|안 ?됩니다|첨|좀|좀더|강도|별로|가능한|그냥|아|어|씨|탁|치-|지금|기준|나오-|혹시|뭔가|일단|우선|얘|왜|뭐|이거|진짜로|[ㄱ-ㅎㅏ-ㅣ]+|나|끝|처음|앞부분|뒷부분|올릴|올린|업로드|클럽|귀|양옆|울리는|어지러|해|하|맞추|맞춰|들렸|들리|들려|듣|비교|쉬는|라디오|마지막|나머지|노래만큼|만큼|나요|아이돌|원래|원곡|상업|음원|다른|곡보다|노래보다|곡들보다|악기에|악기들에|비트에|귀에|사이|부분|후렴|인트로|아웃트로|훅|벌스|이어폰|스피커|차에서|폰|전보다|지금보다|원본보다|이전보다|거기|여기|거예요|거에요|네요|부탁드|주시|드려|보이|보여|나는|나서|나도|너도|제|제가|저는|저희|우리|근사|기분|음악|악곡|파트|한번|다시|조정|요청|바꿔|바꾸|잡|가|오|와|되게|이번|요즘|항상|그런|그렇|이런|이렇|어떻|느껴|느낌|같아|같은|편|감|보통|해서|더욱|했|할|한|줘|주|만들|만드|느낌|곡|노래|전체적|전반적|마스터|마스터링|믹스|것|거|걸|게|용|정도|동안|있|되|됐|돼|좋|원해|원합|부탁|싶|같|쪽|이|그|저|도|로|으로|만|다|나오|나와|잘|같이|부분|복원|음|전부|모두|보|드|니다|할게|바라|바랍|까지|제발|하면|처럼|주되|하되
`)

/** All known words. If several match at one place, the longest counts; of equally long ones, the first. */
export const TERMS: readonly Term[] = [
  ...CONTEXTUAL,
  ...QUALITIES,
  ...PARTS,
  ...LEVELS,
  ...MODIFIERS,
  ...CHOICES,
  ...BREAKS_AND_FILLERS,
]
