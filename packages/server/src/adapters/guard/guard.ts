import { join } from 'node:path'
import { formatVkey, parseVkey } from '@orch/core'
import type { Guard } from '../../ledger/contract.ts'
import { fileGuard } from './file-guard.ts'
import { witnessGuard } from './witness-guard.ts'

export const GUARD_FILE = 'last-checkpoint.txt'

export const folderGuard = (folder: string): Guard => fileGuard(join(folder, GUARD_FILE), 'data-folder')

export const isWitness = (place: string): boolean => /^https?:\/\//.test(place)

/** The guard that the operator named. */
export function namedGuard({ at, key }: { at: string; key: string | null }, vkey: string): Guard {
  if (!isWitness(at)) return fileGuard(at, 'file')
  const { publicKey } = parseVkey(vkey)!
  return witnessGuard({ url: at, key, vkeyOf: (origin) => formatVkey(origin, publicKey) })
}
