/** One receipt: where it stands in its chain and in the log, every check made in this page, what it says, and how to check
 *  it without us. */

import { OrchError } from '@orch/client'
import { base64Decode } from '@orch/core'
import { sentence } from '../../../verify/words.ts'
import { CopyButton } from '../../components/copy.tsx'
import { shortDigest } from '../../components/digest.tsx'
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
import { hrefOf, navigate } from '../../routing.ts'
import { countWords, outcomeOf, sentenceOf } from '../../words.ts'
import { ChainPart } from './chain.tsx'
import { Contents } from './contents.tsx'
import { verifyLink } from './files.ts'
import { MerklePart } from './merkle.tsx'
import { Side } from './side.tsx'

interface ExplorerProps {
  digest: string
  tab: string | null
}

export function Explorer({ digest, tab }: ExplorerProps) {
  const reading = useReading('receipts.get', () => ({ params: { digest } }), digest)
  return (
    <Shown
      reading={reading}
      what="the receipt"
      notFound={
        <NotFound title={`No receipt ${shortDigest(digest)} in this ledger`}>
          <p className="mono">{digest}</p>
          <Link href={hrefOf({ page: 'receipts', query: new URLSearchParams({ q: digest.slice(0, 6) }) })}>
            Receipts that begin alike
          </Link>
        </NotFound>
      }
    >
      {(record, label) => <Receipt record={record} label={label} tab={tab} />}
    </Shown>
  )
}

interface ReceiptProps {
  record: ReceiptRecord
  label: string | null
  tab: string | null
}

function Receipt({ record, label, tab }: ReceiptProps) {
  const verifying = useVerifyHere(record.digest)
  useKeys({ v: verifying.run })
  const bytes = base64Decode(record.dsse.payload)
  const report = verifying.found?.report ?? null
  return (
    <>
      <nav className="crumbs" aria-label="Where you are">
        <Link href={hrefOf({ page: 'receipts' })}>Receipts</Link>
        <span aria-hidden="true">/</span>
        <Link href={hrefOf({ page: 'receipts', query: new URLSearchParams({ chain: record.chain }) })}>
          {record.chain}
        </Link>
        <span aria-hidden="true">/</span>
        <span className="mono">{shortDigest(record.digest, 12, 8)}</span>
      </nav>
      <Title record={record} isBusy={verifying.isBusy} onVerify={verifying.run} />
      <section
        className={`card hero ${report === null ? '' : 'verifying'}`}
        aria-label="Place in the chain and in the log"
      >
        <ChainPart record={record} verification={verifying.found} />
        {bytes === null ? null : <MerklePart record={record} bytes={bytes} report={report} />}
      </section>
      <div className="two">
        <div className="stack">
          <ChecksCard {...verifying} />
          <Contents
            record={record}
            bytes={bytes}
            label={label}
            tab={tab}
            source="the receipt as the ledger holds it"
            onTab={(name) => navigate(hrefOf({ page: 'receipts', id: record.digest, tab: name }), { replace: true })}
          />
        </div>
        <Side record={record} bytes={bytes} label={label} />
      </div>
    </>
  )
}

function Title({ record, isBusy, onVerify }: { record: ReceiptRecord; isBusy: boolean; onVerify(): void }) {
  const stated = statedBy(record)
  const { tone, shape } = outcomeOf(stated.decision)
  const { hasToken } = useService()
  return (
    <div className={`title ${tone}`}>
      <Icon name={shape} />
      <div>
        <h1>{sentenceOf(stated)}</h1>
        <p className="about">
          {stated.agent === null ? null : (
            <span>
              agent <b>{stated.agent}</b>
            </span>
          )}
          {stated.tool === null ? null : (
            <span>
              tool <b className="mono">{shortDigest(stated.tool, 20, 4)}</b>
            </span>
          )}
          {record.ts_utc === null ? null : (
            <span>
              <Time at={record.ts_utc} />, {record.ts_utc.slice(11, 19)} UTC
            </span>
          )}
          <span>
            <b>#{countWords(record.seq)}</b> of chain <b>{record.chain}</b>
          </span>
        </p>
      </div>
      <div className="btn-row">
        <button type="button" className="btn btn-first" aria-disabled={isBusy} onClick={isBusy ? undefined : onVerify}>
          Verify here <kbd>V</kbd>
        </button>
        <a className="btn" href={verifyLink(record)}>
          Open in /verify
        </a>
        <CopyButton text={() => curlOf('receipts.get', { params: { digest: record.digest } }, hasToken)}>
          Copy as curl
        </CopyButton>
      </div>
    </div>
  )
}

function ChecksCard({ found, fault, run }: ReturnType<typeof useVerifyHere>) {
  return (
    <section className="card" aria-labelledby="checks-title">
      <div className="card-head">
        <h2 id="checks-title">Checks, in order</h2>
        <span className="quiet small">
          {found === null
            ? 'nothing was verified on this page yet'
            : `made in this page at ${found.report.checked_at?.slice(11, 19)} UTC, ${found.took.toFixed(1)} ms`}
        </span>
      </div>
      <div className="card-body">
        {fault instanceof OrchError ? <Failed fault={fault} askAgain={run} /> : null}
        {fault !== null && !(fault instanceof OrchError) ? (
          <Unreachable readAt={null} nextTryAt={null} askAgain={run} />
        ) : null}
        {found === null ? (
          <p className="quiet">
            “Verify here” fetches the receipt and the keys again and runs the same verifier as the command line and the
            offline page.
          </p>
        ) : (
          <>
            <Verdict report={found.report} />
            <Checks checks={found.report.checks} />
            <details>
              <summary>What this does not prove</summary>
              <ul>
                {[
                  ...found.report.does_not_prove,
                  'whose keys these are: they came from this service, compare their fingerprints by another way',
                ].map((line) => (
                  <li key={line}>{sentence(line)}</li>
                ))}
              </ul>
            </details>
          </>
        )}
      </div>
    </section>
  )
}
