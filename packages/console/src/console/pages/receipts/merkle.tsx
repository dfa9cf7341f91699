/** The way from this receipt to the signed root: what the log gives as triangles, what this page computes as nodes. */
import { hexDecode, hexEncode, type InclusionStep, inclusionSteps, leafHash, type VerificationReport } from '@orch/core'
import { Digest } from '../../components/digest.tsx'
import { Icon } from '../../components/icon.tsx'
import type { ReceiptRecord } from '../../data/verify-here.ts'
import { countWords } from '../../words.ts'
import { branchOf, captionsOf, TRUNK, triangleOf, veinsOf, wideFrame, wideLayout } from './merkle-layout.ts'
import { described, Leaf, type Path, RootText, rootLook, Seal } from './merkle-parts.tsx'
import { Tall } from './merkle-tall.tsx'

interface MerklePartProps {
  record: ReceiptRecord
  bytes: Uint8Array
  report: VerificationReport | null
}

/** Null for hashes that are no path. */
function pathOf({ inclusion }: ReceiptRecord, bytes: Uint8Array, report: VerificationReport | null): Path | null {
  const leaf = leafHash(bytes)
  const hashes = inclusion.hashes.map((hash) => hexDecode(hash) ?? new Uint8Array())
  const steps = inclusionSteps({
    leafHash: leaf,
    leafIndex: inclusion.leaf_index,
    treeSize: inclusion.tree_size,
    hashes,
  })
  const status = report?.checks.find(({ check }) => check === 'inclusion')?.status ?? null
  const { leaf_index: leafIndex, tree_size: size, root } = inclusion
  return steps && { leaf: hexEncode(leaf), leafIndex, size, root, steps, status }
}

export function MerklePart({ record, bytes, report }: MerklePartProps) {
  const path = pathOf(record, bytes, report)
  if (path === null)
    return (
      <div className="hero-part">
        <h2>Merkle path</h2>
        <p>The hashes that came with this receipt are no path from its place to a root.</p>
      </div>
    )
  return (
    <div className="hero-part">
      <div className="hero-head">
        <h2>Merkle path</h2>
        <p>{pathWords(path)}</p>
        <span className="right">
          <Included status={path.status} />
        </span>
      </div>
      <Wide path={path} />
      <Tall path={path} />
      <PathTable steps={path.steps} />
    </div>
  )
}

function pathWords({ steps, leafIndex, size }: Path): string {
  if (steps.length === 0) return 'This receipt is the only one the root covers, so its hash is the root.'
  const words = steps.length === 1 ? '1 hash leads' : `${steps.length} hashes lead`
  const place = leafIndex === 0 ? 'the first receipt' : leafIndex === size - 1 ? 'the newest receipt' : 'this receipt'
  return `${words} from ${place} to one root over all ${countWords(size)}. Each triangle is the part of the log its hash stands for.`
}

function Included({ status }: { status: string | null }) {
  if (status === null) return <span className="quiet small">not verified in this page yet</span>
  const [tone, shape, word] =
    status === 'VERIFIED'
      ? ['good', 'tick', 'INCLUDED']
      : status === 'MISMATCH'
        ? ['bad', 'cross', 'MISMATCH']
        : ['none', 'gap', status]
  return (
    <span className={`status ${tone}`}>
      <Icon name={shape as string} />
      {word}
    </span>
  )
}

function Wide({ path }: { path: Path }) {
  const siblings = wideLayout(path.steps, hexEncode)
  const { top, bottom } = wideFrame(siblings)
  const { y } = TRUNK
  return (
    <svg
      className={`merkle merkle-wide ${path.status === null ? 'm-waiting' : ''}`}
      viewBox={`0 ${top} 1208 ${bottom - top}`}
      role="img"
      aria-label={described(path)}
    >
      {top > 0 ? null : (
        <text x={14} y={26}>
          earlier receipts
        </text>
      )}
      {bottom < 282 ? null : (
        <text x={14} y={270}>
          later receipts
        </text>
      )}
      {siblings.length === 0 ? null : <Legend y={bottom < 282 ? 26 : 262} />}
      {siblings.map((sibling) => (
        <g key={sibling.hash + sibling.node}>
          <path className="m-branch" d={branchOf(sibling)} />
          <path className="m-sub" d={triangleOf(sibling)} />
          <path className="m-vein" d={veinsOf(sibling)} />
          <text className="m-hash" x={sibling.x} y={captionsOf(sibling).hash} textAnchor="middle">
            {sibling.hash.slice(0, 4)}…
          </text>
          <text x={sibling.x} y={captionsOf(sibling).covers} textAnchor="middle">
            {sibling.covers === 1 ? '1 receipt' : countWords(sibling.covers)}
          </text>
        </g>
      ))}
      <path className="m-trunk" d={`M${TRUNK.from} ${y}H${TRUNK.to}`} />
      {siblings.slice(0, -1).map(({ node }) => (
        <g key={node}>
          <circle className="m-node" cx={node} cy={y} r={6} />
          <circle className="m-dot" cx={node} cy={y} r={2.5} />
        </g>
      ))}
      <rect className="m-box" x={14} y={102} width={104} height={68} rx={8} />
      <Leaf path={path} x={66} y={122} />
      <rect className={rootLook(path.status)} x={944} y={74} width={258} height={124} rx={10} />
      <Seal status={path.status} x={944} y={y} />
      <RootText path={path} x={972} y={98} anchor="start" />
    </svg>
  )
}

const Legend = ({ y }: { y: number }) => (
  <>
    <circle className="m-node" cx={954} cy={y} r={6} />
    <circle className="m-dot" cx={954} cy={y} r={2.5} />
    <text x={966} y={y + 4}>
      computed here
    </text>
    <path className="m-sub" d={`M1064 ${y - 6}l-8 12h16z`} />
    <text x={1078} y={y + 4}>
      given by the log
    </text>
  </>
)

const PathTable = ({ steps }: { steps: readonly InclusionStep[] }) => (
  <details>
    <summary>The path as a table</summary>
    <table className="table">
      <thead>
        <tr>
          <th>Step</th>
          <th>Side</th>
          <th>Covers</th>
          <th>Sibling hash</th>
          <th>Result</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ side, covers, sibling, result }, at) => (
          <tr key={hexEncode(result)}>
            <td data-column="Step">{at + 1}</td>
            <td data-column="Side">{side === 'left' ? 'earlier' : 'later'}</td>
            <td data-column="Covers">{countWords(covers)}</td>
            <td data-column="Sibling hash">
              <Digest value={hexEncode(sibling)} />
            </td>
            <td data-column="Result">
              <Digest value={hexEncode(result)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)
