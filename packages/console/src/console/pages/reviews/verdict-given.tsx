/** What became of a review: who decided, when, with which receipts. */
import { useEffect, useRef } from 'react'
import { Digest, shortDigest } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Time } from '../../components/time.tsx'
import { isFocusFree } from '../../frame/keys.ts'
import { hrefOf } from '../../routing.ts'
import { outcomeOf } from '../../words.ts'
import type { Review } from './verdict-form.tsx'

export const ReceiptLink = ({ digest, words }: { digest: string; words: string }) => (
  <Link className="chip" href={hrefOf({ page: 'receipts', id: digest })} title={`${digest}, not verified on this page`}>
    <Icon name="link" />
    {shortDigest(digest, 6, 4)}
    <span className="unseen">, {words}</span>
  </Link>
)

/** The words where they were kept, else what the receipt holds of them. */
export const Why = ({ vote }: { vote: Review['votes'][number] }) =>
  vote.reason === null ? (
    <>
      <span className="quiet">reason kept as digest</span> <Digest value={vote.reason_sha256} />
    </>
  ) : (
    <q title={`SHA-256 in the receipt: ${vote.reason_sha256}`}>{vote.reason}</q>
  )

const STATES: Record<Review['state'], readonly [decision: string | null, words: string]> = {
  pending: ['REVIEW', 'Waits'],
  approved: ['ALLOW', 'Approved, not used yet'],
  consumed: ['ALLOW', 'Approved and used'],
  denied: ['DENY', 'Denied'],
  expired: [null, 'Lapsed without a verdict, so denied'],
}

export const stateOf = (state: Review['state']) => {
  const [decision, words] = STATES[state]
  const { tone, shape } = outcomeOf(decision)
  return { tone, words, shape: decision === null ? 'clock' : shape }
}

export function VerdictGiven({ review, isOwn }: { review: Review; isOwn: boolean }) {
  const { tone, shape, words } = stateOf(review.state)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isOwn && isFocusFree()) title.current?.focus()
  }, [isOwn])
  return (
    <div className={`decided ${tone}`} role="status" data-state={review.state}>
      <h3 className="tone" ref={title} tabIndex={-1}>
        <Icon name={shape} /> {words}
      </h3>
      <FactList>
        {review.votes.map((vote) => (
          <Fact key={vote.at} name={vote.verdict === 'approve' ? 'Approved by' : 'Denied by'}>
            <b>{vote.reviewer}</b> <Time at={vote.at} />: <Why vote={vote} />{' '}
            {vote.receipt_id === null ? null : <ReceiptLink digest={vote.receipt_id} words="receipt of the verdict" />}
          </Fact>
        ))}
        {review.votes.length === 0 && review.final_receipt !== null ? (
          <Fact name="Lapsed">
            <ReceiptLink digest={review.final_receipt} words="receipt of the lapse" />
          </Fact>
        ) : null}
        {review.consumed_by === null ? null : (
          <Fact name="Used by">
            <ReceiptLink digest={review.consumed_by} words="receipt of the request that passed" />
          </Fact>
        )}
        {review.state === 'approved' && review.valid_until !== null ? (
          <Fact name="Good until">
            <time dateTime={review.valid_until}>{review.valid_until.slice(11, 19)} UTC</time>
          </Fact>
        ) : null}
      </FactList>
    </div>
  )
}
