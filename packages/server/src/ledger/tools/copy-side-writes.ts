/** What lies beside the receipts and a service that moves goes on with: documents, counters and idempotency
 *  answers. */
import { createHash } from 'node:crypto'
import type { AnswerRow, CounterRow, LedgerReader, StoredDocument } from '../contract.ts'
import type { LedgerStore } from '../store/store.ts'

const PAGE = 32

async function* pages<T>(next: (last: T | null) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let page = await next(null); page.length > 0; page = await next(page.at(-1)!)) yield page
}

const documentPages = (reader: LedgerReader): AsyncGenerator<StoredDocument[]> =>
  pages((last) => reader.documentsAfter(last, PAGE))
const counterPages = (reader: LedgerReader): AsyncGenerator<CounterRow[]> =>
  pages((last) => reader.countersAfter(last, PAGE))
const answerPages = (reader: LedgerReader): AsyncGenerator<AnswerRow[]> =>
  pages((last) => reader.answersAfter(last?.key ?? null, PAGE))

export async function hasStoredSideWrites(reader: LedgerReader): Promise<boolean> {
  const firsts = [reader.documentsAfter(null, 1), reader.countersAfter(null, 1), reader.answersAfter(null, 1)]
  return (await Promise.all(firsts)).some((rows) => rows.length > 0)
}

/** Every version stays what it was, of removed documents too: whoever wrote to one before can go on writing. */
export async function copySideWrites(from: LedgerReader, to: LedgerStore): Promise<void> {
  for await (const page of documentPages(from))
    await committed(to, () => to.writeDocuments(page.map((document) => ({ ...document, from: 0 }))))
  for await (const page of counterPages(from))
    await committed(to, () => to.writeCounters(page.map((counter) => ({ ...counter, from: null }))))
  for await (const page of answerPages(from)) await committed(to, () => to.putAnswers(page))
}

async function committed(store: LedgerStore, write: () => Promise<void>): Promise<void> {
  await store.lock()
  await write()
  await store.commit()
}

/** One digest over all of it, so that two stores can be compared whole. */
export async function digestSideWrites(reader: LedgerReader): Promise<string> {
  const hash = createHash('sha256')
  for await (const page of documentPages(reader))
    for (const { space, key, version, owner, state, rank, value, nodeIndex } of page)
      hash.update(`${JSON.stringify([space, key, version, owner, state, rank, value, nodeIndex])}\n`)
  for await (const page of counterPages(reader))
    for (const { space, key, owner, value } of page) hash.update(`${JSON.stringify([space, key, owner, value])}\n`)
  for await (const page of answerPages(reader))
    for (const { key, request, nodeIndex, treeSize, answer, atMs } of page)
      hash.update(`${JSON.stringify([[...key], [...request], nodeIndex, treeSize, answer, atMs])}\n`)
  return hash.digest('hex')
}
