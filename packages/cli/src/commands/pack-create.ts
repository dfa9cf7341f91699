import { type CallArguments, OPERATIONS, type OperationId, rowOf } from '@orch/client'
import { command, SERVICE_FLAGS } from '../command.ts'
import { CliError, EXIT, usage } from '../exit.ts'
import { writeOutputFile } from '../output-file.ts'
import { createProgress } from '../progress.ts'
import { connect } from '../service.ts'

const PATH = '/api/orch/v1/assurance/evidence-pack'

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
    const id = packOperation()
    const input = { query: { receipts: Number(receipts) } }
    const pack = await connect(settings, { timeoutMs: 60_000 }).call(
      id,
      ...([input, { signal }] as unknown as CallArguments<typeof id>),
    )
    progress.update(1, 1)
    progress.end()
    const text = `${JSON.stringify(pack)}\n`
    if (flags.out === undefined) await terminal.out(text)
    else {
      await writeOutputFile(flags.out, async (file) => file.write(text))
      const digest = (pack as { pack_sha3_256?: string }).pack_sha3_256 ?? null
      const result = { file: flags.out, pack_sha3_256: digest }
      await terminal.out(flags.json ? `${JSON.stringify(result)}\n` : `${digest} ${flags.out}\n`)
    }
    return EXIT.done
  },
})

function packOperation(): OperationId {
  const id = (Object.keys(OPERATIONS) as OperationId[]).find((one) => rowOf(one).path === PATH)
  if (id === undefined) throw new CliError(EXIT.error, 'this build describes no operation that makes evidence packs')
  return id
}
