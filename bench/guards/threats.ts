import type { Origin } from '../../packages/server/src/domain/gates/finding.ts'
import { bipiaAttacks, bipiaContexts, jailbreaks, xstest } from './corpora.ts'
import { outcomeOf } from './pipeline.ts'
import { TRANSFORMS } from './transforms.ts'
import { type Proportion, wilson } from './wilson.ts'

export interface ThreatSet {
  name: string
  kind: 'attack' | 'benign'
  origin: Origin
  texts: string[]
}

export interface ThreatResult {
  set: string
  kind: ThreatSet['kind']
  transform: string
  stopped: Proportion
  threat_gate: Proportion
}

export function threatSets(): ThreatSet[] {
  const contexts = bipiaContexts()
  const within = (attack: string, at: number) => `${contexts[(at * 7) % contexts.length]}\n\n${attack}`
  return [
    { name: 'in-the-wild jailbreaks', kind: 'attack', origin: 'user', texts: jailbreaks() },
    { name: 'BIPIA text attacks', kind: 'attack', origin: 'retrieved', texts: bipiaAttacks('text') },
    { name: 'BIPIA code attacks', kind: 'attack', origin: 'retrieved', texts: bipiaAttacks('code') },
    {
      name: 'BIPIA text attacks in context',
      kind: 'attack',
      origin: 'retrieved',
      texts: bipiaAttacks('text').map(within),
    },
    { name: 'XSTest safe prompts', kind: 'benign', origin: 'user', texts: xstest('safe') },
    { name: 'BIPIA contexts', kind: 'benign', origin: 'retrieved', texts: contexts },
  ]
}

export function measureThreats(): ThreatResult[] {
  return threatSets().flatMap(({ name, kind, origin, texts }) =>
    TRANSFORMS.map((transform) => {
      const outcomes = texts.map((text) => outcomeOf(transform.apply(text), origin))
      return {
        set: name,
        kind,
        transform: transform.name,
        stopped: wilson(outcomes.filter(({ stopped }) => stopped).length, texts.length),
        threat_gate: wilson(outcomes.filter(({ threat }) => threat).length, texts.length),
      }
    }),
  )
}
