// How well numbers of persons are told from other numbers: `node bench/guards/identifiers.ts [--write]`. The labelled set
// is read in place; values and random number texts are drawn from the seed printed with them. `--write` puts the tables
// into docs/guards-values.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { isCardNumber } from '../../packages/server/src/domain/gates/detectors/card.ts'
import { isIdentifier } from '../../packages/server/src/domain/gates/identifiers/identifiers.ts'
import type { Rule } from '../../packages/server/src/domain/gates/rules.ts'
import {
  type Draw,
  drawFrom,
  filledShape,
  randomNumberText,
  sibling,
  writtenIn,
} from '../../packages/server/testing/number-texts.ts'
import { labelledTexts } from './corpora.ts'
import { examined, rules } from './pipeline.ts'
import { bySpan, ENTITIES, type Found } from './values.ts'
import { type Proportion, printed, wilson } from './wilson.ts'

const DOCUMENT = new URL('../../docs/guards-values.md', import.meta.url)
const SEED = 20_261_116
const NEGATIVES = 100_000
const DRAWN = 100
/** Texts with a word for cards: so many with a card, and so many with another row of digits in the same groupings. */
const CARDS = 20_000

const rows = rules.rules.filter(({ identifier }) => identifier !== null)
/** The older rules whose values have a check digit. */
const CHECKED = ['P02', 'P03', 'P04', 'P07']
/** A wallet's checksum is not met by drawing digits: the examples stand for them. */
const UNDRAWN = ['btc-address', 'eth-address', 'wallet-key', 'eth-private-key']
const FRAMES = ['{c} {v}', '{c}: {v}', 'my {c} is {v}, thank you', 'please check {v} ({c})', 'for {c} no. {v} of today']

const CARD_FRAMES = [
  'card {n}',
  'the card {n} is an example',
  'my card number is {n}, ok?',
  'card no {n}',
  'gift card {n}',
  'credit card: {n}',
  '{n} is my card number',
]
const CARD_SIZES = { least: 12, most: 20 }
/** As issuers emboss them; rows of other lengths stand in fours. */
const EMBOSSED: Readonly<Record<number, readonly number[]>> = {
  13: [4, 3, 3, 3],
  14: [4, 6, 4],
  15: [4, 6, 5],
  19: [6, 13],
}

interface Positive {
  rule: string
  text: string
  start: number
  end: number
}

const one = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T

function examplesOf({ match, identifier }: Rule): string[] {
  const found = match.flatMap((text) => [...(rules.identifiers.find(text, '').get(identifier as number) ?? [])])
  return found.map(({ value }) => value as string)
}

function positivesOf(row: Rule, draw: Draw): Positive[] {
  const examples = examplesOf(row)
  return Array.from({ length: DRAWN }, () => {
    const example = one(draw, examples)
    const fixed = UNDRAWN.includes(row.validator as string)
    const value = fixed ? example : sibling(example, (drawn) => isIdentifier(row.validator as string, drawn), draw)
    const forms = [...row.shapes, ...row.plain_shapes].map((shape) => writtenIn(shape, value))
    const fitting = forms.filter((form) => form !== null)
    const written = fitting.length === 0 ? value : one(draw, fitting)
    const frame = one(draw, FRAMES).replace('{c}', row.context.length === 0 ? 'wallet' : one(draw, row.context))
    const text = frame.replace('{v}', written)
    const start = [...text.slice(0, text.indexOf(written))].length
    return { rule: row.id, text, start, end: start + written.length }
  })
}

const randomDigits = (draw: Draw, size: number): string => Array.from({ length: size }, () => draw(10)).join('')

function groupsOf(number: string, draw: Draw): string[] {
  const groups: string[] = []
  const sizes = draw(2) === 0 ? [] : (EMBOSSED[number.length] ?? [])
  for (let at = 0; at < number.length; at += (groups.at(-1) as string).length)
    groups.push(number.slice(at, at + (sizes[groups.length] ?? 4)))
  return groups
}

/** A row of digits beside a word for cards, that is a card as a whole or is none. */
function cardText(draw: Draw, isCard: boolean): Positive {
  const { least, most } = CARD_SIZES
  let number = ''
  do number = randomDigits(draw, least + draw(most - least + 1))
  while (isCardNumber(number) !== isCard)
  const written = groupsOf(number, draw).join(one(draw, ['', ' ', '-']))
  const frame = one(draw, CARD_FRAMES)
  const start = frame.indexOf('{n}')
  return { rule: 'P02', text: frame.replace('{n}', written), start, end: start + written.length }
}

function cardQuality(): { precision: Proportion; recall: Proportion; false: number } {
  const draw = drawFrom(SEED + 3)
  const cards = Array.from({ length: CARDS }, () => cardText(draw, true))
  const others = Array.from({ length: CARDS }, () => cardText(draw, false).text)
  const right = cards.filter(({ rule, text, start, end }) =>
    examined(text, 'user').values.some((value) => value.rule === rule && value.start === start && value.end === end),
  ).length
  const wrong = countFound(others).get('P02') ?? 0
  return { precision: wilson(right, right + wrong), recall: wilson(right, CARDS), false: wrong }
}

