/** Reads the rules file into what it may be and nothing else; every refusal names the rule. Written by hand, for each gate
 *  worker reads the rules when it starts: compiling a schema would take longer than reading them. */
import type { KeyShape } from './detectors/secrets.ts'
import { DERIVED, DETECTORS, IDENTIFIER, LEARNED } from './detectors/table.ts'
import type { Severity, TextGate } from './finding.ts'
import { isIdentifierValidator } from './identifiers/identifiers.ts'
import { isShape } from './identifiers/shapes.ts'
import { words } from './mention.ts'
import type { WordSequence } from './word-pattern.ts'

export class RulesError extends Error {
  constructor(reason: string) {
    super(`the gate rules are unusable: ${reason}`)
    this.name = 'RulesError'
  }
}

export interface RuleDocument {
  id: string
  version: number
  gate: TextGate
  title: string
  /** What a short value is called in a sample. */
  kind: string
  severity: { input: Severity; output: Severity }
  pattern?: { words?: WordSequence[]; literals?: string[] }
  detector: string | null
  validator: string | null
  context: string[]
  /** The country that gives the number out, as in ISO 3166; null for what belongs to none. */
  jurisdiction: string | null
  /** Written forms of an identifier: with a word of the context near it, and by themselves. */
  shapes: string[]
  plain_shapes: string[]
  keys: KeyShape[]
  /** Lowered to a note or a hold where the words are quoted. */
  mentionable: boolean
  /** Only for texts of these origins; null for all. */
  origins: string[] | null
  /** A note where retrieved prose shows it as code, which no renderer runs. */
  noted_in_code: boolean
  /** SHA-256 of the canonical form of the weights, for the rule of the learned scorer. */
  weights_sha256: string | null
  match: string[]
  no_match: string[]
}

interface RulesDocument {
  version: string
  allowed_hosts: string[]
  /** Words that stand one letter from a word of a rule and are no mistake. */
  ordinary_words: string[]
  rules: RuleDocument[]
}

const MIN_EXAMPLES = 3
const GATES: readonly string[] = ['threat-signature-scan', 'pii-egress-guard']
const SEVERITIES: readonly unknown[] = ['block', 'hold', 'note']
const MAX_WITHIN = 12
const MAX_SLOTS = 5
const KNOWN_FIELDS = words(
  'id version gate title kind severity pattern detector validator context keys mentionable noted_in_code origins ' +
    'weights_sha256 jurisdiction shapes plain_shapes match no_match',
)

export function readRules(document: unknown): RulesDocument {
  const { schema, version, sets, rules, allowed_hosts, ordinary_words } = record(document, 'the document')
  if (schema !== 'orch.gate-rules/v1') throw new RulesError('not an orch.gate-rules/v1 document')
  if (typeof version !== 'string' || !Array.isArray(rules) || rules.length === 0)
    throw new RulesError('no version or no rules')
  const named = { sets: readSets(record(sets ?? {}, 'sets')), lists: new Map() }
  const read = rules.map((rule) => readRule(record(rule, 'a rule'), named))
  const ids = new Set(read.map(({ id }) => id))
  if (ids.size !== read.length) throw new RulesError('two rules have one id')
  return {
    version,
    allowed_hosts: strings(allowed_hosts ?? [], 'allowed_hosts'),
    ordinary_words: strings(ordinary_words ?? [], 'ordinary_words').flatMap((line) => line.split(' ')),
    rules: read,
  }
}

function refuse(id: string, reason: string): never {
  throw new RulesError(`${id}: ${reason}`)
}

function readSets(sets: Record<string, unknown>): Map<string, string[]> {
  return new Map(Object.entries(sets).map(([name, words]) => [name, strings(words, `set ${name}`)]))
}

/** The sets by name, and each list of phrases that was read, by its entries: what is written once for many sequences is read
 *  once, and is one list for all of them. */
interface Phrases {
  sets: Map<string, string[]>
  lists: Map<string, string[]>
}

