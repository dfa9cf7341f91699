/** One review: what was asked, why it was held, what its session did before, and the verdict or the form for one. */
import type { OrchError } from '@orch/client'
import { explain } from '@orch/core'
import { useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Digest, shortDigest } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { NotFound, Shown } from '../../components/states.tsx'
import { spanOf, Time, useSeconds } from '../../components/time.tsx'
import { curlOf } from '../../data/curl.ts'
import { useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { statedBy } from '../../data/stated.ts'
import { useKeys } from '../../frame/keys.ts'
import { hrefOf } from '../../routing.ts'
import { gateTitle, sentenceOf } from '../../words.ts'
import { Pieces } from './pieces.tsx'
import { askedText, piecesOf, piecesOfMasked, statedOf } from './question.ts'
import { Budget, SessionSoFar } from './session.tsx'
import { forgetDraft, type Meant, type Review, useDraft, VerdictForm } from './verdict-form.tsx'
import { ReceiptLink, VerdictGiven } from './verdict-given.tsx'
import { toolWords } from './waiting.tsx'

interface PaneProps {
  id: string
  /** Changes when the queue was read anew. */
  turn: number
  /** Somebody begins to write a reason for this one. */
  onWrite?(): void
  onDecided(): void
}

export function Pane({ id, turn, onWrite, onDecided }: PaneProps) {
  const reading = useReading('reviews.read', () => ({ params: { review_id: id } }), id)
  const [lost, setLost] = useState<OrchError | null>(null)
  const [isOwn, setOwn] = useState(false)
  const [meant, mean] = useState<Meant | null>(null)
  const [draft, setDraft] = useDraft(id)
  const { askAgain, value } = reading
  // biome-ignore lint/correctness/useExhaustiveDependencies: another reading of the queue may be news of this one
  useEffect(askAgain, [turn, askAgain])
  const over = (fault: OrchError | null): void => {
    setLost(fault)
    if (fault === null) {
      setOwn(true)
      forgetDraft(id)
    }
    askAgain()
    onDecided()
  }
  // A key is about the review that is selected when it is pressed, so its box is there at once, loaded or not.
  const open = (verdict: Meant['verdict']): void => {
    onWrite?.()
    mean({ verdict })
  }
  useKeys({ a: () => open('approve'), x: () => open('deny') })
  const isClosed = value !== null && value.state !== 'pending'
  const isLate = isClosed && !isOwn && draft.trim() !== ''
  const isWritable = value === null ? meant !== null && reading.fault === null : !isClosed
  return (
    <section className="card pane" aria-label="The selected review">
      <Link className="btn btn-plain back" href={hrefOf({ page: 'reviews' })}>
        Back to the queue
      </Link>
      <Shown
        reading={reading}
        what="the review"
        notFound={
          <NotFound title={`No review ${id}`}>
            <Link href={hrefOf({ page: 'reviews' })}>The queue</Link>
          </NotFound>
        }
      >
        {(review, label) => (
          <>
            <PaneHead review={review} />
            {isLate || (isClosed && lost !== null) ? <Lost fault={lost} review={review} isKept={isLate} /> : null}
            <About review={review} label={label} />
            {isClosed ? <VerdictGiven review={review} isOwn={isOwn} /> : null}
          </>
        )}
      </Shown>
      {isWritable || isLate ? (
        <VerdictForm
          id={id}
          review={value}
          meant={meant}
          draft={draft}
          onDraft={setDraft}
          {...(onWrite === undefined ? {} : { onWrite })}
          onDecided={() => over(null)}
          onLost={over}
        />
      ) : null}
    </section>
  )
}

function PaneHead({ review }: { review: Review }) {
  const { hasToken } = useService()
  const seconds = useSeconds()
  const left = Date.parse(review.expires_at) / 1_000 - seconds
  const { agent, tool } = statedOf(review)
  return (
    <div className="card-head review">
      <span className="tone">
        <Icon name="review" large />
      </span>
      <div>
        <h2>
          {sentenceOf({
            decision: 'REVIEW',
            kind: 'decision',
            reasons: review.reasons,
            rules: review.findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule),
          })}
        </h2>
        <p className="quiet small">
          {shortDigest(review.review_id, 12, 4)} · asked <Time at={review.created_at} /> by {review.requested_by.owner}
          {agent === null ? null : (
            <>
              {' '}
              · agent <b>{agent}</b>
            </>
          )}
          {tool === null ? null : (
            <>
              {' '}
              · tool <b className="mono">{toolWords(tool)}</b>
            </>
          )}
        </p>
      </div>
      <span className="right btn-row">
        {review.state === 'pending' ? (
          <span className="status review">
            <Icon name="clock" />
            {left > 0 ? `LAPSES IN ${spanOf(left).toUpperCase()}` : 'LAPSED'}
          </span>
        ) : null}
        <CopyButton
          className="btn btn-icon"
          text={() => curlOf('reviews.read', { params: { review_id: review.review_id } }, hasToken)}
        >
          <span className="unseen">Copy as curl</span>
        </CopyButton>
      </span>
    </div>
  )
}

