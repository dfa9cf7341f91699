/** One decision beside the list: the sentence, the gates as steps, lambda, what it was made under, and the check of its
 *  receipt in this page. */

import { OrchError } from '@orch/client'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Digest, signatureWords } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Failed, NotFound, Shown, Unreachable } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { Checks, Verdict } from '../../components/verdict.tsx'
import { curlOf } from '../../data/curl.ts'
import { useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { statedBy } from '../../data/stated.ts'
import { type ReceiptRecord, useVerifyHere } from '../../data/verify-here.ts'
import { useKeys } from '../../frame/keys.ts'
import type { FilterName } from '../../ledger/filters.ts'
import { hrefOf } from '../../routing.ts'
import { countWords, kindWords, outcomeOf, permitHint, sentenceOf } from '../../words.ts'
import { Gates } from './gates.tsx'
import { LambdaGauge } from './lambda.tsx'

interface PeekProps {
  digest: string
  onClose(): void
  onPick(name: FilterName, value: string): void
}

export function Peek({ digest, onClose, onPick }: PeekProps) {
  const input = { params: { digest } }
  const reading = useReading('receipts.get', () => input, digest)
  return (
    <section className="card peek" aria-label="The selected decision">
      <Shown
        reading={reading}
        what="the decision"
        notFound={
          <NotFound title={`No receipt ${digest}`}>
            <button type="button" className="btn" onClick={onClose}>
              Close
            </button>
          </NotFound>
        }
      >
        {(record, label) => <Panel record={record} label={label} onClose={onClose} onPick={onPick} />}
      </Shown>
    </section>
  )
}

interface PanelProps extends Omit<PeekProps, 'digest'> {
  record: ReceiptRecord
  label: string | null
}

function Panel({ record, label, onClose, onPick }: PanelProps) {
  const stated = statedBy(record)
  const { tone, shape } = outcomeOf(stated.decision)
  const { lambda, floor } = stated
  return (
    <>
      <div className={`peek-head ${tone}`}>
        <span className="tone">
          <Icon name={shape} large />
        </span>
        <div>
          <h2>{sentenceOf(stated)}</h2>
          <p>
            {record.ts_utc === null ? null : <Time at={record.ts_utc} />} · {record.chain} #{countWords(record.seq)} ·{' '}
            {kindWords(record.kind)}
          </p>
        </div>
        <button type="button" className="btn btn-icon" aria-label="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <PeekActions record={record} />
      <div className="peek-body">
        <p className="about">
          {stated.agent === null ? null : (
            <span>
              agent <b>{stated.agent}</b>, stated by the caller
            </span>
          )}
          {stated.tool === null ? null : (
            <span>
              tool <b className="mono">{stated.tool}</b>
            </span>
          )}
          <Badge label={label} source="the receipt as the ledger holds it" />
        </p>
        {stated.gates.length === 0 ? null : (
          <Gates {...stated} hint={permitHint(stated)} onPick={(gate) => onPick('gate', gate)} />
        )}
        {lambda === null || floor === null ? null : (
          <LambdaGauge value={lambda} floor={floor} axes={stated.axes} label={label} />
        )}
        <PeekFacts record={record} onPick={onPick} />
      </div>
    </>
  )
}

function PeekFacts({ record, onPick }: Pick<PanelProps, 'record' | 'onPick'>) {
  const stated = statedBy(record)
  const { session, rulesDigest, policyDigest, limit, spent, charge } = stated
  const only = (name: FilterName, value: string, words: ReactNode) => (
    <button type="button" className="only" title={`Only ${name} ${value}`} onClick={() => onPick(name, value)}>
      {words}
    </button>
  )
  return (
    <FactList>
      <Fact name="Input">
        {stated.inputLength === null
          ? 'not stated'
          : `${countWords(stated.inputLength)} characters, kept as a digest only`}
      </Fact>
      {limit === null ? null : (
        <Fact name="Risk budget">
          {countWords((spent ?? 0) + (charge ?? 0))} of {countWords(limit)} spent with this
        </Fact>
      )}
      <Fact name="Kind, chain">
        {record.kind === null ? null : only('kind', record.kind, record.kind)}
        {only('chain', record.chain, record.chain)}
      </Fact>
      <Fact name="Session">
        {session === null ? (
          'none given'
        ) : (
          <>
            <Digest value={session} /> {only('session', session, 'Only these')}
          </>
        )}
      </Fact>
      {rulesDigest === null ? null : (
        <Fact name="Rules set">
          <Digest value={rulesDigest} /> {only('policy', rulesDigest, 'Only these')}
        </Fact>
      )}
      {policyDigest === null ? null : (
        <Fact name="Policy set">
          <Digest value={policyDigest} /> {only('policy', policyDigest, 'Only these')}
        </Fact>
      )}
      <Fact name="Signed">
        {signatureWords(record)} {only('signed', signedFilter(record), 'Only these')}
      </Fact>
    </FactList>
  )
}

const signedFilter = ({ signed, key_kind }: ReceiptRecord): string => (signed ? (key_kind ?? 'true') : 'unsigned')

/** Above what can be scrolled, so that a check is one press away however long the panel is. */
function PeekActions({ record }: { record: ReceiptRecord }) {
  const { digest } = record
  const { reviewId } = statedBy(record)
  const { hasToken } = useService()
  const { found, fault, isBusy, run } = useVerifyHere(digest)
  useKeys({ v: run })
  return (
    <div className="peek-actions">
      <button type="button" className="btn btn-first" aria-disabled={isBusy} onClick={isBusy ? undefined : run}>
        Verify here <kbd>V</kbd>
      </button>
      <CopyButton text={() => curlOf('receipts.get', { params: { digest } }, hasToken)}>Copy as curl</CopyButton>
      <Link className="btn" href={hrefOf({ page: 'receipts', id: digest })}>
        Open
      </Link>
      {reviewId === null ? null : (
        <Link className="btn" href={hrefOf({ page: 'reviews', id: reviewId })}>
          <Icon name="review" />
          Review
        </Link>
      )}
      {found === null ? (
        <p className="small quiet">
          <Digest value={digest} /> {signatureWords(record)}; nothing verified on this page yet
        </p>
      ) : (
        <div className="stack">
          <Verdict report={found.report} />
          <Checks checks={found.report.checks} />
        </div>
      )}
      {fault instanceof OrchError ? <Failed fault={fault} /> : null}
      {fault !== null && !(fault instanceof OrchError) ? (
        <Unreachable readAt={null} nextTryAt={null} askAgain={run} />
      ) : null}
    </div>
  )
}
