/** How often each outcome came in the window, with its course; a press narrows the list to one. */
import type { Reply } from '@orch/client'
import { use, useEffect } from 'react'
import { Badge, IsOld } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { spanOf, useSeconds } from '../../components/time.tsx'
import { pendingReviews, useFacts } from '../../data/facts.tsx'
import { useReading } from '../../data/reading.ts'
import { hrefOf } from '../../routing.ts'
import { countWords, outcomeOf } from '../../words.ts'

type Outcomes = Reply<'receipts.outcomes'>
const NAMES = ['allow', 'review', 'deny'] as const
type Name = (typeof NAMES)[number]

const [WIDTH, HEIGHT, TOP] = [240, 44, 6]

/** Points of one outcome, scaled to its own highest slice. */
function sparkPath(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  const step = WIDTH / Math.max(1, counts.length - 1)
  const points = counts.map((count, at) => {
    const y = HEIGHT - 1 - (count / most) * (HEIGHT - TOP - 1)
    return `${(at * step).toFixed(1)} ${y.toFixed(1)}`
  })
  return `M${points.join('L')}`
}

const Spark = ({ counts }: { counts: readonly number[] }) => (
  <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
    <path className="spark-fill" d={`${sparkPath(counts)}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}z`} />
    <path className="spark-base" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
    <path className="spark-line" d={sparkPath(counts)} />
  </svg>
)

interface StripProps {
  outcomes: Outcomes | null
  chosen: string | undefined
  onChoose(name: Name): void
}

export function Strip({ outcomes, chosen, onChoose }: StripProps) {
  const { total, slices } = outcomes ?? NO_OUTCOMES
  const sum = total.allow + total.review + total.deny
  const isOld = use(IsOld)
  return (
    <fieldset className="strip" aria-label="Outcomes in this window, press one to narrow the list">
      {NAMES.map((name) => {
        const { word, shape } = outcomeOf(name)
        return (
          <button
            key={name}
            type="button"
            className={`part ${name}`}
            aria-pressed={chosen === name}
            onClick={() => onChoose(name)}
          >
            <span className="what">
              <Icon name={shape} />
              {word}
            </span>
            <span className="number">
              {outcomes === null ? '–' : countWords(total[name])}
              <small>
                {sum === 0 ? '' : `${((100 * total[name]) / sum).toFixed(1)} %`}
                {isOld && outcomes !== null ? ' cached' : ''}
              </small>
            </span>
            {slices.length < 2 ? null : <Spark counts={slices.map((slice) => slice[name])} />}
          </button>
        )
      })}
      <Waiting outcomes={outcomes} />
      <Latency decided={sum} />
    </fieldset>
  )
}

const NO_OUTCOMES = { total: { allow: 0, review: 0, deny: 0 }, slices: [] as Outcomes['slices'] }

function Waiting({ outcomes }: { outcomes: Outcomes | null }) {
  const facts = useFacts()
  const seconds = useSeconds()
  const waiting = pendingReviews(facts)
  const { readAt, value, askAgain } = facts.waiting
  const reviewCount = outcomes?.total.review
  useEffect(() => {
    if (reviewCount !== undefined) askAgain()
  }, [reviewCount, askAgain])
  const oldest = value?.oldest_pending_seconds ?? null
  const age = oldest === null || readAt === null ? null : oldest + seconds - Math.floor(readAt / 1_000)
  return (
    <div className="part none">
      <span className="what">
        <Icon name="person" />
        <Link href={hrefOf({ page: 'reviews' })}>Waiting for a person</Link>
      </span>
      <span className="number">
        {waiting ?? '–'}
        <small>
          {age === null ? '' : `oldest ${spanOf(age)} `}
          {outcomes === null ? null : (
            <Badge label={outcomes.label} source={sourceOf(outcomes)} at={outcomes.read_at} />
          )}
        </small>
      </span>
    </div>
  )
}

const nothing = () => ({})

/** What the service timed of its decisions; how long one of them took is in no receipt. */
function Latency({ decided }: { decided: number }) {
  const mode = useFacts().health.value?.auth_mode
  const isWanted = mode !== undefined && mode !== 'registry'
  const { value, fault, askAgain } = useReading('wow.routerLatency', nothing, '', { everyMs: 15_000, isWanted })
  useEffect(() => {
    if (decided > 0) askAgain()
  }, [decided, askAgain])
  const row = value?.decisions ?? null
  const p50 = row?.p50_ms ?? null
  const isAsked = value !== null || fault !== null
  const missing = mode === 'registry' ? 'not asked for: it needs the scope metrics:read' : fault?.message
  return (
    <div className="part none" data-part="latency">
      <span className="what">
        <Icon name="clock" />
        Time to decide
      </span>
      <span className="number">
        {p50 === null ? '–' : `${roundMs(p50)} ms`}
        <small>
          {p50 === null ? '' : 'median '}
          {row !== null && p50 !== null ? (
            <Badge label={row.label} source={timedWords(row)} at={value?.read_at ?? null} />
          ) : isAsked || mode === 'registry' ? (
            <Badge label="UNAVAILABLE" source={missing ?? 'no decision was recorded since the service started'} />
          ) : null}
        </small>
      </span>
    </div>
  )
}

const timedWords = ({ window_count, p95_ms }: Reply<'wow.routerLatency'>['decisions']): string =>
  `the newest ${countWords(window_count)} decisions as this process timed them${p95_ms === null ? '' : `, 95 % within ${roundMs(p95_ms)} ms`}`

const roundMs = (ms: number): string => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toString())

const sourceOf = ({ source, ended, scanned }: Outcomes): string =>
  ended === 'limit' ? `the newest ${countWords(scanned)} ${source}; older ones of this window are not counted` : source
