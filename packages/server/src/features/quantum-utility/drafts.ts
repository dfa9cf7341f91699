/** What each operation computes and records. */
import { toComputeRefusal } from '../../domain/compute-refusal.ts'
import { portableDigest } from '../../domain/portable-digest.ts'
import { InputError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { JobTiming } from '../../platform/compute/job.ts'
import type { Draft, Ports } from '../../ports.ts'
import { BASELINE, REPLAY, RUPTURE_GATE, SCORE, SHOT_PLAN } from './identifiers.ts'
import { scorePlot, shotPlot } from './plots.ts'
import type { QuantumUtilityPort } from './ports.ts'
import { withDefaults } from './qubo/problem.ts'
import { isDeeperThan } from './receipt.ts'
import {
  type ClaimBody,
  type Computing,
  MAX_WORK,
  MODE,
  type QuboBody,
  type ReplayReceipt,
  type ScoreBody,
  type ShotPlanBody,
} from './schemas.ts'

type Asked<Body> = Pick<Call<unknown, unknown, Body>, 'body' | 'inputSource' | 'signal' | 'caller'>
type Said = 'MODELED' | 'MEASURED'

const CHAIN = 'quantum-utility'
export const NOTHING_RAN = {
  mode: MODE,
  effectors: 0,
  provider_calls: 0,
  qpu_calls: 0,
  execution_performed: false,
} as const
const MAX_DEPTH = 16

const refuse = (error: unknown): never => {
  throw toComputeRefusal(error, 'body')
}

const timingOf = (timing: JobTiming | null) =>
  timing && {
    wall_ms: Number(timing.wallMs.toFixed(3)),
    cpu_ms: Number(timing.cpuMs.toFixed(3)),
    queue_ms: Number(timing.queueMs.toFixed(3)),
  }

interface Recorded {
  operation: string
  digests: { input_sha256: string; output_sha256: string }
  said: Said
  answer: Record<string, unknown>
}

function draft({ inputSource }: Asked<unknown>, { operation, digests, said, answer }: Recorded): Draft {
  const label = inputSource === 'CALLER' ? said : 'SAMPLE'
  return {
    chain: CHAIN,
    kind: 'analysis',
    payload: { operation, ...digests, label, input_source: inputSource },
    answer: { ...NOTHING_RAN, label, input_source: inputSource, ...answer },
  }
}

async function computed(port: QuantumUtilityPort, operation: Computing, input: object, { signal }: Asked<unknown>) {
  const { value, timing } = await port.compute(operation, input, signal).catch(refuse)
  if ('faults' in value)
    throw new InputError(value.faults.map(({ place, msg, type }) => ({ loc: ['body', ...place], msg, type })))
  const { receipt } = value
  const { input_sha256, output_sha256, output } = receipt
  const answer = { result: output, replay_receipt: receipt, timing: timingOf(timing) }
  return { receipt, output, digests: { input_sha256, output_sha256 }, answer }
}

export async function baselineDraft(port: QuantumUtilityPort, call: Asked<QuboBody>): Promise<() => Promise<Draft>> {
  const { problem, work_budget = MAX_WORK, seed = 0 } = call.body
  const input = { problem: withDefaults(problem), work_budget, seed }
  const { receipt, output, ...rest } = await computed(port, 'qubo/baseline', input, call)
  const said: Said = output.certified === true ? 'MEASURED' : 'MODELED'
  // What is written beside the receipt may have to be read again; the problem is solved once.
  return async () => ({
    ...draft(call, { operation: BASELINE, said, ...rest }),
    documents: call.inputSource === 'CALLER' ? await port.rememberBaseline(call.caller, receipt) : [],
  })
}

export async function shotPlanDraft(port: QuantumUtilityPort, call: Asked<ShotPlanBody>): Promise<Draft> {
  const input = { ...call.body, grouping: call.body.grouping ?? 'qubit_wise' }
  const { digests, answer } = await computed(port, 'hamiltonian/shot-plan', input, call)
  return draft(call, {
    ...{ operation: SHOT_PLAN, said: 'MODELED', digests },
    answer: { ...answer, plot: shotPlot(answer.result) },
  })
}

export async function scoreDraft(port: QuantumUtilityPort, call: Asked<ScoreBody>): Promise<Draft> {
  const named = call.body.candidates.flatMap(({ inputs }) =>
    Object.values(inputs).flatMap(({ receipt_digest }) => receipt_digest ?? []),
  )
  const receipts_found = await port.receiptsFound(call.caller, [...new Set(named)].sort())
  const input = { ...call.body, environment: { receipts_found } }
  const { digests, answer } = await computed(port, 'counterfactual/score', input, call)
  return draft(call, {
    ...{ operation: SCORE, said: 'MODELED', digests },
    answer: { ...answer, plot: scorePlot(answer.result) },
  })
}

export async function ruptureDraft(
  { quantumUtility: port, clock }: { quantumUtility: QuantumUtilityPort } & Pick<Ports, 'clock'>,
  call: Asked<ClaimBody>,
): Promise<Draft> {
  const receipt = call.body.classical_baseline_receipt
  refuseDeep(receipt, ['body', 'classical_baseline_receipt'])
  const baseline_wall_seconds = await port.timeBaseline(receipt, call.signal).catch(refuse)
  const ledger_found = await port.isRecorded(call.caller, receipt)
  const environment = { baseline_wall_seconds, evaluated_at: isoNow(clock), ledger_found }
  const { digests, answer } = await computed(port, 'claim/rupture-gate', { ...call.body, environment }, call)
  return draft(call, { operation: RUPTURE_GATE, said: 'MODELED', digests, answer })
}

export async function replayDraft(port: QuantumUtilityPort, call: Asked<ReplayReceipt>): Promise<Draft> {
  const { body, signal } = call
  refuseDeep(body, ['body'])
  const { value, timing } = await port.replay(body, signal).catch(refuse)
  const result = { operation: body.operation, ...value }
  const digests = { input_sha256: portableDigest(body), output_sha256: portableDigest(result) }
  return draft(call, {
    ...{ operation: REPLAY, said: 'MODELED', digests },
    answer: { result, timing: timingOf(timing) },
  })
}

function refuseDeep(receipt: ReplayReceipt, loc: string[]): void {
  if (!isDeeperThan(receipt, MAX_DEPTH)) return
  throw new InputError([{ loc, msg: `a receipt has at most ${MAX_DEPTH} levels of lists and objects`, type: 'depth' }])
}
