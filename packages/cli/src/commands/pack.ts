// Evidence packs: fetch one, verify them offline.
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { parseCount } from '../forgiving.ts'
import { writeOutputFile } from '../output-file.ts'
import { createProgress } from '../progress.ts'
import { connect } from '../service.ts'
import { TRUST_FLAGS, verifyFiles } from './verify.ts'

export const create = command({
  name: 'pack create',
  summary: 'Fetch a signed evidence pack, with the newest receipts or chosen ones inside',
  usage: '[--receipts N | --indexes LIST] [--out FILE]',
  flags: {
    receipts: { type: 'string', value: 'N', help: 'how many receipts, 0 to 200 (default 20)' },
    indexes: { type: 'string', value: 'LIST', help: 'exactly these receipts by index, such as 3,8-12 (at most 200)' },
    out: { type: 'string', value: 'FILE', help: 'file to write (default stdout)' },
    ...SERVICE_FLAGS,
  },
  example: 'orch pack create --receipts 5 --out new-pack.json',
  async run({ flags, settings, terminal, signal }) {
    const { indexes } = flags
    if (indexes !== undefined && flags.receipts !== undefined)
      throw usage('--indexes: it names the receipts that --receipts would count; use one of them')
    const receipts = parseCount('--receipts', flags.receipts ?? '20', 0, 200)
    const query = indexes === undefined ? { receipts } : { indexes }
    const progress = createProgress(terminal, settings.progress, 'pack')
    const client = connect(settings, { timeoutMs: 60_000 })
    const pack = await client.call('assurance.evidencePack', { query }, { signal })
    progress.update(1, 1)
    progress.end()
    const text = `${JSON.stringify(pack)}\n`
    if (flags.out === undefined) await terminal.out(text)
    else {
      await writeOutputFile(flags.out, async (file) => file.write(text))
      const result = { file: flags.out, pack_sha3_256: pack.pack_sha3_256 }
      await terminal.out(flags.json ? `${JSON.stringify(result)}\n` : `${pack.pack_sha3_256} ${flags.out}\n`)
    }
    return EXIT.done
  },
})

export const verify = command({
  name: 'pack verify',
  summary: 'Verify evidence packs offline: digest, signature and every receipt inside',
  usage: 'FILE|- [...]',
  maxArguments: Number.POSITIVE_INFINITY,
  flags: TRUST_FLAGS,
  example: 'orch pack verify --key cosign.pub pack.json',
  run: (call) =>
    // Good evidence of another kind must not pass for a pack; what cannot be read is judged as what it was meant to be.
    verifyFiles(call, {}, ({ kind }) => {
      if (kind !== 'pack' && kind !== 'unknown')
        throw usage(`FILE is no evidence pack but a ${kind}: use orch verify FILE`)
    }),
})
