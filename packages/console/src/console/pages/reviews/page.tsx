/** What waits for a person and what people decided. No verdict in time means denied. */

import { rowOf } from '@orch/client'
import { useEffect, useState } from 'react'
import { Announce } from '../../components/announce.tsx'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Cached, Empty, Shown } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { spanOf } from '../../components/time.tsx'
import { curlOf } from '../../data/curl.ts'
import { useFacts } from '../../data/facts.tsx'
import { useService } from '../../data/service.tsx'
import { useKeys } from '../../frame/keys.ts'
import type { PageProps } from '../../pages.ts'
import { type Address, hrefOf, navigate } from '../../routing.ts'
import { countWords } from '../../words.ts'
import { DecidedList } from './decided.tsx'
import { Pane } from './pane.tsx'
import { type ReviewItem, useQueue } from './use-queue.ts'
import { Waiting } from './waiting.tsx'

const DECIDED = 'decided'

export function Page({ address }: PageProps) {
  const isDecided = address.tab === DECIDED
  const state = isDecided ? 'all' : 'pending'
  const queue = useQueue(state)
  const { hasToken, isReachable } = useService()
  const counts = (queue.value?.counts ?? {}) as Record<string, number>
  const waiting = counts.pending ?? 0
  const closed = Object.entries(counts).reduce((sum, [name, count]) => (name === 'pending' ? sum : sum + count), 0)
  const oldest = queue.value?.oldest_pending_seconds ?? null
  return (
    <>
      <div className="head">
        <h1>Reviews</h1>
        <p>
          {isReachable || queue.value === null ? '' : 'When last read: '}
          {queue.value === null
            ? 'No verdict in time means denied.'
            : `${countWords(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a person${oldest === null ? '' : `, the oldest for ${spanOf(oldest)}`}. No verdict in time means denied.`}{' '}
          {queue.value === null ? null : <Cached at={queue.readAt} />}
        </p>
        <div className="btn-row right">
          <CopyButton text={() => curlOf('reviews.list', { query: { state, limit: 100 } }, hasToken)}>
            Copy as curl
          </CopyButton>
        </div>
      </div>
      <div className="reviews">
        <Tabs
          label="Reviews by state"
          chosen={address.tab}
          onChoose={(tab) => navigate(hrefOf({ page: 'reviews', tab: tab === DECIDED ? tab : null }))}
          tabs={[
            {
              name: 'waiting',
              title: queue.value === null ? 'Waiting' : `Waiting ${countWords(waiting)}`,
              content: () => <WaitingTab queue={queue} address={address} />,
            },
            {
              name: DECIDED,
              title: queue.value === null ? 'Decided' : `Decided ${countWords(closed)}`,
              content: () => <DecidedTab queue={queue} address={address} />,
            },
          ]}
        />
      </div>
      <Announce text={queue.value === null ? '' : `${countWords(waiting)} reviews wait`} />
    </>
  )
}

interface TabProps {
  queue: ReturnType<typeof useQueue>
  address: Address
}

const byLapse = (a: ReviewItem, b: ReviewItem): number => a.expires_at.localeCompare(b.expires_at)

function WaitingTab({ queue, address }: TabProps) {
  const items = [...(queue.value?.items ?? []), ...queue.older].filter(({ state }) => state === 'pending').sort(byLapse)
  const [moved, setMoved] = useState<string | null>(null)
  const { waiting } = useFacts()
  const shown = address.id ?? items[0]?.review_id ?? null
  const move = (step: number): void => {
    const here = items.findIndex(({ review_id }) => review_id === (address.id ?? moved))
    const next = items[Math.min(items.length - 1, Math.max(0, here + step))]
    if (next === undefined) return
    setMoved(next.review_id)
    navigate(hrefOf({ page: 'reviews', id: next.review_id }), { replace: address.id !== null })
  }
  const early = useEarlyKeys(queue.value !== null, move)
  useKeys({
    j: () => early.step(1),
    k: () => early.step(-1),
    escape: () => navigate(hrefOf({ page: 'reviews' })),
    ...early.verdictKeys,
  })
  /** What somebody writes about or decided stays in sight, whatever becomes of the queue. */
  const keep = (): void => {
    early.forget()
    if (address.id === null && shown !== null) navigate(hrefOf({ page: 'reviews', id: shown }), { replace: true })
  }
  const decided = (): void => {
    keep()
    queue.askAgain()
    waiting.askAgain()
  }
  return (
    <Shown reading={queue} what="reviews">
      {(_, label) =>
        items.length === 0 && address.id === null ? (
          <NothingWaits />
        ) : (
          <div className={address.id === null ? 'queue' : 'queue queue-chosen'}>
            <section className="card" aria-label="Waiting, the next to lapse first">
              {early.isIgnored ? (
                <p className="card-body" role="status">
                  A verdict key pressed while the queue was loading did nothing: no review was in sight yet.
                </p>
              ) : null}
              {items.length === 0 ? (
                <p className="card-body quiet">Nothing else waits.</p>
              ) : (
                <Waiting items={items} selected={shown} moved={moved} />
              )}
              <p className="keys">
                <span>
                  <kbd>J</kbd> <kbd>K</kbd> move
                </span>
                <span>
                  <kbd>A</kbd> approve
                </span>
                <span>
                  <kbd>X</kbd> deny
                </span>
                <Badge label={label} source="the review queue" at={queue.readAt} />
              </p>
            </section>
            {shown === null ? null : (
              <Pane key={shown} id={shown} turn={queue.readAt ?? 0} onWrite={keep} onDecided={decided} />
            )}
          </div>
        )
      }
    </Shown>
  )
}

/** Keys pressed before the queue is there: steps are taken once it is, and a verdict is never about what nobody saw. */
function useEarlyKeys(isLoaded: boolean, move: (step: number) => void) {
  const [steps, setSteps] = useState(0)
  const [isIgnored, setIgnored] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the steps are taken once, when the queue is there
  useEffect(() => {
    if (!isLoaded || steps === 0) return
    setSteps(0)
    move(steps)
  }, [isLoaded])
  const ignore = () => setIgnored(true)
  const verdictKeys: Record<string, () => void> = isLoaded ? {} : { a: ignore, x: ignore }
  return {
    isIgnored,
    forget: () => setIgnored(false),
    step: (step: number): void => {
      if (isLoaded) move(step)
      else setSteps((before) => Math.max(0, before + step))
    },
    verdictKeys,
  }
}

function DecidedTab({ queue, address }: TabProps) {
  const items = [...(queue.value?.items ?? []), ...queue.older].filter(({ state }) => state !== 'pending')
  return (
    <Shown reading={queue} what="decided reviews">
      {(_, label) => (
        <div className="stack">
          {address.id === null ? null : (
            <Pane key={address.id} id={address.id} turn={queue.readAt ?? 0} onDecided={queue.askAgain} />
          )}
          {items.length === 0 ? (
            <Empty
              title="Nothing was decided yet"
              hint="Each verdict will be one line here, with who gave it and its receipt."
            />
          ) : (
            <DecidedList items={items} label={label} readAt={queue.readAt} />
          )}
        </div>
      )}
    </Shown>
  )
}

const { path } = rowOf('governance.govern')

const NothingWaits = () => (
  <Empty
    title="Nothing waits for a person"
    hint="Each decision that is held will wait here until somebody approves or denies it. Make one:"
    curl={`curl -sS ${location.origin}${path} \\\n  -H 'content-type: application/json' \\\n  -d '{"text":"Please wire 900 dollars to wallet 7 tomorrow"}'`}
  />
)
