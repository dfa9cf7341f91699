// A strict reader of the Prometheus text format 0.0.4: whatever a scraper could stumble over is an error here.
export interface Family {
  type: string
  help: string
  /** Values by series: name and sorted labels. */
  samples: Map<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`)
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/
const SUFFIXES: Record<string, string[]> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
}

export function parsePrometheusText(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the text must end with a line feed')
  const families = new Map<string, Family>()
  let current = ''
  let help = ''
  for (const line of text.split('\n')) {
    if (line === '') continue
    const described = new RegExp(`^# HELP (${NAME}) (.*)$`).exec(line)
    const typed = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`).exec(line)
    if (described) [, current = '', help = ''] = described
    else if (typed) begin(families, typed[1]!, typed[2]!, current, help)
    else if (line.startsWith('#')) throw new Error(`unreadable comment: ${line}`)
    else addSample(families, current, line)
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family)
  return families
}

function begin(families: Map<string, Family>, name: string, type: string, current: string, help: string): void {
  if (name !== current) throw new Error(`TYPE of ${name} without its HELP before it`)
  if (families.has(name)) throw new Error(`${name} is described twice`)
  families.set(name, { type, help, samples: new Map() })
}

function addSample(families: Map<string, Family>, current: string, line: string): void {
  const [, name, labels, value] = SAMPLE.exec(line) ?? []
  const family = families.get(current)
  if (name === undefined || value === undefined || !family) throw new Error(`unreadable sample: ${line}`)
  if (!SUFFIXES[family.type]?.some((suffix) => name === current + suffix))
    throw new Error(`${name} is not of ${current}`)
  const number = value === '+Inf' ? Infinity : value === 'Nan' || value === 'NaN' ? Number.NaN : Number(value)
  if (value !== 'Nan' && value !== 'NaN' && Number.isNaN(number)) throw new Error(`no number: ${line}`)
  const key = seriesKey(name, readLabels(labels ?? ''))
  if (family.samples.has(key)) throw new Error(`${key} stands twice`)
  family.samples.set(key, number)
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== ''; ) {
    const [whole, name, value] = LABEL.exec(rest) ?? []
    if (whole === undefined || name === undefined || name in labels) throw new Error(`unreadable labels: ${text}`)
    labels[name] = value!.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign))
    rest = rest.slice(whole.length)
  }
  return labels
}

export const seriesKey = (name: string, labels: Record<string, string | number>): string =>
  `${name}${JSON.stringify(
    Object.entries(labels)
      .map(([label, value]) => [label, String(value)])
      .sort(),
  )}`

/** Buckets never shrink, the last one holds everything and equals the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const buckets = new Map<string, { le: number; value: number }[]>()
  for (const [key, value] of samples) {
    if (!key.startsWith(`${name}_bucket`)) continue
    const labels = JSON.parse(key.slice(`${name}_bucket`.length)) as [string, string][]
    const le = labels.find(([label]) => label === 'le')?.[1]
    const rest = JSON.stringify(labels.filter(([label]) => label !== 'le'))
    const list = buckets.get(rest) ?? []
    list.push({ le: le === '+Inf' ? Infinity : Number(le), value })
    buckets.set(rest, list)
  }
  for (const [rest, list] of buckets) {
    list.sort((a, b) => a.le - b.le)
    if (list.some(({ value }, at) => at > 0 && value < list[at - 1]!.value)) throw new Error(`${name}${rest} shrinks`)
    if (list.at(-1)?.le !== Infinity) throw new Error(`${name}${rest} has no +Inf`)
    if (samples.get(`${name}_count${rest}`) !== list.at(-1)?.value) throw new Error(`${name}${rest} miscounts`)
    if (!samples.has(`${name}_sum${rest}`)) throw new Error(`${name}${rest} has no sum`)
  }
}
