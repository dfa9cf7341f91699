// Writes vectors/*.json and vectors/ledger.jsonl from their sources. Signatures use deterministic nonces, so running it
// again changes nothing; a change that it shows is a change of a format.
import { writeFileSync } from 'node:fs'
import { base64Encode } from '../packages/core/src/index.ts'
import { goldenPack, packCases, statementCases } from '../vectors/source/document-cases.ts'
import { signedStatement, statementRecord } from '../vectors/source/documents.ts'
import { keysFile } from '../vectors/source/keys.ts'
import { checkpoint, envelopeOf, exportOf, inclusionOf, ledger, recordOf, root } from '../vectors/source/ledger.ts'
import { ledgerCases, ledgerLines } from '../vectors/source/ledger-cases.ts'
import { receiptCases } from '../vectors/source/receipt-cases.ts'
import { replyCases } from '../vectors/source/reply-cases.ts'

const decoder = new TextDecoder()
const golden = {
  chain: await Promise.all(
    ledger.map(async ({ node_index, body, digest, lake }) => ({
      node_index,
      body_text: decoder.decode(body),
      body_b64: base64Encode(body),
      digest,
      lake,
      envelope: envelopeOf(body),
      inclusion: await inclusionOf(node_index),
    })),
  ),
  root,
  checkpoint,
  record: await recordOf(2),
  export: await exportOf(2),
  pack: goldenPack,
  statement_envelope: signedStatement(),
  statement_record: statementRecord,
}

const write = (name: string, text: string): void => writeFileSync(new URL(`../vectors/${name}`, import.meta.url), text)
const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`
write('keys.json', json(keysFile))
write('golden.json', json(golden))
const cases = [...receiptCases, ...ledgerCases, ...packCases, ...statementCases, ...replyCases]
write('cases.json', `[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`)
write('ledger.jsonl', `${ledgerLines.join('\n')}\n`)
