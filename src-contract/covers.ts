/** Covers: the pictures of songs and releases. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'

/** Media types of covers. */
export const COVER_TYPES = ['image/jpeg', 'image/png'] as const
export type CoverType = (typeof COVER_TYPES)[number]

/** Colour models of pictures; `deep_rgb` has more than 8 bits for each channel. Distributors accept only `rgb`. */
export const COLOR_MODELS = ['rgb', 'deep_rgb', 'greyscale', 'cmyk', 'lab', 'other'] as const
export type ColorModel = (typeof COLOR_MODELS)[number]

/** Changes that a cover gets for shops, which take only upright sRGB without transparency, up to a size. */
export const COVER_CHANGES = [
  ...(['colors', 'assumed_srgb', 'assumed_inks', 'turned', 'flattened', 'resized', 'jpeg', 'private_data'] as const),
] as const
export type CoverChange = (typeof COVER_CHANGES)[number]

/** Changes of a cover in answers. */
export const CoverChanges = Type.Array(oneOf(COVER_CHANGES), {
  description:
    'What was changed in the picture that was sent: colours converted to sRGB (`assumed_srgb`, `assumed_inks` where it has no profile), turned as its camera says, put on white where it was transparent, made smaller, coded as JPEG, and location, camera and other private data removed.',
})

/** Facts of a cover that any answer with one has. */
export const COVER_FACTS = {
  width_px: Type.Integer({ description: 'Width, pixels.' }),
  height_px: Type.Integer({ description: 'Height, pixels.' }),
  color_model: Type.Optional(
    oneOf(
      COLOR_MODELS,
      'Colour model. Distributors ask for `rgb`: 8 bits for each channel. Absent for covers that were stored before it was read.',
    ),
  ),
  changes: Type.Optional(CoverChanges),
}

/** Facts of a stored cover. */
export const StoredCover = exactly(
  {
    media_type: oneOf(COVER_TYPES, 'Kind of picture.'),
    size_bytes: Type.Integer({ description: 'Size, bytes.' }),
    sha256: Type.String({ description: 'SHA-256 of the picture, hex.' }),
    ...COVER_FACTS,
  },
  'Cover picture.',
)
export type StoredCover = Static<typeof StoredCover>
