/** What a reader gets to see. The same rules as the operations that each part links to: this page opens no door that
 *  they keep shut. */
import type { Call } from '../../operation.ts'
import { type Part, type PartReading, readPart, refusedPart } from './part.ts'

export type Caller = Call['caller']

/** Where a registry tells people apart, whoever brought no credential that is good. */
const isAnonymous = ({ authMode, keyId }: Caller): boolean => authMode === 'registry' && keyId === null

const NEEDED = 'a credential is needed to read this, and none that is good came with the request'

/** Without a registry reading is open to all, whatever the scopes. */
function refusalOf(caller: Caller, scope: Parameters<Caller['scopes']['has']>[0] | null): string | null {
  if (isAnonymous(caller)) return NEEDED
  if (scope === null || caller.authMode !== 'registry' || caller.scopes.has(scope)) return null
  return `this credential lacks the scope ${scope}`
}

export async function guarded<T>(
  caller: Caller,
  scope: Parameters<typeof refusalOf>[1],
  reading: PartReading<T>,
): Promise<Part<T>> {
  const refusal = refusalOf(caller, scope)
  return refusal === null ? readPart(reading) : refusedPart(refusal)
}

const NOTES: Readonly<Record<Caller['authMode'], string>> = {
  open: 'Open on this machine: no credential is asked for, and whoever reaches this address is its one owner.',
  token: 'Reading is open here; whatever writes needs the token that was printed when the service started.',
  registry: 'What stands here is what the credential of this request may see.',
}
const ANONYMOUS_NOTE =
  'A credential is needed to see decisions, reviews and gates. Send it as Authorization: Bearer; this page takes none in its address and keeps none.'

export const accessOf = (caller: Caller) => {
  const known = !isAnonymous(caller)
  return {
    auth_mode: caller.authMode,
    recognised: known,
    namespace: known ? caller.namespace : null,
    owner: known ? caller.owner : null,
    note: known ? NOTES[caller.authMode] : ANONYMOUS_NOTE,
  }
}
