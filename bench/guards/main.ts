// How well and how fast the guards work on public data: `node bench/guards/main.ts`. Prints a table and keeps the
// numbers under `guards` of bench/results.json beside whatever else stands there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readSource } from '../source.ts'
import { rules } from './pipeline.ts'
import { measureSpeed, type Speed } from './speed.ts'
import { measureThreats, type ThreatResults } from './threats.ts'
import { hasTrainingRows } from './training-texts.ts'
import { measureValues, type ValueResult } from './values.ts'
import { printed } from './wilson.ts'

const RESULTS = new URL('../results.json', import.meta.url)

/** Fixed before anything was measured. */
const BARS = {
  false_positives: 0.04,
  false_positives_long: 0.06,
  jailbreak_recall: 0.75,
  planted_recall: 0.7,
  clean_data_false_positives: 0.02,
  trigger_words_right: 0.97,
  evasion_share: 0.8,
  checksum_precision: 0.99,
}

function main(): void {
  if (!hasTrainingRows()) {
    process.stdout.write('SKIPPED: ../shared/corpora absent\n')
    return
  }
  const threats = measureThreats()
  const values = measureValues()
  const speed = measureSpeed()
  process.stdout.write(`${threatTable(threats)}\n${valueTable(values)}\n${speedLine(speed)}\n`)
  const previous = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
  const guards = {
    schema: 'orch.guard-quality/v1',
    measured_at: new Date().toISOString(),
    source: readSource(),
    rules_digest: rules.digest,
    bars: BARS,
    note: 'Near copies were put on one side of the split and no text of the measured side trained the scorer or chose its threshold; docs/guards.md says what those who wrote the rules had seen. The sets are public and the rules were written by people who know such texts: recall on sets nobody here has seen is likely lower.',
    sets: { threats, values },
    speed,
  }
  writeFileSync(RESULTS, `${JSON.stringify({ ...previous, guards }, null, 2)}\n`)
}

function threatTable({ results, evasions, precision }: ThreatResults): string {
  const rows = results.map(({ by, kind, name, stopped, denied, threat_gate, threat_rules }) =>
    [
      by.padEnd(8),
      kind.padEnd(13),
      name.padEnd(30),
      `stopped ${printed(stopped)}`.padEnd(42),
      `denied ${printed(denied)}`.padEnd(41),
      `threat gate ${printed(threat_gate)}`.padEnd(46),
      `rules alone ${printed(threat_rules)}`,
    ].join(' '),
  )
  const evaded = evasions.map(
    ({ transform, still_stopped }) => `evasion  ${transform.padEnd(26)} still stopped ${printed(still_stopped)}`,
  )
  return [...rows, ...evaded, `precision of the threat gate ${printed(precision)}`].join('\n')
}

function valueTable(results: ValueResult[]): string {
  return results
    .map(({ entity, rule, transform, unit, precision, recall }) =>
      [
        entity.padEnd(14),
        rule,
        transform.padEnd(11),
        unit.padEnd(5),
        `precision ${printed(precision)}`.padEnd(46),
        `recall ${printed(recall)}`,
      ].join(' '),
    )
    .join('\n')
}

function speedLine({ code_points, gate, gate_cpu, examination, ...others }: Speed): string {
  const { examination_of_32_kib: kib, examination_of_32_kib_cpu: cpu, texts_of_32_kib: texts } = others
  const slowest = texts
    .slice(0, SLOWEST_SHOWN)
    .map(
      ({ name, first_ms, warm_p50_ms, warm_max_ms }) =>
        `32 KiB of ${name.padEnd(34)} first ${first_ms} ms, warm p50 ${warm_p50_ms} ms, max ${warm_max_ms} ms`,
    )
  const line = [
    `${code_points} hostile code points, slower gate: p50 ${gate.p50_ms} ms, p99 ${gate.p99_ms} ms, max ${gate.max_ms} ms`,
    `processor time p99 ${gate_cpu.p99_ms} ms, max ${gate_cpu.max_ms} ms; with normalising p99 ${examination.p99_ms} ms`,
    `32 KiB with normalising: p50 ${kib.p50_ms} ms, max ${kib.max_ms} ms`,
    `processor time p50 ${cpu.p50_ms} ms, max ${cpu.max_ms} ms`,
    `${others.warm_readings_over_goal} of ${others.warm_readings} warm readings over the goal`,
  ].join('; ')
  return [...slowest, line].join('\n')
}

const SLOWEST_SHOWN = 12

main()
