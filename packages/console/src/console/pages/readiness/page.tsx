/** Readiness: one sentence that says how it stands, the reasons with what blocks first, and every reading behind them. */
import type { Reply } from '@orch/client'
import { OrchError, OrchUnreachable } from '@orch/client'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Shown, Stale } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { curlOf } from '../../data/curl.ts'
import { useFacts } from '../../data/facts.tsx'
import { labelOf, useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import type { PageProps } from '../../pages.ts'
import { hrefOf } from '../../routing.ts'
import { Endpoints, Identity, Outside } from './cards.tsx'
import { Parity } from './parity.tsx'
import { Parts, type Report, reportOf } from './parts.tsx'
import { countedWords, type Health, headlineOf, isUnconfigured, type Panel, type Reason, reasonsOf } from './reasons.ts'

const EVERY_MS = 15_000
const LOOKS = { blocks: ['bad', 'cross'], unread: ['none', 'gap'], drifted: ['open', 'warn'] } as const

export function Page({ address }: PageProps) {
  const panel = useReading('readiness.panel', () => ({}), '', { everyMs: EVERY_MS })
  const checks = useReading('runtime.readyz', () => ({}), '', { everyMs: EVERY_MS })
  const { health } = useFacts()
  const report = reportOf(checks)
  const read = health.value
  if (panel.value === null || read === null || report === null) {
    const missing = [panel, health].find(({ value }) => value === null) ?? checks
    return (
      <>
        <div className="head">
          <h1>Readiness</h1>
        </div>
        <Shown<unknown> reading={missing} what="readiness">
          {() => null}
        </Shown>
      </>
    )
  }
  return (
    <Shown reading={panel} what="readiness">
      {(found) => (
        <Readiness
          panel={found}
          health={read}
          report={report}
          label={labelOf('runtime.health', read)}
          showsRaw={address.tab === 'raw'}
          onRead={() => {
            panel.askAgain()
            checks.askAgain()
            health.askAgain()
          }}
        />
      )}
    </Shown>
  )
}

interface ReadinessProps {
  panel: Panel
  health: Health
  report: Report
  label: string | null
  showsRaw: boolean
  onRead(): void
}

function Readiness({ panel, health, report, label, showsRaw, onRead }: ReadinessProps) {
  const reasons = reasonsOf(health, label, panel, report)
  const { tone, shape, title } = headlineOf(health, reasons, report)
  const { endpoints_reachable, endpoints_total } = panel.summary
  const [deployment, identity, repo, space, parity] = panel.sections
  const isNothingAsked = panel.snapshot_fetched_at === null && [repo, space].every(isUnconfigured)
  return (
    <>
      <div className={`big ${tone}`}>
        <Icon name={shape} />
        <div>
          <h1>{title}</h1>
          <p>
            {endpoints_reachable} of {endpoints_total} endpoints answered. {countedWords(reasons)}
          </p>
          <p className="small" data-summary={panel.served_from}>
            {panel.checked_at === null ? (
              'Nothing checked yet'
            ) : (
              <>
                Checked <Time at={panel.checked_at} />
              </>
            )}
            , outside{' '}
            {panel.snapshot_fetched_at === null ? (
              isNothingAsked ? (
                'not configured'
              ) : (
                'never read'
              )
            ) : (
              <>
                read <Time at={panel.snapshot_fetched_at} />
              </>
            )}{' '}
            <Badge
              label={panel.snapshot_fetched_at === null ? 'unreachable' : 'cached'}
              source="the newest readings of the outside"
              at={panel.snapshot_fetched_at}
              isUntried={isNothingAsked}
            />
          </p>
        </div>
        <Actions showsRaw={showsRaw} onRead={onRead} />
      </div>
      {panel.stale && !isNothingAsked ? <StaleNote panel={panel} /> : null}
      {reasons.length === 0 ? null : (
        <section className="whys" aria-label="Why">
          {reasons.map((reason) => (
            <ReasonCard key={reason.title} reason={reason} />
          ))}
        </section>
      )}
      {showsRaw ? <Raw panel={panel} /> : null}
      <div className="halves">
        <div className="stack">
          <Endpoints section={deployment} />
          <Parts report={report} />
          <Outside section={repo} />
        </div>
        <div className="stack">
          <Parity
            section={parity}
            identity={identity}
            isUntried={{ repo: isUnconfigured(repo), space: isUnconfigured(space) }}
          />
          <Identity section={identity} health={health} label={label} />
          <Outside section={space} />
        </div>
      </div>
    </>
  )
}

const ReasonCard = ({ reason: { kind, title, text, source, label, at, isUntried = false } }: { reason: Reason }) => {
  const [tone, shape] = LOOKS[kind]
  return (
    <section className={`card why-card ${tone}`} data-reason={kind}>
      <h2>
        <Icon name={shape} />
        {title}
      </h2>
      <p>{text}</p>
      <p className="quiet small">
        {source}
        {at === null ? null : (
          <>
            , read <Time at={at} />
          </>
        )}{' '}
        <Badge label={label} source={source} at={at} isUntried={isUntried} />
      </p>
    </section>
  )
}

const StaleNote = ({ panel: { snapshot_fetched_at: at } }: { panel: Panel }) =>
  at === null ? (
    <div className="note open" role="status">
      <Icon name="clock" />
      <div>
        <b>Nothing outside was read yet</b>
        <p>Repository and hosted space are empty below, and no status stands in for them.</p>
      </div>
    </div>
  ) : (
    <Stale since={Date.parse(at)} />
  )

const Raw = ({ panel }: { panel: Panel }) => (
  <section className="card raw" aria-labelledby="raw-title">
    <div className="card-head">
      <h2 id="raw-title">Raw JSON</h2>
      <span className="quiet small">the reply that this page was drawn from</span>
    </div>
    <div className="card-body">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre className="json" tabIndex={0}>
        {JSON.stringify(panel, null, 2)}
      </pre>
    </div>
  </section>
)

/** Under the limit of a request: a round may take 15 s, and nobody is kept waiting for its end. */
const ROUND_MS = 8_000

const REFRESH_MESSAGES: Record<Reply<'readiness.refresh'>['refresh'], string> = {
  DONE: 'Read just now',
  RUNNING: 'A round of readings goes on',
  TOO_SOON: 'Read less than 30 s ago, nothing was asked again',
}

function Actions({ showsRaw, onRead }: { showsRaw: boolean; onRead(): void }) {
  const { client, hasToken, noteAnswer } = useService()
  const [words, say] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const check = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    say('Asking')
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ROUND_MS)
    try {
      say(REFRESH_MESSAGES[(await client.readiness.refresh({}, { signal: late.signal })).refresh])
    } catch (error) {
      if (late.signal.aborted) say(`No end after ${ROUND_MS / 1_000} s; what is read meanwhile appears by itself`)
      else if (error instanceof OrchError || error instanceof OrchUnreachable) {
        noteAnswer(error)
        say(`Not asked: ${error.message}`)
      } else throw error
    } finally {
      clearTimeout(timer)
    }
    setBusy(false)
    onRead()
  }
  return (
    <div className="btn-row">
      <button type="button" className="btn" aria-disabled={isBusy} onClick={() => void check()}>
        <Icon name="retry" />
        Check again
      </button>
      <Link className="btn" href={hrefOf({ page: 'readiness', tab: showsRaw ? null : 'raw' })} replace>
        {showsRaw ? 'Hide raw JSON' : 'Raw JSON'}
      </Link>
      <CopyButton text={() => curlOf('readiness.panel', {}, hasToken)}>Copy as curl</CopyButton>
      <span className="quiet small checked" role="status">
        {words}
      </span>
    </div>
  )
}
