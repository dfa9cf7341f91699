/** Runs an analysis again from its capsule. The capsule is the sender's: matching digests show that it is consistent,
 *  only the ledger shows that it is ours. */
import type { ReplayCapsule, ReplayResult } from '../schemas.ts'
import { type AnalysisSetting, analyze } from './analyze.ts'
import { ANALYSIS_LIMITS, byteLength, readAnalysisBody } from './bodies.ts'
import { digestOf, isFields, unknownFields } from './json-shape.ts'

type ReplayCode =
  | 'INPUT_DIGEST_MISMATCH'
  | 'POLICY_DRIFT'
  | 'POLICY_RUNTIME_STALE'
  | 'RESULT_DIGEST_MISMATCH'
  | 'OUTPUT_LIMIT_EXCEEDED'
  | 'CAPSULE_INVALID'

/** What the caller of this found out beside it. */
interface ReplayFacts {
  /** Of the policy files on the disk now; null when they cannot be read. */
  diskDigest: string | null
  /** Our ledger holds the receipt that the capsule names, with these very digests. */
  ledgerBound: boolean
}

const FIELDS = ['schema', 'input', 'inputDigest', 'policyDigest', 'resultDigest', 'receiptDigest']
const DIGESTS = ['inputDigest', 'policyDigest', 'resultDigest', 'receiptDigest']
const HEX64 = /^[0-9a-f]{64}$/

/** Null for anything that is no capsule. */
export function readCapsule(value: unknown): ReplayCapsule | null {
  if (!isFields(value) || unknownFields(value, FIELDS).length > 0) return null
  if (value.schema !== 'orch.anatomy.replay.v1' || !isFields(value.input)) return null
  const bytes = byteLength(value)
  if (bytes === null || bytes > ANALYSIS_LIMITS.capsuleBytes) return null
  if (!DIGESTS.every((name) => typeof value[name] === 'string' && HEX64.test(value[name]))) return null
  return value as unknown as ReplayCapsule
}

export function replay(value: unknown, setting: AnalysisSetting, facts: ReplayFacts): ReplayResult {
  const capsule = readCapsule(value)
  if (capsule === null) return refused('this is no capsule', null, setting)
  const read = readAnalysisBody(capsule.input)
  const inputDigest = digestOf(capsule.input)
  if (!read.ok) return refused('the input of the capsule is no analysis', inputDigest, setting)
  const analysed = analyze(read.value, setting)
  const resultDigest = analysed.ok ? analysed.resultDigest : null
  const inputMatch = inputDigest === capsule.inputDigest
  const policyMatch = setting.policy.digest === capsule.policyDigest
  const resultMatch = resultDigest === capsule.resultDigest
  const issues: ReplayResult['issues'] = []
  const raise = (holds: boolean, code: ReplayCode, detail: string) => holds && issues.push({ code, detail })
  raise(!inputMatch, 'INPUT_DIGEST_MISMATCH', 'the input is not the one the digest was taken of')
  raise(!policyMatch, 'POLICY_DRIFT', 'the policies in charge are not those of the capsule')
  raise(
    facts.diskDigest !== setting.policy.digest,
    'POLICY_RUNTIME_STALE',
    'the policy files differ from those in charge',
  )
  raise(!analysed.ok, 'OUTPUT_LIMIT_EXCEEDED', 'the analysis would exceed the size of a reply')
  raise(analysed.ok && !resultMatch, 'RESULT_DIGEST_MISMATCH', 'the analysis comes out differently')
  const current = { inputDigest, policyDigest: setting.policy.digest, resultDigest }
  const authentic = facts.ledgerBound && inputMatch
  return {
    schema: 'orch.anatomy.replay-result.v1',
    ...{ valid: issues.length === 0, inputMatch, policyMatch, resultMatch, issues, current },
    ...{ authentic, trust: authentic ? 'ledger-bound' : 'untrusted' },
  }
}

const refused = (detail: string, inputDigest: string | null, setting: AnalysisSetting): ReplayResult => ({
  schema: 'orch.anatomy.replay-result.v1',
  ...{ valid: false, inputMatch: false, policyMatch: false, resultMatch: false },
  issues: [{ code: 'CAPSULE_INVALID', detail }],
  current: { inputDigest, policyDigest: setting.policy.digest, resultDigest: null },
  ...{ authentic: false, trust: 'untrusted' },
})
