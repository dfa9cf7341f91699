/** Entity tags made of a digest: the same tag is the same bytes. */
export const entityTag = (sha256: string): string => `"${sha256}"`

/** Whether a caller says it has these very bytes. `*` is taken for no: whoever sends it has not said which. */
export const isCachedBy = (header: string | string[] | undefined, tag: string): boolean =>
  String(header ?? '')
    .split(',')
    .some((listed) => listed.trim().replace(/^W\//, '') === tag)
