/** The reference of one operation. */
import { isOperationId, rowOf } from '@orch/client'
import { createElement, Fragment, type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Link } from '../../components/link.tsx'
import { curlOf } from '../../data/curl.ts'
import { useService } from '../../data/service.tsx'
import { hrefOf } from '../../routing.ts'
import { withCounts } from '../../words.ts'
import { callFormOf, type LiveValues } from './call-form.ts'
import { type CallInput, pythonOf, typescriptOf } from './code-examples.ts'
import type { Described } from './description.ts'
import { SchemaTable } from './schema-table.tsx'
import { TryIt } from './try-it.tsx'

const JSON_TYPE = 'application/json'
const STREAM = 'text/event-stream'
const HTML = 'text/html'

export function OperationPage({ operation, live }: { operation: Described; live: LiveValues }) {
  const form = callFormOf(operation, live)
  const [value, setValue] = useState(form.start)
  const input = form.inputOf(value)
  return (
    <article className="stack operation" aria-label={operation.id}>
      <Head operation={operation} />
      <div className="operation-halves">
        <div className="stack at-right">
          <Examples operation={operation} input={input} />
          <Trial operation={operation}>
            <TryIt operation={operation} form={form} value={value} onChange={setValue} />
          </Trial>
        </div>
        <div className="stack">
          <Request operation={operation} />
          <Replies operation={operation} />
          <Refusals operation={operation} />
        </div>
      </div>
    </article>
  )
}

function Head({ operation }: { operation: Described }) {
  const { id, method, path, aliases, summary, description, scopes, labels, group } = operation
  return (
    <header className="stack tight">
      <h1>{summary}</h1>
      <p className="endpoint">
        <b className={`method method-${method.toLowerCase()}`}>{method}</b>
        <code>{path}</code>
        <CopyButton className="btn btn-plain" text={() => path}>
          Copy the path
        </CopyButton>
      </p>
      {description === null ? null : (
        <p className="lead">
          <WithCode text={description} />
        </p>
      )}
      <FactList>
        <Fact name="Operation">
          <code>{id}</code>, {group}
        </Fact>
        {aliases.length === 0 ? null : (
          <Fact name="Also at">
            {aliases.map((alias) => (
              <code key={alias} className="alias">
                {alias}
              </code>
            ))}
          </Fact>
        )}
        <Fact name="Scope">
          {scopes.length === 0 ? (
            'none: open to everyone'
          ) : (
            <>
              <code>{scopes.join(', ')}</code>, see <Link href={hrefOf({ page: 'docs', id: 'access' })}>access</Link>
            </>
          )}
        </Fact>
        <Fact name="Labels">
          <span className="badges">
            {labels.map((label) => (
              <Badge key={label} label={label} source="values of the reply may carry it" />
            ))}
          </span>
        </Fact>
      </FactList>
    </header>
  )
}

/** What stands between backticks is code. */
const WithCode = ({ text }: { text: string }) =>
  createElement(
    Fragment,
    null,
    ...text.split('`').map((part, at) => (at % 2 === 1 ? createElement('code', null, part) : part)),
  )

