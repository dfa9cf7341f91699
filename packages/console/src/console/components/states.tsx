/** The six states and the unknown id: one component each, the same on every page. None of them spins for ever, and none
 *  shows old data as if it were new. */
import { type OperationId, type OrchError, OrchUnreachable, rowOf } from '@orch/client'
import { type ReactNode, use, useEffect, useState } from 'react'
import { sentence } from '../../verify/words.ts'
import { labelOf, type Reading } from '../data/reading.ts'
import { useService } from '../data/service.tsx'
import { useTokenDialog } from '../frame/token.tsx'
import { Badge, IsOld } from './badge.tsx'
import { ShellLine } from './copy.tsx'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'
import { spanOf, Time, useSeconds } from './time.tsx'

const SKELETON_AFTER_MS = 300
const BONES = ['a', 'b', 'c', 'd', 'e', 'f']

interface StateProps {
  icon: string
  tone: string
  title: string
  children: ReactNode
}

const State = ({ icon, tone, title, children }: StateProps) => (
  <section className={`card state ${tone}`} aria-label={title}>
    <div className="middle">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  </section>
)

export function Loading({ what }: { what: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return <div aria-busy="true" />
  return (
    <div className="card state pulse" aria-busy="true" role="status">
      <span className="unseen">Loading {what}</span>
      {BONES.map((row) => (
        <div className="bone-row" key={row} aria-hidden="true">
          {BONES.slice(0, 5).map((bone) => (
            <span className="bone" key={bone} />
          ))}
        </div>
      ))}
    </div>
  )
}

export const Empty = ({
  title,
  hint,
  curl,
  children,
}: {
  title: string
  hint: string
  curl?: string
  children?: ReactNode
}) => (
  <State icon="example" tone="none" title={title}>
    <p className="quiet">{hint}</p>
    {curl === undefined ? null : <ShellLine text={curl} />}
    {children}
  </State>
)

export function Stale({ since, children }: { since: number; children?: ReactNode }) {
  const seconds = useSeconds()
  return (
    <div className="note open" role="status">
      <Icon name="clock" />
      <div>
        <b>No news for {spanOf(seconds - since / 1_000)}</b>
        <p>
          What you see was complete at {new Date(since).toISOString().slice(11, 19)} UTC.{' '}
          <Badge label="cached" at={since} />
        </p>
        {children}
      </div>
    </div>
  )
}

/** What a page shows beside its main reading: greyed and called cached while the service does not answer. */
export function CachedContent({ children }: { children: ReactNode }) {
  const { isReachable } = useService()
  return (
    <IsOld value={!isReachable}>
      <div className={isReachable ? 'kept' : 'old'}>{children}</div>
    </IsOld>
  )
}

/** Beside a value that has no label of its own: nothing while the service answers. */
export function Cached({ at }: { at: number | null }) {
  const { isReachable } = useService()
  return isReachable ? null : <Badge label="cached" source="the last good reading" at={at} />
}

interface UnreachableProps {
  readAt: number | null
  nextTryAt: number | null
  askAgain(): void
  children?: ReactNode
}

export function Unreachable({ readAt, nextTryAt, askAgain, children }: UnreachableProps) {
  const seconds = useSeconds()
  const wait = nextTryAt === null ? null : Math.max(0, Math.ceil(nextTryAt / 1_000 - seconds))
  return (
    <>
      <State icon="unreachable" tone="bad" title="The service does not answer">
        <p>
          {readAt === null ? (
            'Nothing was read yet.'
          ) : (
            <>
              Last answer <Time at={readAt} />.
              {children === undefined ? null : ' What you see below is from then and is not live.'}
            </>
          )}
        </p>
        <div className="btn-row">
          <button type="button" className="btn btn-first" onClick={askAgain}>
            <Icon name="retry" />
            Try now
          </button>
          <span className="quiet">{wait === null ? 'asked again by itself' : `asked again in ${wait} s`}</span>
          <Badge label={readAt === null ? 'unreachable' : 'cached'} at={readAt} />
        </div>
      </State>
      {children === undefined ? null : (
        <IsOld value>
          <div className="old">{children}</div>
        </IsOld>
      )}
    </>
  )
}

function Refused({ operation, fault }: { operation: OperationId; fault: OrchError }) {
  const openToken = useTokenDialog()
  const { hasToken } = useService()
  const { scopes } = rowOf(operation)
  return (
    <State
      icon="lock"
      tone="open"
      title={
        fault.status === 403
          ? 'This token may not do that'
          : hasToken
            ? 'The service does not know this token'
            : 'A token is needed here'
      }
    >
      <p>
        {scopes.length === 0 ? (
          'The service asks for a credential.'
        ) : (
          <>
            It needs the scope <code>{scopes.join(', ')}</code>.
          </>
        )}
      </p>
      <button type="button" className="btn" onClick={openToken}>
        {hasToken ? 'Use another token' : 'Enter a token'}
      </button>
    </State>
  )
}

export const Failed = ({ fault, askAgain }: { fault: OrchError; askAgain?(): void }) => (
  <State icon="cross" tone="bad" title={sentence(fault.message).replace(/\.$/, '')}>
    <p>
      <code>{fault.code}</code> {fault.status}
    </p>
    {fault.requestId === null ? null : <ShellLine text={fault.requestId} />}
    {fault.status === 422 && location.search !== '' ? (
      <Link className="btn" href={location.pathname}>
        Remove the filters
      </Link>
    ) : askAgain === undefined ? null : (
      <button type="button" className="btn" onClick={askAgain}>
        Try again
      </button>
    )}
  </State>
)

export const NotFound = ({ title, children }: { title: string; children: ReactNode }) => (
  <State icon="ask" tone="none" title={title}>
    {children}
  </State>
)

interface ShownProps<Value> {
  reading: Reading<Value>
  what: string
  /** For an id that the service does not know. */
  notFound?: ReactNode
  children(value: Value, label: string | null): ReactNode
}

/** A reading in the state it is in. */
export function Shown<Value>({ reading, what, notFound, children }: ShownProps<Value>) {
  const { isReachable } = useService()
  // Inside what an unreachable page still shows, the parts do not say it again.
  const isOld = use(IsOld)
  const { operation, value, fault, readAt, nextTryAt, askAgain } = reading
  const shown = value === null ? undefined : children(value, labelOf(operation, value))
  const isGone = fault instanceof OrchUnreachable || (!isReachable && value !== null)
  if (isGone && isOld) return shown ?? <p className="card-body quiet">Not read.</p>
  if (isGone)
    return (
      <Unreachable readAt={readAt} nextTryAt={nextTryAt} askAgain={askAgain}>
        {shown}
      </Unreachable>
    )
  if (fault !== null && (fault.status === 401 || fault.status === 403))
    return <Refused operation={operation} fault={fault} />
  if (fault?.status === 404 && notFound !== undefined) return notFound
  if (fault !== null) return <Failed fault={fault} askAgain={askAgain} />
  return shown ?? <Loading what={what} />
}
