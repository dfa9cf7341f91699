/** N16 Eval: whether a change made it better, or whether there are too few cases to know. */
import Type, { type Static } from 'typebox'
import { exactly, Nullable, words } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { NeedsInput, type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import { ASSERT_TYPES, type Asserted, assertWork, type EvalCase, runAsserts } from './asserts.ts'
import { type CaseOutcome, type Report, toReport } from './report.ts'
import { type RunSuiteOrgan, runSuiteCase, SUITES, suites } from './suites.ts'

const MAX_INLINE = 200_000

const Id = Type.String({ minLength: 1, maxLength: 64 })
const Expected = Type.Union([Type.String({ maxLength: 8192 }), Type.Number()])
const AssertSpec = Type.Object(
  {
    type: words(ASSERT_TYPES),
    value: Type.Optional(Expected),
    schema: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()])),
    threshold: Type.Optional(Type.Number({ minimum: 0 })),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 4 })),
  },
  exactly,
)
const Case = Type.Object(
  {
    id: Id,
    output: Type.String({ maxLength: 8192 }),
    expected: Type.Optional(Expected),
    ms: Type.Optional(Type.Number({ minimum: 0 })),
    asserts: Type.Array(AssertSpec, { minItems: 1, maxItems: 8 }),
  },
  exactly,
)
const GateSpec = Type.Object(
  {
    min_pass: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.8 })),
    max_regress: Type.Optional(Type.Integer({ minimum: 0, maximum: 200, default: 0 })),
  },
  { ...exactly, default: {} },
)
const Run = Type.Object(
  {
    cases: Type.Array(Case, { minItems: 1, maxItems: 200 }),
    baseline: Type.Optional(
      Type.Array(Type.Object({ id: Id, passed: Type.Boolean() }, exactly), { minItems: 1, maxItems: 200 }),
    ),
    gate: Type.Optional(GateSpec),
  },
  exactly,
)
const RunSuite = Type.Object({ name: words(SUITES), gate: Type.Optional(GateSpec) }, exactly)

const share = Type.Number({ minimum: 0, maximum: 1 })
const Truncated = Nullable(Type.Integer({ description: 'how many there are, where the list was cut' }))
const at = { id: Type.String(), assert: Type.Integer(), type: Type.String() }
const Result = Type.Object(
  {
    passed: Type.Integer(),
    total: Type.Integer(),
    skipped: Type.Integer({ description: 'cases whose organ this build does not have' }),
    interval: Nullable(Type.Object({ low: share, high: share }, exactly)),
    per_assert: Type.Array(
      Type.Object(
        {
          ...at,
          passed: Type.Boolean(),
          score: Nullable(Type.Number()),
          precision: Type.Optional(share),
          recall: Type.Optional(share),
        },
        exactly,
      ),
    ),
    per_assert_truncated_from: Truncated,
    failures: Type.Array(Type.Object({ ...at, detail: Type.String() }, exactly)),
    failures_truncated_from: Truncated,
    mcnemar: Nullable(Type.Object({ b: Type.Integer(), c: Type.Integer(), p: share }, exactly)),
    delta: Nullable(
      Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number(), se: Type.Number() }, exactly),
    ),
    verdict: words(['PASS', 'FAIL', 'INCONCLUSIVE']),
    junit: Type.String(),
  },
  exactly,
)

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
    deadlineMs: 5000,
  })
  return {
    id: 'N16',
    version: '1.0.0',
    dependsOn: ['N3', 'N9', 'N12', 'N21', 'N23', 'N25'],
    ops: {
      run: op({
        summary: 'Checks outputs against assertions and judges the pass rate, and its change, with intervals',
        request: Run,
        result: Result,
        isolation: `worker above ${MAX_INLINE} units, else inline`,
        deadlineMs: 6000,
        maxWork: 15_000_000,
        usesSeed: true,
        estimate,
        check: faultsOf,
        async run({ cases, baseline, gate }, context) {
          const isLarge = estimate({ cases }) > MAX_INLINE
          const { outcomes, faults } = await context.timed('asserts', async () =>
            isLarge ? context.job(job, { cases }) : runAsserts({ cases }),
          )
          if (faults.length > 0) throw new InputError(faults.map(toInputFault))
          const told = cases.map(({ id, asserts }, index) => ({
            id,
            asserts: asserts.map(({ type }, n) => ({ type, ...outcomes[index]![n]! })),
          }))
          const compared = { baseline, gate: gate as Required<typeof gate & object>, random: context.random() }
          return { result: toReport('cases', told, compared) as Static<typeof Result> }
        },
      }),
      suite: op({
        summary: 'Runs the bundled cases of one suite through the live organ of this service',
        request: RunSuite,
        result: Result,
        isolation: 'as the organ that it runs; one case after the other',
        deadlineMs: 30_000,
        maxWork: 200,
        estimate: ({ name }) => suites[name].cases.length,
        async run({ name, gate }, context) {
          const { organ, cases } = suites[name]
          const run: RunSuiteOrgan = (id, request) => runSuiteOrgan(id, request, context)
          const ran: CaseOutcome[] = []
          for (const one of cases) {
            const started = context.micros()
            const outcome = await runSuiteCase(run, organ, one)
            if (outcome === null) break
            context.reading(one.id, context.micros() - started, 'us', 'process.hrtime.bigint')
            ran.push(outcome)
          }
          context.reading('cases_run', ran.length, 'cases', 'counted runs')
          const skipped = cases.length - ran.length
          const compared = { gate: gate as Required<typeof gate & object>, random: context.random(), skipped }
          const result: Report = toReport(name, ran, compared)
          const missing = {
            code: 'ORGAN_UNAVAILABLE',
            detail: `${organ} is not part of this build: ${skipped} cases were not run`,
          }
          return { result: result as Static<typeof Result>, limits: skipped > 0 ? [missing] : [] }
        },
      }),
    },
    fromPrompt(prompt) {
      const name = prompt.trim().toLowerCase()
      if ((SUITES as readonly string[]).includes(name)) return { op: 'suite', name }
      return new NeedsInput({}, [{ field: 'name', type: SUITES.join(' | '), example: 'guard' }])
    },
    example: { request: EXAMPLE, prompt: 'sandbox' },
    evidence: {},
  }
}

