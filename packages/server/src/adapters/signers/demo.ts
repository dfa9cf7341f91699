import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { PublicKey } from '@orch/core'
import { writeDurably } from '../../platform/durable-file.ts'
import { requireKey, type Signer } from './signer.ts'

/** The word is in the name so that nobody mistakes the file for something to protect a production with. */
export const DEMO_KEY_FILE = 'demo-signing-key.pem'

/** A job for the thread pool wakes two threads, which costs more than a signature. So a few are made here, where nobody waits
 *  for anything else; and all of them where there is no core to spare for a pool. The latter exists for speed alone, and what it
 *  earns is in doubt: 1,619 decisions a second instead of 1,363 when it was made, and 1,067 instead of 1,209 and 505 instead of
 *  524 since, with 1.27 and 1.55 ms of processor time instead of 1.25 and 1.63, medians of five and seven alternating rounds on
 *  two cores that others used (`npm run bench -- --only governed-decision`, beside one with 4 on any machine). */
const SIGNED_HERE = availableParallelism() > 2 ? 4 : Number.POSITIVE_INFINITY

/** A P-256 key made on the first start and kept in the data folder. Up to so many messages are signed on this thread. */
export function demoSigner(folder: string, here = SIGNED_HERE): Signer {
  const privateKey = loadOrMake(join(folder, DEMO_KEY_FILE))
  return {
    kind: 'demo',
    key: publicOf(privateKey),
    sign: (messages) => signAll(messages, privateKey, here),
    signsHere: here === Number.POSITIVE_INFINITY,
    close: () => undefined,
  }
}

export const hasDemoKey = (folder: string): boolean => existsSync(join(folder, DEMO_KEY_FILE))

function loadOrMake(file: string): KeyObject {
  if (!existsSync(file)) makeKey(file)
  chmodSync(file, 0o600)
  return createPrivateKey(readFileSync(file))
}

const makeKey = (file: string): void =>
  writeDurably(
    file,
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    0o600,
  )

const NEXT_FILE = 'demo-signing-key.prepared.pem'
const publicOf = (key: KeyObject): PublicKey =>
  requireKey(createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString())

/** Ids of the keys that were made in this folder, in use or retired: whatever anybody calls them, they are demo keys. */
export const demoKeyids = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^demo-signing-key\b.*\.pem$/.test(name))
    .map((name) => publicOf(createPrivateKey(readFileSync(join(folder, name)))).keyid)

/** Makes the next key, or finds the one an interrupted rotation left. */
export const prepareDemoKey = (folder: string): PublicKey => publicOf(loadOrMake(join(folder, NEXT_FILE)))

/** Puts the key in use aside under its own id and the prepared one in its place. */
export function activateDemoKey(folder: string, oldKeyid: string): void {
  const inUse = join(folder, DEMO_KEY_FILE)
  renameSync(inUse, join(folder, `demo-signing-key.retired-${oldKeyid.slice(0, 16)}.pem`))
  renameSync(join(folder, NEXT_FILE), inUse)
}

/** A larger batch at once on the crypto thread pool; one promise for the batch, not one per signature. */
function signAll(messages: readonly Uint8Array[], key: KeyObject, here: number): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    if (messages.length <= here) return resolve(messages.map((message) => sign('sha256', message, key)))
    const signatures = new Array<Uint8Array>(messages.length)
    let left = messages.length
    messages.forEach((message, at) => {
      sign('sha256', message, key, (error, signature) => {
        if (error) return reject(error)
        signatures[at] = signature
        left -= 1
        if (left === 0) resolve(signatures)
      })
    })
  })
}
