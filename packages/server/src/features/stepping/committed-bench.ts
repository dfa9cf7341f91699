/** The committed result of the bench of a step. It was measured elsewhere and before: a sample with its own date. */
export type BenchFile = { present: true; text: string; sha256: string } | { present: false; reason: string }

const REPRODUCE = 'npm run bench'

export function committedBench(file: BenchFile) {
  const result = file.present ? stepResult(file.text) : null
  if (!file.present || result === null)
    return {
      label: 'UNAVAILABLE' as const,
      benchmark_status: 'UNMEASURED' as const,
      reason: file.present ? 'the committed results hold none of a step' : file.reason,
      result: null,
      reproduce: REPRODUCE,
    }
  return {
    label: 'SAMPLE' as const,
    benchmark_status: 'COMMITTED_RESULT' as const,
    reason: 'measured when it says, on the machine it names; nothing was measured for this reply',
    result: { ...result, file_sha256: file.sha256 },
    reproduce: REPRODUCE,
  }
}

function stepResult(text: string) {
  const { machine, results } = parsed(text)
  const { value, unit, run_at, rounds } = fieldsOf(fieldsOf(results).step)
  if (typeof value !== 'number' || typeof unit !== 'string' || typeof run_at !== 'string') return null
  const { cores, arch, node } = fieldsOf(machine)
  return {
    value,
    unit,
    measured_at: run_at,
    rounds: Array.isArray(rounds) ? rounds.filter((one) => typeof one === 'number') : [],
    machine: `${cores ?? 'unknown'} cores, ${arch ?? 'unknown'}, Node ${node ?? 'unknown'}`,
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
