// One receipt on one screen, judged by the keys pinned here; or all of it.
import type { Reply } from '@orch/client'
import { headline, type VerificationReport, verifyReceipt } from '@orch/core'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { readRing, trustFrom } from '../key-ring.ts'
import { RECEIPT_NAME, resolveReceipt } from '../receipt-name.ts'
import { subjectLines } from '../report-text.ts'
import { connect } from '../service.ts'
import { printable } from '../terminal.ts'

export const show = command({
  name: 'ledger show',
  summary: 'Print one receipt on one screen; --full or --json for a file that orch verify reads',
  usage: `${RECEIPT_NAME} [--full]`,
  maxArguments: 1,
  flags: { full: { type: 'boolean', help: 'the whole record: envelope, proofs and checkpoint' }, ...SERVICE_FLAGS },
  example: 'orch ledger show latest',
  async run({ args, flags, settings, terminal, signal }) {
    const client = connect(settings)
    const digest = await resolveReceipt(client, args, signal)
    const record = await client.call('receipts.get', { params: { digest } }, { signal })
    if (flags.json || flags.full) await terminal.out(`${JSON.stringify(record, null, flags.json ? 0 : 2)}\n`)
    else {
      const trust = trustFrom(readRing(settings.configFolder), [], [])
      const expected = { expectedDigest: digest, checkedAt: new Date().toISOString() }
      await terminal.out(screenOf(record, await verifyReceipt(record, { ...trust, ...expected })))
    }
    return EXIT.done
  },
})

type ReceiptRecord = Reply<'receipts.get'>

function screenOf(record: ReceiptRecord, report: VerificationReport): string {
  const { node_index, ns, chain, seq, ts_utc, prev, signed, key_kind, keyid } = record
  const line = (name: string, text: string): string => `  ${name.padEnd(14)} ${printable(text)}`
  return [
    `receipt ${node_index}, ${printable(ts_utc ?? 'of no readable time')}`,
    ...subjectLines(report),
    line('chain', `${ns}/${chain}, number ${seq}`),
    line('previous', prev),
    line('signed', signed ? `by ${key_kind} key ${keyid}` : 'no'),
    line('checked here', `${report.verdict}: ${headline(report)}`),
    line('all of it', `orch ledger show ${record.digest.slice(0, 12)} --full`),
    '',
  ].join('\n')
}
