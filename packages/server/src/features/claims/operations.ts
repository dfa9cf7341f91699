import { sha256Hex } from '@orch/core'
import { type Call, type Operation, operation, pathsOf } from '../../operation.ts'
import type { ClaimEngine, Ports } from '../../ports.ts'
import { compilerOf, readingBoundary, writingBoundary } from './boundary.ts'
import * as replies from './replies.ts'
import { findLocalMatches, type LocalMatches } from './rules/local-marks.ts'
import * as schemas from './schemas.ts'
import { answerWith, atomizePayload, CHAIN, evaluatePayload, toStoredAnswer } from './stored-answer.ts'

type Deps = Pick<Ports, 'ledger' | 'recorder'> & { claims: ClaimEngine }

const group = 'Claim integrity'
const labels = ['STRUCTURAL-ONLY'] as const
const ATOMIZE = 'claim-atomize'
const EVALUATE = 'claim-evaluate'
const WRITING = {
  group,
  method: 'POST',
  scope: 'claims:write',
  labels,
  emptyBody: 'refuse',
  errors: ['idempotency_conflict', 'claim_compiler_unavailable', 'claim_compiler_failure', 'ledger_unavailable'],
} as const

/** The gate reads what the caller supplies. It never decides truth, never fetches anything and never acts. */
export const claims = ({ claims: engine, ledger, recorder }: Deps): Operation[] => {
  const writing: Operation[] = [
    operation({
      ...WRITING,
      id: 'claims.atomize',
      path: '/claim-integrity/atomize',
      summary: 'Split prose into claim candidates that nobody has reviewed',
      description:
        'Structural only: lines and guarded punctuation, positions in code points. More than 32 candidates is 422 with the exact count.',
      body: schemas.AtomizeRequest,
      reply: replies.Atomization,
      example: { body: { text: 'Dr. Smith paid $3.50. It rose!' } },
      boundary: writingBoundary(engine, ({ readAtomize }, bytes) => readAtomize(bytes)),
      run(call) {
        const compiler = compilerOf(engine)
        const { text } = call.body
        const found = compiler.split(text)
        const input = inputDigest(call)
        const make = () => compiler.atomize(text, input, found)
        return recorder.record(identified(call, input), 'claims.atomize', {
          decide: make,
          toReceipt: (answer) => ({
            chain: CHAIN,
            kind: ATOMIZE,
            payload: atomizePayload(answer),
            answer: toStoredAnswer(answer),
          }),
          toReply: answerWith(make),
        })
      },
    }),
    operation({
      ...WRITING,
      id: 'claims.evaluate',
      path: '/claim-integrity/evaluate',
      summary: 'Hold explicit claims to the evidence and the signals that come with them',
      description:
        'Deterministic and proposal only. What is missing is a finding and makes the gate abstain; what does not fit the closed contract is 422.',
      body: schemas.EvaluateRequest,
      reply: replies.Evaluation,
      example: { body: EXAMPLE },
      boundary: writingBoundary(engine, ({ readEvaluate }, bytes) => readEvaluate(bytes)),
      run(call) {
        const compiler = compilerOf(engine)
        const request = call.body
        const input = inputDigest(call)
        const make = (matches: LocalMatches) => compiler.evaluate(request, input, matches)
        return recorder.record(identified(call, input), 'claims.evaluate', {
          decide: () => findLocalMatches(ledger, call.caller, compiler.wantedDigests(request)),
          toReceipt(matches) {
            const answer = make(matches)
            const stored = toStoredAnswer(answer, matches)
            return { chain: CHAIN, kind: EVALUATE, payload: evaluatePayload(answer), answer: stored }
          },
          toReply: answerWith(make),
        })
      },
    }),
  ]
  const reading: Operation = operation({
    id: 'claims.info',
    group,
    method: 'GET',
    path: '/claim-integrity/info',
    scope: null,
    labels,
    summary: 'What the gate does, by the tables it runs on, and what it does not do',
    reply: replies.Info,
    errors: ['claim_compiler_unavailable'],
    boundary: readingBoundary(engine),
    run: () => ({ ...compilerOf(engine).describe(), operations: [reading, ...writing].map(listed) }),
  })
  return [reading, ...writing]
}

const RECEIPTS: Readonly<Record<string, string>> = { 'claims.atomize': ATOMIZE, 'claims.evaluate': EVALUATE }

const listed = (op: Operation) => ({
  method: op.method,
  path: pathsOf(op)[0]!,
  mutates: op.id in RECEIPTS,
  receipt: RECEIPTS[op.id] ?? null,
})

const inputDigest = ({ bytes }: Call): string => sha256Hex(bytes!)

/** A key is bound to the bytes that were sent: another spelling of the same value is another request. */
const identified = ({ bytes: _, ...call }: Call, input: string): Call => ({ ...call, body: { input_sha256: input } })

const EXAMPLE = {
  claims: [
    {
      claim_id: 'c1',
      statement: 'Build 42 passed its tests.',
      atomic: true,
      evidence_refs: [
        {
          reference_id: 'ci-run-42',
          evidence_state: 'VERIFIED' as const,
          provenance: { source_id: 'https://ci.example/runs/42', content_sha256: '0'.repeat(64) },
          verification_ref: 'review-7',
        },
      ],
      consequence_owner: { owner_id: 'release-team', accountability_scope: 'what ships as build 42' },
    },
  ],
  external_signals: {
    c1: { factuality: { state: 'SUPPORTED' as const, source_ref: 'https://ci.example/verdicts/42', method: 'review' } },
  },
}
