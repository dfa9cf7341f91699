/** What each role of the health panel really executes. Every check is read-only: it appends nothing, signs nothing, takes
 *  no write lock and opens no socket. */
import {
  canonicalBytes,
  importPublicKey,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  sha256Hex,
  utf8Encode,
  verifyP256Sync,
} from '@orch/core'
import { partitionName } from '../../../domain/partition.ts'
import { governRequest } from '../../../domain/policy/requests.ts'
import { chainWindow } from '../../../domain/receipts/chain-window.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import type { Job } from '../../../platform/compute/job.ts'
import { runWaitingApart } from '../../../platform/compute/wait-apart.ts'
import type { Apart } from '../../../platform/deadline.ts'
import type { AssetFiles, ClaimEngine, Outbox, Ports, Runtime } from '../../../ports.ts'
import type { Stepping, WriteBlocker } from '../../stepping/contract.ts'
import { readReply } from '../route/reply.ts'
import type { RunLocally } from '../run.ts'
import type { Remotes } from './health.ts'
import { SENTINEL, SENTINEL_WORD, sentinelText } from './sentinel.ts'
import * as vectors from './vectors.ts'

/** What one check found. Null: there was nothing to check here. */
export interface Found {
  passed: boolean | null
  /** It works, and not as well as it should. */
  degraded?: boolean
  reading?: number | string | null
  detail: string
}

export interface HealthCheck {
  name: string
  subsystem: string
  /** What it hands to `apart` is not counted into its time. */
  run(signal: AbortSignal, apart?: Apart): Promise<Found>
}

export interface HealthPorts
  extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'reviews' | 'upstreams' | 'authMode'> {
  claims: ClaimEngine
  outbox: Outbox
  runtime: Runtime
  assetFiles: AssetFiles
  stepping: Pick<Stepping, 'health' | 'blockers'>
}

/** What the organs add to the ports of the service. */
export interface HealthParts {
  runLocally: RunLocally
  organCount(): number
  isBuilt(id: string): boolean
  organVersion(id: string): string
  /** Done when the service starts; why the sentinel record could not be written, where it could not. */
  plantSentinel(): Promise<string | null>
  /** Why the registry of credentials cannot be read, where it cannot. */
  credentialFault(): string | null
  compute: Compute
  /** Gives back what it is sent, from a thread of the pool. */
  echo: Job<{ value: number }, number>
  freeBytes(): Promise<{ free: number; least: number }>
  /** Services that the operator named for roles, and how long one check may take. */
  health: { remotes: Remotes; limitMs: number | undefined }
}

const MAX_LOOP_DELAY_MS = 200
/** What the hardest text of this length may take on a machine that has time for it. */
const MAX_BOMB_MS = 50
const MAX_BACKLOG = 1_000
const MAX_EFFECT_AGE_MS = 15 * 60_000
/** Claims whose worker did not come back; the next drain takes them up. */
const MAX_EXPIRED = 100
const WALKED_LINKS = 100

type Needs = HealthPorts & HealthParts
type Checks = (needs: Needs) => HealthCheck[]

const holds = (passed: boolean, detail: string, reading: Found['reading'] = null) => ({ passed, detail, reading })
const absent = (detail: string): Found => ({ passed: null, detail })
const check = (subsystem: string, name: string, run: HealthCheck['run']): HealthCheck => ({ name, subsystem, run })

/** The positive vector must be found, a harmless text must not. */
const vectorCheck = (
  subsystem: string,
  name: string,
  positive: string,
  fires: (text: string, signal: AbortSignal, apart?: Apart) => Promise<boolean>,
): HealthCheck =>
  check(subsystem, name, async (...race) => {
    const [found, quiet] = [await fires(positive, ...race), !(await fires(vectors.HARMLESS, ...race))]
    const detail = `positive vector ${found ? 'found' : 'missed'}, harmless text ${quiet ? 'passed' : 'stopped'}`
    return holds(found && quiet, detail)
  })