function About({ review, label }: { review: Review; label: string | null }) {
  const digest = review.reviewed?.digest ?? ''
  const receipt = useReading('receipts.get', () => ({ params: { digest } }), digest, { isWanted: digest !== '' })
  const stated = receipt.value === null ? null : statedBy(receipt.value)
  const passed = stated?.gates.filter(({ verdict }) => verdict === 'allow').map(({ name }) => gateTitle(name)) ?? []
  return (
    <div className="card-body">
      <h3>What was asked</h3>
      <Question review={review} />
      <div className="cols">
        <section className="stack" aria-label="Why it was held">
          <h3>Why it was held</h3>
          <Reasons review={review} />
          <FactList>
            {stated?.agent == null ? null : <Fact name="Agent">{stated.agent}, as the caller states it</Fact>}
            {stated?.tool == null ? null : (
              <Fact name="Tool">
                <span className="mono">{toolWords(stated.tool)}</span>
              </Fact>
            )}
            {passed.length === 0 ? null : <Fact name="Passed">{passed.join(', ')}</Fact>}
            <Fact name="Lambda">
              {review.lambda ?? 'not computed'}
              {stated?.floor == null ? null : `, floor ${stated.floor.toFixed(2)}`}{' '}
              <Badge label={label} source="as the review states it" />
            </Fact>
            <Fact name="Rules">
              <Digest value={review.rules_digest} />
            </Fact>
            <Fact name="Policy set">
              <Digest value={review.policy_digest} />
            </Fact>
            {review.reviewed === null ? null : (
              <Fact name="Request">
                <ReceiptLink digest={review.reviewed.digest} words="receipt of the held request" />
              </Fact>
            )}
          </FactList>
        </section>
        {stated === null ? null : (
          <div className="stack">
            {stated.session === null ? (
              <p className="quiet small">It named no session.</p>
            ) : (
              <SessionSoFar session={stated.session} pending={digest} until={nextMillisecond(review.created_at)} />
            )}
            <Budget stated={stated} label={receipt.value?.label ?? null} />
          </div>
        )}
      </div>
    </div>
  )
}

/** The held request itself is part of its session. */
const nextMillisecond = (time: string): string => new Date(Date.parse(time) + 1_000).toISOString()

function Question({ review }: { review: Review }) {
  const text = askedText(review.payload)
  const { question } = statedOf(review)
  const pieces = text !== null ? piecesOf(text, review.findings) : question !== null ? piecesOfMasked(question) : null
  return (
    <>
      {pieces === null ? null : (
        <blockquote className="question">
          <Pieces pieces={pieces} />
        </blockquote>
      )}
      {review.payload_state === 'erased' ? (
        <p className="quiet">
          The text was erased when the review closed, as after every denial, lapse or used approval; its digest is{' '}
          <Digest value={review.input_sha256} />
        </p>
      ) : pieces === null ? (
        <p className="quiet">
          Only who may decide is shown the text; its digest is <Digest value={review.input_sha256} />
        </p>
      ) : review.state === 'approved' ? (
        <p className="quiet small">
          The text is kept until the approval is used or lapses, and is then erased; receipts hold its digest.
        </p>
      ) : null}
    </>
  )
}

function Reasons({ review: { findings, reasons } }: { review: Review }) {
  const blocking = findings.filter(({ severity }) => severity !== 'note')
  return (
    <div className="gate-open review">
      {blocking.map(({ rule, gate, start, end, severity }) => (
        <div className="finding" key={`${rule} ${start}`}>
          <span className="rule">{rule}</span>
          <span>{explain(rule)?.sentence ?? 'A rule of the operator'}</span>
          <span className="where">
            {gateTitle(gate)} · {severity} · characters {start} to {end}
          </span>
        </div>
      ))}
      {reasons.map((reason) => (
        <div className="finding" key={reason}>
          <span className="rule">
            <Icon name="review" />
          </span>
          <span>{explain(reason)?.title ?? reason}</span>
          <span className="where">{explain(reason)?.sentence}</span>
        </div>
      ))}
    </div>
  )
}

/** Said of the later one: what stands, and that theirs does not. */
function Lost({ fault, review, isKept }: { fault: OrchError | null; review: Review; isKept: boolean }) {
  const vote = review.votes.at(-1)
  return (
    <div className="note open" role="alert">
      <Icon name="warn" />
      <div>
        <b>
          {vote === undefined
            ? 'It lapsed before your verdict'
            : `Decided before you by ${vote.reviewer}, who ${vote.verdict === 'approve' ? 'approved' : 'denied'} it`}
        </b>
        <p>
          {fault === null ? 'You sent no verdict.' : 'Your verdict was not recorded.'}
          {isKept ? ' Your reason stands below until you dismiss it.' : ''}{' '}
          {fault === null ? null : <span className="quiet">{fault.message}</span>}
        </p>
      </div>
    </div>
  )
}