function readRule(rule: Record<string, unknown>, sets: Phrases): RuleDocument {
  const id = String(rule.id)
  const unknown = Object.keys(rule).find((field) => !KNOWN_FIELDS.has(field))
  if (unknown !== undefined) refuse(id, `unknown field ${unknown}`)
  if (!/^[TP][0-9]{2}$/.test(id)) refuse(id, 'an id is T or P and two digits')
  if (!GATES.includes(String(rule.gate)) || !Number.isInteger(rule.version)) refuse(id, 'no such gate, or no version')
  const detector = rule.detector === undefined ? null : String(rule.detector)
  if (detector !== null && !Object.hasOwn(DETECTORS, detector) && !(DERIVED as readonly string[]).includes(detector))
    refuse(id, `no detector ${detector}`)
  if ((detector === null) === (rule.pattern === undefined)) refuse(id, 'a rule has a pattern or a detector')
  const weights = rule.weights_sha256 === undefined ? null : String(rule.weights_sha256)
  if ((detector === LEARNED) !== (weights !== null)) refuse(id, 'weights belong to the learned scorer and it has them')
  const severity = readSeverity(record(rule.severity, `${id} severity`), id)
  if (detector === LEARNED && (severity.input === 'block' || severity.output === 'block'))
    refuse(id, 'a score never blocks')
  const written = readShapes(rule, id, detector)
  const [match, no_match] = [strings(rule.match, `${id} match`), strings(rule.no_match, `${id} no_match`)]
  if (match.length < MIN_EXAMPLES || no_match.length < MIN_EXAMPLES) refuse(id, 'three examples each way')
  return {
    id,
    version: rule.version as number,
    gate: rule.gate as TextGate,
    title: String(rule.title),
    kind: String(rule.kind),
    severity,
    ...(rule.pattern === undefined ? {} : { pattern: readPattern(record(rule.pattern, `${id} pattern`), id, sets) }),
    detector,
    validator: typeof rule.validator === 'string' ? rule.validator : null,
    context: strings(rule.context ?? [], `${id} context`),
    jurisdiction: readJurisdiction(rule.jurisdiction, id),
    ...written,
    keys: readKeys(rule.keys ?? [], id),
    mentionable: rule.mentionable === true,
    noted_in_code: rule.noted_in_code === true,
    origins: rule.origins === undefined ? null : strings(rule.origins, `${id} origins`),
    weights_sha256: weights,
    match,
    no_match,
  }
}

function readJurisdiction(value: unknown, id: string): string | null {
  if (value === undefined) return null
  return typeof value === 'string' && /^[A-Z]{2}$/.test(value) ? value : refuse(id, 'a jurisdiction is two capitals')
}

/** An identifier has shapes and a check that this build knows; no other rule has shapes. */
function readShapes(
  rule: Record<string, unknown>,
  id: string,
  detector: string | null,
): Pick<RuleDocument, 'shapes' | 'plain_shapes'> {
  const shapes = strings(rule.shapes ?? [], `${id} shapes`)
  const plain_shapes = strings(rule.plain_shapes ?? [], `${id} plain_shapes`)
  const all = [...shapes, ...plain_shapes]
  if ((detector === IDENTIFIER) !== all.length > 0) refuse(id, 'shapes belong to an identifier and it has them')
  const odd = all.find((shape) => !isShape(shape))
  if (odd !== undefined) refuse(id, `not a shape: ${odd}`)
  if (detector === IDENTIFIER && !isIdentifierValidator(String(rule.validator)))
    refuse(id, `no check ${rule.validator} for identifiers`)
  const context = strings(rule.context ?? [], `${id} context`)
  if (shapes.length > 0 && context.length === 0) refuse(id, 'a shape that needs a word beside it needs the words')
  return { shapes, plain_shapes }
}

function readSeverity({ input, output }: Record<string, unknown>, id: string): RuleDocument['severity'] {
  if (!SEVERITIES.includes(input) || !SEVERITIES.includes(output)) refuse(id, 'no such severity')
  return { input: input as Severity, output: output as Severity }
}

