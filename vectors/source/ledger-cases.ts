// A whole ledger as a file, and what an attacker may do to the file.
import { leafHash, receiptLine, rootOf, sha256Hex } from '../../packages/core/src/index.ts'
import type { Case } from '../cases.ts'
import { makeCase, anonymous, pinned } from './case.ts'
import { production } from './keys.ts'
import { checkpoint, drafts, exportLines, ledger, noteFor, place, root, signatureOf } from './ledger.ts'

export const ledgerLines = exportLines({ entries: ledger })
const file = (lines: readonly string[]): { text: string } => ({ text: `${lines.join('\n')}\n` })
const swap = (lines: readonly string[], a: number, b: number): string[] => lines.with(a, lines[b]!).with(b, lines[a]!)
const line = (at: number, change: Partial<Parameters<typeof receiptLine>[0]>): string =>
  receiptLine({ ...ledger[at]!, signature: signatureOf(ledger[at]!), keyid: production.keyid, ...change })

// Receipt 2 says ALLOW instead of DENY and everything after it is hashed again; the signatures stay the old ones.
const rewritten = place(drafts.with(2, { ...drafts[2]!, payload: { ...drafts[2]!.payload, decision: 'ALLOW' } }))
const oldSignature = ({ node_index }: { node_index: number }): Uint8Array => signatureOf(ledger[node_index]!)
const shorter = rootOf(ledger.slice(0, 3).map(({ body }) => leafHash(body)))

