/** Sentences of the Sound column in Korean. */
import { change } from '../../src-contract/text/numbers.ts'
import { faderHints, settingLabels, wordsIn } from '../../src-contract/text/setting-words.ts'
import type { SoundText } from './sound.en.ts'

export const soundKo: SoundText = {
  start: '출발점',
  planned: '보정',
  delivery: '결과물',
  quality: '등급',
  actions: '소리 작업',
  keep: '이 소리를 버전으로 담기',
  isKept: '이미 담은 소리예요',
  kept: (slot) => `소리 ${slot}(으)로 담음`,
  files: '파일',
  releaseMaster: '업로드할 파일 하나, 모든 서비스용',
  releaseHelp:
    '유통사 대부분은 곡마다 파일 하나를 받아요. 원본 샘플레이트의 24비트이고, 플랫폼의 피크 한도 중 가장 낮은 값을 지켜요.',
  formats: '마스터마다 더 만들 형식',
  formatsHelp: '같은 마스터를 다른 형식으로도 만들어요. 플랫폼별 WAV는 그대로예요.',
  filesOf: (isRelease, names) => [...(isRelease ? ['업로드할 파일'] : []), '플랫폼별 WAV', ...names].join(' · '),
  edges: '처음과 끝',
  edgesWhole: '곡 전체',
  edgesProposed: '자르기 제안 있음',
  edgesOf: ({ trim_start_seconds, trim_end_seconds, fade_in_seconds, fade_out_seconds, ...pads }) =>
    [
      trim_start_seconds + trim_end_seconds > 0 && `자르기 ${trim_start_seconds}초, ${trim_end_seconds}초`,
      fade_in_seconds + fade_out_seconds > 0 && `페이드 ${fade_in_seconds}초, ${fade_out_seconds}초`,
      pads.pad_start_seconds + pads.pad_end_seconds > 0 &&
        `무음 ${pads.pad_start_seconds}초, ${pads.pad_end_seconds}초`,
    ]
      .filter(Boolean)
      .join(' · '),
  trimAsProposed: '제안대로 자르기',
  trimmedAsProposed: '제안대로 잘랐어요',
  seconds: '초',
  repairs: '찾은 결함 고치기',
  labels: {
    ...wordsIn('ko', settingLabels),
    intensity: '강도',
    reference_amount: '레퍼런스 맞추기',
    reference_clamp_db: '맞추는 한도',
    tone_amount: '음색',
    dynamics_amount: '다이내믹',
    image_amount: '스테레오',
  },
  help: {
    ...wordsIn('ko', faderHints),
    skip_repairs: '체크를 끄면 그 결함은 그대로 둬요. 클릭음이나 왜곡이 곡의 일부일 때 써요.',
    target_lufs:
      '모든 플랫폼에 같은 음량을 써요. 정해진 기준이 있을 때 써요. −10보다 크면 큰 소리가 눌리고 서비스 대부분이 낮춰 재생해요.',
    genre: '목표 음색과 장르 기준 음량을 정해요.',
    difference: '누르는 동안 빠지거나 더해진 소리만 같은 음량으로 들려요.',
  },
  styles: {
    clean: '계획한 그대로, 더하는 것 없이.',
    warm: '어둡고 두텁게, 부드러운 새추레이션.',
    punchy: '어택은 앞으로, 저음은 단단하게.',
    bright: '프레즌스와 에어를 더해서.',
    open: '넓고 시원하게, 다이내믹은 느슨하게.',
  },
  changed: '직접 바꿨어요. 스타일을 고르면 위의 값이 다시 정해져요.',
  factory: {
    voice: { name: '목소리 앞으로', sentence: '가사는 앞으로, 저음은 뒤로 물러나요.' },
    club: { name: '클럽', sentence: '묵직한 저음, 강한 어택, 조금 더 넓게.' },
    soft: { name: '부드럽게', sentence: '어둡고 둥글게, 늦은 밤에 어울려요.' },
    natural: { name: '거의 그대로', sentence: '보정을 절반 아래로. 완성된 믹스에 어울려요.' },
    loudness: { name: '음량만', sentence: '복원도 보정도 없이 음량과 피크만 맞춰요.' },
  },
  aims: {
    platform: '플랫폼마다 재생하는 음량에 맞춰요.',
    competitive: '어디서나 같은 장르의 발매곡만큼 크게 해요.',
    own: '어디서나 직접 정한 음량으로 해요.',
    reference: '어디서나 레퍼런스의 음량에 맞춰요.',
  },
  own: '직접',
  anyService: '모든 서비스',
  intensityOf: (value) => `강도 ${value}`,
  noReference: '레퍼런스 없음',
  plannedOf: ({ tone_amount, dynamics_amount, image_amount, density, highs_side_db, skip_repairs }) =>
    [
      tone_amount + dynamics_amount + image_amount === 300
        ? '모두 계획대로'
        : `음색 ${tone_amount} · 다이내믹 ${dynamics_amount} · 스테레오 ${image_amount}`,
      density > 0 && `밀도 ${density}`,
      highs_side_db < 0 && `6 kHz 위 사이드 ${change(highs_side_db)} dB`,
      skip_repairs.length > 0 && `결함 ${skip_repairs.length}가지 그대로`,
    ]
      .filter(Boolean)
      .join(' · '),
  deliveryOf: { standard: '한 가지 방식', premium: '가장 좋은 방식, 코덱 검증' },
  price: {
    fine: (target, loss) => `${target} LUFS에서 큰 소리가 ${loss} dB 눌려요.`,
    loss: (target, loss) => `${target} LUFS로 하면 이 곡의 큰 소리가 ${loss} dB 눌려요.`,
    peaks: (target, loss) => `${target} LUFS로 하면 이 곡의 피크가 ${loss} dB 깎여요.`,
    plr: (target, plr) => `${target} LUFS로 하면 피크와 평균 사이가 ${plr} dB밖에 남지 않아요.`,
    better: (target, loss) => `${target}에서는 ${loss} dB예요.`,
    use: (target) => `${target} LUFS로 하기`,
  },
  proposal: {
    suggested: '이 곡에 제안',
    hear: '들어 보기',
    use: '적용',
    used: '이 곡에 적용함',
    inUse: '제안을 적용한 상태예요',
    price: '음량을 올리면 잃는 것',
    pricing: '음량을 올리면 잃는 것을 재는 중',
    priced: '음량을 올리면 잃는 것을 표시했어요',
    onlyShown: '곡 하나를 고르면 들을 수 있어요',
    words: '말로 소리 바꾸기',
    wordsExample: '따뜻하게, 덜 거칠게, 보컬은 앞으로',
    understand: '말을 설정으로 바꾸기',
  },
  mixed: '서로 다름',
  curve: (values) => `직접 정한 음색: ${values}`,
  edge: '이 칸의 너비',
  difference: '누르는 동안 차이만',
  differenceWhyNot: '먼저 곡을 재생하고 소리를 바꾸세요',
}
