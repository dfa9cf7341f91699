/** What this surface reads and answers. Fields are camelCase here: the bodies hold in-toto, DSSE and Cedar attributes. */
import Type, { type Static } from 'typebox'
import {
  AnyObject,
  Count,
  closed,
  Hex64,
  Nullable,
  named,
  ReceiptSummary,
  Text,
  Texts,
  Timestamp,
  words,
} from '../../domain/wire.ts'
import type { Resolved } from '../../operation.ts'
import { ANATOMY_OPERATIONS } from './disclosure.ts'
import { SIGNATURE_STATUSES } from './ledger-view.ts'

/** The three outcomes, as this ledger spells them. */
export type Outcome = Static<typeof Outcome>
const Outcome = words(['ALLOW', 'REVIEW', 'BLOCK'])
const Decision = words(['allow', 'review', 'deny'])
const Digest = Nullable(Hex64)
const Anything = Type.Unknown()
const evaluation = { evaluationOnly: Type.Literal(true), executable: Type.Literal(false) }
const recorded = { disclosure: Type.String(), receipt: ReceiptSummary }

export const OperationPath = Type.Object({
  operation: Type.String({ description: `one of ${ANATOMY_OPERATIONS.join(', ')}` }),
})
export type PageWanted = Resolved<Static<typeof LedgerQuery>, 'cursor'>
export const LedgerQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, default: 200 })),
  cursor: Type.Optional(
    Type.String({ pattern: '^\\d{1,15}$', description: '`nextCursor` of the page before', examples: ['42'] }),
  ),
})

export const Status = closed({
  status: words(['ok', 'unavailable']),
  reasons: Texts,
  service: Type.Literal('orch.anatomy-ledger'),
  ...evaluation,
  ledgerExists: Nullable(Type.Boolean()),
  recordCount: Nullable(Count),
  evaluator: Type.Literal('cedar-wasm'),
  trustRing: closed({ keys: Nullable(Count), threshold: Count, keyids: Type.Array(Hex64) }),
  requestLimitBytes: Count,
  policyDigest: Digest,
  scenarioLimit: Count,
  capabilities: Texts,
  disclosure: Type.String(),
})

export type Verification = Static<typeof Verification>
const Verification = closed({
  verified: Type.Boolean(),
  keyids: Type.Array(Hex64),
  keyKind: Nullable(words(['production', 'demo'])),
})

const Record = named('AnatomyRecord', {
  index: Count,
  statement: Anything,
  statementDigest: Digest,
  envelopeDigest: Digest,
  statementType: Anything,
  predicateType: Anything,
  subjects: Anything,
  builderId: Text,
  verification: Verification,
  policy: closed({ outcome: Outcome, deny: Texts, review: Texts, policyDigest: Hex64 }),
  previousHash: Hex64,
  recordHash: Hex64,
})

const ChainIntegrity = closed({
  valid: Type.Boolean(),
  errors: Type.Array(closed({ index: Nullable(Count), code: Type.String(), detail: Type.String() })),
  brokenAt: Nullable(Count),
  recordCount: Count,
  checked: closed({
    newest: Nullable(Count),
    oldest: Nullable(Count),
    linkedTo: Nullable(Count),
    what: Type.String(),
  }),
  anchored: Type.Boolean(),
})

export const LedgerPage = closed({
  schema: Type.Literal('orch.anatomy.ledger.v1'),
  ...evaluation,
  generatedAt: Timestamp,
  order: Type.Literal('newest-first'),
  recordCount: Nullable(Count),
  outcomes: Nullable(closed({ ALLOW: Count, REVIEW: Count, BLOCK: Count })),
  chainRoot: Digest,
  records: Type.Array(Record),
  receipts: Type.Array(closed({ index: Count, receiptId: Hex64, nodeIndex: Count })),
  nextCursor: Text,
  signatureStatus: words(SIGNATURE_STATUSES),
  externalAnchor: closed({ status: Type.String(), checkpoint: Nullable(AnyObject), note: Type.String() }),
  chainIntegrity: ChainIntegrity,
})

export type ProofCase = Static<typeof ProofCase>
const ProofCase = closed({
  id: Type.String(),
  engine: Type.String(),
  expected: Type.String(),
  actual: Type.String(),
  pass: Type.Boolean(),
})

export const Proof = closed({
  schema: Type.Literal('orch.anatomy.prove.v1'),
  ...evaluation,
  label: Type.Literal('SIMULATED'),
  evidenceKind: Type.Literal('synthetic-software-qa'),
  passed: Count,
  failed: Count,
  results: Type.Array(ProofCase),
})

