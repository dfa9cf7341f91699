import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { writeOutputFile } from '../output-file.ts'
import { createProgress } from '../progress.ts'
import { connect } from '../service.ts'

export default command({
  name: 'pack create',
  summary: 'Fetch a signed evidence pack, with the newest receipts inside',
  usage: '[--receipts N] [--out FILE]',
  flags: {
    receipts: { type: 'string', value: 'N', help: 'how many receipts, 0 to 200 (default 20)' },
    out: { type: 'string', value: 'FILE', help: 'file to write (default stdout)' },
    ...SERVICE_FLAGS,
  },
  example: 'orch pack create --receipts 5 --out new-pack.json',
  async run({ flags, settings, terminal, signal }) {
    const receipts = flags.receipts ?? '20'
    if (!/^(?:\d{1,2}|1\d\d|200)$/.test(receipts)) throw usage('--receipts is a number from 0 to 200')
    const progress = createProgress(terminal, settings.progress, 'pack')
    const client = connect(settings, { timeoutMs: 60_000 })
    const pack = await client.call('assurance.evidencePack', { query: { receipts: Number(receipts) } }, { signal })
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
