/** Auditor: what the pipeline found, and two things no single gate looks for: data and a way out in one sentence,
 *  and commands that destroy. It reads every view. */

import type { Examination } from '../../../domain/decision/examine.ts'
import type { Stage } from '../../../domain/decision/verdict.ts'
import type { Fraction } from '../../../domain/exact-number.ts'
import { isInProse, talksAbout } from '../../../domain/gates/command-mention.ts'
import { executedDownloads } from '../../../domain/gates/detectors/download.ts'
import { lowered } from '../../../domain/gates/detectors/scanner.ts'
import { destructiveShell } from '../../../domain/gates/detectors/shell.ts'
import { sqlStatement } from '../../../domain/gates/detectors/sql.ts'
import { knownCommands } from '../../../domain/gates/detectors/table.ts'
import { PUBLIC_RULES } from '../../../domain/gates/finding.ts'
import { quotationAround } from '../../../domain/gates/quoted.ts'
import { FULL, larger, NONE, ratio } from '../rules/millionths.ts'
import type { ExpertFinding } from '../schemas.ts'
import { distinct, expertFinding, type Opinion } from './expert.ts'
import type { StepLexicon } from './lexicon.ts'
import { placeOf, type Reading, type ReadView } from './reading.ts'
import { FOREIGN, SUBJECTS } from './word-lists.ts'

const QUOTED = ratio(4, 10)
const ACROSS = ratio(3, 10)

export interface AuditorInput {
  reading: Reading
  examination: Examination
  /** What the policies said. */
  policy: Pick<Stage, 'verdict' | 'reasons'>
  lexicon: StepLexicon
}

interface Weighed {
  finding: ExpertFinding
  intensity: Fraction
}

export function auditor({ reading, examination, policy, lexicon }: AuditorInput): Opinion {
  const destructive = reading.views.flatMap(destructions)
  const exfiltration = reading.views.flatMap((view) => leaks(view, examination, lexicon))
  const own = [...destructive, ...exfiltration]
  const stages = [...examination.stages, { id: 'cedar-policy' as const, ...policy }]
  const findings = distinct([
    ...own.map(({ finding }) => finding),
    ...gateFindings(examination),
    ...policyFindings(policy),
  ])
  const blocks = stages.some(({ verdict }) => verdict === 'deny') || own.some(({ intensity }) => intensity === FULL)
  const cautions = findings.length > 0 || stages.some(({ verdict }) => verdict !== 'allow')
  return {
    expert: 'auditor',
    verdict: blocks ? 'block' : cautions ? 'caution' : 'pass',
    findings,
    intensities: {
      destructive: destructive.map(({ intensity }) => intensity).reduce(larger, NONE),
      exfiltration: exfiltration.map(({ intensity }) => intensity).reduce(larger, NONE),
    },
  }
}

const gateFindings = ({ findings }: Examination): ExpertFinding[] =>
  findings.map(({ gate, rule, start, end, sample_masked }) => {
    const weight = gate === 'pii-egress-guard' ? 'secret_pii' : 'injection'
    return expertFinding(`GATE_${rule}`, sample_masked, weight, { start, end })
  })

const policyFindings = ({ verdict, reasons }: AuditorInput['policy']): ExpertFinding[] =>
  verdict === 'allow' ? [] : reasons.map((code) => expertFinding(code, 'cedar-policy'))

/** Beyond this many commands nobody is explaining anything. */
const MAX_EXPLAINED = 64

function destructions(view: ReadView): Weighed[] {
  const lower = lowered(view.text)
  const known = knownCommands(lower)
  const found = [...destructiveShell(lower, known), ...executedDownloads(lower, known), ...sqlStatement(lower)]
  const commands = found
    .filter(({ effect }) => effect === 'destructive')
    .map(({ from, to }, at) => {
      const quoted = at < MAX_EXPLAINED && isMention(view, from, to)
      return { from, to, quoted, evidence: 'command' }
    })
  const orders = view.actions
    .filter(({ kind, use }) => kind === 'delete' && (use === 'asked' || use === 'quoted'))
    .filter(({ object }) => object.universal || namesStore(object.heads))
    .map(({ from, to, use, lemma, object }) => {
      const evidence = object.universal ? `${lemma} with universal scope` : `${lemma} a store`
      return { from, to, quoted: use === 'quoted', evidence }
    })
  return [...commands, ...orders].map(({ from, to, quoted, evidence }) => {
    const code = quoted ? 'DESTRUCTIVE_QUOTED' : 'DESTRUCTIVE'
    const finding = expertFinding(code, evidence, 'destructive', placeOf(view, { from, to }))
    return { finding, intensity: quoted ? QUOTED : FULL }
  })
}

const STORES_UNSPACED = [...FOREIGN.stores_unspaced]

/** To delete what contains the data of many is to delete everything in it. Scripts without blanks may join the word to
 *  others. */
const namesStore = (heads: readonly string[]): boolean =>
  heads.some((head) => FOREIGN.stores.has(head) || STORES_UNSPACED.some((store) => head.includes(store)))

function isMention(view: ReadView, from: number, to: number): boolean {
  const quotation =
    quotationAround(view.quotations, from, to) ?? (isInProse(view.text, { from, to }) ? { from, to } : null)
  return quotation !== null && talksAbout(view.text, quotation)
}

function leaks(view: ReadView, examination: Examination, lexicon: StepLexicon): Weighed[] {
  const sinks = view.actions.filter(
    ({ use, kind, recipient }) => use === 'asked' && (kind === 'send' || leads(recipient)),
  )
  if (sinks.length === 0) return []
  const data = dataSentences(view, examination, lexicon)
  if (data.size === 0) return []
  const together = sinks.filter(({ sentence }) => data.has(sentence))
  const isTogether = together.length > 0
  const code = isTogether ? 'EXFILTRATION' : 'EXFILTRATION_ACROSS_SENTENCES'
  return (isTogether ? together : sinks).map((sink) => {
    const evidence = `${sink.lemma} and a class of data`
    const finding = expertFinding(code, evidence, 'exfiltration', placeOf(view, sink))
    return { finding, intensity: isTogether ? FULL : ACROSS }
  })
}

/** Any verb leads out when what it acts on goes to an address. */
const leads = ({ heads, outside }: { heads: string[]; outside: boolean }): boolean =>
  outside || heads.some((head) => SUBJECTS.outside.has(head))

/** Sentences that name a class of data or hold a value the guard found. */
function dataSentences(view: ReadView, examination: Examination, lexicon: StepLexicon): Set<number> {
  const sentences = new Set<number>()
  const values = guarded(examination)
  view.tokens.forEach((token, at) => {
    const named = lexicon.data.at(view.tokens, at)
    const subject = named && SUBJECTS.not_data_before.has(view.tokens[at + named.size]?.word ?? '')
    if ((named && !subject) || values.covers(view.mapped.startOffsets[token.from] ?? -1)) sentences.add(token.sentence)
  })
  return sentences
}

/** Where values are, as a bit for each code point; an address or a telephone number alone is where things are sent, and
 *  what companies publish is no secret. */
function guarded({ values, findings }: Examination): { covers(point: number): boolean } {
  const places = [
    ...values.filter(({ rule }) => !PUBLIC_RULES.has(rule)),
    ...findings.filter(
      ({ gate, rule, pointer }) => gate === 'pii-egress-guard' && !PUBLIC_RULES.has(rule) && pointer === null,
    ),
  ]
  const points = new Uint8Array(places.reduce((most, { end }) => Math.max(most, end), 0))
  for (const { start, end } of places) points.fill(1, start, end)
  return { covers: (point) => points[point] === 1 }
}
