/** Counts are plain numbers and become series when somebody reads them. The library hashes labels at every
 *  increment, which on the way of a request costs more than what is counted. */
import { Counter, type MetricValueWithName, type Registry } from 'prom-client'

/** A counter by label values. Whoever counts MUST hand over values of a closed list: each combination is a series. */
export class CountSeries {
  readonly #counts = new Map<string, { labels: Record<string, string>; value: number }>()
  readonly #labels: readonly string[]

  constructor(registry: Registry, name: string, help: string, labels: readonly string[] = []) {
    this.#labels = labels
    const counts = this.#counts
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, value } of counts.values()) this.inc(labels, value)
      },
    })
    if (labels.length === 0) this.#of([])
  }

  /** A series that begins at 0 shows its first event as an increase; one that begins with the event does not. */
  expect(...values: readonly string[]): void {
    this.#of(values)
  }

  add(...values: readonly string[]): void {
    this.#of(values).value += 1
  }

  /** For what is counted elsewhere. */
  set(total: number, ...values: readonly string[]): void {
    this.#of(values).value = total
  }

  #of(values: readonly string[]): { labels: Record<string, string>; value: number } {
    const key = values.join('\n')
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? '']))
    const made = { labels, value: 0 }
    this.#counts.set(key, made)
    return made
  }
}

interface Buckets {
  labels: Record<string, string>
  buckets: Float64Array
  sum: number
}

/** A histogram with at most one label. */
export class DistributionSeries {
  readonly #byLabel = new Map<string, Buckets>()
  readonly #bounds: readonly number[]
  readonly #name: string
  readonly #label: string | null

  constructor(registry: Registry, name: string, help: string, bounds: readonly number[], label: string | null = null) {
    this.#name = name
    this.#bounds = bounds
    this.#label = label
    if (label === null) this.#of('')
    const values = () => [...this.#byLabel.values()].flatMap((buckets) => this.#samples(buckets))
    const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() })
    // The library's own histogram cannot be filled from counts, so the family is handed over ready-made.
    registry.registerMetric({ name, get, reset: () => undefined } as unknown as Parameters<
      Registry['registerMetric']
    >[0])
  }

  observe(value: number, label = ''): void {
    const found = this.#of(label)
    let at = 0
    while (at < this.#bounds.length && value > this.#bounds[at]!) at += 1
    found.buckets[at]! += 1
    found.sum += value
  }

  #of(value: string): Buckets {
    const known = this.#byLabel.get(value)
    if (known !== undefined) return known
    const labels: Record<string, string> = this.#label === null ? {} : { [this.#label]: value }
    const made = { labels, buckets: new Float64Array(this.#bounds.length + 1), sum: 0 }
    this.#byLabel.set(value, made)
    return made
  }

  #samples({ labels, buckets, sum }: Buckets): MetricValueWithName<string>[] {
    let count = 0
    const cumulative = [...buckets].map((size, at) => {
      count += size
      const le = this.#bounds[at] ?? '+Inf'
      return { metricName: `${this.#name}_bucket`, labels: { le, ...labels }, value: count }
    })
    return [
      ...cumulative,
      { metricName: `${this.#name}_sum`, labels, value: sum },
      { metricName: `${this.#name}_count`, labels, value: count },
    ]
  }
}
