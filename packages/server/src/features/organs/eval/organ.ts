/** N16 Eval: whether a change made it better, or whether there are too few cases to know. */
import type { Static } from 'typebox'
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { NeedsInput, type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import { type Asserted, assertWork, needsLibrary, runAsserts } from './asserts.ts'
import example from './example.json' with { type: 'json' }
import { type CaseOutcome, toReport } from './report.ts'
import { type EvalCase, type Gate, Result, Run, RunSuite } from './shapes.ts'
import { type RunSuiteOrgan, runSuiteCase, SUITES, suites } from './suites.ts'

const MAX_INLINE = 200_000
const DEADLINE_MS = 5_000

const TUNED = {
  code: 'TUNED_SUITE',
  detail:
    'the cases were revised after the organs had first been run on them, when the guard passed 21 of 24: the rate is a check against regressions and no estimate for texts that nobody has seen',
}

export interface EvalNeeds {
  compute: Compute
  /** The organ runs for the caller of the evaluation, so that it sees that caller's state and no other. */
  runSuiteOrgan(id: string, request: Parameters<RunSuiteOrgan>[1], context: RunContext): ReturnType<RunSuiteOrgan>
}

export function evaluation({ compute, runSuiteOrgan }: EvalNeeds): Organ {
  const job = compute.register<{ cases: EvalCase[] }, Asserted>({
    name: 'organ-eval',
    module: new URL('./asserts.ts', import.meta.url),
    function: 'runAsserts',
    deadlineMs: DEADLINE_MS - 500,
  })
  return {
    id: 'N16',
    version: '1.2.0',
    dependsOn: ['N3', 'N9', 'N12', 'N21', 'N23', 'N25'],
    ops: {
      run: op({
        summary: 'Checks outputs against assertions and judges the pass rate, and its change, with intervals',
        request: Run,
        result: Result,
        isolation: `worker for patterns, schemas and above ${MAX_INLINE} units, else inline`,
        deadlineMs: DEADLINE_MS,
        maxWork: 15_000_000,
        usesSeed: true,
        estimate,
        check: faultsOf,
        async run({ cases, baseline, gate }, context) {
          const isHeavy = estimate({ cases }) > MAX_INLINE || cases.some(({ asserts }) => asserts.some(needsLibrary))
          const { outcomes, faults } = await context.timed('asserts', () =>
            isHeavy ? context.job(job, { cases }) : runAsserts({ cases }),
          )
          if (faults.length > 0) throw new InputError(faults.map(toInputFault))
          const checked = cases.map(({ id, asserts }, index) => ({
            id,
            asserts: asserts.map(({ type }, n) => ({ type, ...outcomes[index]![n]! })),
          }))
          return toReport('cases', checked, { baseline, gate: gate as Gate, random: context.random() })
        },
      }),
      suite: op({
        summary: 'Runs the bundled cases of one suite through the live organ of this service',
        request: RunSuite,
        result: Result,
        isolation: 'as the organ that it runs; one case after the other',
        deadlineMs: DEADLINE_MS,
        maxWork: 200,
        estimate: ({ name }) => suites[name].cases.length,
        async run({ name, gate }, context) {
          const { organ, cases } = suites[name]
          const ran: CaseOutcome[] = []
          for (const one of cases) {
            const started = context.micros()
            const outcome = await runSuiteCase((id, request) => runSuiteOrgan(id, request, context), organ, one)
            if (outcome === null) break
            context.reading(one.id, context.micros() - started, 'us', 'process.hrtime.bigint')
            ran.push(outcome)
          }
          context.reading('cases_run', ran.length, 'cases', 'counted runs')
          const skipped = cases.length - ran.length
          const { result } = toReport(name, ran, { gate: gate as Gate, random: context.random(), skipped })
          const detail = `${organ} is not part of this build: ${skipped} cases were not run`
          return { result, limits: [skipped > 0 ? { code: 'ORGAN_UNAVAILABLE', detail } : TUNED] }
        },
      }),
    },
    fromPrompt(prompt) {
      const name = prompt.trim().toLowerCase()
      if ((SUITES as readonly string[]).includes(name)) return { op: 'suite', name }
      return new NeedsInput({}, [{ field: 'name', type: SUITES.join(' | '), example: 'guard' }])
    },
    example: { request: example, prompt: 'sandbox' },
    evidence: {},
  }
}

const estimate = ({ cases }: Pick<Static<typeof Run>, 'cases'>): number =>
  cases.reduce((sum, one) => one.asserts.reduce((part, assert) => part + assertWork(one, assert), sum), 0)

const toInputFault = ({ case: index, assert, field, message, type = 'value' }: Asserted['faults'][number]) => ({
  loc: ['body', 'cases', index, 'asserts', assert, field],
  msg: message,
  type,
})

function faultsOf({ cases, baseline = [] }: Static<typeof Run>): RequestFault[] {
  const repeated = (list: 'cases' | 'baseline', ids: readonly string[], message: string) => {
    const seen = new Set<string>()
    return ids.flatMap((id, at) => (seen.size === seen.add(id).size ? [{ place: [list, at, 'id'], message }] : []))
  }
  const ids = new Set(cases.map(({ id }) => id))
  const unknown = baseline.flatMap(({ id }, at) =>
    ids.has(id) ? [] : [{ place: ['baseline', at, 'id'], message: 'is not the id of a case' }],
  )
  const ofCases = cases.map(({ id }) => id)
  const ofBaseline = baseline.map(({ id }) => id)
  return [
    ...repeated('cases', ofCases, 'is the id of an earlier case'),
    ...unknown,
    ...repeated('baseline', ofBaseline, 'is listed already'),
  ].slice(0, 20)
}
