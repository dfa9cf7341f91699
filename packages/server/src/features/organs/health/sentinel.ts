/** The record by which organ health sees that what is remembered stays as it was and is found. */
export const SENTINEL = { ns: 'health', key: 'sentinel' } as const
export const SENTINEL_WORD = 'heliotrope'

/** Another version of the organ may store records in another form, so that it is part of what is read back. */
export const sentinelText = (version: string): string =>
  `This is the sentinel of organ health. Its word is ${SENTINEL_WORD}. It was written by N15 ${version}.`
