/** Sentences about the details of songs in Korean. */
import type { detailsEn } from './details.en.ts'

export const detailsKo: typeof detailsEn = {
  title: '곡 정보',
  ofFile: '파일에 있는 대로',
  written: (count: number, of: number) => (count === 0 ? '파일에 있는 대로' : `${of}곡 중 ${count}곡에 적음`),
  fields: {
    title: '제목',
    artist: '아티스트',
    album: '앨범',
    track: '트랙',
    year: '연도',
    isrc: 'ISRC',
    composer: '작곡',
    copyright: '저작권 표시',
    comment: '메모',
    lyrics: '가사',
    bpm: 'BPM',
  },
  coverAdvice: '정사각형, 1400 px 이상 권장',
  asTable: '표로 고치기',
  tableTitle: (count: number) => `${count}곡의 곡 정보`,
  tableText:
    '칸에 바로 쓰거나 스프레드시트에서 붙여 넣으세요. 첫 줄의 제목도 알아봐요. 회색은 파일에 적힌 값이고, 칸을 비우면 그 값으로 돌아가요.',
  number: (count: number) => `트랙 번호 1–${count} 매기기`,
  tooMany: (count: number) => `붙여 넣은 ${count}줄은 맞는 곡이 없어 뺐어요.`,
  toMend: (count: number) => `빨간 칸 ${count}개는 그대로 쓸 수 없어요.`,
  done: '닫기',
}
