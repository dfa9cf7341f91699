/** The readings themselves: where the service answers, what its own checks found, what runs, and what stands outside. */
import { Badge } from '../../components/badge.tsx'
import { Digest } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { spanOf, Time } from '../../components/time.tsx'
import { countWords } from '../../words.ts'
import { type Health, isUnconfigured, type Mode, modeLabel, type Panel, SETTINGS } from './reasons.ts'

type Section = Panel['sections']
type Endpoint = Section[0]['endpoints'][number]
type Field = Section[1]['fields'][number]

export const Endpoints = ({ section: { endpoints, reachable, total, target } }: { section: Section[0] }) => (
  <section className="card" aria-labelledby="endpoints-title">
    <div className="card-head">
      <h2 id="endpoints-title">Endpoints</h2>
      <span className="quiet small">{target}</span>
      <span className="quiet small right">
        {reachable} of {total} answered
      </span>
    </div>
    <table className="table endpoint-rows">
      <thead>
        <tr>
          <th>Endpoint</th>
          <th>Answer</th>
          <th>Reading</th>
          <th className="num">Age</th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <EndpointRow key={endpoint.id} endpoint={endpoint} />
        ))}
      </tbody>
    </table>
  </section>
)

function EndpointRow({ endpoint: { id, title, url, liveness } }: { endpoint: Endpoint }) {
  const { reachable, http_status, mode, checked_at, age_seconds, last_error, reason, probe_via } = liveness
  const answer = http_status === 0 ? (last_error ?? reason ?? 'nothing read') : `${http_status} answered`
  return (
    <tr data-endpoint={id}>
      <td className="full">
        <b>{title}</b>{' '}
        <a className="mono quiet" href={url} rel="noreferrer">
          {url}
        </a>
      </td>
      <td>
        <span className={`health ${reachable ? (mode === 'live' ? 'good' : 'open') : 'bad'}`}>
          <Icon name={reachable ? (mode === 'live' ? 'live' : 'cached') : 'unreachable'} />
          {answer}
        </span>
      </td>
      <td>
        <Badge label={modeLabel(mode)} source={probe_via} at={checked_at} />
      </td>
      <td className="num quiet nowrap">
        <span className="unseen">age </span>
        {age_seconds === null ? 'none' : spanOf(age_seconds)}
      </td>
    </tr>
  )
}

interface ReadAsProps {
  mode: Mode
  at: string | null
  source: string
  isUntried?: boolean
}

/** How and when a card was read: the age in words, the time on focus. */
const ReadAs = ({ mode, at, source, isUntried = false }: ReadAsProps) => (
  <span className="right quiet small" data-reading={mode}>
    {isUntried ? 'not configured' : at === null ? 'never read' : <Time at={at} />}{' '}
    <Badge label={modeLabel(mode)} source={source} at={at} isUntried={isUntried} />
  </span>
)

const COMMIT = /^[0-9a-f]{20,64}$/
const TIME = /^\d{4}-\d\d-\d\dT/

function FieldValue({ value }: { value: Field['v'] }) {
  if (value === null) return <span className="quiet">no value</span>
  const text = String(value)
  if (COMMIT.test(text)) return <Digest value={text} />
  return TIME.test(text) ? <Time at={text} /> : text
}

/** A badge stands beside a field only where it was read otherwise than the rest of its card. */
const FieldLine = ({
  field: { k, v, mode, fetched_at, last_error, reason },
  shared,
}: {
  field: Field
  shared: Mode
}) => (
  <Fact name={k.charAt(0).toUpperCase() + k.slice(1)}>
    <FieldValue value={v} />{' '}
    {mode === shared && last_error === undefined ? null : (
      <Badge label={modeLabel(mode)} source={last_error ?? reason ?? null} at={fetched_at} />
    )}
  </Fact>
)

interface IdentityProps {
  section: Section[1]
  health: Health
  label: string | null
}

export function Identity({ section, health, label }: IdentityProps) {
  const { fields, healthz_url, version_url, healthz_mode, fetched_at, last_error } = section
  return (
    <section className="card" aria-labelledby="identity-title">
      <div className="card-head">
        <h2 id="identity-title">Deployed identity</h2>
        <a className="mono quiet small" href={healthz_url} rel="noreferrer">
          {healthz_url}
        </a>
        <a className="mono quiet small" href={version_url} rel="noreferrer">
          {version_url}
        </a>
        <ReadAs mode={healthz_mode} at={fetched_at} source={last_error ?? healthz_url} />
      </div>
      <div className="card-body">
        <FactList>
          {fields.map((field) => (
            <FieldLine key={field.k} field={field} shared={healthz_mode} />
          ))}
          <Fact name="Signer">
            {health.signer.key_kind ?? 'none'}, {health.signer.scheme}{' '}
            <Badge label={label} source="newest test of the signer" at={health.signer.tested_at} />
          </Fact>
          <Fact name="Ledger">
            {health.ledger.mode.toLowerCase().replaceAll('_', ' ')}, {countWords(health.ledger.size)} receipts{' '}
            <Badge label={label} source="the store" at={health.ts} />
          </Fact>
        </FactList>
      </div>
    </section>
  )
}

export function Outside({ section }: { section: Section[2] | Section[3] }) {
  const { id, title, mode, fetched_at, last_error, fields } = section
  const url = section.id === 'repo' ? section.repo_url : section.space_url
  return (
    <section className="card" aria-labelledby={`${id}-title`}>
      <div className="card-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {url === null ? null : (
          <a className="mono quiet small" href={url} rel="noreferrer">
            {url}
          </a>
        )}
        <ReadAs mode={mode} at={fetched_at} source={last_error ?? title} isUntried={isUnconfigured(section)} />
      </div>
      <div className="card-body">
        {isUnconfigured(section) ? (
          <p className="quiet">
            Not configured, so nothing was asked. Set <code>{SETTINGS[id]}</code> to <code>owner/name</code>.
          </p>
        ) : (
          <FactList>
            {fields.map((field) => (
              <FieldLine key={field.k} field={field} shared={mode} />
            ))}
          </FactList>
        )}
      </div>
    </section>
  )
}
