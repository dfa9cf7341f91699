import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { importPublicKey } from '@orch/core'
import { command } from '../command.ts'
import { EXIT, usage } from '../exit.ts'

export default command({
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
