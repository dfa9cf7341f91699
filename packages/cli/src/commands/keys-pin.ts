import { readFileSync } from 'node:fs'
import { command } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { type PinnedKind, pinKey, pinLogKey, readKey, readLogKey } from '../key-ring.ts'

export default command({
  name: 'keys pin',
  summary: 'Trust a public key or the key of a log from now on',
  usage: 'FILE',
  flags: { kind: { type: 'string', value: 'production|demo', help: 'what the key is worth (default demo)' } },
  example: 'orch keys pin cosign.pub --kind demo',
  async run({ args, flags, settings, terminal }) {
    const [file] = args
    if (file === undefined || args.length > 1) throw usage('name one file with a public key')
    const pinned = isPem(file)
      ? { ...pinPem(settings.configFolder, file, kindOf(flags.kind)) }
      : { kind: 'log', keyid: readLogKey(file), path: pinLogKey(settings.configFolder, readLogKey(file)) }
    await terminal.out(flags.json ? `${JSON.stringify(pinned)}\n` : `pinned as ${pinned.kind}: ${pinned.keyid}\n`)
    if (pinned.kind !== 'log')
      terminal.say('compare this fingerprint with its owner over another channel before you rely on it')
    return EXIT.done
  },
})

function isPem(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('-----BEGIN')
  } catch (error) {
    throw usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

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
