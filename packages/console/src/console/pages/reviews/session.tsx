/** What the same session did before, from the receipts of the ledger, and what it has spent of its risk budget. */
import { Badge } from '../../components/badge.tsx'
import { shortDigest } from '../../components/digest.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Shown } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useReading } from '../../data/reading.ts'
import type { statedBy } from '../../data/stated.ts'
import { hrefOf } from '../../routing.ts'
import { countWords, outcomeOf, whyOf } from '../../words.ts'

const SHOWN = 6
const [WIDTH, HEIGHT] = [352, 12]

interface SessionProps {
  session: string
  /** Digest of the held request. */
  pending: string
  until: string
}

export function SessionSoFar({ session, pending, until }: SessionProps) {
  const input = () => ({ query: { session, until, limit: SHOWN } })
  const reading = useReading('khipu.ledger', input, `${session} ${until}`)
  return (
    <section className="stack" aria-label="Session so far">
      <h3>
        Session so far{' '}
        <Link
          className="mono"
          href={hrefOf({ page: 'decisions', query: new URLSearchParams({ session, kind: 'any', since: 'any' }) })}
          title={session}
        >
          {shortDigest(session, 4, 4)}
        </Link>
      </h3>
      <Shown reading={reading} what="the session">
        {({ receipts }, label) => (
          <>
            <ol className="steps">
              {receipts.toReversed().map((row) => {
                const { tone, shape } = outcomeOf(row.decision)
                return (
                  <li key={row.digest} className={tone}>
                    <Icon name={shape} />
                    <Link href={hrefOf({ page: 'receipts', id: row.digest })}>
                      {row.digest === pending ? <b>{whyOf(row)}</b> : whyOf(row)}{' '}
                      <span className="mono quiet">{row.tool ?? ''}</span>
                    </Link>
                    {row.ts_utc === null ? null : <Time at={row.ts_utc} />}
                  </li>
                )
              })}
            </ol>
            <p className="quiet small">
              The last {receipts.length} receipts of it <Badge label={label} at={reading.readAt} />
            </p>
          </>
        )}
      </Shown>
    </section>
  )
}

interface BudgetProps {
  stated: ReturnType<typeof statedBy>
  label: string | null
}

export function Budget({ stated: { limit, spent, charge }, label }: BudgetProps) {
  if (limit === null || spent === null || limit <= 0) return null
  const step = charge ?? 0
  const total = spent + step
  const at = (part: number): number => Math.min(WIDTH - 2, Math.max(0, (part / limit) * (WIDTH - 2)))
  const words = `${countWords(total)} of ${countWords(limit)} spent with this request, ${countWords(step)} of it by this one`
  return (
    <div>
      <div className="lambda-head">
        Risk budget <span className="quiet right">{countWords(Math.max(0, limit - total))} left</span>
      </div>
      <svg
        className="meter"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        <rect className="bed" x=".5" y=".5" width={WIDTH - 1} height={HEIGHT - 1} rx="5" />
        <rect className="spent" x="1" y="1" width={at(spent)} height={HEIGHT - 2} />
        <rect className="step" x={1 + at(spent)} y="1" width={at(step)} height={HEIGHT - 2} />
      </svg>
      <p className="quiet small">
        {words} <Badge label={label} source="as the receipt states it" />
      </p>
    </div>
  )
}
