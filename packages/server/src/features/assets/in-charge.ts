/** Whether the set that lies on the disk is the one that decides. A change is taken over a moment later, and one that
 *  cannot be used never is: the digest of what lies there must not pass for the digest of what is in charge. */
import { sha256Hex } from '@orch/core'
import type { Content } from './record.ts'

export interface LoadedFile {
  name: string
  sha256: string
}

export interface InCharge {
  /** Null where the asset is nothing that decides. */
  in_charge: boolean | null
  in_charge_sha256: string | null
}

export const NO_SET: InCharge = { in_charge: null, in_charge_sha256: null }

/** `isRead`: whether the engine would read a file of that name. Others lie in the folder without deciding anything. */
export function inChargeOf(
  content: Content,
  loaded: readonly LoadedFile[],
  isRead: (name: string) => boolean,
): InCharge {
  const inCharge = linesOf(loaded.map(({ name, sha256 }) => `${sha256} ${name}`))
  const listed = content.present ? new TextDecoder().decode(content.bytes).split('\n') : []
  const onDisk = linesOf(listed.filter((line) => line !== '' && isRead(line.slice(line.indexOf(' ') + 1))))
  return {
    in_charge: loaded.length > 0 && onDisk === inCharge,
    in_charge_sha256: loaded.length === 0 ? null : sha256Hex(new TextEncoder().encode(inCharge)),
  }
}

const linesOf = (lines: readonly string[]): string =>
  [...lines]
    .sort()
    .map((line) => `${line}\n`)
    .join('')