const GATE_REQUEST = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const

const gateCheck = ({ gates }: Needs, gate: string, positive: string): HealthCheck =>
  vectorCheck('gates', gate, positive, async (text) =>
    (await gates.examine({ ...GATE_REQUEST, text })).findings.some((finding) => finding.gate === gate),
  )

const scannerCheck = ({ runLocally }: Needs, { text: positive, ...scan }: (typeof vectors.SCANNED)[number]) =>
  vectorCheck('guard', scan.scanner, positive, async (text, ...race) => {
    const body = { op: 'scan', text, direction: scan.direction, scanners: [scan.scanner] }
    const { result } = await runLocally('N3', body, ...race)
    return ((result?.findings ?? []) as unknown[]).length > 0
  })

/** The example of an organ that others lean on, run now and thrown away. */
const organCheck = (
  { runLocally, isBuilt }: Needs,
  [subsystem, name]: readonly [string, string],
  id: string,
  body: Record<string, unknown>,
  holdsFor: (result: Record<string, unknown>, sha256: string | null) => boolean,
): HealthCheck =>
  check(subsystem, name, async (...race) => {
    if (!isBuilt(id)) return absent(`${id} is not part of this build`)
    const { status, result, result_sha256 } = await runLocally(id, body, ...race)
    return holds(result !== null && holdsFor(result, result_sha256), `${id} ended ${status}`)
  })

