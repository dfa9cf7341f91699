/** Whether the set that lies on the disk is the one that decides. A change is taken over a moment later, and one that
 *  cannot be used never is: the digest of what lies there must not pass for the digest of the active set. */
import { sha256Hex } from '@orch/core'
import type { Content } from './record.ts'
import type { AssetRow } from './schemas.ts'

interface LoadedFile {
  name: string
  sha256: string
}

/** Both are null where the asset is nothing that decides. */
export type ActiveState = Pick<AssetRow, 'in_charge' | 'in_charge_sha256'>

export const NO_SET: ActiveState = { in_charge: null, in_charge_sha256: null }

/** `isRead`: whether the engine would read a file of that name. Others lie in the folder without deciding anything. */
export function compareWithLoaded(
  content: Content,
  loaded: readonly LoadedFile[],
  isRead: (name: string) => boolean,
): ActiveState {
  const active = sortedLines(loaded.map(({ name, sha256 }) => `${sha256} ${name}`))
  const listed = content.present ? new TextDecoder().decode(content.bytes).split('\n') : []
  const onDisk = sortedLines(listed.filter((line) => line !== '' && isRead(line.slice(line.indexOf(' ') + 1))))
  return {
    in_charge: loaded.length > 0 && onDisk === active,
    in_charge_sha256: loaded.length === 0 ? null : sha256Hex(new TextEncoder().encode(active)),
  }
}

const sortedLines = (lines: readonly string[]): string =>
  [...lines]
    .sort()
    .map((line) => `${line}\n`)
    .join('')
