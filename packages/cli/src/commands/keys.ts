// The keys of the service and the ones that are trusted here.

import { generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import type { Reply } from '@orch/client'
import { importPublicKey } from '@orch/core'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { parseWord } from '../forgiving.ts'
import { readText } from '../json-input.ts'
import { type PinnedKind, pinKey, pinLogKey, readKey, readLogKey, readRing, unpinKey } from '../key-ring.ts'
import { connect } from '../service.ts'
import { type Column, shortTime, tableHeader, tableRow } from '../table.ts'
import { printable } from '../terminal.ts'

/** The whole fingerprint follows on a line of its own: it is what people compare. */
const KEY_COLUMNS: readonly Column<Reply<'keys.list'>['keys'][number] & { pinned_as: string | null }>[] = [
  { title: 'KIND', width: 10, value: ({ kind }) => kind },
  { title: 'STATE', width: 7, value: ({ active }) => (active ? 'active' : 'retired') },
  { title: 'FROM (UTC)', width: 19, value: ({ from }) => shortTime(from) },
  { title: 'TO (UTC)', width: 19, value: ({ to }) => shortTime(to) },
  { title: 'PINNED AS', width: 15, value: ({ pinned_as }) => pinned_as ?? 'not pinned' },
]

export const show = command({
  name: 'keys show',
  summary: 'List the keys that signed at the service, and which of them are pinned here',
  usage: '',
  flags: SERVICE_FLAGS,
  example: 'orch keys show',
  async run({ flags, settings, terminal, signal }) {
    const reply = await connect(settings).call('keys.list', {}, { signal })
    const ring = readRing(settings.configFolder)
    const kindHere = (keyid: string) => ring.keys.find(({ key }) => key.keyid === keyid)?.kind ?? null
    const keys = reply.keys.map((key) => ({ ...key, pinned_as: kindHere(key.keyid) }))
    const log = { vkey: reply.log_vkey, pinned: ring.logKeys.includes(reply.log_vkey) }
    if (flags.json) await terminal.out(`${JSON.stringify({ ...reply, keys, log })}\n`)
    else {
      await terminal.out(tableHeader(KEY_COLUMNS, terminal))
      for (const key of keys) await terminal.out(`${tableRow(KEY_COLUMNS, key, terminal)}  fingerprint ${key.keyid}\n`)
      await terminal.out(`log key, ${log.pinned ? 'pinned' : 'not pinned'}\n  ${printable(log.vkey)}\n`)
    }
    return EXIT.done
  },
})

export const gen = command({
  name: 'keys gen',
  summary: 'Make a P-256 signing key: NAME.key (private, mode 0600) and NAME.pub',
  usage: 'NAME',
  maxArguments: 1,
  flags: {},
  example: 'orch keys gen signer',
  async run({ args, flags, terminal }) {
    const [name] = args
    if (name === undefined) throw usage('name one key: orch keys gen signer')
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
    writeNew(`${name}.key`, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600)
    writeNew(`${name}.pub`, pem, 0o644)
    const made = { keyid: importPublicKey(pem)!.keyid, private_key: `${name}.key`, public_key: `${name}.pub` }
    await terminal.out(
      flags.json ? `${JSON.stringify(made)}\n` : `${made.keyid} ${made.private_key} ${made.public_key}\n`,
    )
    return EXIT.done
  },
})

/** An existing key is never written over: whatever it signed could not be signed for again. */
function writeNew(path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, text, { mode, flag: 'wx' })
  } catch (error) {
    throw usage(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}); use another name: orch keys gen signer-2`,
    )
  }
}

export const pin = command({
  name: 'keys pin',
  summary: 'Trust a public key or the key of a log from now on',
  usage: 'FILE',
  maxArguments: 1,
  flags: { kind: { type: 'string', value: 'production|demo', help: 'what the key is worth (default demo)' } },
  example: 'orch keys pin cosign.pub --kind demo',
  async run({ args, flags, settings, terminal }) {
    const [file] = args
    if (file === undefined) throw usage('name one FILE with a public key: orch keys pin cosign.pub')
    const pinned = readText(file).includes('-----BEGIN')
      ? pinPem(settings.configFolder, file, kindOf(flags.kind))
      : { kind: 'log', keyid: readLogKey(file), path: pinLogKey(settings.configFolder, readLogKey(file)) }
    await terminal.out(flags.json ? `${JSON.stringify(pinned)}\n` : `pinned as ${pinned.kind}: ${pinned.keyid}\n`)
    if (pinned.kind !== 'log')
      terminal.say('compare this fingerprint with its owner over another channel before you rely on it')
    return EXIT.done
  },
})

function pinPem(configFolder: string, file: string, kind: PinnedKind) {
  const key = readKey(file)
  return { kind, keyid: key.keyid, path: pinKey(configFolder, key, kind) }
}

export const unpin = command({
  name: 'keys unpin',
  summary: 'Trust a pinned key no longer',
  usage: 'KEYID|PREFIX|FILE',
  maxArguments: 1,
  flags: {},
  example: 'orch keys unpin cosign.pub',
  async run({ args, flags, settings, terminal }) {
    const [name] = args
    if (name === undefined) throw usage('name one key: orch keys unpin KEYID, or the file it was pinned from')
    const removed = unpinKey(settings.configFolder, existsSync(name) ? namedBy(name) : name)
    await terminal.out(flags.json ? `${JSON.stringify(removed)}\n` : `no longer pinned: ${removed.keyid}\n`)
    return EXIT.done
  },
})

const namedBy = (file: string): string =>
  readText(file).includes('-----BEGIN') ? readKey(file).keyid : readLogKey(file)

/** Without a word it is a demo key: nothing becomes production by leaving something out. */
function kindOf(kind: string | undefined): PinnedKind {
  return kind === undefined ? 'demo' : (parseWord('--kind', kind, ['production', 'demo']) as PinnedKind)
}

export const rotate = command({
  name: 'keys rotate',
  summary: 'Have the service turn its demo key; old receipts keep verifying under the old one',
  usage: '',
  flags: SERVICE_FLAGS,
  example: 'orch keys rotate',
  async run({ flags, settings, terminal, signal }) {
    const turned = await connect(settings).call('keys.rotate', {}, { signal })
    await terminal.out(flags.json ? `${JSON.stringify(turned)}\n` : `${turned.old_keyid} -> ${turned.new_keyid}\n`)
    terminal.say('pin the new key: receipts from now on are signed with it')
    return EXIT.done
  },
})
