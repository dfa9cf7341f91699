/** The shipped policies, throw-away keys and a command that every rule is content with. */
import { createSign, generateKeyPairSync } from 'node:crypto'
import { importPublicKey, type PublicKey, STATEMENT_PAYLOAD_TYPE, signEnvelope } from '@orch/core'
import type { AnalysisSetting } from '../src/features/anatomy/rules/analyze.ts'
import type { EvidenceTrust } from '../src/features/anatomy/rules/evidence.ts'
import type { Parc } from '../src/features/anatomy/rules/parc.ts'
import { proofCommand, type ThrowAwayKey } from '../src/features/anatomy/rules/prove.ts'
import { openCedar } from '../src/governance/policy/cedar.ts'
import { policiesOf } from '../src/governance/policy/policies.ts'
import { ANATOMY_POLICIES } from './policy/policy-folder.ts'

const engine = openCedar(ANATOMY_POLICIES, { cache: 0 })
export const { authorize } = policiesOf(() => engine)

export function throwAwayKey(): ThrowAwayKey {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = importPublicKey(new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }))) as PublicKey
  return { key, sign: (message) => new Uint8Array(createSign('sha256').update(message).sign(pair.privateKey)) }
}

export const keys = {
  production: throwAwayKey(),
  second: throwAwayKey(),
  demo: throwAwayKey(),
  untrusted: throwAwayKey(),
}

export const trust: EvidenceTrust = {
  ring: [
    { key: keys.production.key, kind: 'production' },
    { key: keys.second.key, kind: 'production' },
    { key: keys.demo.key, kind: 'demo' },
  ],
  threshold: 1,
  builders: null,
}

export const setting: AnalysisSetting = {
  authorize,
  bearer: 'synthetic-pipeline',
  trust,
  policy: { files: engine.status().files, digest: engine.status().policy_digest, engine: engine.status().engine },
}

export const statement = () => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'artifact', digest: { sha256: 'b'.repeat(64) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: { buildType: 'https://example.org/build/v1' },
    runDetails: { builder: { id: 'https://example.org/builder' } },
  } as unknown,
})

export async function envelopeOf(value: unknown, ...signers: ThrowAwayKey[]) {
  const payload = new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
  const signed = await Promise.all(
    signers.map(({ key, sign }) =>
      signEnvelope(STATEMENT_PAYLOAD_TYPE, payload, async (pae) => ({ sig: sign(pae), keyid: key.keyid })),
    ),
  )
  const { payload: text } = await signEnvelope(STATEMENT_PAYLOAD_TYPE, payload, async () => ({
    sig: new Uint8Array(),
    keyid: '',
  }))
  return {
    payloadType: STATEMENT_PAYLOAD_TYPE,
    payload: text,
    signatures: signed.flatMap(({ signatures }) => signatures),
  }
}

type Facts = { [place in 'principal' | 'resource']?: Partial<Parc[place]['attrs']> } & {
  context?: Partial<Parc['context']>
  action?: string
}

export function commandWith({ principal, resource, context, action }: Facts = {}): Parc {
  const base = proofCommand(context, action)
  return {
    ...base,
    principal: { ...base.principal, attrs: { ...base.principal.attrs, ...principal } },
    resource: { ...base.resource, attrs: { ...base.resource.attrs, ...resource } },
  }
}
