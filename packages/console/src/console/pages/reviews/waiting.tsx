/** What waits for a person, the next to lapse first. */
import { explain } from '@orch/core'
import { useEffect, useRef } from 'react'
import { shortDigest } from '../../components/digest.tsx'
import { Link } from '../../components/link.tsx'
import { spanOf, useSeconds } from '../../components/time.tsx'
import { hrefOf } from '../../routing.ts'
import { whyOf } from '../../words.ts'
import { Pieces } from './pieces.tsx'
import { piecesOfMasked, statedOf } from './question.ts'
import type { ReviewItem } from './use-queue.ts'

const [RADIUS, MIDDLE] = [16, 20]
const AROUND = 2 * Math.PI * RADIUS
/** Of its whole time: under this it is drawn as late. */
const LATE = 0.15

export const reasonOf = ({ reasons, findings }: Pick<ReviewItem, 'reasons' | 'findings'>): string =>
  whyOf({
    decision: 'REVIEW',
    kind: 'decision',
    reasons,
    rules: findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule),
  })

/** For a service that does not tell the question in its list. */
const ruleWords = ({ reasons, findings }: ReviewItem): string =>
  explain(findings.find(({ severity }) => severity !== 'note')?.rule ?? reasons[0] ?? '')?.sentence ?? ''

export const toolWords = (tool: string): string => (/^[0-9a-f]{64}$/.test(tool) ? shortDigest(tool, 6, 4) : tool)

interface WaitingProps {
  items: readonly ReviewItem[]
  selected: string | null
  /** The one the keys moved to; it is given the focus. */
  moved: string | null
}

export const Waiting = ({ items, selected, moved }: WaitingProps) => (
  <ul className="waits">
    {items.map((item) => (
      <li key={item.review_id}>
        <Wait item={item} isSelected={item.review_id === selected} isMoved={item.review_id === moved} />
      </li>
    ))}
  </ul>
)

function Wait({ item, isSelected, isMoved }: { item: ReviewItem; isSelected: boolean; isMoved: boolean }) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isMoved) link.current?.focus()
  }, [isMoved])
  const seconds = useSeconds()
  const [asked, lapses] = [Date.parse(item.created_at) / 1_000, Date.parse(item.expires_at) / 1_000]
  const left = Math.max(0, lapses - seconds)
  const part = Math.min(1, left / Math.max(1, lapses - asked))
  const { question, agent, tool } = statedOf(item)
  return (
    <Link
      className="wait"
      href={hrefOf({ page: 'reviews', id: item.review_id })}
      ref={link}
      data-review={item.review_id}
      {...(isSelected ? { 'aria-current': true } : {})}
    >
      <svg className="ring" viewBox="0 0 40 40" aria-hidden="true" focusable="false">
        <circle className="ring-bed" cx={MIDDLE} cy={MIDDLE} r={RADIUS} />
        <circle
          className={part < LATE ? 'ring-left ring-late' : 'ring-left'}
          cx={MIDDLE}
          cy={MIDDLE}
          r={RADIUS}
          strokeDasharray={`${part * AROUND} ${AROUND}`}
        />
        <text x={MIDDLE} y={24}>
          {spanOf(left)}
        </text>
      </svg>
      <span className="why">
        {reasonOf(item)}
        <span>{spanOf(seconds - asked)} old</span>
      </span>
      <span className="asked">
        {question === null ? ruleWords(item) : <Pieces pieces={piecesOfMasked(question)} />}
      </span>
      <span className="meta">
        <span>
          {agent ?? `asked by ${item.requested_by.owner}`}
          {tool === null ? null : (
            <>
              {' '}
              · <span className="mono">{toolWords(tool)}</span>
            </>
          )}
        </span>
        <span>{left === 0 ? 'lapsed' : `${spanOf(left)} left`}</span>
      </span>
    </Link>
  )
}
