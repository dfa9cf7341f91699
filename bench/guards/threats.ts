import type { Origin } from '../../packages/server/src/domain/gates/finding.ts'
import { benignPrompts, bipiaAttacks, bipiaContexts, jailbreaks, xstest } from './corpora.ts'
import { type Outcome, outcomeOf } from './pipeline.ts'
import { packageReadmes } from './prose.ts'
import { holdoutHalf, trainedHalf, unlike } from './split.ts'
import { TRANSFORMS, type Transform } from './transforms.ts'
import { type Proportion, wilson } from './wilson.ts'

interface ThreatSet {
  name: string
  kind: 'attack' | 'benign'
  origin: Origin
  /** Whose making no text of the set had a part in; null where some had. Those who wrote the rules have seen every set. */
  held_out_from: 'scorer' | null
  texts: string[]
}

export interface ThreatResult extends Pick<ThreatSet, 'kind' | 'held_out_from'> {
  set: string
  /** All sets were open while the words of the rules were chosen. */
  seen_by_rules: true
  transform: string
  stopped: Proportion
  threat_gate: Proportion
  /** Of the threat gate, what its rules stop without the learned scorer. */
  threat_rules: Proportion
}

const inContexts = (attacks: readonly string[], contexts: readonly string[]): string[] =>
  attacks.map((attack, at) => `${contexts[(at * 7) % contexts.length]}\n\n${attack}`)

const USER = { origin: 'user', held_out_from: null } as const
const RETRIEVED = { origin: 'retrieved', held_out_from: null } as const
const UNSEEN = { origin: 'retrieved', held_out_from: 'scorer' } as const

const wholeSets = (): ThreatSet[] => [
  { name: 'in-the-wild jailbreaks', kind: 'attack', ...USER, texts: jailbreaks() },
  { name: 'BIPIA text attacks', kind: 'attack', ...UNSEEN, texts: bipiaAttacks('text') },
  { name: 'BIPIA code attacks', kind: 'attack', ...UNSEEN, texts: bipiaAttacks('code') },
  {
    name: 'BIPIA text attacks in context',
    kind: 'attack',
    ...RETRIEVED,
    texts: inContexts(bipiaAttacks('text'), bipiaContexts()),
  },
  { name: 'XSTest safe prompts', kind: 'benign', ...USER, texts: xstest('safe') },
  { name: 'BIPIA contexts', kind: 'benign', ...RETRIEVED, texts: bipiaContexts() },
]

/** What the learned scorer never saw, beside the whole sets. */
function holdoutSets(): ThreatSet[] {
  const distinct = [...new Set(jailbreaks())]
  const [own, others] = [holdoutHalf(distinct), trainedHalf(distinct)]
  // Some contexts of the test split stand in the train split as well.
  const trained = new Set(bipiaContexts(['train']).map((context) => context.trim()))
  const contexts = bipiaContexts(['test']).filter((context) => !trained.has(context.trim()))
  const readmes = [...new Set(packageReadmes())]
  const attacks = { kind: 'attack', held_out_from: 'scorer' } as const
  const benign = { kind: 'benign', held_out_from: 'scorer' } as const
  return [
    { name: 'in-the-wild jailbreaks, not in scorer', ...attacks, origin: 'user', texts: own },
    { name: 'the same, unlike those trained', ...attacks, origin: 'user', texts: unlike(own, others) },
    {
      name: 'BIPIA test attacks in context',
      ...attacks,
      origin: 'retrieved',
      texts: inContexts(bipiaAttacks('text', ['test']), contexts),
    },
    { name: 'XSTest safe, not in scorer', ...benign, origin: 'user', texts: holdoutHalf(xstest('safe')) },
    { name: 'BIPIA test contexts', ...benign, origin: 'retrieved', texts: contexts },
    { name: 'own benign prompts, not in scorer', ...benign, origin: 'user', texts: holdoutHalf(benignPrompts()) },
    {
      name: 'readmes, unlike those trained',
      ...benign,
      origin: 'retrieved',
      texts: unlike(holdoutHalf(readmes), trainedHalf(readmes)),
    },
  ]
}

export const threatSets = (): ThreatSet[] => [...wholeSets(), ...holdoutSets()]

export function measureThreats(): ThreatResult[] {
  const outcome = remembered()
  return threatSets().flatMap(({ name, kind, origin, held_out_from, texts }) =>
    TRANSFORMS.map((transform) => {
      const outcomes = texts.map((text) => outcome(text, origin, transform))
      const share = (of: keyof Outcome) => wilson(outcomes.filter((one) => one[of]).length, texts.length)
      return {
        set: name,
        kind,
        held_out_from,
        seen_by_rules: true,
        transform: transform.name,
        stopped: share('stopped'),
        threat_gate: share('threat'),
        threat_rules: share('threatByRules'),
      }
    }),
  )
}

/** Most texts stand in two sets. */
function remembered(): (text: string, origin: Origin, transform: Transform) => Outcome {
  const known = new Map<string, Outcome>()
  return (text, origin, transform) => {
    const key = `${origin} ${transform.name} ${text}`
    const outcome = known.get(key) ?? outcomeOf(transform.apply(text), origin)
    known.set(key, outcome)
    return outcome
  }
}