type Cases = Pick<Static<typeof Run>, 'cases'>

const estimate = ({ cases }: Cases): number =>
  cases.reduce((sum, one) => one.asserts.reduce((part, assert) => part + assertWork(one, assert), sum), 0)

const toInputFault = ({ case: index, assert, field, message, type = 'value' }: Asserted['faults'][number]) => ({
  loc: ['body', 'cases', index, 'asserts', assert, field],
  msg: message,
  type,
})

function faultsOf({ cases, baseline = [] }: Static<typeof Run>): RequestFault[] {
  const ids = new Set<string>()
  const faults: RequestFault[] = []
  for (const [index, one] of cases.entries()) {
    if (ids.has(one.id)) faults.push({ place: ['cases', index, 'id'], message: 'is the id of an earlier case' })
    ids.add(one.id)
  }
  const seen = new Set<string>()
  for (const [index, { id }] of baseline.entries()) {
    if (!ids.has(id)) faults.push({ place: ['baseline', index, 'id'], message: 'is not the id of a case' })
    if (seen.has(id)) faults.push({ place: ['baseline', index, 'id'], message: 'is listed already' })
    seen.add(id)
  }
  return faults.slice(0, 20)
}

const EXAMPLE = {
  op: 'run',
  cases: [
    { id: 'capital', output: 'Paris', asserts: [{ type: 'equals', value: 'Paris' }] },
    { id: 'sum', output: '4.0', asserts: [{ type: 'number-close', value: 4 }] },
    { id: 'shape', output: '{"ok": true}', asserts: [{ type: 'is-json', schema: { required: ['ok'] } }] },
    { id: 'quote', output: 'the cat sat', expected: 'the cat sat down', asserts: [{ type: 'rouge-n' }] },
    { id: 'apology', output: 'I cannot help with that.', asserts: [{ type: 'icontains', value: 'refund' }] },
    { id: 'order', output: 'Order A-1042 has shipped.', asserts: [{ type: 'regex', value: '[A-Z]-[0-9]{4}' }] },
  ],
  baseline: [
    { id: 'capital', passed: true },
    { id: 'sum', passed: false },
    { id: 'shape', passed: true },
    { id: 'quote', passed: false },
    { id: 'apology', passed: true },
    { id: 'order', passed: true },
  ],
}