const CHECKS = {
  brain: (needs) => [
    check('organ registry', 'definitions', async () =>
      holds(needs.organCount() === 25, `${needs.organCount()} of 25 organs are registered`, needs.organCount()),
    ),
    organCheck(
      needs,
      ['organ registry', 'example of N1'],
      'N1',
      {},
      (_result, sha256) => sha256 === vectors.SERVE_EXAMPLE_DIGEST,
    ),
    organCheck(
      needs,
      ['organ registry', 'example of N18'],
      'N18',
      {},
      (_result, sha256) => sha256 === vectors.EXAMPLE_DIGEST,
    ),
  ],
  care: (needs) => [
    check('outbox', 'backlog', async () => {
      const { pending, claimed, expiredLeases, deadLetters, oldestDueAt } = await needs.outbox.stats()
      const age = oldestDueAt === null ? 0 : needs.clock.now() - oldestDueAt
      const late = pending > MAX_BACKLOG || age > MAX_EFFECT_AGE_MS || expiredLeases > MAX_EXPIRED
      const detail = `${pending} pending, ${claimed} claimed, ${expiredLeases} of them beyond their lease, ${deadLetters} given up, the oldest due for ${Math.max(0, Math.round(age / 1000))} s`
      return { ...holds(!late, detail, pending), degraded: deadLetters > 0 }
    }),
    check('disk', 'free space', async () => {
      const { free, least } = await needs.freeBytes()
      return holds(free >= least, `${free} bytes are free, ${least} are needed`, free)
    }),
    check('recovery', 'backup', async () => absent('this service does not know when it was last backed up')),
  ],
  companion: (needs) => [
    organCheck(needs, ['tool protocol', 'list'], 'N14', { op: 'list' }, ({ tools }) =>
      (tools as { name: string }[]).some(({ name }) => name === 'hash'),
    ),
    organCheck(
      needs,
      ['tool protocol', 'hash of abc'],
      'N14',
      { op: 'call', name: 'hash', arguments: { text: 'abc' } },
      (result) => JSON.stringify(result).includes(vectors.ABC_DIGEST),
    ),
  ],
  drones: (needs) => [
    check('worker pool', 'round trip', async (signal, apart = (wait) => wait) => {
      const sent = needs.clock.now()
      const { value } = await runWaitingApart(apart, needs.echo, { value: sent }, { signal })
      const { queued, killed } = needs.compute.stats()
      return holds(value === sent, `${queued} jobs wait, ${killed} were stopped since the start`, queued)
    }),
    organCheck(needs, ['sandbox', '1+1'], 'N21', { prompt: '1+1' }, ({ exit, value }) => exit === 'ok' && value === 2),
  ],
  immune: (needs) => [
    ...vectors.SCANNED.map((vector) => scannerCheck(needs, vector)),
    organCheck(
      needs,
      ['rails', 'harmless turn'],
      'N23',
      { prompt: vectors.HARMLESS },
      ({ action }) => action === 'allow',
    ),
    check('guard', 'pattern bomb', async () => {
      const before = needs.clock.monotonic()
      await needs.gates.examine({ ...GATE_REQUEST, text: 'a'.repeat(4_000) })
      const ms = needs.clock.monotonic() - before
      const found = holds(true, `4,000 equal letters took ${ms.toFixed(1)} ms`, Math.round(ms * 1000))
      return { ...found, degraded: ms >= MAX_BOMB_MS }
    }),
  ],
  memory: (needs) => [
    check('N15 store', 'sentinel record', (signal) => sentinelRecord(needs, signal)),
    organCheck(
      needs,
      ['search index', 'word of the sentinel'],
      'N15',
      { op: 'search', ns: SENTINEL.ns, q: SENTINEL_WORD, k: 1 },
      ({ hits }) => (hits as { key: string }[])[0]?.key === SENTINEL.key,
    ),
    check('store', 'head', async () => {
      const head = await needs.ledger.reader.head()
      return holds(head.size >= 0, `the store answers with ${head.size} receipts`, head.size)
    }),
  ],
  operator: (needs) => [
    check('review queue', 'waiting', async () => {
      const waiting = await needs.reviews.waiting()
      return holds(true, `${waiting} reviews wait`, waiting)
    }),
    check('access registry', 'registry', async () => {
      const fault = needs.credentialFault()
      return holds(
        fault === null,
        `credentials: ${needs.authMode()}${fault === null ? '' : ', and they cannot be read'}`,
      )
    }),
    check('assets', 'interface description', async () => {
      const found = await needs.assetFiles.read('openapi')
      return holds(found.present, found.present ? `${found.bytes.length} bytes` : found.reason)
    }),
    check('assets', 'rules of the gates', async () => {
      const found = await needs.assetFiles.read('gate-rules')
      const listed = found.present ? new TextDecoder().decode(found.bytes).split('\n') : []
      const { files } = needs.gates.status()
      const other = files.filter(({ name, sha256 }) => !listed.includes(`${sha256} ${name}`))
      return holds(files.length > 0 && other.length === 0, `${files.length} files are active, ${other.length} differ`)
    }),
  ],
  orchestrator: (needs) => [
    check('signer', 'self-test', () => signerTest(needs)),
    check('signer', 'newest signature', () => newestSignature(needs)),
    check('ledger', 'newest links', () => newestLinks(needs)),
    check('step store', 'blockers', async () => {
      await needs.stepping.health()
      const blocked = needs.stepping.blockers().filter((blocker) => OF_THE_STORE.has(blocker))
      return holds(blocked.length === 0, blocked.join(', ') || 'steps can be read and stored')
    }),
    check('loop', 'delay', async () => {
      const ms = needs.runtime.eventLoopDelayP99()
      return { ...holds(true, `p99 ${ms.toFixed(1)} ms over the last minute`, ms), degraded: ms > MAX_LOOP_DELAY_MS }
    }),
  ],
  policy: (needs) => [
    check('policy engine', 'known answers', async () => knownAnswers(needs)),
    organCheck(
      needs,
      ['policy engine', 'empty set'],
      'N25',
      { ...vectors.QUESTION, policies: '' },
      ({ decision }) => decision === 'deny',
    ),
    check('policy engine', 'active set', async () => {
      const { policy_digest: active, reload_failed } = needs.policies.status()
      const onDisk = needs.policies.diskDigest()
      return {
        ...holds(active !== null && active === onDisk, `active ${active}, on the disk ${onDisk}`),
        degraded: reload_failed !== null,
      }
    }),
  ],
  reasoning: (needs) => [
    check('claim engine', 'fixed vector', async () => {
      if (!needs.claims.ready) return holds(false, needs.claims.fault)
      const { compiler } = needs.claims
      const request = compiler.readEvaluate(utf8Encode(vectors.CLAIM_REQUEST))
      const found = [
        compiler.atomize(vectors.CLAIM_TEXT, ''),
        compiler.evaluate(request, '', { receipts: new Set(), payloads: new Map() }),
      ]
      const digest = sha256Hex(canonicalBytes(found))
      return holds(digest === vectors.CLAIM_DIGEST, `digest ${digest}`)
    }),
    check('m1', 'forward pass', async (signal) => {
      const embedded = needs.upstreams.targets().find((target) => target.embedded && target.absent === null)
      if (embedded === undefined) return absent('this build has no weights of m1')
      const body = { model: embedded.id, messages: [{ role: 'user', content: 'one' }], max_tokens: 1, stream: false }
      const answer = await needs.upstreams.complete(embedded.id, { body, deadlineMs: 400 }, signal)
      // Its thread starts when it is first asked, which takes longer than a check may.
      if (!answer.ok && answer.code === 'RESPONSE_DEADLINE') return absent('m1 is being loaded; ask again')
      return holds(answer.ok, answer.ok ? `${embedded.id} answered` : answer.code)
    }),
  ],
  sentinel: (needs) => [
    gateCheck(needs, 'threat-signature-scan', vectors.THREAT),
    gateCheck(needs, 'pii-egress-guard', vectors.PERSONAL),
  ],
  vessels: (needs) => [
    check('providers', 'model targets', async () => {
      const targets = needs.upstreams.targets().filter(({ embedded }) => !embedded)
      if (targets.length === 0) return absent('no provider is configured; network not tried')
      const open = targets.filter(({ breaker }) => breaker === 'open').map(({ id }) => id)
      const parsed = readReply(vectors.COMPLETION) === 'four'
      return holds(
        open.length === 0 && parsed,
        `a known reply was ${parsed ? '' : 'not '}read, ${targets.length} configured, breaker open: ${open.join(', ') || 'none'}; network not tried`,
      )
    }),
  ],
} satisfies Record<string, Checks>

