/** What both drawings of an inclusion path share: the leaf, the root with its seal, and the words beside them. */
import type { InclusionStep } from '@orch/core'
import { shortDigest } from '../../components/digest.tsx'
import { countWords } from '../../words.ts'

export interface Path {
  leaf: string
  leafIndex: number
  size: number
  root: string
  steps: readonly InclusionStep[]
  /** Null until the verifier judged it in this page. */
  status: string | null
}

const ROOT_WORDS: Readonly<Record<string, string>> = {
  VERIFIED: 'equal, recomputed here',
  MISMATCH: 'not the root of this path',
}

const rootWords = (status: string | null): string =>
  status === null ? 'not recomputed here yet' : (ROOT_WORDS[status] ?? 'no signed root to compare')
export const rootLook = (status: string | null): string =>
  status === 'VERIFIED' ? 'm-seal' : status === 'MISMATCH' ? 'm-root failed' : 'm-root'
const textLook = (status: string | null): string =>
  status === 'VERIFIED' ? 'm-good' : status === 'MISMATCH' ? 'm-bad' : ''
export const described = ({ steps, leafIndex, size }: Path): string =>
  `${steps.length} sibling hashes lead from leaf ${leafIndex} to the root over ${size} receipts. The table below lists them.`

export const Leaf = ({ path, x, y }: { path: Path; x: number; y: number }) => (
  <>
    <text className="m-strong" x={x} y={y} textAnchor="middle">
      This receipt
    </text>
    <text className="m-code" x={x} y={y + 18} textAnchor="middle">
      {shortDigest(path.leaf, 4, 4)}
    </text>
    <text x={x} y={y + 36} textAnchor="middle">
      leaf {countWords(path.leafIndex)}
    </text>
  </>
)

export const RootText = ({ path, x, y, anchor }: { path: Path; x: number; y: number; anchor: 'start' | 'middle' }) => (
  <>
    <text className="m-strong" x={x} y={y} textAnchor={anchor}>
      {path.status === 'VERIFIED' ? 'Signed root' : 'Root'}
    </text>
    <text className="m-code" x={x} y={y + 20} textAnchor={anchor}>
      {shortDigest(path.root)}
    </text>
    <text x={x} y={y + 42} textAnchor={anchor}>
      covers {path.size === 1 ? '1 receipt' : `${countWords(path.size)} receipts`}
    </text>
    {path.status === 'VERIFIED' ? (
      <text x={x} y={y + 60} textAnchor={anchor}>
        Ed25519, log key
      </text>
    ) : null}
    <text className={textLook(path.status)} x={x} y={y + (path.status === 'VERIFIED' ? 82 : 62)} textAnchor={anchor}>
      {rootWords(path.status)}
    </text>
  </>
)

/** The tick stands there only after the verifier found the signed root equal. */
export const Seal = ({ status, x, y }: { status: string | null; x: number; y: number }) => (
  <>
    <circle className={rootLook(status)} cx={x} cy={y} r={15} />
    {status === 'VERIFIED' ? <path className="m-tick" d={`M${x - 6} ${y + 1}l4.5 4.5 8.5-9`} /> : null}
  </>
)
