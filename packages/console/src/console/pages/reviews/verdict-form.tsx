/** Approve or deny, with a reason. The keys only lead to the reason until there is one: nobody decides by a slip. */
import { OrchError, OrchUnreachable, type Reply } from '@orch/client'
import { type FormEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { useFacts } from '../../data/facts.tsx'
import { useService } from '../../data/service.tsx'
import { countWords } from '../../words.ts'

export type Review = Reply<'reviews.read'>
type Verdict = 'approve' | 'deny'

/** One press of a key; the next press is another one. */
export interface Meant {
  verdict: Verdict
}

const [SHORTEST, LONGEST] = [3, 2_000]
const WORDS: Record<Verdict, string> = { approve: 'approves once', deny: 'denies' }

/** What was typed outlives a moment in which the service does not answer. */
const drafts = new Map<string, string>()

export const forgetDraft = (id: string): boolean => drafts.delete(id)

export function useDraft(id: string): [draft: string, write: (text: string) => void] {
  const [draft, setDraft] = useState(drafts.get(id) ?? '')
  const write = (text: string): void => {
    drafts.set(id, text)
    setDraft(text)
  }
  return [draft, write]
}

interface VerdictFormProps {
  id: string
  /** Null while it loads: one can write, but nobody decides what he was not shown. */
  review: Review | null
  meant: Meant | null
  draft: string
  onDraft(text: string): void
  onWrite?(): void
  onDecided(): void
  /** Somebody else, or time, was first. */
  onLost(fault: OrchError): void
}

export function VerdictForm({ id, review, meant: pressed, draft, onDraft, ...on }: VerdictFormProps) {
  const { client, noteAnswer } = useService()
  const { health } = useFacts()
  const [name, setName] = useState('')
  const [meant, setMeant] = useState<Verdict>('approve')
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const length = [...draft.trim()].length
  const isOpen = health.value?.auth_mode === 'open'
  const isClosed = review !== null && review.state !== 'pending'

  const decide = async (verdict: Verdict): Promise<void> => {
    setMeant(verdict)
    if (review === null || isClosed) {
      box.current?.focus()
      return
    }
    if (length < SHORTEST || length > LONGEST) {
      setFault(length === 0 ? null : `A reason has ${SHORTEST} to ${countWords(LONGEST)} characters.`)
      box.current?.focus()
      return
    }
    if (isBusy) return
    setBusy(true)
    setFault(null)
    try {
      const body = {
        verdict,
        reason: draft.trim(),
        ...(isOpen && name.trim() !== '' ? { reviewer: name.trim() } : {}),
      }
      await client.reviews.decide({ params: { review_id: id }, body })
      noteAnswer(null)
      on.onDecided()
    } catch (error) {
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      if (error instanceof OrchError && ['review_closed', 'review_expired'].includes(error.code)) on.onLost(error)
      else
        setFault(
          error instanceof OrchError
            ? `Not recorded: ${error.message} (${error.code})`
            : 'The service did not answer. Whether the verdict was recorded is not known; the queue will say.',
        )
    } finally {
      setBusy(false)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each press counts once
  useLayoutEffect(() => {
    if (pressed !== null) void decide(pressed.verdict)
  }, [pressed])
  const send = (event: FormEvent): void => event.preventDefault()
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void decide(meant)
  }
  const given = review?.votes.filter(({ verdict }) => verdict === 'approve').length
  return (
    <form className="decide" aria-label="Verdict" onSubmit={send}>
      <div className={fault === null ? 'field' : 'field field-bad'}>
        <label htmlFor="reason">
          Your reason{' '}
          <span className="hint">3 to 2,000 characters, kept with the review; the receipt holds its digest</span>
        </label>
        <textarea
          id="reason"
          ref={box}
          rows={2}
          value={draft}
          readOnly={isClosed}
          aria-describedby="reason-hint"
          onFocus={() => on.onWrite?.()}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={press}
        />
        <p className="hint" id="reason-hint">
          {countWords(length)} of {countWords(LONGEST)}
          <span className="by-key">
            {' '}
            · <kbd>Ctrl</kbd> <kbd>Enter</kbd> {WORDS[meant]}
          </span>
        </p>
        {isOpen && !isClosed ? (
          <label className="who">
            Your name <span className="hint">optional, as you state it: without tokens nobody checks it</span>
            <input type="text" value={name} maxLength={128} onChange={(event) => setName(event.target.value)} />
          </label>
        ) : null}
        {fault === null ? null : (
          <p className="field-fault" role="alert">
            <Icon name="warn" />
            {fault}
          </p>
        )}
      </div>
      {isClosed ? (
        <button type="button" className="btn" onClick={() => onDraft('')}>
          Dismiss this reason
        </button>
      ) : (
        <div className="btn-row">
          <button type="button" className="btn btn-bad" aria-disabled={isBusy} onClick={() => void decide('deny')}>
            <Icon name="deny" />
            Deny <kbd>X</kbd>
          </button>
          <button type="button" className="btn btn-first" aria-disabled={isBusy} onClick={() => void decide('approve')}>
            <Icon name="allow" />
            Approve once <kbd>A</kbd>
          </button>
        </div>
      )}
      {review === null || isClosed ? null : (
        <p className="said">
          {review.required_approvals > 1
            ? `${review.required_approvals} people have to approve, ${given} did; whoever asked is not one of them.`
            : 'One approval is enough here: four-eyes is off.'}{' '}
          Approving lets this one request pass once, within 15 minutes, under the same rules and policies. It never
          lifts a deny. Either verdict is a receipt that points at the request.
        </p>
      )}
    </form>
  )
}
