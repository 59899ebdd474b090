export const RELEASE_KINDS = ['single', 'ep', 'album'] as const
export type ReleaseKind = (typeof RELEASE_KINDS)[number]
