/** The chain around this receipt: each one carries the digest of the one before it. Equal digests in neighbours bear the
 *  accent; a link that does not hold is drawn with both digests. */
import { OrchError, OrchUnreachable, type Reply } from '@orch/client'
import { base64Decode, GENESIS_PREV, organOf, readBody } from '@orch/core'
import { Fragment, useEffect, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Digest, shortDigest } from '../../components/digest.tsx'
import { Icon } from '../../components/icon.tsx'
import { Link } from '../../components/link.tsx'
import { Outcome } from '../../components/outcome.tsx'
import { labelOf, useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'
import type { ReceiptRecord, Verification } from '../../data/verify-here.ts'
import { useKeys } from '../../frame/keys.ts'
import { hrefOf, navigate } from '../../routing.ts'
import { countWords } from '../../words.ts'
import { adjacentTo, type BrokenLink, brokenLinks, type ChainNode } from './links.ts'

interface ChainPartProps {
  record: ReceiptRecord
  verification: Verification | null
}

type Chain = Reply<'khipu.chain'>

export function ChainPart({ record, verification }: ChainPartProps) {
  const { digest, seq } = record
  const graph = useReading('khipu.dag', () => ({ query: { request: digest } }), digest)
  const organ = organOf(record.ns, record.chain)
  const chain = useReading('khipu.chain', () => ({ params: { organ }, query: { limit: 1 } }), organ)
  const nodes = adjacentTo(graph.value?.nodes ?? [], digest)
  const read = useReadLinks(nodes, verification)
  const broken = brokenLinks(read ?? nodes)
  const here = nodes.findIndex((node) => node.digest === digest)
  const go = (node: ChainNode | undefined) => node && navigate(hrefOf({ page: 'receipts', id: node.digest }))
  useKeys({ k: () => go(nodes[here - 1]), j: () => go(nodes[here + 1]) })
  return (
    <div className="hero-part">
      <div className="hero-head">
        <h2>Chain</h2>
        <p>
          Each receipt carries the digest of the one before it.{' '}
          {chain.value === null ? null : <Walked chain={chain.value} />}
        </p>
        <span className="right">
          <LinkStatus isRead={read !== null} count={nodes.length} broken={broken} />
        </span>
      </div>
      <ol className="chain" aria-label={`Chain ${record.chain} around this receipt, oldest first`}>
        <li>
          <span className="block block-end" title="prev of the first receipt is 64 zeros">
            <span className="strong">Genesis</span>
            <code>{shortDigest(GENESIS_PREV, 4, 4)}</code>
          </span>
        </li>
        {nodes.map((node, at) => (
          <Fragment key={node.digest}>
            <Join node={node} before={nodes[at - 1]} digest={digest} broken={broken} covered={coveredTo(record)} />
            <Block node={node} before={nodes[at - 1]} after={nodes[at + 1]} isThis={node.digest === digest} />
          </Fragment>
        ))}
        <li
          className={`join ${(chain.value?.depth ?? 0) - 1 === nodes.at(-1)?.seq ? '' : 'join-many'}`}
          aria-hidden="true"
        >
          {(nodes.at(-1)?.index ?? Number.POSITIVE_INFINITY) < coveredTo(record) ? <Flag /> : null}
        </li>
        <li>
          <Head chain={chain.value} digest={digest} />
        </li>
      </ol>
      {broken.map((link) => (
        <Broken key={link.seq} link={link} />
      ))}
      <div className="chain-notes">
        <span>
          <Flag /> signed checkpoint over the first {countWords(coveredTo(record))} of the log
        </span>
        <Lake digest={digest} />
        <span className="right keys-in">
          <kbd>K</kbd> previous <kbd>J</kbd> next
        </span>
      </div>
      <p className="unseen">This receipt is number {seq}.</p>
    </div>
  )
}

/** Zero where no signed checkpoint came along. */
const coveredTo = ({ checkpoint, inclusion }: ReceiptRecord): number => (checkpoint === null ? 0 : inclusion.tree_size)

/** What the service found by its own walk is told as its word, without a tick. */
const Walked = ({ chain }: { chain: Chain }) => (
  <>
    {chain.links_intact
      ? `The service walked ${countWords(chain.depth)} links to genesis and found no break.`
      : `The service found a break at ${chain.broken_at ?? 'an unknown place'}: ${chain.broken_reason ?? 'no reason given'}.`}{' '}
    <Badge label={labelOf('khipu.chain', chain)} source="the service's own walk" />
  </>
)

const Flag = () => (
  <span className="flag">
    <Icon name="flag" />
  </span>
)

interface JoinProps {
  node: ChainNode
  before: ChainNode | undefined
  digest: string
  broken: readonly BrokenLink[]
  covered: number
}

function Join({ node, before, digest, broken, covered }: JoinProps) {
  const isBroken = broken.some(({ seq }) => seq === node.seq)
  const isOwn = node.digest === digest || before?.digest === digest
  const isMany = before === undefined && node.seq > 0
  const look = isBroken ? 'join-broken' : isMany ? 'join-many' : isOwn ? 'join-own' : ''
  const hasFlag = before !== undefined && before.index < covered && node.index >= covered
  return (
    <li className={`join ${look}`} aria-hidden="true">
      {isBroken ? (
        <span className="cut">
          <Icon name="close" />
        </span>
      ) : null}
      {hasFlag ? <Flag /> : null}
    </li>
  )
}

interface BlockProps {
  node: ChainNode
  before: ChainNode | undefined
  after: ChainNode | undefined
  isThis: boolean
}

function Block({ node, before, after, isThis }: BlockProps) {
  const content = (
    <>
      {isThis ? <span className="tag">This receipt</span> : null}
      <span className="seq">
        #{countWords(node.seq)}
        <span>{node.at?.slice(11, 19) ?? ''}</span>
      </span>
      <Outcome decision={node.decision} />
      <code className={isThis || after?.prev === node.digest ? 'tie' : ''}>{shortDigest(node.digest, 6, 4)}</code>
      <code className={isThis && before?.digest === node.prev ? 'tie' : ''}>prev {shortDigest(node.prev, 6, 4)}</code>
    </>
  )
  return (
    <li {...(isThis ? { 'aria-current': true } : {})} data-seq={node.seq}>
      {isThis ? (
        <div className="block block-this">{content}</div>
      ) : (
        <Link className="block" href={hrefOf({ page: 'receipts', id: node.digest })} title={node.digest}>
          {content}
        </Link>
      )}
    </li>
  )
}

const Head = ({ chain, digest }: { chain: Chain | null; digest: string }) =>
  chain === null || chain.head_digest === digest ? (
    <span className="block block-end">
      <span className="strong">Head</span>
      <code>{chain === null ? '' : 'this one'}</code>
    </span>
  ) : (
    <Link className="block block-end" href={hrefOf({ page: 'receipts', id: chain.head_digest })}>
      <span className="strong">Head</span>
      <code>#{countWords(chain.depth - 1)}</code>
    </Link>
  )

function LinkStatus({ isRead, count, broken }: { isRead: boolean; count: number; broken: readonly BrokenLink[] }) {
  if (broken.length > 0)
    return (
      <span className="status bad">
        <Icon name="cross" />
        LINK BROKEN
      </span>
    )
  if (!isRead || count < 2) return <span className="quiet small">not read in this page yet</span>
  return (
    <span className="status good">
      <Icon name="tick" />
      LINKS HOLD
    </span>
  )
}

const Broken = ({ link: { seq, names, found } }: { link: BrokenLink }) => (
  <div className="note bad broken-link">
    <Icon name="cross" />
    <div>
      <b>
        #{countWords(seq)} does not point at #{countWords(seq - 1)}
      </b>
      <p>
        It names <Digest value={names} />; the receipt before it is <Digest value={found} />.
      </p>
    </div>
  </div>
)

/** The second chain over the same receipts, in another family of hashes. */
function Lake({ digest }: { digest: string }) {
  const { value } = useReading('lake.proof', () => ({ params: { id: digest } }), digest)
  if (value === null) return null
  return (
    <span>
      Second chain, SHA3-256, position {countWords(value.record.chain_index)}: <Digest value={value.record.hash} />
    </span>
  )
}

/** Once the reader asks for a verification, the receipts around are read and hashed here too. Null until that was done. */
function useReadLinks(nodes: readonly ChainNode[], verification: Verification | null): readonly ChainNode[] | null {
  const { client } = useService()
  const [read, setRead] = useState<readonly ChainNode[] | null>(null)
  const wanted = verification === null ? '' : nodes.map(({ digest }) => digest).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the nodes are compared by their digests
  useEffect(() => {
    setRead(null)
    if (wanted === '') return
    const stopped = new AbortController()
    const options = { signal: stopped.signal }
    Promise.all(
      nodes.map(async (node) => {
        const { dsse } = await client.receipts.get({ params: { digest: node.digest } }, options)
        const body = readBody(base64Decode(dsse.payload) ?? new Uint8Array())
        return body.ok ? { ...node, digest: body.digest, prev: body.body.prev } : { ...node, digest: 'unreadable' }
      }),
    ).then(setRead, (error: unknown) => {
      const isOurs = error instanceof OrchError || error instanceof OrchUnreachable
      if (!stopped.signal.aborted && !isOurs) throw error
    })
    return () => stopped.abort()
  }, [wanted, client])
  return read
}