interface Quality {
  rule: string
  name: string
  precision: Proportion
  recall: Proportion
  /** Of the random number texts. */
  false: number
}

function qualityOf(positives: readonly Positive[], falseByRule: ReadonlyMap<string, number>): Quality[] {
  const met = new Map<string, number>()
  const wrong = new Map(falseByRule)
  for (const { rule, text, start, end } of positives)
    for (const value of examined(text, 'user').values) {
      const isOwn = value.rule === rule && value.start === start && value.end === end
      const counts = isOwn ? met : wrong
      if (isOwn || rules.rules.some(({ id, identifier }) => id === value.rule && identifier !== null))
        counts.set(value.rule, (counts.get(value.rule) ?? 0) + 1)
    }
  return rows.map(({ id, validator }) => {
    const [right, all] = [met.get(id) ?? 0, positives.filter(({ rule }) => rule === id).length]
    const precision = wilson(right, right + (wrong.get(id) ?? 0))
    return {
      rule: id,
      name: validator as string,
      precision,
      recall: wilson(right, all),
      false: falseByRule.get(id) ?? 0,
    }
  })
}

function countFound(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const { rule } of examined(text, 'user').values) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return counts
}

function* randomTexts(draw: Draw): Generator<string> {
  for (let count = 0; count < NEGATIVES; count++) yield randomNumberText(draw)
}

/** The hardest negatives: chance writes in the very shapes that need no word beside them. */
function* shapedTexts(draw: Draw): Generator<string> {
  for (const { plain_shapes } of rows)
    for (const shape of plain_shapes) for (let count = 0; count < 1000; count++) yield filledShape(shape, draw)
}

const cells = (...columns: string[]): string => `| ${columns.join(' | ')} |`

function corpusTable(): string[] {
  const texts = labelledTexts()
  const found: Found = texts.map(({ text }) => examined(text, 'user').values)
  const entities = Object.keys(ENTITIES) as (keyof typeof ENTITIES)[]
  return entities.map((entity) => {
    const { rule, precision, recall } = bySpan(entity, texts, found)
    return cells(entity, rule, printed(precision), printed(recall))
  })
}

function report(): string {
  const random = countFound(randomTexts(drawFrom(SEED)))
  const draw = drawFrom(SEED + 1)
  const quality = qualityOf(
    rows.flatMap((row) => positivesOf(row, draw)),
    random,
  )
  const right = quality.reduce((sum, { precision }) => sum + precision.hits, 0)
  const cards = cardQuality()
  const older = CHECKED.reduce((sum, id) => sum + (random.get(id) ?? 0), 0)
  const wrong = quality.reduce((sum, { precision }) => sum + precision.of - precision.hits, 0) + older
  const shaped = countFound(shapedTexts(drawFrom(SEED + 2)))
  const shapes = rows.flatMap(({ plain_shapes }) => plain_shapes).length
  const byChance = rows.map(({ id }) => [id, shaped.get(id) ?? 0] as const).filter(([, count]) => count > 0)
  return [
    `Rules ${rules.digest.slice(0, 16)}, seed ${SEED}; ${DRAWN} drawn values of each kind, ${NEGATIVES.toLocaleString('en')} random number texts.`,
    '',
    '| Labelled set | Rule | Precision | Recall |',
    '|---|---|---|---|',
    ...corpusTable(),
    '',
    '| Identifier | Rule | Precision | Recall | False in random texts |',
    '|---|---|---|---|---|',
    ...quality.map(({ rule, name, precision, recall, false: count }) =>
      cells(name, rule, printed(precision), printed(recall), String(count)),
    ),
    ...CHECKED.map((id) => cells(ruleKind(id), id, '', '', String(random.get(id) ?? 0))),
    '',
    `Beside a word for cards, ${CARDS.toLocaleString('en')} cards and as many other rows of ${CARD_SIZES.least} to ${CARD_SIZES.most} digits: precision ${printed(cards.precision)}, recall ${printed(cards.recall)}; ${cards.false} of the other rows are taken for cards.`,
    `All kinds together: precision ${printed(wilson(right, right + wrong))}.`,
    `Of ${(shapes * 1000).toLocaleString('en')} numbers drawn in the shapes that need no word, chance meets: ${byChance.map(([id, count]) => `${id} ${count}`).join(', ')}.`,
  ].join('\n')
}

const ruleKind = (id: string): string => rules.rules.find((rule) => rule.id === id)?.kind ?? id

const BEGIN = '<!-- figures: node bench/guards/identifiers.ts --write -->'
const END = '<!-- end of figures -->'
const tables = report()
process.stdout.write(`${tables}\n`)
if (process.argv.includes('--write')) {
  const text = readFileSync(DOCUMENT, 'utf8')
  const [head = '', tail = ''] = [text.split(BEGIN)[0], text.split(END)[1]]
  writeFileSync(DOCUMENT, `${head}${BEGIN}\n${tables}\n${END}${tail}`)
}
