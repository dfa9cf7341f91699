/** A document of the repository, drawn from its tree of elements: nothing in it is read as markup. */
import { createElement, type ReactNode, useEffect } from 'react'
import { CopyButton } from '../../components/copy.tsx'
import { Link } from '../../components/link.tsx'
import { NotFound, Shown } from '../../components/states.tsx'
import { useReading } from '../../data/reading.ts'
import { hrefOf } from '../../routing.ts'

type Node = string | { tag: string; attributes: Record<string, string>; children: Node[] }

const TAGS = /^(?:h[1-6]|p|pre|code|blockquote|hr|br|ul|ol|li|table|thead|tbody|tr|th|td|strong|em|del|a|img)$/

export function DocumentPage({ name, anchor }: { name: string; anchor: string | null }) {
  const reading = useReading('docs.document', () => ({ params: { rest: name } }), name)
  const isThere = reading.value !== null
  useEffect(() => {
    if (isThere && anchor !== null) document.getElementById(anchor)?.scrollIntoView()
  }, [isThere, anchor])
  return (
    <Shown
      reading={reading}
      what="the document"
      notFound={
        <NotFound title={`There is no document ${name}`}>
          <Link href={hrefOf({ page: 'docs' })}>All documents</Link>
        </NotFound>
      }
    >
      {({ body, source, title }) => (
        <article className="card prose" aria-label={title}>
          {(body as unknown as Node[]).map(drawn)}
          <p className="quiet small source">
            From <code>{source}</code> of this build
          </p>
        </article>
      )}
    </Shown>
  )
}

function drawn(node: Node, at: number): ReactNode {
  if (typeof node === 'string') return node
  const { tag, attributes, children } = node
  const inner = children.map(drawn)
  if (tag === 'pre') return <Snippet key={at} text={children.join('')} />
  if (tag === 'table')
    return (
      // Not a region: a document has several tables, and landmarks of one name help nobody.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
      <div key={at} className="scroll" role="group" aria-label="Table" tabIndex={0}>
        <table className="grid">{inner}</table>
      </div>
    )
  if (tag === 'a' && attributes.href?.startsWith('/docs'))
    return (
      <Link key={at} href={attributes.href}>
        {inner}
      </Link>
    )
  if (!TAGS.test(tag)) return children.join('')
  return createElement(tag, { key: at, ...attributes }, ...(inner.length === 0 ? [] : [inner]))
}

const Snippet = ({ text }: { text: string }) => (
  <div className="snippet">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable */}
    <pre tabIndex={0}>{text}</pre>
    <CopyButton className="btn btn-plain" text={() => text}>
      Copy
    </CopyButton>
  </div>
)
