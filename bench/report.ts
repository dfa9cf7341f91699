// The figures of bench/results.json as tables: the last section of docs/performance.md. What was not reached is called unmet.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Account } from './account.ts'
import type { Memory } from './memory.ts'
import type { Overload, OverloadRound } from './overload.ts'
import { backgroundUs, type Entry, median, type Results } from './results.ts'
import type { Source, Stamp } from './source.ts'
import type { SpreadRow } from './spread.ts'
import { FOREIGN, type PerThread } from './thread-clocks.ts'

const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url))
const HEADING = '## Figures'

/** Sections that nobody measured yet are missing. */
export interface Recorded extends Results {
  account?: Record<string, Account & Stamp>
  programs?: Record<string, { threads: PerThread } & Stamp>
  spread?: Record<string, { rows: SpreadRow[] } & Stamp>
  overload?: Record<string, Overload & Stamp>
  memory?: Record<string, Memory & Stamp>
  /** What `npm run soak` read of the service while it sent this load. */
  soak?: Record<string, { load: string; rss_mib: number[] } & Stamp>
}

/** Puts the figures into the page. */
export function writeReport(recorded: Recorded): void {
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), recorded))
}

/** The page up to its figures, and these figures behind it. */
export function withFigures(page: string, recorded: Recorded): string {
  const at = page.indexOf(`\n${HEADING}\n`)
  if (at < 0) throw new Error(`docs/performance.md has no section ${HEADING}`)
  const { cores, arch, node } = recorded.machine
  const machine = `The last run was on ${cores} cores (${arch}, Node ${node}). What is of another day may be of another machine.`
  const marks = markSources(recorded)
  const sections = [ratios, accounts, programs, spreads, overloads, memory].map((section) =>
    section(recorded, marks.on),
  )
  return `${page.slice(0, at)}\n${[HEADING, machine, ...marks.legend(), ...sections].join('\n\n')}\n`
}

type On = (stamp: Stamp) => string

/** The day of an entry, with a mark where it was not measured on the source of the newest one, and what the marks mean. */
function markSources({ results, account, programs, spread, overload, memory, soak }: Recorded): {
  on: On
  legend: () => string[]
} {
  const stamps: Stamp[] = [results, account, programs, spread, overload, memory, soak].flatMap((all) =>
    Object.values(all ?? {}),
  )
  const [newest] = stamps
    .filter(({ source }) => source !== undefined)
    .sort((one, other) => other.run_at.localeCompare(one.run_at))
  const notes: string[] = []
  const on: On = ({ run_at, source }) => {
    const day = run_at.slice(0, 10)
    if (source !== undefined && source.digest === newest?.source?.digest) return day
    const note = source === undefined ? 'source not recorded' : `measured on other source: ${commitOf(source)}`
    if (!notes.includes(note)) notes.push(note)
    return `${day} (${notes.indexOf(note) + 1})`
  }
  const legend = () => {
    const marked = notes.map((note, at) => `(${at + 1}) ${note}`)
    const unmarked = newest?.source === undefined ? [] : [`Without a mark: measured on ${commitOf(newest.source)}`]
    return marked.length === 0 && unmarked.length === 0 ? [] : [`${[...unmarked, ...marked].join('; ')}.`]
  }
  return { on, legend }
}

const commitOf = ({ commit, dirty, digest }: Source): string =>
  `${commit?.slice(0, 8) ?? digest.slice(0, 15)}${dirty ? ' with changes' : ''}`

function ratios({ results, account = {} }: Recorded, on: On): string {
  const asked = Object.entries(results).filter(([, entry]) => (entry.bar ?? entry.added?.most ?? null) !== null)
  const rows = asked.map(([name, entry]) => [
    `\`${name}\``,
    ...judged(entry),
    byProcessorTime(account[ACCOUNT_OF[name] ?? name], account[entry.ratio_to ?? '']),
    on(entry),
  ])
  const head = ['scenario', 'measured', 'beside', 'figure', 'asked', '', 'by processor time', 'on']
  return `### Ratios\n\n${table(head, rows)}\n\n${RATIO_NOTE}`
}