const Card = ({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) => (
  <section className="card" aria-label={title}>
    <div className="card-head">
      <h2>{title}</h2>
      {note === undefined ? null : <span className="quiet small">{note}</span>}
    </div>
    {children}
  </section>
)

const PLACES = [
  ['path', 'In the path'],
  ['query', 'In the query'],
  ['header', 'As headers'],
] as const

function Request({ operation }: { operation: Described }) {
  const { parameters, body } = operation
  if (parameters.length === 0 && body === null)
    return (
      <Card title="Request">
        <p className="card-body quiet">Takes nothing.</p>
      </Card>
    )
  return (
    <Card title="Request">
      {PLACES.map(([place, title]) => {
        const here = parameters.filter((one) => one.in === place)
        if (here.length === 0) return null
        const entries = here.map(({ name, schema, description }) => [
          name,
          { ...schema, ...(description ? { description } : {}) },
        ])
        const schema = {
          properties: Object.fromEntries(entries),
          required: here.filter(({ required }) => required).map(({ name }) => name),
        }
        return (
          <div key={place}>
            <h3 className="part">{title}</h3>
            <SchemaTable schema={schema} name={place} caption={`Parameters ${title.toLowerCase()}`} />
          </div>
        )
      })}
      {body === null ? null : (
        <>
          <h3 className="part">
            Body{' '}
            <span className="hint">
              {body.isRequired ? 'required' : 'may be left out'}. {withCounts(body.note)}
            </span>
          </h3>
          <SchemaTable schema={body.schema} name="body" caption="Members of the body" />
        </>
      )}
    </Card>
  )
}

function Replies({ operation: { reply } }: { operation: Described }) {
  return (
    <Card title="Reply" note={<code>{reply.type}</code>}>
      {reply.type === JSON_TYPE ? (
        <SchemaTable schema={reply.schema} name="reply" caption="Members of the reply" isReply />
      ) : null}
      {reply.example === undefined ? null : (
        <details className="recorded" open>
          <summary>A recorded reply</summary>
          <p className="quiet small">
            <Badge label="SAMPLE" source="recorded from a service that ran for this" /> {withCounts(reply.note ?? '')}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable */}
          <pre tabIndex={0}>
            {typeof reply.example === 'string' ? reply.example : JSON.stringify(reply.example, null, 2)}
          </pre>
        </details>
      )}
    </Card>
  )
}

const Refusals = ({ operation: { refusals } }: { operation: Described }) => (
  <Card
    title="Errors"
    note={
      <>
        what each means and what to do: <Link href={hrefOf({ page: 'docs', id: 'errors' })}>errors</Link>
      </>
    }
  >
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Code</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ status, code, meaning }) => (
          <tr key={status + code}>
            <td>{status}</td>
            <td>
              <code>{code}</code>
            </td>
            <td>{withCounts(meaning)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Card>
)

const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const

function Examples({ operation, input }: { operation: Described; input: CallInput }) {
  const { hasToken } = useService()
  const [language, choose] = useState<(typeof LANGUAGES)[number]>('curl')
  const text = exampleIn(language, operation, input, hasToken)
  return (
    <section className="card" aria-label="Examples">
      <div className="card-head">
        <h2>Call it</h2>
        <fieldset className="seg" aria-label="Language">
          {LANGUAGES.map((name) => (
            <button key={name} type="button" aria-pressed={name === language} onClick={() => choose(name)}>
              {name}
            </button>
          ))}
        </fieldset>
        <span className="right">
          <CopyButton className="btn btn-plain" text={() => text}>
            Copy
          </CopyButton>
        </span>
      </div>
      <div className="card-body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable */}
        <pre tabIndex={0} data-example={language}>
          {text}
        </pre>
      </div>
    </section>
  )
}

function exampleIn(language: string, { id, reply }: Described, input: CallInput, hasToken: boolean): string {
  if (!isOperationId(id)) return ''
  try {
    if (language === 'TypeScript') return typescriptOf(id, input, location.origin, hasToken)
    if (language === 'Python') return pythonOf(rowOf(id), input, location.origin, hasToken, reply.type === JSON_TYPE)
    return curlOf(id, input as never, hasToken)
  } catch (error) {
    // A path whose parameter is still empty.
    return error instanceof TypeError ? `# ${error.message}` : String(error)
  }
}

/** A page is opened and a stream has no end: neither has a reply to show here. */
function Trial({ operation, children }: { operation: Described; children: ReactNode }) {
  const { reply, path } = operation
  if (reply.type === STREAM)
    return (
      <Card title="Try it">
        <p className="card-body">
          A stream without an end: follow it with the line above, or with <code>orch ledger tail -f</code>.
        </p>
      </Card>
    )
  if (reply.type === HTML && !path.includes('{'))
    return (
      <Card title="Try it">
        <p className="card-body">
          <a href={path}>Open the page</a>
        </p>
      </Card>
    )
  return children
}
