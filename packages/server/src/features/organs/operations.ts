import Type, { type Static } from 'typebox'
import { withEvidence } from '../../domain/evidence.ts'
import { EVIDENCE_CLASSES } from '../../domain/organ-table.ts'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { pageLinks } from '../../domain/page/links.ts'
import { assertCursor } from '../../domain/receipts/page.ts'
import { AnyObject, EnvelopeQuery } from '../../domain/wire.ts'
import { APPENDING, ServiceError } from '../../errors.ts'
import { type Call, EXAMPLE_HEADER, operation, Reply } from '../../operation.ts'
import { shared } from '../../platform/shared-result.ts'
import type { Ports } from '../../ports.ts'
import { describeOrgan } from './detail.ts'
import { organHistory } from './history.ts'
import { organsPage } from './page.ts'
import type { RegisteredOrgan } from './registry.ts'
import { readRequest } from './request.ts'
import { exampleDigest, localRunner, type OrganPorts, runOrgan } from './run.ts'
import * as schemas from './schemas.ts'

type OrganCall = Call<Static<typeof schemas.OrganPath>, Static<typeof EnvelopeQuery>, Record<string, unknown>>
type Deps = Pick<Ports, 'ledger' | 'recorder' | 'identity' | 'catalog' | 'build'> & OrganPorts

const group = 'Organs'
/** Below the prefix the catalog, at the root its page. */
const CATALOG = '/organs'
const NOTE =
  'The organs execute on the product origin with per-organ evidence classes. They are not 25 separately hosted public instances. The GPU tune stays `UNAVAILABLE`.'