/** The account of a scenario, where it has another name. */
const ACCOUNT_OF: Readonly<Record<string, string>> = { 'governed-decision': 'decision' }
/** Accounts of two sources say nothing of each other. */
const byProcessorTime = (own: (Account & Stamp) | undefined, other: (Account & Stamp) | undefined): string =>
  own === undefined || own.source === undefined || own.source.digest !== other?.source?.digest
    ? ''
    : (other.total / own.total).toFixed(3)
const RATIO_NOTE = `The program that sends the requests works on the same cores and costs both sides of a ratio the same; by processor time is
without it, from the accounts below where both are of one source.`

function judged({ value, unit, ratio_to, ratio, bar, added }: Entry): string[] {
  if (bar === null && added !== undefined)
    return verdict(value, unit, added.to, added.value, added.most, `${unit} more`, (a, b) => a <= b)
  return verdict(value, unit, ratio_to, ratio, bar, '', (a, b) => a >= b)
}

function verdict(
  value: number | null,
  unit: string,
  basis: string | null,
  figure: number | null,
  asked: number | null,
  of: string,
  isReached: (figure: number, asked: number) => boolean,
): string[] {
  const word = figure === null || asked === null ? 'not measured' : isReached(figure, asked) ? 'met' : 'unmet'
  return [`${value ?? ''} ${unit}`, `\`${basis ?? ''}\``, `${figure ?? ''} ${of}`.trim(), String(asked ?? ''), word]
}

function accounts({ account = {} }: Recorded, on: On): string {
  const names = Object.keys(account)
  const stages = [...new Set(names.flatMap((name) => Object.keys(account[name]!.stages)))]
  const cell = (name: string, us: number) =>
    us < 0.05 ? '' : `${us.toFixed(0)} (${((100 * us) / wholeOf(account[name]!)).toFixed(0)} %)`
  const rows = stages
    .map((stage) => ({ stage, us: names.map((name) => totalOf(account[name]!.stages[stage])) }))
    .filter(({ us }) => us.some((own) => own >= 0.05))
    .sort((one, other) => other.us[0]! - one.us[0]!)
    .map(({ stage, us }) => [stage, ...names.map((name, at) => cell(name, us[at]!))])
  const line = (title: string, of: (one: Account & Stamp) => string) => [
    title,
    ...names.map((name) => of(account[name]!)),
  ]
  const threads = [...new Set(names.flatMap((name) => Object.keys(account[name]!.threads)))].filter(
    (thread) => thread !== FOREIGN && thread !== 'other',
  )
  return [
    '### Where the processor time of a request goes, in microseconds',
    ACCOUNT_NOTE,
    table(
      ['stage', ...names],
      [
        ...rows,
        line('no stage', ({ probed }) => (probed === undefined ? UNRECORDED : totalOf(probed.no_stage).toFixed(0))),
        line('**all, measured with the probe**', ({ probed }) => probed?.total.toFixed(0) ?? UNRECORDED),
        line('of it, in pauses for the collector', ({ collector_pauses }) => totalOf(collector_pauses).toFixed(0)),
        line(`no stage, at most ${percent(MAX_NO_STAGE)} asked for`, ({ probed }) => unclaimed(probed?.no_stage_share)),
        line('**measured without the probe**', ({ total }) => total.toFixed(0)),
        line('so the probe costs', ({ probed, total }) => (probed && (probed.total - total).toFixed(0)) ?? UNRECORDED),
        line(`stages to measured without it, at most ${percent(MAX_NO_STAGE)} apart asked for`, ({ sum_to_total }) =>
          within(sum_to_total),
        ),
        ...threads.map((thread) => line(`of it, thread: ${thread}`, (one) => (one.threads[thread] ?? 0).toFixed(0))),
        line('background work afterwards, for each request', ({ background }) => backgroundUs(background).toFixed(0)),
        line(
          'that is, after so many requests',
          ({ background: { requests, catching_up_ms } }) => `${catching_up_ms} ms for ${requests.toLocaleString('en')}`,
        ),
        line('and once more with nothing new', ({ background }) => `${background.at_rest_ms} ms`),
        line('on', on),
      ],
    ),
  ].join('\n\n')
}

