/** The service's own proof that its evaluators do what they say: synthetic cases through the real ones, with throw-away
 *  keys. Nothing is recorded. */
import { base64Encode, type PublicKey, pae, STATEMENT_PAYLOAD_TYPE, STATEMENT_TYPE, utf8Encode } from '@orch/core'
import type { Authorize } from '../../../domain/policy/authorization.ts'
import type { ProofCase } from '../schemas.ts'
import { bind } from './bind.ts'
import { type EvidenceInput, readEvaluateBody } from './bodies.ts'
import { type EvidenceResult, type EvidenceTrust, evaluateEvidence, SLSA_V1 } from './evidence.ts'
import { evaluateIntent } from './intent.ts'
import { digestOf } from './json-shape.ts'
import type { Parc } from './parc.ts'

/** A key pair that lives for one run; the caller makes it, because making one takes chance. */
export interface ThrowAwayKey {
  key: PublicKey
  sign(message: Uint8Array): Uint8Array
}
export interface ProofKeys {
  production: ThrowAwayKey
  demo: ThrowAwayKey
  untrusted: ThrowAwayKey
}

export function prove(keys: ProofKeys, authorize: Authorize) {
  const results = [...intentCases(authorize), ...evidenceCases(keys, authorize), ...bindCases(keys, authorize)]
  const failed = results.filter(({ pass }) => !pass).length
  return {
    schema: 'orch.anatomy.prove.v1' as const,
    label: 'SIMULATED' as const,
    evidenceKind: 'synthetic-software-qa' as const,
    ...{ passed: results.length - failed, failed, results },
  }
}

const proofCase = (id: string, engine: string, expected: string, actual: string): ProofCase => ({
  ...{ id, engine, expected, actual },
  pass: expected === actual,
})

function intentCases(authorize: Authorize): ProofCase[] {
  const run = (id: string, expected: string, command: Parc) => {
    const { outcome, reasons } = evaluateIntent(command, authorize, PROVEN)
    return proofCase(id, 'cedar.intent.v1', expected, [outcome, ...reasons].join(' '))
  }
  return [
    run('intent-deploy-policy-allow', 'ALLOW', proofCommand()),
    run('intent-read-policy-allow', 'ALLOW', proofCommand({}, 'ReadResource')),
    run('intent-cross-tenant-block', 'BLOCK TENANT_MISMATCH', crossTenant()),
    run('intent-untrusted-block', 'BLOCK UNTRUSTED_NETWORK', proofCommand({ networkZone: 'public-internet' })),
  ]
}

function evidenceCases(keys: ProofKeys, authorize: Authorize): ProofCase[] {
  const evaluated = (body: unknown): EvidenceResult =>
    evaluateEvidence(inputIn(body) ?? { kind: 'statement', value: null }, trustOf(keys), authorize)
  const run = (id: string, expected: string, body: unknown) => {
    const { outcome, deny, review } = evaluated(body)
    return proofCase(id, 'evidence', expected, [outcome, ...deny, ...review].join(' '))
  }
  const forged = { statement: STATEMENT, verification: { verified: true }, verified: true }
  return [
    run('evidence-forged-verification-review', 'REVIEW VERIFICATION_UNPROVEN', forged),
    proofCase('evidence-forged-verification-false', 'evidence', 'false', String(evaluated(forged).verified)),
    run('evidence-unsigned-review', 'REVIEW VERIFICATION_UNPROVEN', { ...envelopeBy(keys.production), signatures: [] }),
    proofCase('evidence-empty-block', 'evidence', 'BLOCK', evaluated({}).outcome),
    run('evidence-signed-allow', 'ALLOW', envelopeBy(keys.production)),
    run('evidence-wrong-key-review', 'REVIEW VERIFICATION_UNPROVEN', envelopeBy(keys.untrusted)),
    run(
      'evidence-tampered-payload-block',
      'BLOCK SIGNATURE_INVALID VERIFICATION_UNPROVEN',
      tampered(envelopeBy(keys.production)),
    ),
    run('evidence-demo-key-review', 'REVIEW DEMO_KEY_ONLY', envelopeBy(keys.demo)),
  ]
}

