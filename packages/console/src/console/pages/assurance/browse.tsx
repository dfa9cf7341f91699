/** A file that a reader opened: its verdict, its receipts and one of them in full. Nothing here is asked of the service. */
import type { PublicKey, VerificationReport } from '@orch/core'
import { headline, verifyReceipt } from '@orch/core'
import { useEffect, useState } from 'react'
import { type Evidence, sizeOfEvidence } from '../../../verify/evidence.ts'
import { KeyRing } from '../../../verify/key-ring.ts'
import type { Recognised } from '../../../verify/recognise.ts'
import { verifyEvidence } from '../../../verify/run.ts'
import { KIND_NAMES, keyNote, sizeOf } from '../../../verify/words.ts'
import { shortDigest } from '../../components/digest.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Outcome } from '../../components/outcome.tsx'
import { Loading, NotFound } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { Checks, Verdict } from '../../components/verdict.tsx'
import { statedBy } from '../../data/stated.ts'
import { useKeys } from '../../frame/keys.ts'
import { type Address, hrefOf, navigate } from '../../routing.ts'
import { countWords, sentenceOf, whyOf } from '../../words.ts'
import { Contents } from '../receipts/contents.tsx'
import { MerklePart } from '../receipts/merkle.tsx'
import { type ImportedReceipt, readImported } from './imported.ts'
import { Keys } from './keys.tsx'

const MAX_LISTED = 500

export function Browse({ evidence, address }: { evidence: Evidence; address: Address }) {
  const [ring] = useState(() => new KeyRing())
  const [keysChanged, noteKeys] = useState(0)
  const receipts = useReceipts(evidence)
  const { report, recognised, part } = useVerdict(evidence, ring, keysChanged)
  const digest = address.query.get('receipt')
  const chosen = receipts?.find(({ record }) => record.digest === digest) ?? null
  const listed = receipts?.slice(0, MAX_LISTED) ?? []
  const go = (step: number): void => {
    const at = listed.findIndex(({ record }) => record.digest === digest)
    const next = listed[Math.min(listed.length - 1, Math.max(0, at + step))]
    if (next !== undefined) navigate(hrefOfReceipt(next.record.digest), { replace: true })
  }
  useKeys({ j: () => go(1), k: () => go(-1), escape: () => navigate(hrefOfReceipt(null)) })
  const used = (key: PublicKey): void => {
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of the ring, no hook
    ring.useFromFile(key)
    noteKeys((count) => count + 1)
  }
  return (
    <>
      <nav className="crumbs" aria-label="Where you are">
        <Link href={hrefOf({ page: 'assurance' })}>Assurance</Link>
        <span aria-hidden="true">/</span>
        <span>{evidence.name}</span>
      </nav>
      <div className="head">
        <h1>{evidence.name}</h1>
        <span className="status open">
          <Icon name="file" />
          IMPORTED FILE
        </span>
        <p>
          {recognised === null ? 'Reading' : KIND_NAMES[recognised.kind]}, {sizeOf(sizeOfEvidence(evidence))}. Nothing
          on this page came from the service.
        </p>
      </div>
      <div className="two">
        <div className="stack">
          <section className="card" aria-labelledby="file-title">
            <div className="card-head">
              <h2 id="file-title">The whole file, verified in this page</h2>
            </div>
            <div className="card-body">
              {report === null ? (
                <p role="status">Verifying, {Math.floor(part * 100)} %</p>
              ) : (
                <>
                  <Verdict report={report} />
                  <Checks checks={report.checks} />
                  {keyNote(report) === null ? null : <p className="quiet small">{keyNote(report)}</p>}
                </>
              )}
            </div>
          </section>
          {digest === null ? null : chosen === null ? (
            receipts === null ? null : (
              <NotFound title={`No receipt ${shortDigest(digest)} in this file`}>
                <Link href={hrefOfReceipt(null)}>All receipts of the file</Link>
              </NotFound>
            )
          ) : (
            <One key={chosen.record.digest} receipt={chosen} ring={ring} keysChanged={keysChanged} tab={address.tab} />
          )}
          {receipts === null ? (
            <Loading what="the file" />
          ) : (
            <List receipts={receipts} listed={listed} chosen={digest} />
          )}
        </div>
        <Keys
          ring={ring}
          offered={recognised?.offered ?? []}
          onUse={used}
          onAdded={() => noteKeys((count) => count + 1)}
        />
      </div>
    </>
  )
}

const hrefOfReceipt = (digest: string | null, tab: string | null = null): string =>
  hrefOf({
    page: 'assurance',
    id: 'file',
    tab,
    ...(digest === null ? {} : { query: new URLSearchParams({ receipt: digest }) }),
  })