const ACCOUNT_NOTE = `The account runs the sources of the service, whose functions it puts its stages around; the ratios run the bundle.
Stages cover what follows them too: \`decide\` also the receipt and the recorder, \`reply\` everything after the ledger answered,
\`HTTP in\` also the guard, the request tracker and what the loop did before a request since it last did something else. Pauses for the collector lie inside the stages they came in.`

const wholeOf = ({ probed, sum_of_stages }: Account): number => probed?.total ?? sum_of_stages
const MAX_NO_STAGE = 0.1
const UNRECORDED = 'not recorded'
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const totalOf = (row: Record<string, number> = {}, names = Object.keys(row)): number =>
  names.reduce((sum, name) => sum + (row[name] ?? 0), 0)
const within = (share: number): string => `${percent(share)}, ${metOr(Math.abs(share - 1) <= MAX_NO_STAGE)}`
const unclaimed = (share: number | undefined): string =>
  share === undefined ? UNRECORDED : `${percent(share)}, ${metOr(share <= MAX_NO_STAGE)}`

function programs({ programs: found = {} }: Recorded, on: On): string {
  const names = Object.keys(found)
  const threads = [...new Set(names.flatMap((name) => Object.keys(found[name]!.threads)))]
  const us = (value: number | undefined) => (value === undefined || value < 0.05 ? '' : value.toFixed(1))
  const rows = threads.map((thread) => [thread, ...names.map((name) => us(found[name]!.threads[thread]))])
  const whole = ['**all threads**', ...names.map((name) => us(totalOf(found[name]!.threads)))]
  const dates = ['on', ...names.map((name) => on(found[name]!))]
  return [
    '### Processor time of one row, receipt or signature without HTTP, in microseconds',
    table(['thread', ...names], [...rows, whole, dates]),
  ].join('\n\n')
}

function spreads({ spread = {} }: Recorded, on: On): string {
  const rows = Object.entries(spread).flatMap(([name, own]) =>
    own.rows.map((row) => [
      name,
      row.receipts.toLocaleString('en'),
      row.held.map((size) => size.toLocaleString('en')).join(' to '),
      `${row.connections}${row.asked_per_second === undefined ? '' : ', at half of the most that was answered'}`,
      row.per_second.toFixed(0),
      row.p50_ms.toFixed(1),
      row.p99_ms.toFixed(1),
      row.rounds.map(({ p99_ms }) => p99_ms.toFixed(0)).join(' '),
      row.asked_per_second === undefined ? '' : metOr(row.p99_ms < MAX_P99_MS),
      row.processor_us.toFixed(0),
      row.reading_us.toFixed(0),
      String(row.rss_mib),
      on(own),
    ]),
  )
  const head = ['', 'begun with', 'receipts meanwhile', 'connections', 'a second', 'p50 ms', 'p99 ms', 'of each round']
  const tail = [`under ${MAX_P99_MS}`, 'processor µs', 'reading thread µs', 'MiB', 'on']
  const flat = Object.entries(spread).flatMap(([name, own]) => flatness(name, own.rows))
  return ['### As the ledger grows and callers become more', table([...head, ...tail], rows), flat.join('\n')].join(
    '\n\n',
  )
}

const MAX_P99_MS = 25
const FLAT = 0.1
const metOr = (isMet: boolean): string => (isMet ? 'met' : 'unmet')

/** How far the rates of all sizes lie apart, for as many callers. Of every round, since the machine's own speed is another
 *  one in the next. */
function flatness(name: string, rows: readonly SpreadRow[]): string[] {
  const saturated = Map.groupBy(
    rows.filter((row) => row.asked_per_second === undefined),
    ({ connections }) => connections,
  )
  return [...saturated].map(([connections, own]) => {
    const shares = own.map((row) => shareOf(row, own[0]!))
    const apart = Math.max(...shares) / Math.min(...shares) - 1
    const found = `${shares.map(percent).join(', ')} of the rate of the first in the same round at the median, ${percent(apart)} apart`
    return `- ${name}, ${connections} connections: ${found}; at most ${100 * FLAT} % apart were asked for: ${metOr(apart <= FLAT)}.`
  })
}

