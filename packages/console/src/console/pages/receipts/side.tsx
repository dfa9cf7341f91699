/** Beside the checks: the key, the checkpoint, what belongs together with this receipt, and the files to check it alone. */
import { parseCheckpoint, parseNote } from '@orch/core'
import { Badge } from '../../components/badge.tsx'
import { ShellLine } from '../../components/copy.tsx'
import { Digest, shortDigest, signatureWords } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Time } from '../../components/time.tsx'
import { useFacts } from '../../data/facts.tsx'
import { useReading } from '../../data/reading.ts'
import { statedBy } from '../../data/stated.ts'
import type { ReceiptRecord } from '../../data/verify-here.ts'
import { hrefOf } from '../../routing.ts'
import { countWords } from '../../words.ts'
import { filesOf, shellLines } from './files.ts'
import { type RelatedReceipt, relatedIn, relatedOfReview } from './related.ts'

interface SideProps {
  record: ReceiptRecord
  bytes: Uint8Array | null
  label: string | null
}

export const Side = ({ record, label }: SideProps) => (
  <div className="stack">
    <KeyCard record={record} />
    <CheckpointCard record={record} label={label} />
    <RelatedCard record={record} />
    <FilesCard record={record} />
  </div>
)

const useKey = ({ keyid }: ReceiptRecord) => useFacts().keys.value?.keys.find((key) => key.keyid === keyid) ?? null

function KeyCard({ record }: { record: ReceiptRecord }) {
  const key = useKey(record)
  return (
    <section className="card" aria-labelledby="key-title">
      <div className="card-head">
        <h2 id="key-title">Key</h2>
        {key?.kind === 'demo' ? (
          <span className="right">
            <Badge label="DEMO" source="a demo key never counts as production" />
          </span>
        ) : null}
      </div>
      <div className="card-body">
        {key === null ? (
          <p>
            {record.signed
              ? 'The ring of this service does not list the key that signed.'
              : 'Nothing is signed, so there is no key.'}
          </p>
        ) : (
          <FactList>
            <Fact name="Fingerprint">
              <Digest value={key.keyid} />
            </Fact>
            <Fact name="Algorithm">{key.alg}</Fact>
            <Fact name="Active since">
              <Time at={key.from} />
            </Fact>
            <Fact name="Trust">this service’s own ring; compare it by another channel</Fact>
          </FactList>
        )}
      </div>
    </section>
  )
}

function CheckpointCard({ record: { checkpoint }, label }: { record: ReceiptRecord; label: string | null }) {
  const note = checkpoint === null ? null : parseNote(checkpoint)
  const read = note === null ? null : parseCheckpoint(note.text)
  const { keys } = useFacts()
  return (
    <section className="card" aria-labelledby="checkpoint-title">
      <div className="card-head">
        <h2 id="checkpoint-title">Checkpoint</h2>
        <span className="right">
          <Badge label={label} source="the note that came with the receipt" />
        </span>
      </div>
      <div className="card-body">
        {read === null ? (
          <p>No signed checkpoint covers this receipt yet.</p>
        ) : (
          <FactList>
            <Fact name="Log">{read.origin}</Fact>
            <Fact name="Tree size">{countWords(read.size)}</Fact>
            <Fact name="Log key">{keys.value === null ? 'not read' : <Digest value={keys.value.log_vkey} />}</Fact>
            <Fact name="Witnesses">
              none asked <Badge label="UNAVAILABLE" source="no witness signed this note" />
            </Fact>
          </FactList>
        )}
      </div>
    </section>
  )
}

const REVIEW_WORDS = {
  pending: 'Waits for a person',
  approved: 'Approved, not used yet',
  denied: 'Denied',
  expired: 'Expired, which denies',
  consumed: 'Approved and used',
} as const

function RelatedCard({ record }: { record: ReceiptRecord }) {
  const { payload, reviewId } = statedBy(record)
  const input = () => ({ params: { review_id: reviewId ?? '' } })
  const review = useReading('reviews.read', input, reviewId ?? '', { isWanted: reviewId !== null })
  const related = [...relatedIn(payload), ...(review.value === null ? [] : relatedOfReview(review.value))]
  const others = related.filter(({ digest }) => digest !== record.digest)
  return (
    <section className="card" aria-labelledby="related-title">
      <div className="card-head">
        <h2 id="related-title">Related</h2>
      </div>
      <div className="card-body">
        {others.length === 0 && reviewId === null ? (
          <p className="quiet">No review, outcome or step points at this receipt.</p>
        ) : (
          <FactList>
            {reviewId === null ? null : (
              <Fact name="Review">
                <Link href={hrefOf({ page: 'reviews', id: reviewId })}>
                  {review.value === null ? 'Open the review' : REVIEW_WORDS[review.value.state]}
                </Link>
              </Fact>
            )}
            {others.map((one) => (
              <RelatedLine key={one.words + one.digest} one={one} />
            ))}
          </FactList>
        )}
        {review.fault === null ? null : (
          <p className="quiet small">
            The review {reviewId} was not read: {review.fault.message}
          </p>
        )}
      </div>
    </section>
  )
}

const RelatedLine = ({ one: { words, digest } }: { one: RelatedReceipt }) => (
  <Fact name={words}>
    <Link className="chip" href={hrefOf({ page: 'receipts', id: digest })} title={digest}>
      <Icon name="link" />
      {shortDigest(digest, 6, 4)}
    </Link>
  </Fact>
)

function FilesCard({ record }: { record: ReceiptRecord }) {
  const key = useKey(record)
  return (
    <section className="card" aria-labelledby="files-title">
      <div className="card-head">
        <h2 id="files-title">Check it without us</h2>
        <span className="quiet small">{signatureWords(record)}</span>
      </div>
      <div className="card-body">
        <div className="four">
          {filesOf(record, key?.public_key_pem ?? null).map(([name, save]) => (
            <button key={name} type="button" className="btn" onClick={save}>
              <Icon name="down" />
              {name}
            </button>
          ))}
        </div>
        {shellLines(record).map((line) => (
          <ShellLine key={line} text={line} />
        ))}
      </div>
    </section>
  )
}
