// The keys of the service and the ones that are trusted here.

import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { importPublicKey } from '@orch/core'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { readText } from '../json-input.ts'
import { type PinnedKind, pinKey, pinLogKey, readKey, readLogKey, readRing } from '../key-ring.ts'
import { connect } from '../service.ts'

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
    else
      for (const { keyid, kind, active, from, to, pinned_as } of keys)
        await terminal.out(
          `${keyid}  ${kind}  ${active ? 'active' : 'retired'}  ${from} to ${to ?? 'now'}  ${pinned_as ? `pinned as ${pinned_as}` : 'not pinned'}\n`,
        )
    if (!flags.json) await terminal.out(`${log.vkey}  log  ${log.pinned ? 'pinned' : 'not pinned'}\n`)
    return EXIT.done
  },
})

export const gen = command({
  name: 'keys gen',
  summary: 'Make a P-256 signing key: NAME.key (private, mode 0600) and NAME.pub',
  usage: 'NAME',
  flags: {},
  example: 'orch keys gen signer',
  async run({ args, flags, terminal }) {
    const [name] = args
    if (name === undefined || args.length > 1) throw usage('name the key: orch keys gen NAME')
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
    throw usage(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
}

export const pin = command({
  name: 'keys pin',
  summary: 'Trust a public key or the key of a log from now on',
  usage: 'FILE',
  flags: { kind: { type: 'string', value: 'production|demo', help: 'what the key is worth (default demo)' } },
  example: 'orch keys pin cosign.pub --kind demo',
  async run({ args, flags, settings, terminal }) {
    const [file] = args
    if (file === undefined || args.length > 1) throw usage('name one file with a public key')
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

/** Without a word it is a demo key: nothing becomes production by leaving something out. */
function kindOf(kind: string | undefined): PinnedKind {
  if (kind === undefined || kind === 'demo') return 'demo'
  if (kind === 'production') return 'production'
  throw usage('--kind is production or demo')
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
