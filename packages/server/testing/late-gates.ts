// The gates have 50 ms of real time. On a machine that is busy with something else a gate may answer late, and then a
// person has to look: right for a service, and no finding of a test about something else. Such a test begins again.
import { test } from 'node:test'
import type { Answer } from './raw-http.ts'

class LateGate extends Error {}

const TRIES = 6

/** Throws for a run in which a gate was late. */
export function inTime(answer: Answer): Answer {
  const judged = [...(answer.json?.steps ?? []), ...(answer.json?.observations ?? [])] as { reasons: string[] }[]
  if (judged.some(({ reasons }) => reasons.includes('GATE_TIMEOUT'))) throw new LateGate('a gate answered late')
  return answer
}

export const calmly = (name: string, body: () => Promise<void>) =>
  test(name, async (t) => {
    for (let tries = 1; ; tries++)
      try {
        return await body()
      } catch (error) {
        if (!(error instanceof LateGate) || tries === TRIES) throw error
        t.diagnostic('a gate answered late on this busy machine: once more')
      }
  })
