/** The path for narrow windows: the leaf below, the root above. */
import { hexEncode } from '@orch/core'
import { countWords } from '../../words.ts'
import { TALL, tallHeight, tallNode } from './merkle-layout.ts'
import { described, Leaf, type Path, RootText, rootLook, Seal } from './merkle-parts.tsx'

export function Tall({ path }: { path: Path }) {
  const count = path.steps.length
  const bottom = tallHeight(count) - 80
  return (
    <svg
      className={`merkle merkle-tall ${path.status === null ? 'm-waiting' : ''}`}
      viewBox={`0 0 336 ${tallHeight(count)}`}
      role="img"
      aria-label={described(path)}
    >
      {path.leafIndex === 0 ? null : (
        <text x={4} y={146}>
          earlier
        </text>
      )}
      {path.leafIndex === path.size - 1 ? null : (
        <text x={332} y={146} textAnchor="end">
          later
        </text>
      )}
      {path.steps.map(({ side, covers, sibling }, at) => {
        const [sign, anchor] = side === 'left' ? ([-1, 'end'] as const) : ([1, 'start'] as const)
        const y = tallNode(count, at) + 21
        const half = Math.min(19, 8 + Math.log2(covers))
        const [tip, base] = [TALL.x + sign * 50, TALL.x + sign * (50 + half * 1.6)]
        return (
          <g key={hexEncode(sibling)}>
            <path
              className="m-branch"
              d={`M${tip} ${y}C${TALL.x + sign * 16} ${y} ${TALL.x} ${y - 7} ${TALL.x} ${y - 21}`}
            />
            <path className="m-sub" d={`M${tip} ${y}L${base} ${y - half}V${y + half}z`} />
            <text x={base + sign * 6} y={y - 1} textAnchor={anchor}>
              {covers === 1 ? '1 receipt' : countWords(covers)}
            </text>
            <text className="m-hash" x={base + sign * 6} y={y + 12} textAnchor={anchor}>
              {hexEncode(sibling).slice(0, 4)}…
            </text>
          </g>
        )
      })}
      <path className="m-trunk" d={`M${TALL.x} ${bottom}V${TALL.top}`} />
      {path.steps.slice(0, -1).map(({ result }, at) => (
        <g key={hexEncode(result)}>
          <circle className="m-node" cx={TALL.x} cy={tallNode(count, at)} r={6} />
          <circle className="m-dot" cx={TALL.x} cy={tallNode(count, at)} r={2.5} />
        </g>
      ))}
      <rect className="m-box" x={94} y={bottom} width={148} height={66} rx={8} />
      <Leaf path={path} x={168} y={bottom + 22} />
      <rect className={rootLook(path.status)} x={64} y={4} width={208} height={128} rx={10} />
      <Seal status={path.status} x={168} y={134} />
      <RootText path={path} x={168} y={26} anchor="middle" />
    </svg>
  )
}
