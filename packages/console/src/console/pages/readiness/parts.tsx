/** The service's own checks, part by part: how each stands, since when, and what its check saw. A service that is not ready
 *  answers 503 with the same report, and the report is what counts here. */
import { OrchError, type Reply } from '@orch/client'
import { sentence } from '../../../verify/words.ts'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { Time } from '../../components/time.tsx'
import { labelOf, type Reading } from '../../data/reading.ts'
import { countWords } from '../../words.ts'

export type Report = Reply<'runtime.readyz'>
type Part = Report['components'][string]

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The newest report: of the answer, or of the refusal that carries one. */
export function reportOf({ value, fault }: Reading<Report>): Report | null {
  if (!(fault instanceof OrchError) || fault.status !== 503 || !isRecord(fault.body)) return value
  const { components, checked_at } = fault.body
  const isReport = isRecord(components) && Object.values(components).every(isRecord) && typeof checked_at === 'string'
  return isReport ? (fault.body as Report) : value
}

const NAMES: Readonly<Record<string, string>> = {
  guard: 'guard of the ledger',
  outbound: 'outbound switch',
  background: 'background work',
}
export const partName = (name: string): string => NAMES[name] ?? name

const CODES: Readonly<Record<string, string>> = {
  CHECK_TIMEOUT: 'Its check did not end in time.',
  CHECK_THREW: 'Its check ended in an error.',
  GATE_BLIND: 'A gate did not find what it must find.',
  POLICY_VERDICT_WRONG: 'The policies decide a test request wrongly.',
  EVENT_LOOP_LATE: 'The process hangs behind by seconds.',
  TASK_LATE: 'Tasks in the background are late',
}

/** What the check of a part saw, as a sentence. */
export function partWords(name: string, { state, detail }: Part): string {
  const { reason, code, late, failing } = detail
  if (typeof reason === 'string') return sentence(reason)
  const [text, which] = [CODES[String(code)], [late, failing].find(Array.isArray)]
  if (text !== undefined) return which === undefined ? text : `${text.replace(/\.$/, '')}: ${which.join(', ')}.`
  if (typeof code === 'string') return `Its check ended with ${code}.`
  return state === 'OK' ? (GOOD[name]?.(detail) ?? 'Its check passed.') : (BAD[name]?.(detail) ?? 'Its check failed.')
}

const mebibytes = (value: unknown): string =>
  typeof value === 'number' ? `${countWords(Math.floor(value / 2 ** 20))} MiB` : 'an unknown size'

type Words = Readonly<Record<string, (detail: Part['detail']) => string>>
const GOOD: Words = {
  store: () => 'A row was written, read back and rolled back.',
  ledger: ({ integrity, depth }) =>
    `${String(integrity).toLowerCase()} over ${countWords(Number(depth))} receipts.`.replace(/^./, (first) =>
      first.toUpperCase(),
    ),
  guard: () => 'The store continues the newest checkpoint outside it.',
  signer: ({ key_kind }) => (key_kind == null ? 'No key is configured.' : `A ${key_kind} key signed a test.`),
  credentials: ({ auth_mode }) => `Access is ${auth_mode}.`,
  disk: ({ free_bytes }) => `${mebibytes(free_bytes)} free.`,
  claims: () => 'Its self-test passed.',
  outbound: (detail) => `Switched ${detail.switch}.`,
  background: ({ tasks }) => `${Array.isArray(tasks) ? tasks.length : 'All'} tasks are in time.`,
  gates: () => 'Each gate finds what it must find.',
  policy: () => 'One test request is allowed, one denied.',
}
const BAD: Words = {
  disk: ({ free_bytes, min_free_bytes }) => `${mebibytes(free_bytes)} free, ${mebibytes(min_free_bytes)} are needed.`,
}

const LOOKS = { OK: ['good', 'live'], FAILED: ['bad', 'cross'], UNKNOWN: ['none', 'gap'] } as const

/** What fails first, then by name as the service lists them. */
export const Parts = ({ report }: { report: Report }) => (
  <section className="card" aria-labelledby="parts-title">
    <div className="card-head">
      <h2 id="parts-title">Checks of this service</h2>
      <a className="mono quiet small" href="/api/readyz">
        /api/readyz
      </a>
      <span className="right quiet small">
        <Time at={report.checked_at} />{' '}
        <Badge
          label={labelOf('runtime.readyz', report)}
          source="every check ran for this reply"
          at={report.checked_at}
        />
      </span>
    </div>
    <table className="table parts">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">State</th>
          <th scope="col">What its check saw</th>
          <th scope="col" className="num">
            Since
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(report.components)
          .toSorted(([, a], [, b]) => Number(a.state === 'OK') - Number(b.state === 'OK'))
          .map(([name, part]) => (
            <PartRow key={name} name={name} part={part} />
          ))}
      </tbody>
    </table>
  </section>
)

function PartRow({ name, part }: { name: string; part: Part }) {
  const [tone, shape] = LOOKS[part.state] ?? LOOKS.UNKNOWN
  return (
    <tr data-component={name}>
      <td>
        <b>{partName(name).replace(/^./, (first) => first.toUpperCase())}</b>
      </td>
      <td>
        <span className={`health ${tone}`}>
          <Icon name={shape} />
          {part.state}
        </span>
      </td>
      <td>
        {partWords(name, part)}{' '}
        {part.blocking || part.state === 'OK' ? null : <span className="quiet">Blocks nothing.</span>}
      </td>
      <td className="num quiet nowrap">
        <span className="unseen">since </span>
        <Time at={part.since} />
      </td>
    </tr>
  )
}