function useReceipts(evidence: Evidence): ImportedReceipt[] | null {
  const [receipts, setReceipts] = useState<ImportedReceipt[] | null>(null)
  useEffect(() => {
    let isGone = false
    setReceipts(null)
    void readImported(evidence).then((found) => {
      if (!isGone) setReceipts(found)
    })
    return () => {
      isGone = true
    }
  }, [evidence])
  return receipts
}

const now = () => ({ checkedAt: new Date().toISOString(), clock: () => performance.now() })

/** Judged again whenever the reader changes which keys count. */
function useVerdict(evidence: Evidence, ring: KeyRing, keysChanged: number) {
  const [report, setReport] = useState<VerificationReport | null>(null)
  const [recognised, setRecognised] = useState<Recognised | null>(null)
  const [part, setPart] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ring is the same object with other keys
  useEffect(() => {
    const stopped = new AbortController()
    setReport(null)
    const progress = { recognised: setRecognised, done: setPart, signal: stopped.signal }
    verifyEvidence(evidence, { ...ring.trust(), ...now() }, progress).then(
      (found) => stopped.signal.aborted || setReport(found),
      (error: unknown) => {
        if (!stopped.signal.aborted) throw error
      },
    )
    return () => stopped.abort()
  }, [evidence, ring, keysChanged])
  return { report, recognised, part }
}

interface OneProps {
  receipt: ImportedReceipt
  ring: KeyRing
  keysChanged: number
  tab: string | null
}

function One({ receipt: { record, bytes, given, hasInclusion }, ring, keysChanged, tab }: OneProps) {
  const [report, setReport] = useState<VerificationReport | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ring is the same object with other keys
  useEffect(() => {
    let isGone = false
    void verifyReceipt(given, { ...ring.trust(), ...now() }).then((found) => {
      if (!isGone) setReport(found)
    })
    return () => {
      isGone = true
    }
  }, [given, ring, keysChanged])
  return (
    <section className="card one" aria-label="Receipt of the file" data-imported={record.digest}>
      <div className="card-head">
        <h2>{sentenceOf(statedBy(record))}</h2>
        <span className="quiet small">
          #{countWords(record.seq)} of chain {record.chain}
        </span>
        <Link className="btn btn-icon right" href={hrefOfReceipt(null)} aria-label="Close the receipt">
          <Icon name="close" />
        </Link>
      </div>
      <div className="card-body">
        {report === null ? null : (
          <p>
            <b>{report.verdict}</b> {headline(report)}.
          </p>
        )}
        {report === null ? null : <Checks checks={report.checks} />}
        {hasInclusion ? <MerklePart record={record} bytes={bytes} report={report} /> : null}
      </div>
      <Contents
        record={record}
        bytes={bytes}
        label={record.label}
        tab={tab}
        source="imported file"
        onTab={(name) => navigate(hrefOfReceipt(record.digest, name), { replace: true })}
      />
    </section>
  )
}

interface ListProps {
  receipts: readonly ImportedReceipt[]
  listed: readonly ImportedReceipt[]
  chosen: string | null
}

const List = ({ receipts, listed, chosen }: ListProps) => (
  <section className="card" aria-labelledby="list-title">
    <div className="card-head">
      <h2 id="list-title">Receipts in the file</h2>
      <span className="quiet small right">
        {listed.length === receipts.length
          ? `${countWords(receipts.length)}, as the file has them`
          : `the first ${countWords(listed.length)} of ${countWords(receipts.length)}`}
      </span>
    </div>
    {receipts.length === 0 ? (
      <div className="card-body">
        <p className="quiet">This file holds no receipt that can be read.</p>
      </div>
    ) : (
      <table className="table imported">
        <thead>
          <tr>
            <th>Outcome</th>
            <th>Why</th>
            <th>Agent</th>
            <th>When</th>
            <th>Digest</th>
          </tr>
        </thead>
        <tbody>
          {listed.map(({ record }) => (
            <Row key={`${record.node_index} ${record.digest}`} record={record} isChosen={record.digest === chosen} />
          ))}
        </tbody>
      </table>
    )}
  </section>
)

function Row({ record, isChosen }: { record: ImportedReceipt['record']; isChosen: boolean }) {
  const stated = statedBy(record)
  return (
    <tr aria-current={isChosen ? true : undefined}>
      <td>
        <Outcome decision={stated.decision} />
      </td>
      <td>
        <Link href={hrefOfReceipt(record.digest)}>{whyOf(stated)}</Link>
      </td>
      <td>{stated.agent}</td>
      <td className="nowrap">{record.ts_utc === null ? null : <Time at={record.ts_utc} />}</td>
      <td className="mono" title={record.digest}>
        {shortDigest(record.digest, 6, 4)}
      </td>
    </tr>
  )
}
