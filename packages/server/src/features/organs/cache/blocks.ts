/** Full blocks of tokens, each named by a digest over itself and all before it. */
import { sha256Hex } from '@orch/core'

/** Half of a SHA-256 is enough to tell blocks apart. */
const NAME_DIGITS = 32

export function blockNames(tokens: readonly number[], size: number, tenant: string, salt: string): string[] {
  const names: string[] = []
  let before = ''
  for (let end = size; end <= tokens.length; end += size) {
    before = sha256Hex(JSON.stringify([before, tokens.slice(end - size, end), tenant, salt]))
    names.push(before.slice(0, NAME_DIGITS))
  }
  return names
}

/** How many blocks from the first on are known. */
export function knownRun(names: readonly string[], isKnown: (name: string) => boolean): number {
  const unknown = names.findIndex((name) => !isKnown(name))
  return unknown < 0 ? names.length : unknown
}
