/** The digest an intent names as its evidence: 64 hexadecimal digits, with or without `sha256:` before them. */
const FORM = /^(?:sha256:)?([0-9a-fA-F]{64})$/

type DigestForm = 'absent' | 'sha256' | 'malformed'

export function digestForm(value: string | null | undefined): DigestForm {
  if (value === null || value === undefined) return 'absent'
  return FORM.test(value) ? 'sha256' : 'malformed'
}

/** Bare and in lower case; null where there is none. */
export const bareDigest = (value: unknown): string | null =>
  typeof value === 'string' ? (FORM.exec(value)?.[1]?.toLowerCase() ?? null) : null
