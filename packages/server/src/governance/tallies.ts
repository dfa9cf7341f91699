/** What this process counted since it started. */
import type { Examination } from '../domain/decision/examine.ts'
import { GATE_NAMES, type Verdict } from '../domain/decision/verdict.ts'
import type { DecisionOutcome, GateTally, RecordedAs, Tallies } from './contract.ts'

class Counters {
  private readonly since: string
  private readonly gates = new Map<string, GateTally>(
    GATE_NAMES.map((name) => [name, { name, evaluated: 0, fired: 0, timed_out: 0, errors: 0 }]),
  )
  private readonly rules = new Map<string, number>()
  private readonly counts: Record<RecordedAs, Record<Verdict, number>> = {
    decision: { allow: 0, review: 0, deny: 0 },
    verdict: { allow: 0, review: 0, deny: 0 },
    output_scan: { allow: 0, review: 0, deny: 0 },
  }
  private reviewsOpened = 0
  private firstSeq: number | null = null
  private lastSeq: number | null = null

  constructor(since: string) {
    this.since = since
  }

  record({ decision, examined, review }: DecisionOutcome, seq: number, as: RecordedAs): void {
    this.counts[as][decision.decision] += 1
    this.firstSeq = Math.min(this.firstSeq ?? seq, seq)
    this.lastSeq = Math.max(this.lastSeq ?? seq, seq)
    if (review !== null) this.reviewsOpened += 1
    for (const stage of decision.stages) {
      const tally = this.gates.get(stage.id)
      if (tally === undefined) continue
      tally.evaluated += 1
      if (stage.verdict !== 'allow') tally.fired += 1
      if (stage.reasons.includes('GATE_TIMEOUT')) tally.timed_out += 1
      if (stage.reasons.some((reason) => reason.endsWith('_ERROR') || reason.endsWith('_UNAVAILABLE')))
        tally.errors += 1
    }
    for (const rule of firedRules(examined.examination)) this.rules.set(rule, (this.rules.get(rule) ?? 0) + 1)
  }

  read(): Tallies {
    return {
      since: this.since,
      gates: [...this.gates.values()].map((tally) => ({ ...tally })),
      rules: Object.fromEntries(this.rules),
      decisions: { ...this.counts.decision },
      verdicts: { ...this.counts.verdict },
      outputScans: { ...this.counts.output_scan },
      reviewsOpened: this.reviewsOpened,
      firstSeq: this.firstSeq,
      lastSeq: this.lastSeq,
    }
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
    return this.of(namespace).read()
  }

  private of(namespace: string | null): Counters {
    const book = this.books.get(namespace) ?? new Counters(this.since)
    this.books.set(namespace, book)
    return book
  }
}
