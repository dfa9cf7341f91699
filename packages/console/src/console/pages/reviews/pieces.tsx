/** A question piece by piece: a mask names what it hides, a mark shows what a rule objected to. */
import type { Piece } from './question.ts'

export const Pieces = ({ pieces }: { pieces: readonly Piece[] }) =>
  pieces.map(({ kind, text, at }) => {
    if (kind === 'plain') return <span key={at}>{text}</span>
    return kind === 'marked' ? (
      <mark key={at}>{text}</mark>
    ) : (
      <span className="masked" key={at} title={`Masked: ${text}`}>
        {text}
      </span>
    )
  })
