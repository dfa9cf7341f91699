// The keys this user trusts. A file in the ring is trust: what lies there was put there by the user, never by a command
// that read it from a receipt, an export or a service.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  importPublicKey,
  type KeyKind,
  type PublicKey,
  parseVkey,
  pemEncode,
  type Trust,
  type TrustedKey,
} from '@orch/core'
import { usage } from './exit.ts'
import { readText } from './json-input.ts'

export type PinnedKind = Exclude<KeyKind, 'caller-supplied'>
export type KeyRing = { keys: TrustedKey[]; logKeys: string[] }

const FOLDER = 'keys'
/** `production-<key id>.pem`, `demo-<key id>.pem`. A PEM under another name is trusted, but of no known kind. */
const KIND = /^(production|demo)-/

export function readRing(configFolder: string): KeyRing {
  const folder = join(configFolder, FOLDER)
  const files = existsSync(folder) ? readdirSync(folder).sort() : []
  return {
    keys: files.filter((name) => name.endsWith('.pem')).map((name) => ringKey(folder, name)),
    logKeys: files.filter((name) => name.endsWith('.vkey')).map((name) => readLogKey(join(folder, name))),
  }
}

const ringKey = (folder: string, name: string): TrustedKey => ({
  key: readKey(join(folder, name)),
  kind: (KIND.exec(name)?.[1] as PinnedKind | undefined) ?? 'caller-supplied',
})

export function readKey(path: string): PublicKey {
  const key = importPublicKey(readText(path))
  if (!key)
    throw usage(`${path} is not one PEM block of a P-256 public key; save one with curl -s "$ORCH_BASE_URL/cosign.pub"`)
  return key
}

/** One line as signed notes spell it: `<origin>+<hash>+<base64>`. */
export function readLogKey(path: string): string {
  const vkey = readText(path).trim()
  if (!parseVkey(vkey))
    throw usage(`${path} is not the verification key of a log; save one with curl -s "$ORCH_BASE_URL/log/key"`)
  return vkey
}

export function pinKey(configFolder: string, key: PublicKey, kind: PinnedKind): string {
  const path = join(ringFolder(configFolder), `${kind}-${key.keyid}.pem`)
  const other = readRing(configFolder).keys.find((one) => one.key.keyid === key.keyid && one.kind !== kind)
  if (other)
    throw usage(
      `--kind ${kind}: this key is pinned as ${other.kind} already; first orch keys unpin ${key.keyid.slice(0, 16)}`,
    )
  writeFileSync(path, pemEncode(key.spki, 'PUBLIC KEY'), { mode: 0o600 })
  return path
}

export function pinLogKey(configFolder: string, vkey: string): string {
  const { name, keyHash } = parseVkey(vkey)!
  const file = `${name.replace(/[^A-Za-z0-9.-]/g, '_')}-${keyHash.toString(16).padStart(8, '0')}.vkey`
  const path = join(ringFolder(configFolder), file)
  writeFileSync(path, `${vkey}\n`, { mode: 0o600 })
  return path
}

type Pinned = { kind: KeyKind | 'log'; keyid: string; path: string }

/** Takes the one pinned key away whose id begins so; a log key also by its name. */
export function unpinKey(configFolder: string, name: string): Pinned {
  const pinned = pinnedKeys(configFolder)
  const found = pinned.filter(({ keyid, kind }) => keyid.startsWith(kind === 'log' ? name : name.toLowerCase()))
  if (found.length === 1 && name.length >= 4) {
    rmSync(found[0]!.path)
    return found[0]!
  }
  const known = pinned.map(({ keyid, kind }) => (kind === 'log' ? keyid : keyid.slice(0, 16)))
  const list = known.length === 0 ? 'none; orch keys pin FILE pins one' : known.join(', ')
  throw usage(
    `KEYID ${name}: ${found.length === 0 ? 'no pinned key' : 'not one pinned key'} begins so; pinned: ${list}`,
  )
}

function pinnedKeys(configFolder: string): Pinned[] {
  const folder = join(configFolder, FOLDER)
  const files = existsSync(folder) ? readdirSync(folder).sort() : []
  return files.flatMap((name): Pinned[] => {
    const path = join(folder, name)
    if (name.endsWith('.vkey')) return [{ kind: 'log', keyid: readLogKey(path), path }]
    if (!name.endsWith('.pem')) return []
    const { key, kind } = ringKey(folder, name)
    return [{ kind, keyid: key.keyid, path }]
  })
}

function ringFolder(configFolder: string): string {
  const folder = join(configFolder, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Keys named on the command line replace the ring; a kind the ring knows for one of them still counts. */
export function trustFrom(
  ring: KeyRing,
  given: readonly PublicKey[],
  givenLogKeys: readonly string[],
): Pick<Trust, 'keys' | 'logKeys'> {
  const kindOf = (key: PublicKey): KeyKind =>
    ring.keys.find((pinned) => pinned.key.keyid === key.keyid)?.kind ?? 'caller-supplied'
  const keys = given.length > 0 ? given.map((key) => ({ key, kind: kindOf(key) })) : ring.keys
  return { keys, logKeys: givenLogKeys.length > 0 ? givenLogKeys : ring.logKeys }
}