function readPattern(pattern: Record<string, unknown>, id: string, sets: Phrases): RuleDocument['pattern'] {
  const unknown = Object.keys(pattern).find((kind) => kind !== 'words' && kind !== 'literals')
  if (unknown !== undefined) refuse(id, `no pattern of kind ${unknown}; words and literals are all there is`)
  const literals = strings(pattern.literals ?? [], `${id} literals`)
  if (literals.some((literal) => literal.length < 3)) refuse(id, 'a literal has three letters at least')
  const sequences = pattern.words ?? []
  if (!Array.isArray(sequences)) return refuse(id, 'words are a list')
  return { literals, words: sequences.map((sequence) => readSequence(record(sequence, `${id} words`), id, sets)) }
}

function readSequence(sequence: Record<string, unknown>, id: string, sets: Phrases): WordSequence {
  const {
    within,
    slots,
    not_after,
    not_before,
    unless,
    hold_after,
    hold_before,
    hold_between,
    hold_with,
    led_by,
    obliged_by,
    obliged,
    severity,
    origins,
  } = sequence
  const bounded = Number.isInteger(within) && (within as number) >= 1 && (within as number) <= MAX_WITHIN
  if (!bounded || !Array.isArray(slots) || slots.length === 0 || slots.length > MAX_SLOTS)
    refuse(id, `a sequence has 1 to ${MAX_SLOTS} slots within 1 to ${MAX_WITHIN} words`)
  if (severity !== undefined && severity !== 'hold') refuse(id, 'a sequence is lowered to hold or not')
  const list = (value: unknown): string[] => phrases(value, id, sets)
  const holdFields = { hold_after, hold_before, hold_between, hold_with, led_by, obliged_by, obliged }
  const named = { not_after, not_before, unless, ...holdFields }
  const lists = Object.entries(named).filter(([, value]) => value !== undefined)
  return {
    within: within as number,
    slots: slots.map(list),
    ...Object.fromEntries(lists.map(([name, value]) => [name, list(value)])),
    ...(severity === undefined ? {} : { severity }),
    ...(origins === undefined ? {} : { origins: strings(origins, `${id} origins`) }),
  }
}

const KINDS = ['#number', '#amount', '#wallet']

/** A list of words and phrases; `$name` stands for a set. Anything that is not plain words, in lower case where a script has cases, is refused. */
function phrases(value: unknown, id: string, { sets, lists }: Phrases): string[] {
  const entries = strings(value, `${id} slot`)
  const name = entries.join('\n')
  const known = lists.get(name)
  if (known !== undefined) return known
  const all = entries.flatMap((entry) => (entry.startsWith('$') ? fromSet(entry, id, sets) : [entry]))
  const odd = all.find(
    (phrase) =>
      !KINDS.includes(phrase) &&
      !/^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]{1,32}(?: [\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]{1,32}){0,5}$/u.test(phrase),
  )
  if (odd !== undefined) refuse(id, `not a phrase of plain words: ${odd}`)
  if (all.length === 0) refuse(id, 'an empty slot')
  lists.set(name, all)
  return all
}

function fromSet(entry: string, id: string, sets: Map<string, string[]>): string[] {
  const set = sets.get(entry.slice(1))
  if (!set) refuse(id, `no set ${entry}`)
  return set
}

const ALPHABETS: readonly unknown[] = ['upper', 'alnum', 'url', 'dashed', 'base64']

function readKeys(value: unknown, id: string): KeyShape[] {
  if (!Array.isArray(value)) refuse(id, 'keys are a list')
  return value.map((entry) => {
    const key = record(entry, `${id} key`)
    const sized = Number.isInteger(key.least) && Number.isInteger(key.most) && (key.most as number) <= 512
    if (typeof key.prefix !== 'string' || key.prefix.length < 2 || !sized || !ALPHABETS.includes(key.alphabet))
      refuse(id, 'a key needs prefix, least, most and alphabet')
    return key as unknown as KeyShape
  })
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RulesError(`${what} is no object`)
  return value as Record<string, unknown>
}

function strings(value: unknown, what: string): string[] {
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
    throw new RulesError(`${what} is no list of strings`)
  return value
}