const Name = Nullable(closed({ type: Type.String(), id: Type.String() }))
export type Fault = Static<typeof Fault>
const Fault = closed({ path: Type.String(), message: Type.String() })
const intent = {
  outcome: Outcome,
  reasons: Texts,
  deny: Texts,
  review: Texts,
  forbids: Texts,
  determining: Texts,
  sources: Type.Record(Type.String(), Type.String()),
  errors: Type.Array(Type.Union([Type.String(), Fault])),
  policy: Type.Literal('cedar.intent.v1'),
  engine: Type.Literal('cedar-wasm'),
  cedarExecuted: Type.Boolean(),
  policyDigest: Digest,
  policyEligible: Type.Boolean(),
  action: Name,
  principal: Name,
  resource: Name,
}
const evidence = {
  outcome: Outcome,
  deny: Texts,
  review: Texts,
  verified: Type.Boolean(),
  signatures: Type.Array(closed({ keyid: Type.String(), verified: Type.Boolean(), reason: Type.String() })),
  slsa: closed({ v1: Type.Boolean(), buildType: Text, builderId: Text }),
  statementDigest: Digest,
  envelopeDigest: Digest,
  policyEvaluated: Type.Literal(true),
  determining: Texts,
  errors: Texts,
  policyDigest: Hex64,
}
export type IntentResult = Static<typeof Intent>
const Intent = named('AnatomyIntent', intent)
export type ShownEvidence = Static<typeof Evidence>
const Evidence = named('AnatomyEvidence', evidence)
export type EvidenceBinding = Static<typeof EvidenceBinding>
const EvidenceBinding = closed({
  valid: Type.Boolean(),
  expectedDigest: Digest,
  statementDigest: Digest,
  algorithm: Type.Literal('sha256-jcs'),
  reasons: Texts,
})
const bound = {
  schema: Type.Literal('orch.anatomy.bind.v1'),
  intent: Intent,
  evidence: Nullable(Evidence),
  evidenceBinding: EvidenceBinding,
  policyEligible: Type.Boolean(),
  executionAuthority: Type.Literal('none'),
  requestId: Text,
  traceId: Text,
}
export type BoundResult = Static<typeof Bound>
const Bound = named('AnatomyBinding', { ...bound, combinedOutcome: Outcome })

const Authorized = closed({
  ...evaluation,
  ...intent,
  decision: Decision,
  identityAuthenticated: Type.Boolean(),
  ...recorded,
})
const Evaluated = closed({
  ...evaluation,
  ...evidence,
  decision: Decision,
  record: Record,
  duplicate: Type.Boolean(),
  ...recorded,
})
const BoundReply = closed({
  ...evaluation,
  ...bound,
  outcome: Outcome,
  decision: Decision,
  record: Nullable(Record),
  duplicate: Type.Boolean(),
  ...recorded,
})

const delta = <T extends Parameters<typeof Type.Union>[0][number]>(value: T) =>
  closed({ before: value, after: value, changed: Type.Boolean() })
const Change = closed({ path: Type.String(), value: Anything })
export type ScenarioResult = Static<typeof ScenarioResult>
const ScenarioResult = closed({
  id: Type.String(),
  label: Type.String({ description: 'the caller’s own text, or the name of a default scenario' }),
  requestedChanges: Type.Array(Change),
  changes: Type.Array(closed({ path: Type.String(), before: Anything, after: Anything, kind: Type.String() })),
  result: Bound,
  outcomeDelta: closed({
    intent: delta(Outcome),
    combined: delta(Outcome),
    evidence: delta(Nullable(Outcome)),
    policyEligible: delta(Type.Boolean()),
  }),
})
export type TraceEntry = Static<typeof TraceEntry>
const TraceEntry = closed({
  stage: words(['intent', 'evidence', 'binding', 'execution']),
  source: Type.String(),
  code: Type.String(),
  detail: Type.String(),
  evaluator: Type.String(),
})
export type ReplayCapsule = Static<typeof ReplayCapsule>
const ReplayCapsule = closed({
  schema: Type.Literal('orch.anatomy.replay.v1'),
  input: AnyObject,
  inputDigest: Hex64,
  policyDigest: Hex64,
  resultDigest: Hex64,
  receiptDigest: Hex64,
})
export type AnalysisReply = Static<typeof Analysed>
const Analysed = closed({
  ...evaluation,
  schema: Type.Literal('orch.anatomy.decision-lab.v1'),
  semantics: Type.Literal('independent-counterfactuals'),
  inputDigest: Hex64,
  policy: closed({
    files: Type.Array(closed({ name: Type.String(), sha256: Hex64 })),
    digest: Hex64,
    engine: Type.String(),
  }),
  base: closed({
    command: Anything,
    intentOutcome: Outcome,
    combinedOutcome: Outcome,
    result: Bound,
    trace: Type.Array(TraceEntry),
  }),
  scenarios: Type.Array(ScenarioResult),
  resultDigest: Hex64,
  replayCapsule: ReplayCapsule,
  replayCapsuleJson: Type.String(),
  label: Type.Literal('MODELED'),
  ...recorded,
})
const Replayed = closed({
  ...evaluation,
  schema: Type.Literal('orch.anatomy.replay-result.v1'),
  valid: Type.Boolean(),
  inputMatch: Type.Boolean(),
  policyMatch: Type.Boolean(),
  resultMatch: Type.Boolean(),
  issues: Type.Array(closed({ code: Type.String(), detail: Type.String() })),
  current: closed({ inputDigest: Digest, policyDigest: Hex64, resultDigest: Digest }),
  authentic: Type.Boolean(),
  trust: words(['ledger-bound', 'untrusted']),
  ...recorded,
})
export type ReplayResult = Omit<Static<typeof Replayed>, keyof typeof evaluation | keyof typeof recorded>

export const Evaluation = Type.Union([Authorized, Evaluated, BoundReply, Analysed, Replayed])
