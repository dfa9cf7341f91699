/** Sends a request to this service and shows what it answers. */
import { type OperationId, OrchError, OrchUnreachable, OrchValidationError } from '@orch/client'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { JsonTree, useReplyForm } from '../../components/json-tree.tsx'
import { Failed, Unreachable } from '../../components/states.tsx'
import { labelOf } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import { type Fault, faultsOf } from '../../schema-form/schema.ts'
import { SchemaForm } from '../../schema-form/schema-form.tsx'
import { FaultNote } from '../../schema-form/simple-fields.tsx'
import type { CallForm } from './call-form.ts'
import type { Described } from './description.ts'

type Fields = Record<string, unknown>

interface TryItProps {
  operation: Described
  form: CallForm
  value: Fields
  onChange(value: Fields): void
}

interface Answer {
  reply: unknown
  fault: OrchError | OrchUnreachable | null
  at: number
}

export function TryIt({ operation, form, value, onChange }: TryItProps) {
  const { patientClient, noteAnswer } = useService()
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [isBusy, setBusy] = useState(false)
  const id = operation.id as OperationId

  const send = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    try {
      const call = patientClient.call as (id: OperationId, input: object) => Promise<unknown>
      const reply = await call(id, form.inputOf(value))
      noteAnswer(null)
      setAnswer({ reply, fault: null, at: Date.now() })
    } catch (error) {
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      if (error instanceof OrchValidationError) setFaults(error.detail.map(({ loc, msg }) => form.placed(loc, msg)))
      setAnswer({ reply: null, fault: error, at: Date.now() })
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const found = faultsOf(form.schema, value)
    setFaults(found)
    if (found.length === 0) void send()
  }
  return (
    <section className="card" aria-label="Try it">
      <div className="card-head">
        <h2>Try it</h2>
        <span className="quiet small">
          {operation.method === 'GET'
            ? 'Asks this service now'
            : 'Really sent to this service: what it does there is done'}
        </span>
      </div>
      <form className="card-body try-call" aria-label={`Try ${operation.id}`} noValidate onSubmit={submit}>
        <SchemaForm
          schema={form.schema}
          value={value}
          faults={faults}
          first={Object.keys(form.start)}
          onChange={onChange}
        />
        <FaultNote faults={faults} />
        <div className="btn-row">
          <button type="submit" className="btn btn-first" aria-disabled={isBusy}>
            {isBusy ? 'Waiting for the reply' : `Send ${operation.method}`}
          </button>
          <button type="button" className="btn" onClick={() => onChange(form.start)}>
            Reset to the example
          </button>
        </div>
      </form>
      {answer === null ? null : <Answered id={id} answer={answer} again={() => void send()} />}
    </section>
  )
}

function Answered({ id, answer, again }: { id: OperationId; answer: Answer; again(): void }) {
  const { form, control } = useReplyForm()
  const { reply, fault, at } = answer
  if (fault instanceof OrchUnreachable) return <Unreachable readAt={null} nextTryAt={null} askAgain={again} />
  if (fault !== null) return <Failed fault={fault} />
  const label = labelOf(id, reply)
  const isTree = typeof reply === 'object' && reply !== null && !(reply instanceof Uint8Array)
  return (
    <div className="result" data-answer="reply">
      <div className="card-head">
        <h3>Reply</h3>
        {label === null ? null : <Badge label={label} at={at} />}
        {isTree ? control : null}
      </div>
      <div className="card-body">
        {isTree && form === 'tree' ? (
          <JsonTree value={reply} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
          <pre tabIndex={0}>{textOf(reply)}</pre>
        )}
      </div>
    </div>
  )
}

const SHOWN_BYTES = 256

function textOf(reply: unknown): string {
  if (typeof reply === 'string') return reply
  if (!(reply instanceof Uint8Array)) return JSON.stringify(reply, null, 2)
  const start = Array.from(reply.subarray(0, SHOWN_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return `${reply.length} bytes${reply.length > SHOWN_BYTES ? `, the first ${SHOWN_BYTES} of them` : ''}\n${start}`
}
