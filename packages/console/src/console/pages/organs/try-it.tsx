/** One organ: what it does, a form made from its schema, and what a run answers. */
import { OrchError, OrchUnreachable, OrchValidationError, type Reply } from '@orch/client'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Failed, NotFound, Shown, Unreachable } from '../../components/states.tsx'
import { curlOf } from '../../data/curl.ts'
import { useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { hrefOf } from '../../routing.ts'
import { branchesOf, type Fault, faultsOf, type JsonSchema, startOfFields } from '../../schema-form/schema.ts'
import { SchemaForm } from '../../schema-form/schema-form.tsx'
import { FaultNote } from '../../schema-form/simple-fields.tsx'
import { type OrganRun, RunResult } from './run-result.tsx'

type Detail = Reply<'organs.describe'>
type Fields = Record<string, unknown>

const IN_WORDS = 'in words'

interface TryItProps {
  id: string
  /** From the address; the one of the example where there is none. */
  op: string | null
  onOp(op: string): void
  onRun(): void
}

export function TryIt({ id, op, onOp, onRun }: TryItProps) {
  const reading = useReading('organs.describe', () => ({ params: { organ_id: id } }), id)
  return (
    <section className="card pane" aria-label="The selected organ">
      <Link className="btn btn-plain back" href={hrefOf({ page: 'organs' })}>
        All organs
      </Link>
      <Shown
        reading={reading}
        what="the organ"
        notFound={
          <NotFound title={`No organ ${id}`}>
            <Link href={hrefOf({ page: 'organs' })}>All organs</Link>
          </NotFound>
        }
      >
        {(detail) => {
          const chosen = op ?? exampleOp(detail)
          return (
            <>
              <Head detail={detail} op={chosen} onOp={onOp} />
              <OpForm key={chosen} detail={detail} op={chosen} onRun={onRun} />
            </>
          )
        }}
      </Shown>
    </section>
  )
}

const exampleOp = ({ example, ops }: Detail): string =>
  typeof example.request.op === 'string' ? example.request.op : (ops[0]?.op ?? IN_WORDS)

function Head({ detail, op, onOp }: { detail: Detail; op: string; onOp(op: string): void }) {
  const summary = detail.ops.find((one) => one.op === op)?.summary
  return (
    <>
      <div className="card-head">
        <span className="mono quiet">{detail.id}</span>
        <h2>{detail.title}</h2>
        <Badge label={detail.evidence_class} source="as the catalog says of every run" />
        <span className="quiet">{detail.job}</span>
      </div>
      <div className="card-body">
        {detail.evidence_class === 'UNAVAILABLE' ? (
          <div className="note none">
            <Icon name="unavailable" />
            <div>
              <b>Nothing is computed here, and no number stands in for it</b>
              <p>{detail.ops[0]?.summary}. A run says why, and checks the configuration you give.</p>
            </div>
          </div>
        ) : null}
        <div className="field">
          <span className="label">Operation</span>
          <fieldset className="seg ops" aria-label="Operation">
            {[...detail.ops.map((one) => one.op), IN_WORDS].map((name) => (
              <button key={name} type="button" aria-pressed={name === op} onClick={() => onOp(name)}>
                {name}
              </button>
            ))}
          </fieldset>
          <p className="quiet small">{summary ?? 'A sentence, as the organ understands it'}</p>
        </div>
      </div>
    </>
  )
}

function schemaOf({ request_schema }: Detail, op: string): JsonSchema {
  const branches = branchesOf(request_schema as JsonSchema)
  const isIt = ({ properties = {} }: JsonSchema): boolean =>
    op === IN_WORDS ? properties.op === undefined : properties.op?.const === op
  return branches.find(isIt) ?? {}
}

function startFor(detail: Detail, op: string): Fields {
  if (op === IN_WORDS) return { prompt: detail.example.prompt }
  const { op: _, ...example } = detail.example.request
  return op === exampleOp(detail) ? example : startOfFields(schemaOf(detail, op))
}

const bodyOf = (op: string, value: Fields): Fields => (op === IN_WORDS ? value : { op, ...value })

interface Outcome {
  run: OrganRun | null
  before: OrganRun | null
  sent: Fields | null
  fault: OrchError | OrchUnreachable | null
}
const NOTHING: Outcome = { run: null, before: null, sent: null, fault: null }

function OpForm({ detail, op, onRun }: { detail: Detail; op: string; onRun(): void }) {
  const { client, noteAnswer, hasToken } = useService()
  const schema = schemaOf(detail, op)
  const [value, setValue] = useState<Fields>(() => startFor(detail, op))
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [outcome, setOutcome] = useState<Outcome>(NOTHING)
  const [isBusy, setBusy] = useState(false)
  /** Counts resets, so that fields forget what was typed into them. */
  const [turn, setTurn] = useState(0)
  const params = { organ_id: detail.id }

  const send = async (body: Fields, before: OrganRun | null): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    try {
      const run = await client.organs.run({ params, query: {}, body })
      noteAnswer(null)
      setFaults([])
      setOutcome({ run, before, sent: body, fault: null })
      onRun()
    } catch (error) {
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      if (error instanceof OrchValidationError)
        setFaults(error.detail.map(({ loc, msg }) => ({ place: loc.slice(1), message: msg })))
      else setOutcome({ ...NOTHING, fault: error })
    } finally {
      setBusy(false)
    }
  }
  const run = (event: FormEvent): void => {
    event.preventDefault()
    const found = faultsOf(schema, value)
    setFaults(found)
    if (found.length === 0) void send(bodyOf(op, value), null)
  }
  const reset = (): void => {
    setValue(startFor(detail, op))
    setFaults([])
    setTurn(turn + 1)
  }
  return (
    <>
      <form className="card-body try" aria-label={`Try ${detail.title}`} noValidate onSubmit={run}>
        <SchemaForm
          key={turn}
          schema={schema}
          value={value}
          faults={faults}
          first={Object.keys(startFor(detail, op))}
          onChange={setValue}
        />
        <FaultNote faults={faults} lead="Nothing was run.">
          {outcome.run === null ? null : <p>The result below is from an earlier run.</p>}
        </FaultNote>
        <div className="btn-row">
          <button type="submit" className="btn btn-first" aria-disabled={isBusy}>
            {isBusy ? 'Running' : 'Run'}
          </button>
          <button type="button" className="btn" onClick={reset}>
            {op === exampleOp(detail) || op === IN_WORDS ? 'Reset to the example' : 'Reset'}
          </button>
          <CopyButton
            className="btn btn-plain"
            text={() => curlOf('organs.run', { params, query: {}, body: bodyOf(op, value) }, hasToken)}
          >
            Copy as curl
          </CopyButton>
        </div>
      </form>
      {outcome.fault instanceof OrchError ? <Failed fault={outcome.fault} /> : null}
      {outcome.fault instanceof OrchUnreachable ? (
        <Unreachable readAt={null} nextTryAt={null} askAgain={() => void send(bodyOf(op, value), null)} />
      ) : null}
      {outcome.run === null ? null : (
        <RunResult
          run={outcome.run}
          before={outcome.before}
          isBusy={isBusy}
          onAgain={() => void send(outcome.sent ?? {}, outcome.run)}
        />
      )}
    </>
  )
}