export type Role = keyof typeof CHECKS
export const ROLES = Object.keys(CHECKS) as readonly Role[]
export const isRole = (name: string): name is Role => Object.hasOwn(CHECKS, name)
export const checksOf = (needs: Needs): Record<Role, HealthCheck[]> =>
  Object.fromEntries(ROLES.map((role) => [role, CHECKS[role](needs)])) as Record<Role, HealthCheck[]>

/** What only the store and the chain of the steps can cause. */
const OF_THE_STORE: ReadonlySet<WriteBlocker> = new Set<WriteBlocker>([
  'STORE_UNAVAILABLE',
  'STORE_READ_ONLY',
  'SCHEMA_VERSION_MISMATCH',
  'CHAIN_BROKEN',
  'HEAD_BEHIND_CHECKPOINT',
])

/** Read back as it was written, by a build of the same version. */
async function sentinelRecord({ runLocally, plantSentinel, organVersion }: Needs, signal: AbortSignal): Promise<Found> {
  // Settled since the start: nothing is written here.
  const fault = await plantSentinel()
  const { result } = await runLocally('N15', { op: 'get', ...SENTINEL }, signal).catch((error: unknown) => {
    if (fault === null) throw error
    return { result: null }
  })
  if (result === null) return holds(false, `the sentinel was not written: ${fault ?? 'it was not read in time'}`)
  const { text, sha256 } = (result as { record: { text: string; sha256: string } }).record
  if (sha256Hex(text) !== sha256) return holds(false, 'the sentinel is not what was written: its digest differs')
  const expected = sentinelText(organVersion('N15'))
  return holds(text === expected, text === expected ? `digest ${sha256}` : 'the sentinel is of another version')
}