export const ledgerCases: Case[] = [
  makeCase('a ledger export', file(ledgerLines), pinned, 'ledger-export', 'PASS VVVVVV', { digest: root }),
  makeCase('a ledger export without a newline at the end', { text: ledgerLines.join('\n') }, pinned, 'ledger-export', 'PASS VVVVVV', { digest: root }),
  makeCase('a ledger export and no keys', file(ledgerLines), anonymous, 'ledger-export', 'INCONCLUSIVE VUVVUU', { check: 'signature', reason: 'not given' }),
  makeCase('a ledger export without a checkpoint', file(exportLines({ entries: ledger, note: null })), pinned, 'ledger-export', 'PARTIAL VVVVUV', { check: 'inclusion', reason: 'no checkpoint' }),
  makeCase('a checkpoint that covers the first three receipts', file(exportLines({ entries: ledger, note: await noteFor(3, shorter) })), pinned, 'ledger-export', 'PARTIAL VVVVUV', { check: 'inclusion', reason: 'first 3 receipts' }),
  makeCase('one receipt unsigned', file(exportLines({ entries: ledger, sign: (entry) => (entry.node_index === 3 ? null : signatureOf(entry)) })), pinned, 'ledger-export', 'FAIL UMUUUU', { check: 'signature', reason: 'carries no signature', first_bad: { line: 5, node_index: 3 } }),
  makeCase('the first receipt unsigned', file(exportLines({ entries: ledger, sign: (entry) => (entry.node_index === 0 ? null : signatureOf(entry)) })), pinned, 'ledger-export', 'INCONCLUSIVE VNVVVU', { check: 'signature', reason: '1 of 5' }),
  makeCase('an empty ledger', file(exportLines({ entries: [], note: null })), pinned, 'ledger-export', 'NO_INPUT UUUUUU', { check: 'structure', reason: 'no receipt' }),

  makeCase('truncated: no footer', file(ledgerLines.slice(0, -1)), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'before its footer', first_bad: { line: 7, node_index: null } }),
  makeCase('truncated inside a line', { text: ledgerLines.join('\n').slice(0, -200) }, pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'one spelling', first_bad: { line: 6, node_index: null } }),
  makeCase('the header alone', file(ledgerLines.slice(0, 1)), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'before its footer', first_bad: { line: 2, node_index: null } }),
  makeCase('the last receipt cut off, footer kept', file(ledgerLines.toSpliced(5, 1)), pinned, 'ledger-export', 'FAIL UUUMUU', { check: 'hash_chain', reason: 'ends before the size', first_bad: { line: 6, node_index: 4 } }),
  makeCase('a receipt deleted', file(ledgerLines.toSpliced(3, 1)), pinned, 'ledger-export', 'FAIL UUUMUU', { check: 'hash_chain', reason: 'next index', first_bad: { line: 4, node_index: 2 } }),
  makeCase('two lines swapped', file(swap(ledgerLines, 3, 4)), pinned, 'ledger-export', 'FAIL UUUMUU', { check: 'hash_chain', reason: 'next index', first_bad: { line: 4, node_index: 2 } }),
  makeCase('two lines of one chain swapped and renumbered', file(ledgerLines.with(3, line(3, { node_index: 2 })).with(4, line(2, { node_index: 3 }))), pinned, 'ledger-export', 'FAIL UUUMUU', { check: 'hash_chain', reason: 'next one of its chain', first_bad: { line: 4, node_index: 2 } }),
  makeCase('two lines of different chains swapped and renumbered', file(ledgerLines.with(2, line(2, { node_index: 1 })).with(3, line(1, { node_index: 2 }))), pinned, 'ledger-export', 'FAIL UUUUMU', { check: 'inclusion', reason: 'Merkle root', first_bad: { line: 7, node_index: null } }),
  makeCase('a line twice', file(ledgerLines.toSpliced(3, 0, ledgerLines[3]!)), pinned, 'ledger-export', 'FAIL UUUMUU', { check: 'hash_chain', reason: 'next index', first_bad: { line: 5, node_index: 3 } }),
  makeCase('one body replaced', file(ledgerLines.with(4, line(3, { body: rewritten[3]!.body }))), pinned, 'ledger-export', 'FAIL UUUMUU', { check: 'hash_chain', reason: 'head of its chain', first_bad: { line: 5, node_index: 3 } }),
  makeCase('one body replaced at the end of its chain', file(ledgerLines.with(5, line(4, { body: place(drafts.with(4, { ...drafts[4]!, payload: {} }))[4]!.body }))), pinned, 'ledger-export', 'FAIL UUMUUU', { check: 'payload_digest', reason: 'lake hash', first_bad: { line: 6, node_index: 4 } }),
  makeCase('a lake hash replaced', file(ledgerLines.with(2, line(1, { lake: sha256Hex('x') }))), pinned, 'ledger-export', 'FAIL UUMUUU', { check: 'payload_digest', reason: 'lake hash', first_bad: { line: 3, node_index: 1 } }),
  makeCase('a signature of another receipt', file(ledgerLines.with(2, line(1, { signature: signatureOf(ledger[0]!) }))), pinned, 'ledger-export', 'FAIL UMUUUU', { check: 'signature', reason: 'does not verify', first_bad: { line: 3, node_index: 1 } }),
  makeCase('hashed forward without the key', file(exportLines({ entries: rewritten, sign: oldSignature })), pinned, 'ledger-export', 'FAIL UMUUUU', { check: 'signature', reason: 'does not verify', first_bad: { line: 4, node_index: 2 } }),
  makeCase('hashed forward, signatures taken away', file(exportLines({ entries: rewritten, sign: () => null })), pinned, 'ledger-export', 'FAIL VNVVMU', { check: 'inclusion', reason: 'that the log signed' }),
  makeCase('a header that states another root', file(exportLines({ entries: ledger, root: sha256Hex('x') })), pinned, 'ledger-export', 'FAIL UUUUMU', { check: 'inclusion', reason: 'Merkle root', first_bad: { line: 7, node_index: null } }),
  makeCase('the log signed more than the file has', file(exportLines({ entries: ledger, note: await noteFor(9, rootOf([])) })), pinned, 'ledger-export', 'FAIL VVVVMV', { check: 'inclusion', reason: 'fewer' }),
  makeCase('a checkpoint with a changed size', file(exportLines({ entries: ledger, note: checkpoint.replace('\n5\n', '\n4\n') })), pinned, 'ledger-export', 'FAIL VVVVMV', { check: 'inclusion', reason: 'invalid signature' }),
  makeCase('footer and header disagree', file([...ledgerLines.slice(0, -1), exportLines({ entries: ledger.slice(0, 4) }).at(-1)!]), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'disagree', first_bad: { line: 7, node_index: null } }),
  makeCase('a line after the footer', file([...ledgerLines, ledgerLines[1]!]), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'follows the footer', first_bad: { line: 8, node_index: null } }),
  makeCase('a space in a receipt line', file(ledgerLines.with(2, ledgerLines[2]!.replace(',', ', '))), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'one spelling', first_bad: { line: 3, node_index: null } }),
  makeCase('a key twice in a receipt line', file(ledgerLines.with(2, ledgerLines[2]!.replace('{"i":1,', '{"i":1,"i":1,'))), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'one spelling', first_bad: { line: 3, node_index: null } }),
  makeCase('a signature without a key id', file(ledgerLines.with(2, ledgerLines[2]!.replace(`"${production.keyid}"`, 'null'))), pinned, 'ledger-export', 'FAIL MUUUUU', { check: 'structure', reason: 'one spelling', first_bad: { line: 3, node_index: null } }),
  makeCase('the root of the log over no receipt', file(exportLines({ entries: ledger, note: await noteFor(0, rootOf([])) })), pinned, 'ledger-export', 'PARTIAL VVVVUV', { check: 'inclusion', reason: 'first 0 receipts' }),
]