function bindCases(keys: ProofKeys, authorize: Authorize): ProofCase[] {
  const run = (id: string, expected: string, command: Parc, body: unknown) => {
    const { policyEligible, executionAuthority } = bind(command, inputIn(body), trustOf(keys), authorize, PROVEN)
    return proofCase(id, 'bind', expected, `${policyEligible ? 'eligible' : 'not eligible'}, ${executionAuthority}`)
  }
  const signed = envelopeBy(keys.production)
  return [
    run('bind-review-cannot-execute', 'not eligible, none', proofCommand(), STATEMENT),
    run('bind-forged-verification-cannot-execute', 'not eligible, none', proofCommand(), {
      statement: STATEMENT,
      verification: { verified: true },
    }),
    run('bind-empty-cannot-execute', 'not eligible, none', proofCommand(), {}),
    run(
      'bind-untrusted-cannot-execute',
      'not eligible, none',
      proofCommand({ networkZone: 'public-internet' }),
      signed,
    ),
    run('bind-verified-eligible', 'eligible, none', proofCommand(), signed),
  ]
}

function inputIn(body: unknown): EvidenceInput | null {
  const read = readEvaluateBody(body)
  return read.ok ? read.value : null
}

const trustOf = ({ production, demo }: ProofKeys): EvidenceTrust => ({
  ring: [
    { key: production.key, kind: 'production' },
    { key: demo.key, kind: 'demo' },
  ],
  threshold: 1,
  builders: null,
})

const STATEMENT = Object.freeze({
  _type: STATEMENT_TYPE,
  subject: [{ name: 'synthetic-artifact', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: SLSA_V1,
  predicate: {
    buildDefinition: { buildType: 'https://example.org/synthetic-build/v1' },
    runDetails: { builder: { id: 'https://example.org/synthetic-builder' } },
  },
})

function envelopeBy({ key, sign }: ThrowAwayKey) {
  const payload = utf8Encode(JSON.stringify(STATEMENT))
  const sig = base64Encode(sign(pae(STATEMENT_PAYLOAD_TYPE, payload)))
  return {
    payloadType: STATEMENT_PAYLOAD_TYPE,
    payload: base64Encode(payload),
    signatures: [{ keyid: key.keyid, sig }],
  }
}

const tampered = (envelope: ReturnType<typeof envelopeBy>) => ({
  ...envelope,
  payload: base64Encode(
    utf8Encode(JSON.stringify({ ...STATEMENT, subject: [{ ...STATEMENT.subject[0], name: 'other' }] })),
  ),
})

/** Asked by the identity it names, at the time it says. */
export const PROVEN = Object.freeze({ bearer: 'synthetic-pipeline', now: Date.parse('2026-01-01T00:00:00.000Z') })

/** A deployment that every rule is content with. */
export const proofCommand = (context: Partial<Parc['context']> = {}, action = 'DeployArtifact'): Parc => ({
  principal: {
    type: 'Orch::WorkloadIdentity',
    id: 'synthetic-pipeline',
    attrs: { kind: 'pipeline', tenantId: 'tenant-a', assurance: 3, roles: ['deployer'], disabled: false },
  },
  action: { type: 'Orch::Action', id: action },
  resource: {
    type: 'Orch::ProtectedResource',
    id: 'synthetic-service',
    attrs: {
      ...{ kind: 'service', tenantId: 'tenant-a', classification: 'internal', requiredAssurance: 2, maxRisk: 40 },
      ...{ allowedPurposes: ['release'], allowedEffects: ['deploy'], requiresApproval: true },
    },
  },
  context: {
    ...{ requestId: 'synthetic-request', sessionId: 'synthetic-session', purpose: 'release', intendedEffect: 'deploy' },
    ...{ riskScore: 20, humanApproval: true, mfa: true, networkZone: 'trusted-ci', traceId: 'synthetic-trace' },
    timestamp: '2026-01-01T00:00:00.000Z',
    evidenceDigest: digestOf(STATEMENT),
    ...context,
  },
})

function crossTenant(): Parc {
  const command = proofCommand()
  return {
    ...command,
    principal: { ...command.principal, attrs: { ...command.principal.attrs, tenantId: 'tenant-b' } },
  }
}
