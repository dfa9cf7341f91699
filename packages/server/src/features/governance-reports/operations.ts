import { formAccepted } from '../../domain/accept.ts'
import { pemOf, type RingKey } from '../../domain/keys.ts'
import { APPENDING, ServiceError } from '../../errors.ts'
import { type Call, operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports, ServedCalls } from '../../ports.ts'
import { KEY_FORMS, keyRecord, latencyRow, ledgerPage, roiMeasured } from './readings.ts'
import { roiModel } from './roi-model.ts'
import { sampleDraft } from './sample.ts'
import type { Advance } from './schemas.ts'
import * as schemas from './schemas.ts'

type Deps = Pick<Ports, 'ledger' | 'recorder' | 'clock' | 'governance' | 'reviews' | 'upstreams'> & {
  calls: ServedCalls
  /** `advance` of the governance ledger may append a simulated row. */
  sampleMode: boolean
}

const reading = { group: 'Governance', method: 'GET', alias: true } as const

/** What governance did here, read when somebody asks. Nothing is appended, with the one exception that says so. */
export const governanceReports = ({
  ledger,
  recorder,
  clock,
  calls,
  governance,
  reviews,
  upstreams,
  sampleMode,
}: Deps) => {
  const now = () => isoNow(clock)
  const appendSample = async (call: Call, seed: number): Promise<boolean> => {
    const decide = () => sampleDraft(seed)
    const { headers } = await recorder.record(call, 'wow.ledger', { decide, identity: { sample: true } })
    return headers['idempotent-replay'] === undefined
  }
  const activeKey = async (): Promise<RingKey | null> =>
    (await ledger.reader.keys()).find(({ keyid }) => keyid === ledger.signer.keyid) ?? null

  return [
    operation({
      ...reading,
      id: 'wow.ledger',
      path: '/wow/ledger',
      scope: 'receipts:read',
      summary: 'The newest receipts of the governance chain, every digest and link recomputed from the stored bytes',
      description:
        'With a credential registry the rows are the caller’s own, unless it audits the namespace; the links of all rows in the window are checked all the same. `updated_at` is the time of this reading. In sample mode `advance` appends one unsigned simulated row to the chain `sample`; a HEAD request never does.',
      query: schemas.LedgerQuery,
      narrows: true,
      reply: schemas.LedgerReply,
      errors: APPENDING,
      example: { query: { limit: 5 } },
      labels: ['MEASURED', 'STRUCTURAL-ONLY', 'SIMULATED'],
      mayAppend: ({ advance = '0' }) => sampleMode && Number(advance) !== 0,
      async run(call) {
        const { limit = schemas.DEFAULT_ROWS, advance = 0 } = call.query
        // The operator's switch, and the right to use it.
        const sample_mode = sampleMode && call.caller.scopes.has('sample:write')
        const asked = call.headOnly ? 0 : advance
        const outcome = await advanced(asked, sample_mode, () => appendSample(call, advance))
        return { ...(await ledgerPage(ledger, call.caller, limit, now)), advance: outcome, sample_mode }
      },
    }),
    operation({
      ...reading,
      id: 'wow.roi',
      path: '/wow/roi',
      scope: 'metrics:read',
      summary: 'A model of what governance saves on stated assumptions, beside what the gates really did',
      description:
        'The default assumptions are illustrative. Without a vertical, assumptions of one’s own are a row `custom` and need the cost, the events and the rate. Beside the model stand the reviews of the caller’s namespace as the store holds them now, and under `since_start` what this process counted since it started, without tests, dry runs and samples; none of it is multiplied into money.',
      query: schemas.RoiParameters,
      reply: schemas.RoiReply,
      example: { query: { vertical: 'finance', catch_rate: 0.5 } },
      labels: ['MODELED', 'MEASURED'],
      run: async ({ query, caller }) => ({
        modeled: roiModel(query),
        measured: await roiMeasured({ governance, reviews }, caller, now),
      }),
    }),
    operation({
      ...reading,
      id: 'wow.routerLatency',
      path: '/wow/router-latency',
      scope: 'metrics:read',
      summary: 'How long operations and upstream targets took, as timed in this process',
      description:
        'Quantiles by nearest rank over the newest durations of each. The 95th percentile needs 20 of them and the 99th 100; what was never called has none. Errors are answers of 500 and above. `decisions` is of the requests to `governance.govern` that recorded a decision, from its examination to its durable receipt. No target is called for this.',
      reply: schemas.LatencyReply,
      labels: ['MEASURED', 'UNAVAILABLE'],
      run: () => ({
        routes: calls.series().map((series) => latencyRow(series, now)),
        decisions: latencyRow(calls.decisions, now),
        targets: upstreams
          .targets()
          .map(({ id, calls: count, errors, lastCallAt: lastAt, durationsMs }) =>
            latencyRow({ id, count, errors, lastAt, durationsMs }, now),
          ),
        window_limit: calls.window,
        read_at: now(),
      }),
    }),
    operation({
      group: 'Governance',
      method: 'GET',
      id: 'wow.cosignKey',
      path: '/wow/cosign.pub',
      scope: null,
      summary: 'The key that receipts are signed with, as a record or as bare PEM',
      description: '`Accept: application/x-pem-file` or `text/plain` gives the PEM.',
      reply: schemas.KeyReply,
      otherForms: KEY_FORMS.slice(1),
      errors: ['no_signing_key'],
      labels: ['MEASURED', 'UNAVAILABLE'],
      async run({ headers }) {
        const key = await activeKey()
        const form = formAccepted(headers.accept, KEY_FORMS)
        if (form === 'application/json') return new Reply(keyRecord(key, now), { headers: { vary: 'accept' } })
        if (key === null) throw new ServiceError('no_signing_key', 'signing is disabled; request JSON for details')
        return new Reply(pemOf(key), {
          type: form,
          headers: { vary: 'accept', 'x-orch-key-kind': key.kind, 'x-orch-key-id': key.keyid },
        })
      },
    }),
  ]
}

/** `append` says whether it appended, or found that the same request did before. */
async function advanced(requested: number, allowed: boolean, append: () => Promise<boolean>): Promise<Advance> {
  if (requested === 0) return { requested, appended: 0, reason: null }
  if (!allowed) return { requested, appended: 0, reason: 'SAMPLE_MODE_OFF' }
  return (await append()) ? { requested, appended: 1, reason: null } : { requested, appended: 0, reason: 'REPLAYED' }
}
