import { join } from 'node:path'
import {
  formatAddCheckpoint,
  formatVkey,
  isCosigned,
  nextOrigin,
  parseVkey,
  sha256Hex,
  utf8Encode,
  verifyCheckpoint,
} from '@orch/core'
import { GuardUnavailable } from '../../errors.ts'
import type { Guard } from '../../ledger/contract.ts'
import { fileGuard } from './file-guard.ts'

export const GUARD_FILE = 'last-checkpoint.txt'

export const folderGuard = (folder: string): Guard => fileGuard(join(folder, GUARD_FILE), 'data-folder')

export const isWitness = (place: string): boolean => /^https?:\/\//.test(place)

export function namedGuard({ at, key }: { at: string; key: string | null }, vkey: string): Guard {
  if (!isWitness(at)) return fileGuard(at, 'file')
  const { publicKey } = parseVkey(vkey)!
  return witnessGuard({ url: at, key, vkeyOf: (origin) => formatVkey(origin, publicKey) })
}

const TIMEOUT_MS = 5_000
const MAX_REPLY_BYTES = 16_384
/** Restores of one log; a witness that claims more is not followed. */
const MAX_GENERATIONS = 1_000
/** The request is well-formed and the witness holds something that it does not continue. */
const CONFLICTS = new Set([409, 422])

interface WitnessSettings {
  url: string
  key: string | null
  /** Verification key of the log at this origin: a witness that meets a log for the first time remembers it. */
  vkeyOf(origin: string): string
}

interface Reply {
  status: number
  text: string
}

/** A witness as guard: a process elsewhere that keeps the newest checkpoint and refuses any that does not continue it. The
 *  network controls every byte of its answers: what it holds counts only under our own log key, and what it accepted only
 *  with the cosignature of its pinned key, where the operator pinned one. */
function witnessGuard({ url, key, vkeyOf }: WitnessSettings): Guard {
  const newestOf = async (origin: string): Promise<string | null> => {
    const { status, text } = await exchange(`${url}/checkpoint/${sha256Hex(utf8Encode(origin))}`, {})
    if (status === 404) return null
    if (status !== 200) throw new GuardUnavailable(`the witness answered ${status}`)
    if (key !== null && !(await isCosigned(text, key)))
      throw new GuardUnavailable('the witness answered without the cosignature of its pinned key')
    return text
  }
  /** Anybody may have registered the name of a generation to come: only one that our own key signed is ours. */
  const isOurs = async (note: string, origin: string) =>
    (await verifyCheckpoint(note, [vkeyOf(origin)], origin)).checkpoint !== undefined
  return {
    kind: 'witness',
    async newest(origin) {
      let newest = await newestOf(origin)
      let at = nextOrigin(origin)
      for (let tries = 0; tries < MAX_GENERATIONS; tries += 1) {
        const later = await newestOf(at)
        if (later === null || !(await isOurs(later, at))) return newest
        newest = later
        at = nextOrigin(at)
      }
      throw new GuardUnavailable('the witness claims more generations of this log than there can be')
    },
    async advance({ note, old, proof }) {
      const origin = note.slice(0, note.indexOf('\n'))
      const { status, text } = await exchange(`${url}/add-checkpoint`, {
        method: 'POST',
        headers: { 'x-orch-log-key': encodeURIComponent(vkeyOf(origin)) },
        body: formatAddCheckpoint({ old: old?.size ?? 0, proof, checkpoint: note }),
      })
      if (CONFLICTS.has(status)) return false
      if (status === 403 || status === 404)
        throw new GuardUnavailable(
          `the witness does not keep this log (${status}): its operator adds the key at /log/key, or ORCH_LOG_ORIGIN names a log of your own`,
        )
      if (status !== 200) throw new GuardUnavailable(`the witness answered ${status}`)
      if (key !== null && !(await isCosigned(note + text, key)))
        throw new GuardUnavailable('the witness answered without the cosignature of its pinned key')
      return true
    },
  }
}

async function exchange(url: string, init: RequestInit): Promise<Reply> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > MAX_REPLY_BYTES) throw new GuardUnavailable('the witness answered at too great length')
      parts.push(part)
    }
    return { status: response.status, text: Buffer.concat(parts).toString('utf8') }
  } catch (error) {
    if (error instanceof GuardUnavailable) throw error
    throw new GuardUnavailable('the witness does not answer')
  }
}
