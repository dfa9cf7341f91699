/** What a caller may ask about; the rest is refused before anything is decided. */
import { CanonicalError, canonicalBytesPortable } from '@orch/core'
import { InputError } from '../../errors.ts'

const refusal = (loc: (string | number)[], msg: string, type: string) =>
  new InputError([{ loc: ['body', ...loc], msg, type }])

/** Blank is nothing to decide about, and never an allowed placeholder. */
export function assertText(text: string, field = 'text'): void {
  if (text.trim() === '') throw refusal([field], 'must not be blank', 'blank')
}

/** A context is digested into the receipt, so it must have one canonical form in every language. */
export function assertContext(context: object, mostBytes: number): void {
  const bytes = canonicalLength(context)
  if (bytes > mostBytes) throw refusal(['context'], `has ${bytes} canonical bytes, at most ${mostBytes}`, 'too_long')
}

function canonicalLength(context: object): number {
  try {
    return canonicalBytesPortable(context).length
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    throw refusal(['context', ...error.path], error.reason, 'canonical')
  }
}
