import { type Labelled, labelledTexts } from './corpora.ts'
import { examined } from './pipeline.ts'
import { TRANSFORMS } from './transforms.ts'
import { type Proportion, wilson } from './wilson.ts'

export const ENTITIES = {
  US_SSN: 'P01',
  CREDIT_CARD: 'P02',
  IBAN_CODE: 'P03',
  EMAIL_ADDRESS: 'P05',
  PHONE_NUMBER: 'P06',
  IP_ADDRESS: 'P83',
  US_DRIVER_LICENSE: 'P35',
} as const
type Entity = keyof typeof ENTITIES

export interface ValueResult {
  entity: Entity
  rule: string
  transform: string
  /** Spans in the plain text; whole texts where a transform moves every offset. */
  unit: 'span' | 'text'
  precision: Proportion
  recall: Proportion
}

export function measureValues(): ValueResult[] {
  const texts = labelledTexts()
  const entities = Object.keys(ENTITIES) as Entity[]
  return TRANSFORMS.flatMap((transform) => {
    const found = texts.map(({ text }) => examined(transform.apply(text), 'user').values)
    return entities.map((entity) =>
      transform.name === 'plain' ? bySpan(entity, texts, found) : byText(entity, transform.name, texts, found),
    )
  })
}

export type Found = { start: number; end: number; rule: string }[][]

/** A span counts as found where at least half of the labelled and the found one is common to both. */
export function bySpan(entity: Entity, texts: Labelled[], found: Found): ValueResult {
  const rule = ENTITIES[entity]
  let [predicted, right, labelled, met] = [0, 0, 0, 0]
  texts.forEach(({ spans }, at) => {
    const gold = spans.filter((span) => span.entity === entity)
    const own = (found[at] ?? []).filter((value) => value.rule === rule)
    predicted += own.length
    labelled += gold.length
    right += own.filter((value) => gold.some((span) => isSame(value, span))).length
    met += gold.filter((span) => own.some((value) => isSame(value, span))).length
  })
  const [precision, recall] = [wilson(right, predicted), wilson(met, labelled)]
  return { entity, rule, transform: 'plain', unit: 'span', precision, recall }
}

function isSame(one: { start: number; end: number }, other: { start: number; end: number }): boolean {
  const common = Math.min(one.end, other.end) - Math.max(one.start, other.start)
  return 2 * common >= Math.max(one.end - one.start, other.end - other.start)
}

function byText(entity: Entity, transform: string, texts: Labelled[], found: Found): ValueResult {
  const rule = ENTITIES[entity]
  const has = texts.map(({ spans }) => spans.some((span) => span.entity === entity))
  const says = found.map((values) => values.some((value) => value.rule === rule))
  const both = has.filter((one, at) => one && says[at]).length
  const [precision, recall] = [says, has].map((texts) => wilson(both, texts.filter(Boolean).length))
  return { entity, rule, transform, unit: 'text', precision: precision!, recall: recall! }
}
