/** What a run answered: its status and label, the reply as a tree or raw, the evidence, the receipt, and whether a second
 *  run gives the same. */
import type { Reply } from '@orch/client'
import { Badge } from '../../components/badge.tsx'
import { Digest, ReceiptChip } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { JsonTree, useReplyForm } from '../../components/json-tree.tsx'
import { countWords } from '../../words.ts'

export type OrganRun = Reply<'organs.run'>

const LOOKS: Readonly<Record<OrganRun['status'], readonly [tone: string, shape: string]>> = {
  EXECUTED: ['none', 'file'],
  APPROVED: ['allow', 'allow'],
  DENIED: ['deny', 'deny'],
  AWAITING_APPROVAL: ['review', 'review'],
  LIMIT_EXCEEDED: ['open', 'warn'],
  NEEDS_INPUT: ['open', 'ask'],
  UNAVAILABLE: ['none', 'unavailable'],
}

interface RunResultProps {
  run: OrganRun
  /** The run before it with the same input; null where there was none. */
  before: OrganRun | null
  isBusy: boolean
  onAgain(): void
}

export function RunResult({ run, before, isBusy, onAgain }: RunResultProps) {
  const { form, control } = useReplyForm()
  const [tone, shape] = LOOKS[run.status]
  return (
    <section className="result" aria-label="Result" data-status={run.status} data-ok={run.ok}>
      <div className="card-head">
        <h2>Result</h2>
        <span className={`status ${tone}`}>
          <Icon name={shape} />
          {run.status.replaceAll('_', ' ')}
        </span>
        <span className="quiet small">
          {run.op}, version {run.version}, {run.ts.slice(11, 19)} UTC
        </span>
        {control}
      </div>
      <div className="card-body">
        {run.reason == null ? null : (
          <div className="note none">
            <Icon name="unavailable" />
            <div>
              <b>Unavailable</b>
              <p>{run.reason}</p>
            </div>
          </div>
        )}
        {run.status === 'AWAITING_APPROVAL' ? (
          <div className="note review">
            <Icon name="review" />
            <div>
              <b>A person should decide, and this run asked nobody</b>
              {run.limits.filter(saysHowToApprove).map(({ code, detail }) => (
                <p key={code}>{detail}</p>
              ))}
            </div>
          </div>
        ) : null}
        {form === 'raw' ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
          <pre tabIndex={0}>{JSON.stringify(run, null, 2)}</pre>
        ) : run.result === null ? (
          <p className="quiet">No result.</p>
        ) : (
          <JsonTree value={run.result} />
        )}
        <Evidence run={run} />
        <div className="same">
          <Compared run={run} before={before} />
          <button type="button" className="btn" aria-disabled={isBusy} onClick={onAgain}>
            <Icon name="retry" />
            Run again and compare
          </button>
          <span className="right">
            Receipt <ReceiptChip receipt={run.receipt} />
          </span>
        </div>
      </div>
    </section>
  )
}

const saysHowToApprove = ({ code }: OrganRun['limits'][number]): boolean =>
  ['REVIEW_NOT_QUEUED', 'AWAITING_APPROVAL'].includes(code)

function Compared({ run, before }: Pick<RunResultProps, 'run' | 'before'>) {
  if (before === null)
    return (
      <span className="quiet">
        {run.deterministic
          ? 'The same input and seed should give the same digest'
          : 'It depends on state or on readings'}
      </span>
    )
  const isSame = run.result_sha256 === before.result_sha256
  return (
    <span className={`btn-row ${isSame ? 'good' : 'open'}`} role="status" data-same={isSame}>
      <span className="tone">
        <Icon name={isSame ? 'tick' : 'warn'} />
      </span>
      {isSame
        ? 'Run again: same result digest'
        : `Run again: another result digest${run.deterministic ? '' : ', as it depends on state or on readings'}`}
    </span>
  )
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const micros = (value: unknown): string => (typeof value === 'number' ? `${countWords(value)} µs` : 'not read')

function Evidence({ run }: { run: OrganRun }) {
  const { wall_us, cpu_us, clock, readings, seed, reason: _, ...rest } = run.evidence
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !['version', 'doc'].includes(name)))
  return (
    <div>
      <h3>
        Evidence <Badge label={run.label ?? run.evidence_class} source={text(clock)} at={run.ts} />
      </h3>
      <FactList>
        {wall_us === undefined ? null : (
          <Fact name="Wall time">
            {micros(wall_us)}, CPU {micros(cpu_us)}
          </Fact>
        )}
        {seed === undefined ? null : <Fact name="Seed">{String(seed)}</Fact>}
        <Fact name="Input digest">
          <Digest value={run.input_sha256} />
        </Fact>
        <Fact name="Result digest">{run.result_sha256 === null ? 'none' : <Digest value={run.result_sha256} />}</Fact>
        {run.limits
          .filter((limit) => !saysHowToApprove(limit))
          .map(({ code, detail }) => (
            <Fact key={code + detail} name="Limit">
              {detail}
            </Fact>
          ))}
      </FactList>
      <details>
        <summary>Everything it states as evidence</summary>
        <JsonTree value={{ ...others, readings: readings ?? [], attachments: run.attachments }} />
      </details>
    </div>
  )
}