const shareOf = ({ rounds: samples }: SpreadRow, first: SpreadRow): number =>
  median(samples.map(({ per_second }, round) => per_second / first.rounds[round]!.per_second))!

function overloads({ overload = {} }: Recorded, on: On): string {
  const rows = Object.entries(overload).map(([name, entry]) => {
    const { connections, seconds, rounds: samples } = entry
    const total = (of: (round: OverloadRound) => number) => samples.reduce((sum, round) => sum + of(round), 0)
    const count = (...statuses: string[]) => total((round) => totalOf(round.statuses, statuses))
    const others = total((round) => totalOf(round.statuses)) - count('200', '429', '503')
    const lost = total(({ closed, unanswered }) => closed + unanswered)
    const silent = total((round) => round.without_retry_after)
    const isMet = others + lost + silent === 0 && samples.every(({ recovered }) => recovered)
    const verdict = isMet && count('429', '503') === 0 ? 'met, and nothing was refused' : metOr(isMet)
    const worst = (of: (round: OverloadRound) => number) => Math.max(...samples.map(of)).toLocaleString('en')
    const shown = (value: number) => value.toLocaleString('en')
    return [
      `${name}, ${samples.length} x ${seconds} s, ${shown(connections)} connections`,
      samples.map((round) => `${round.asked_per_second} of ${round.answered_per_second}`).join(', '),
      ...[
        total(({ sent }) => sent),
        total(({ unsent }) => unsent),
        count('200'),
        count('429'),
        count('503'),
        others,
        silent,
        lost,
      ].map(shown),
      ...[
        worst((round) => round.p50_ms),
        worst((round) => round.p99_ms),
        worst((round) => round.highest_mib),
        verdict,
        on(entry),
      ],
    ]
  })
  const head = [
    '',
    'asked a second, of what was answered before',
    'sent',
    'no connection free',
    '200',
    '429',
    '503',
    'other',
  ]
  const judged = [
    'refusals without Retry-After',
    'without an answer',
    'p50 ms of 200',
    'p99 ms of 200',
    'highest MiB',
    '',
    'on',
  ]
  return [
    '### More asked for than can be answered: 200, or 429 and 503 with Retry-After',
    table([...head, ...judged], rows),
    'Rates are not limited on a loopback address, so nothing here is a 429 by itself.',
  ].join('\n\n')
}

/** What was asked for, in MiB. A run of fewer requests than these says nothing of it. */
const MAX_DECISIONS_MIB = { mib: 300, requests: 100_000 }
const MAX_SOAK_MIB = 400

function memory({ memory: found = {}, soak = {} }: Recorded, on: On): string {
  const served = Object.entries(found).flatMap(([name, entry]) =>
    entry.runs.map(({ connections, rounds: samples }) => {
      const lastRows = samples.map((rows) => rows.at(-1)!)
      const requests = Math.min(...lastRows.map((row) => row.requests))
      const end = lastRows.map(({ rss_mib }) => rss_mib)
      const { mib, requests: enough } = MAX_DECISIONS_MIB
      const isJudged = name === 'decision' && requests >= enough
      return [
        `${name}, ${connections} connections`,
        `${requests.toLocaleString('en')} requests`,
        String(Math.max(...samples.flat().map(({ rss_mib }) => rss_mib))),
        end.join(', '),
        ...(isJudged ? [`under ${mib} at the end`, metOr(median(end)! < mib)] : ['', '']),
        on(entry),
      ]
    }),
  )
  const soaked = Object.entries(soak).map(([name, entry]) => {
    const highest = Math.max(...entry.rss_mib)
    const last = entry.rss_mib.at(-1)!
    const judged = [`under ${MAX_SOAK_MIB} at the end`, metOr(last < MAX_SOAK_MIB)]
    return [`soak, ${name}`, entry.load, String(highest), String(last), ...judged, on(entry)]
  })
  const head = ['', 'after', 'highest', 'at the end of each round', 'asked', '', 'on']
  return `### Resident memory, in MiB\n\n${table(head, [...served, ...soaked])}`
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? 'Not measured yet.'
    : [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
