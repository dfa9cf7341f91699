import { Badge } from '../components/badge.tsx'
import { Digest } from '../components/digest.tsx'
import { Icon } from '../components/icon.tsx'
import { Cached } from '../components/states.tsx'
import { useFacts } from '../data/facts.tsx'
import { useLiveState } from '../data/live.tsx'
import { labelOf } from '../data/reading.ts'
import { useService } from '../data/service.tsx'
import { countWords } from '../words.ts'

const MODES = {
  open: 'Open on this machine: tokens are not checked',
  token: 'Reading is open, writing needs the token',
  registry: 'Each reader sees what their credential may see',
}
const SIGNERS = {
  LIVE: ['Signs with a', 'production key'],
  DEMO: ['Signs with a', 'demo key'],
  UNSIGNED: ['Has no key:', 'receipts are unsigned'],
  UNAVAILABLE: ['Has a key', 'that did not sign when last tested'],
} as const
const DURABILITY: Readonly<Record<string, string>> = {
  EPHEMERAL: 'in memory alone',
  DURABLE: 'durable',
  DURABLE_EXTERNAL: 'in a database',
}

function Signer({ status }: { status: keyof typeof SIGNERS }) {
  const [words, strong] = SIGNERS[status]
  return (
    <span>
      {words} <b>{strong}</b>
    </span>
  )
}

export function FactsBar() {
  const { health, log, keys } = useFacts()
  const { isReachable } = useService()
  const fingerprint = keys.value?.active_keyid ?? null
  return (
    <section className={isReachable ? 'facts-bar' : 'facts-bar facts-old'} aria-label="This service">
      {health.value === null ? (
        <span>{health.fault === null ? 'Asking the service' : 'Not read yet'}</span>
      ) : (
        <>
          <span className="mode">
            <Icon name={health.value.auth_mode === 'open' ? 'unlock' : 'lock'} />
            {MODES[health.value.auth_mode]}
          </span>
          <span>
            <Icon name="key" />
            <Signer status={health.value.signer.status} />
            {fingerprint === null ? null : <Digest value={fingerprint} />}
          </span>
          <span className="wide">
            <Icon name="ledger" />
            <span>
              <b>{countWords(log.value?.size ?? health.value.ledger.size)}</b> receipts,{' '}
              {DURABILITY[health.value.ledger.mode] ?? health.value.ledger.mode}
            </span>
          </span>
          {log.value?.checkpoint_size == null ? null : (
            <span className="wide">
              <Icon name="flag" />
              <span>
                Checkpoint over <b>{countWords(log.value.checkpoint_size)}</b>
              </span>
            </span>
          )}
        </>
      )}
      <span className="right">
        {health.value === null ? null : <Cached at={health.readAt} />}
        <Connection />
      </span>
    </section>
  )
}

/** LIVE is said of an open stream alone; a page without one says when the facts above were read. */
function Connection() {
  const { health } = useFacts()
  const { isReachable } = useService()
  const { state, heardAt } = useLiveState()
  if (!isReachable || state === 'lost')
    return <Badge label="unreachable" source="no answer from the service" at={health.readAt} />
  if (state === 'open') return <Badge label="LIVE" source="event stream open" at={heardAt} />
  if (health.value === null) return null
  return <Badge label={labelOf('runtime.health', health.value)} source="state of the service" at={health.readAt} />
}
