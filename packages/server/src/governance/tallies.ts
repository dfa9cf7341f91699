/** What this process counted since it started. */
import type { Examination } from '../domain/decision/examine.ts'
import { GATE_NAMES, type Verdict } from '../domain/decision/verdict.ts'
import type { DecisionOutcome, RecordedAs, Tallies } from './contract.ts'

const noVerdicts = (): Record<Verdict, number> => ({ allow: 0, review: 0, deny: 0 })

class Counters {
  private readonly gates = GATE_NAMES.map((name) => ({ name, evaluated: 0, fired: 0, timed_out: 0, errors: 0 }))
  private readonly rules: Record<string, number> = {}
  private readonly counts = { decision: noVerdicts(), verdict: noVerdicts(), output_scan: noVerdicts() }
  private reviewsOpened = 0
  private firstSeq: number | null = null
  private lastSeq: number | null = null

  record({ decision, examined, review }: DecisionOutcome, seq: number, as: RecordedAs): void {
    this.counts[as][decision.decision] += 1
    this.firstSeq = Math.min(this.firstSeq ?? seq, seq)
    this.lastSeq = Math.max(this.lastSeq ?? seq, seq)
    if (review !== null) this.reviewsOpened += 1
    for (const { id, verdict, reasons } of decision.stages) {
      const tally = this.gates.find(({ name }) => name === id)
      if (tally === undefined) continue
      tally.evaluated += 1
      if (verdict !== 'allow') tally.fired += 1
      if (reasons.includes('GATE_TIMEOUT')) tally.timed_out += 1
      if (reasons.some((reason) => reason.endsWith('_ERROR') || reason.endsWith('_UNAVAILABLE'))) tally.errors += 1
    }
    for (const rule of firedRules(examined.examination)) this.rules[rule] = (this.rules[rule] ?? 0) + 1
  }

  read(since: string): Tallies {
    const { gates, rules, counts, reviewsOpened, firstSeq, lastSeq } = this
    const { decision: decisions, verdict: verdicts, output_scan: outputScans } = counts
    return structuredClone({ since, gates, rules, decisions, verdicts, outputScans, reviewsOpened, firstSeq, lastSeq })
  }
}

/** Each rule once for a decision, what it saw of sensitivity included; a note is reported and has not fired. */
function firedRules({ threats, valueCounts, sensitivity }: Examination): Set<string> {
  const grave = [...threats, ...valueCounts].filter(({ severity }) => severity !== 'note')
  return new Set([...grave, ...sensitivity.signals].map(({ rule }) => rule))
}

/** One book for the process and one for each namespace: a tenant reads its own numbers. Namespaces come from the registry,
 *  so there are as many books as it names. */
export class DecisionCounters {
  private readonly since: string
  private readonly books = new Map<string | null, Counters>()

  constructor(since: string) {
    this.since = since
  }

  record(namespace: string, determination: DecisionOutcome, seq: number, as: RecordedAs): void {
    for (const book of [null, namespace]) this.of(book).record(determination, seq, as)
  }

  read(namespace: string | null = null): Tallies {
    return this.of(namespace).read(this.since)
  }

  private of(namespace: string | null): Counters {
    const book = this.books.get(namespace) ?? new Counters()
    this.books.set(namespace, book)
    return book
  }
}
