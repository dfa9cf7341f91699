/** What people, or time, decided: who, when, why, with the receipt of the verdict. */
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Time } from '../../components/time.tsx'
import { hrefOf } from '../../routing.ts'
import { statedOf } from './question.ts'
import type { ReviewItem } from './use-queue.ts'
import { ReceiptLink, stateOf, Why } from './verdict-given.tsx'
import { reasonOf, toolWords } from './waiting.tsx'

const COLUMNS = ['Verdict', 'What was held', 'Who and why', 'When', 'Receipt']

interface DecidedListProps {
  items: readonly ReviewItem[]
  label: string | null
  readAt: number | null
}

export const DecidedList = ({ items, label, readAt }: DecidedListProps) => (
  <section className="card" aria-label="Decided, newest first">
    <table className="table">
      <thead>
        <tr>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <DecidedRow key={item.review_id} item={item} />
        ))}
      </tbody>
    </table>
    <p className="keys">
      The receipt of a verdict holds the digest of its reason; the words stay with the review.{' '}
      <Badge label={label} source="the review queue" at={readAt} />
    </p>
  </section>
)

function DecidedRow({ item }: { item: ReviewItem }) {
  const { tone, shape, words } = stateOf(item.state)
  const { agent, tool } = statedOf(item)
  const vote = item.votes.at(-1)
  return (
    <tr data-review={item.review_id}>
      <td>
        <span className={`outcome ${tone}`}>
          <Icon name={shape} />
          {words}
        </span>
      </td>
      <td>
        <Link href={hrefOf({ page: 'reviews', id: item.review_id, tab: 'decided' })}>{reasonOf(item)}</Link>{' '}
        <span className="quiet">
          {agent ?? item.requested_by.owner} {tool === null ? null : <span className="mono">{toolWords(tool)}</span>}
        </span>
      </td>
      <td>
        {vote === undefined ? (
          <>
            <b>nobody</b> <span className="quiet">no verdict in time, so denied</span>
          </>
        ) : (
          <>
            <b>{vote.reviewer}</b> <Why vote={vote} />
          </>
        )}
      </td>
      <td className="nowrap quiet">
        <Time at={vote?.at ?? item.expires_at} />
      </td>
      <td>
        {item.final_receipt === null ? (
          <span className="quiet">not recorded yet</span>
        ) : (
          <ReceiptLink digest={item.final_receipt} words="receipt of the verdict" />
        )}
      </td>
    </tr>
  )
}