/** The newest self-test of the signer, the fingerprint of the published key, and its place in the ring. */
async function signerTest({ ledger }: Needs): Promise<Found> {
  const { publicKeyPem, keyid, test } = ledger.signer
  if (publicKeyPem === null) return absent('signing is off')
  const isPublished = importPublicKey(publicKeyPem)?.keyid === keyid
  const inRing = (await ledger.reader.keys()).some((key) => key.keyid === keyid && key.toIndex === null)
  const detail = `self-test ${test.ok ? 'passed' : 'failed'} at ${test.testedAt}, fingerprint ${isPublished ? 'matches' : 'differs'}, ${inRing ? 'in' : 'not in'} the ring`
  return holds(test.ok && isPublished && inRing, detail)
}

/** The newest signed receipt, verified under the key of the ring that it names. */
async function newestSignature({ ledger }: Needs): Promise<Found> {
  if (ledger.signer.publicKeyPem === null) return absent('signing is off')
  const row = await ledger.queries.newestSigned()
  if (row === null || row.signature === null) return absent('nothing has been signed yet')
  const named = (await ledger.reader.keys()).find(({ keyid }) => keyid === row.keyid)
  // What this service publishes now must bear out what it signs now.
  const own = row.keyid === ledger.signer.keyid ? ledger.signer.publicKeyPem : null
  const key = importPublicKey(own ?? new Uint8Array(named?.spki ?? []))
  if (key === null) return holds(false, `receipt ${row.nodeIndex} names a key that is not in the ring`)
  return holds(verifyP256Sync(key, pae(RECEIPT_PAYLOAD_TYPE, row.body), row.signature), `receipt ${row.nodeIndex}`)
}

/** The newest links of the ledger, each in the chain that it belongs to. */
async function newestLinks({ ledger }: Needs): Promise<Found> {
  const { reader } = ledger
  const { readOnly } = ledger.state()
  if (readOnly !== null) return holds(false, readOnly)
  const { size } = await reader.head()
  if (size === 0) return absent('nothing has been recorded yet')
  const chains = new Map<string, { ns: string; chain: string; links: number }>()
  for (const { ns, chain } of await reader.range(Math.max(0, size - WALKED_LINKS), WALKED_LINKS)) {
    const name = partitionName({ namespace: ns, owner: chain })
    chains.set(name, { ns, chain, links: (chains.get(name)?.links ?? 0) + 1 })
  }
  const walked = await Promise.all(
    [...chains.values()].map(async ({ links, ...name }) => (await chainWindow(reader, name, links)).check),
  )
  const broken = [...chains.keys()].filter((_, at) => walked[at]!.first_break_seq !== null)
  const links = walked.reduce((sum, { links_checked }) => sum + links_checked, 0)
  const detail = `${links} links of ${chains.size} chains recomputed`
  return holds(broken.length === 0, broken.length === 0 ? detail : `${detail}, broken: ${broken.join(', ')}`, links)
}

/** A read of a text is allowed, a tool that nobody registered is denied. */
function knownAnswers({ policies }: Needs): Found {
  const facts = { owner: 'health', namespace: 'health', registered: null, rank: 0, tainted: false, approved: false }
  const allow = policies.authorize(governRequest({ ...facts, effect: 'read', tool: null })).outcome
  const deny = policies.authorize(governRequest({ ...facts, effect: 'destructive', tool: 'no-such-tool' })).outcome
  return holds(
    allow === 'allow' && deny !== 'allow',
    `reading a text: ${allow}; an unregistered destructive tool: ${deny}`,
  )
}
