/** Spreadsheet headings by meaning, in lower case: those of distributors, and of tables written by this program. */
export const HEADINGS = {
  title: ['title', 'track title', 'song', 'song title', '제목', '곡명'],
  version: ['version', '버전'],
  artist: ['artists', 'artist', 'track artist', '아티스트', '가수'],
  album: ['album', 'album title', '앨범'],
  track: ['track number', 'track no', 'track no.', 'no', 'no.', '#', '트랙', '트랙 번호', '번호'],
  year: ['year', 'release year', '연도', '발매 연도'],
  composer: ['composers', 'composer', '작곡', '작곡가'],
  lyricist: ['lyricists', 'lyricist', '작사', '작사가'],
  isrc: ['isrc'],
  explicit: ['explicit', '19금', '청소년 유해'],
  copyright: ['copyright', '©', '저작권', '저작권 표시'],
  comment: ['comment', 'comments', '설명', '메모'],
  lyrics: ['lyrics', '가사'],
  bpm: ['bpm', 'tempo', '템포'],
} as const satisfies Readonly<Record<string, readonly string[]>>
