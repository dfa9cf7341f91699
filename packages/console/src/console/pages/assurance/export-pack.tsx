/** The evidence pack as a file, with its digest computed here from what came and not taken from the service. */
import { OrchError, OrchUnreachable, type Reply } from '@orch/client'
import { MAX_PACK_RECEIPTS, packDigest } from '@orch/core'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Evidence } from '../../../verify/evidence.ts'
import { sizeOf } from '../../../verify/words.ts'
import { Badge } from '../../components/badge.tsx'
import { CopyButton, ShellLine } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Unreachable } from '../../components/states.tsx'
import { curlOf } from '../../data/curl.ts'
import { download } from '../../data/download.ts'
import { useService } from '../../data/service.tsx'
import { useKeys } from '../../frame/keys.ts'
import type { WireFilters } from '../../ledger/filters.ts'
import { countWords } from '../../words.ts'
import { ChooseReceipts } from './choose-receipts.tsx'
import { indexesText, spanBetween } from './indexes.ts'
import { useFound } from './use-found.ts'

type Envelope = Reply<'assurance.evidencePack'>

interface Exported {
  evidence: Evidence
  envelope: Envelope
  /** Computed in this page; null for a pack that has no canonical form. */
  digest: string | null
  bytes: number
}

const FIRST_COUNT = 50

/** What is asked for, and whether it can be asked for yet. */
interface Wanted {
  query: { receipts: number; indexes?: string } | null
  words: string
}

export function ExportPack({ onOpen }: { onOpen(evidence: Evidence): void }) {
  const { client, noteAnswer, hasToken } = useService()
  const [count, setCount] = useState(String(FIRST_COUNT))
  const [[from, to], setDays] = useState<readonly [string, string]>(['', ''])
  const [chosen, setChosen] = useState<ReadonlySet<number> | null>(null)
  const [exported, setExported] = useState<Exported | null>(null)
  const [fault, setFault] = useState<OrchError | OrchUnreachable | null>(null)
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const span = spanBetween(from, to)
  const { query, words } = useWanted(span, Number(count), chosen)
  const run = async (): Promise<void> => {
    if (query === null || isBusy) return
    setBusy(true)
    setFault(null)
    try {
      const envelope = await client.assurance.evidencePack({ query })
      noteAnswer(null)
      const content = `${JSON.stringify(envelope)}\n`
      const name = `pack-${envelope.generated_at.slice(0, 10)}.json`
      setExported({
        evidence: { name, content },
        envelope,
        digest: packDigest(envelope.pack),
        bytes: new Blob([content]).size,
      })
      download(name, content)
    } catch (error) {
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      setFault(error)
    }
    setBusy(false)
  }
  useKeys({ e: () => void run() })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void run()
  }
  return (
    <section className="card" aria-labelledby="pack-title">
      <div className="card-head">
        <h2 id="pack-title">Evidence pack</h2>
      </div>
      <div className="card-body">
        <form className="stack" onSubmit={submit}>
          <div className="days">
            <label>
              From <span className="hint">day, UTC</span>
              <input type="date" value={from} max={to} onChange={(event) => setDays([event.target.value, to])} />
            </label>
            <label>
              To <span className="hint">that day included</span>
              <input type="date" value={to} min={from} onChange={(event) => setDays([from, event.target.value])} />
            </label>
          </div>
          {chosen === null ? (
            <div className="field">
              <label htmlFor={id}>
                Receipts <span className="hint">0 to {MAX_PACK_RECEIPTS}, newest first, with proofs and keys</span>
              </label>
              <input
                id={id}
                type="number"
                min={0}
                max={MAX_PACK_RECEIPTS}
                required
                value={count}
                onChange={(event) => setCount(event.target.value)}
              />
            </div>
          ) : (
            <ChooseReceipts span={span} chosen={chosen} onChange={setChosen} />
          )}
          <p className="hint" role="status" data-wanted={query === null ? '' : (query.indexes ?? query.receipts)}>
            {words}
          </p>
          <div className="btn-row">
            <button type="submit" className="btn btn-first" aria-disabled={isBusy} disabled={query === null}>
              <Icon name="down" />
              {isBusy ? 'Asking' : 'Export pack'} <kbd>E</kbd>
            </button>
            <button type="button" className="btn" onClick={() => setChosen(chosen === null ? new Set() : null)}>
              {chosen === null ? 'Choose receipts' : 'Take the newest'}
            </button>
            {query === null ? null : (
              <CopyButton text={() => curlOf('assurance.evidencePack', { query }, hasToken)}>Copy as curl</CopyButton>
            )}
          </div>
        </form>
        {fault instanceof OrchError ? <Failed fault={fault} askAgain={() => void run()} /> : null}
        {fault !== null && !(fault instanceof OrchError) ? (
          <Unreachable readAt={null} nextTryAt={null} askAgain={() => void run()} />
        ) : null}
        {exported === null ? null : <Result exported={exported} onOpen={onOpen} />}
      </div>
    </section>
  )
}

