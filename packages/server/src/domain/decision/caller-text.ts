/** What a caller may ask about; the rest is refused before anything is decided. */
import { CanonicalError, canonicalBytesPortable } from '@orch/core'
import { InputError } from '../../errors.ts'
import { isInvisible } from '../text/invisible.ts'

const refusal = (loc: (string | number)[], msg: string, type: string) =>
  new InputError([{ loc: ['body', ...loc], msg, type }])

/** White space and characters nobody sees. */
export function isBlank(text: string): boolean {
  for (const letter of text) if (letter.trim() !== '' && !isInvisible(letter.codePointAt(0) as number)) return false
  return true
}

/** Blank is nothing to decide about, and never an allowed placeholder. */
export function assertText(text: string, field = 'text'): void {
  if (isBlank(text)) throw refusal([field], 'must not be blank', 'blank')
}

/** A context is digested into the receipt, so it must have one canonical form in every language. */
export function assertContext(context: unknown, maxBytes: number): void {
  const bytes = canonicalLength(context)
  if (bytes > maxBytes) throw refusal(['context'], `has ${bytes} canonical bytes, at most ${maxBytes}`, 'too_long')
}

function canonicalLength(context: unknown): number {
  try {
    return canonicalBytesPortable(context).length
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    throw refusal(['context', ...error.path], error.reason, 'canonical')
  }
}
