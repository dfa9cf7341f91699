import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { connect } from '../service.ts'

export default command({
  name: 'ledger show',
  summary: 'Print one receipt with its envelope and proofs, as a file that orch verify reads',
  usage: 'DIGEST',
  flags: SERVICE_FLAGS,
  example: 'orch ledger show $DIGEST',
  async run({ args, flags, settings, terminal, signal }) {
    const digest = digestOf(args)
    const record = await connect(settings).call('receipts.get', { params: { digest } }, { signal })
    await terminal.out(`${JSON.stringify(record, null, flags.json ? 0 : 2)}\n`)
    return EXIT.done
  },
})

export function digestOf(args: readonly string[]): string {
  const [digest = ''] = args
  if (args.length !== 1 || !/^[0-9a-f]{64}$/.test(digest)) throw usage('name one digest: 64 lower-case hex characters')
  return digest
}