/** The organs: 25 small instruments behind one envelope, each answering one question with evidence of its own class. */
export const organs = (deps: Deps) => {
  const { ledger, identity } = deps
  const find = (id: string): RegisteredOrgan => {
    const found = deps.organs.all.get(id)
    if (found !== undefined) return found
    throw new ServiceError('unknown_organ', 'path.organ_id names no organ; GET /api/orch/v1/organs lists N1 to N25')
  }
  const digests = new Map<string, () => Promise<string | null>>()
  // Anybody may ask: an example is run once in ten seconds at most.
  const digestOfExample = (found: RegisteredOrgan): Promise<string | null> => {
    const known = digests.get(found.organ.id)
    if (known !== undefined) return known()
    const run = () => exampleDigest(found, localRunner(deps.organs))
    const made = shared({ keepMs: 10_000, monotonic: () => deps.organs.gauges.clock.monotonic() }, run)
    digests.set(found.organ.id, made)
    return made()
  }
  const precheck = ({ organ_id: id }: Readonly<Record<string, string>>): void => void find(id!)
  return [
    operation({
      id: 'organs.catalog',
      group,
      method: 'GET',
      path: CATALOG,
      scope: null,
      summary: 'The catalog of the 25 organs',
      reply: schemas.OrganCatalog,
      labels: ['STRUCTURAL-ONLY', ...EVIDENCE_CLASSES],
      example: {},
      run: (): Static<typeof schemas.OrganCatalog> => ({
        schema: 'orch.organ-catalog/v1',
        honesty: 'PER_ORGAN_EVIDENCE_CLASS',
        count: 25,
        admitted_public: false,
        origin: addressOr(identity.canonical().value, 'organs'),
        proof_record: addressOr(identity.registryUrl.value, 'factory/'),
        items: [...deps.organs.all.values()].map(({ item }) => item),
        note: NOTE,
      }),
    }),
    operation({
      id: 'organs.page',
      group,
      method: 'GET',
      path: CATALOG,
      root: true,
      scope: null,
      exempt: true,
      summary: 'The catalog of the organs as a page',
      reply: Type.String(),
      produces: 'text/html',
      labels: ['STRUCTURAL-ONLY'],
      example: {},
      run() {
        const html = organsPage([...deps.organs.all.values()], pageLinks(deps.catalog), deps.build.gitSha.value)
        return new Reply(html, { type: 'text/html; charset=utf-8', headers: pageHeaders(PAGE_POLICY) })
      },
    }),
    operation({
      id: 'organs.history',
      group,
      method: 'GET',
      path: '/organs/history',
      scope: 'organs:read',
      summary: 'Organ runs of the caller, newest first, as their receipts tell them',
      query: schemas.HistoryQuery,
      narrows: true,
      reply: schemas.OrganHistory,
      labels: ['STRUCTURAL-ONLY'],
      example: { query: { limit: 10 } },
      run({ query, caller }) {
        const chain = query.organ === undefined ? null : { ns: caller.namespace, chain: query.organ.toLowerCase() }
        assertCursor(query.cursor, chain)
        return organHistory(ledger, caller, query)
      },
    }),
    operation({
      id: 'organs.describe',
      group,
      method: 'GET',
      path: '/organs/:organ_id',
      scope: null,
      summary: 'One organ: its ops, schemas, limits and example',
      params: schemas.OrganPath,
      precheck,
      reply: schemas.OrganDetail,
      labels: ['STRUCTURAL-ONLY', ...EVIDENCE_CLASSES],
      errors: ['unknown_organ'],
      example: { params: { organ_id: 'N25' } },
      async run({ params }) {
        const found = find(params.organ_id)
        return describeOrgan(found, await digestOfExample(found))
      },
    }),
    operation({
      id: 'organs.run',
      group,
      method: 'POST',
      path: '/organs/:organ_id',
      scope: 'organs:run',
      summary: 'Run one op of an organ, with a signed receipt',
      description:
        'The body is a request of one of the ops, `{"prompt": "..."}`, or empty for the example, which is a dry run and marked as one. The schema of each organ is at GET of the same path. With `envelope=1` the reply verifies offline as it is.',
      params: schemas.OrganPath,
      query: EnvelopeQuery,
      precheck,
      body: AnyObject,
      emptyBody: 'optional',
      reply: schemas.OrganRun,
      labels: ['STRUCTURAL-ONLY', ...EVIDENCE_CLASSES],
      errors: [
        'unknown_organ',
        'record_not_found',
        'tenant_quota_exceeded',
        'organ_pool_busy',
        'organ_failed',
        ...APPENDING,
      ],
      example: { params: { organ_id: 'N13' }, body: { prompt: '10 cpu_s at 65 W' } },
      run: (call) => runRecorded(deps, find(call.params.organ_id), call),
    }),
  ]
}

async function runRecorded({ ledger, recorder, organs }: Deps, registered: RegisteredOrgan, call: OrganCall) {
  const request = await readRequest(registered.organ, call.body)
  const { writesState, keepsNoAnswer } = registered.organ.ops[request.op]!
  if (writesState && !call.caller.scopes.has('organs:state'))
    throw new ServiceError('missing_scopes', 'this op writes state: the credential lacks the scope organs:state')
  const coversAnswer = call.query.envelope === true
  const headers = keepsNoAnswer ? { ...call.headers, 'idempotency-key': undefined } : call.headers
  try {
    const isExample = request.form === 'empty'
    const inputSource = isExample ? 'DEFAULT_EXAMPLE' : call.inputSource
    const reply = await recorder.record({ ...call, headers, inputSource }, 'organs.run', {
      decide: async () => ({ ...(await runOrgan(registered, request, call, organs.gauges)), coversAnswer }),
      toReply: coversAnswer ? withEvidence(ledger) : undefined,
    })
    return isExample ? new Reply(reply.body, { ...reply, headers: { ...reply.headers, [EXAMPLE_HEADER]: '1' } }) : reply
  } catch (error) {
    // Another run took the last place meanwhile.
    if (!(error instanceof ServiceError && error.code === 'quota_exceeded')) throw error
    throw new ServiceError(
      'tenant_quota_exceeded',
      'the caller stores as much as one tenant may; delete something first',
    )
  }
}

const addressOr = (base: string | null, path: string): string => (base === null ? 'unknown' : new URL(path, base).href)