/** A range is looked up in the ledger first, so that the reader knows what it holds before the pack is made. */
function useWanted(span: WireFilters, count: number, chosen: ReadonlySet<number> | null): Wanted {
  const isRange = chosen === null && Object.keys(span).length > 0
  const isCount = Number.isInteger(count) && count >= 0 && count <= MAX_PACK_RECEIPTS
  const { rows, isDone, hasMore, fault } = useFound(isRange && isCount && count > 0 ? span : null, count)
  if (chosen !== null) {
    const tooMany = chosen.size > MAX_PACK_RECEIPTS
    const isNone = chosen.size === 0
    return {
      query: tooMany || isNone ? null : { receipts: 0, indexes: indexesText([...chosen]) },
      words: isNone
        ? 'Choose at least one receipt.'
        : tooMany
          ? `A pack holds at most ${MAX_PACK_RECEIPTS}.`
          : `${countWords(chosen.size)} chosen.`,
    }
  }
  if (!isCount) return { query: null, words: `A whole number from 0 to ${MAX_PACK_RECEIPTS}.` }
  if (!isRange || count === 0)
    return { query: { receipts: count }, words: count === 0 ? 'No receipts, the matrix alone.' : '' }
  if (fault !== null) return { query: null, words: `The range was not read: ${fault.message}` }
  if (!isDone) return { query: null, words: `Looking in the ledger, ${countWords(rows.length)} found so far.` }
  if (rows.length === 0) return { query: null, words: 'No receipt of yours lies in this range.' }
  const indexes = indexesText(rows.map(({ node_index }) => node_index))
  const many = hasMore ? `The newest ${countWords(rows.length)} of this range; older ones may follow.` : null
  return { query: { receipts: 0, indexes }, words: many ?? `All ${countWords(rows.length)} of this range.` }
}

function Result({ exported, onOpen }: { exported: Exported; onOpen(evidence: Evidence): void }) {
  const { evidence, envelope, digest, bytes } = exported
  const isEqual = digest !== null && digest === envelope.pack_sha3_256
  const { signature, pack } = envelope
  // What one does next is at hand.
  const next = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another pack is another result
  useEffect(() => next.current?.focus(), [evidence])
  return (
    <>
      <div className={`equation ${isEqual ? 'good' : 'bad'}`} role="status">
        <span className="strong">
          {evidence.name}{' '}
          <span className="quiet">
            {sizeOf(bytes)}, {pack.receipts?.length ?? 0} receipts
          </span>
        </span>
        <span className="quiet small">SHA3-256, computed in this page</span>
        <code data-digest-here="">{digest ?? 'the pack has no canonical form'}</code>
        <span>
          <span className={`status ${isEqual ? 'good' : 'bad'}`}>
            <Icon name={isEqual ? 'tick' : 'cross'} />
            {isEqual ? 'EQUAL' : 'DIFFERENT'}
          </span>{' '}
          {isEqual ? 'to the digest the service named' : `from the digest the service named, ${envelope.pack_sha3_256}`}
        </span>
        <span className="quiet small">
          {signature.signed ? `Says it is signed by a ${signature.key_kind} key, not verified yet` : 'Unsigned'}{' '}
          {signature.signed && signature.key_kind === 'demo' ? (
            <Badge label="DEMO" source="a demo key never counts as production" />
          ) : null}
        </span>
      </div>
      <button ref={next} type="button" className="btn" onClick={() => onOpen(evidence)}>
        <Icon name="file" />
        Open and verify it here
      </button>
      <ShellLine text={`orch pack verify --key cosign.pub ${evidence.name}`} />
    </>
  )
}
