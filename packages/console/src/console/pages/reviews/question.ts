/** The text of a held request as it may be shown: personal values and secrets as the name of what they are, what a rule
 *  objected to marked. */
import { explain } from '@orch/core'

interface Finding {
  gate: string
  rule: string
  start: number
  end: number
  /** Null for the text itself. */
  pointer: string | null
}

export interface Piece {
  kind: 'plain' | 'marked' | 'masked'
  text: string
  at: number
}

const MASKING_GATE = 'pii-egress-guard'

/** Places count code points. Where two findings overlap, what masks wins. */
export function piecesOf(text: string, findings: readonly Finding[]): Piece[] {
  const letters = [...text]
  const own = findings.filter(({ pointer }) => pointer === null)
  const kinds = letters.map((_, at): Piece['kind'] => {
    const here = own.filter(({ start, end }) => at >= start && at < end)
    if (here.some(({ gate }) => gate === MASKING_GATE)) return 'masked'
    return here.length > 0 ? 'marked' : 'plain'
  })
  const pieces: Piece[] = []
  letters.forEach((letter, at) => {
    const kind = kinds[at] as Piece['kind']
    const last = pieces.at(-1)
    if (last?.kind === kind) last.text += letter
    else pieces.push({ kind, text: letter, at })
  })
  return pieces.map((piece) => (piece.kind === 'masked' ? { ...piece, text: nameAt(own, piece.at) } : piece))
}

/** A question as lists tell it: what was masked stands there as its rule in brackets, and is shown as what it is. */
export function piecesOfMasked(question: string): Piece[] {
  let at = 0
  return question.split(/(\[[A-Z]\d\d\])/).map((part): Piece => {
    const title = /^\[[A-Z]\d\d\]$/.test(part) ? explain(part.slice(1, -1))?.title : undefined
    const piece: Piece =
      title === undefined ? { kind: 'plain', text: part, at } : { kind: 'masked', text: title.toLowerCase(), at }
    at += part.length
    return piece
  })
}

function nameAt(findings: readonly Finding[], at: number): string {
  const rule = findings.find(({ gate, start, end }) => gate === MASKING_GATE && at >= start && at < end)?.rule
  return (rule === undefined ? undefined : explain(rule)?.title.toLowerCase()) ?? 'masked'
}

type Fields = Record<string, unknown>
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** What a request of any operation asks in words; null where it is no single text. */
export function askedText(payload: unknown): string | null {
  const request = isRecord(payload) && isRecord(payload.request) ? payload.request : {}
  const text = request.text ?? request.request
  return typeof text === 'string' ? text : null
}

interface Stated {
  question: string | null
  agent: string | null
  tool: string | null
}

/** What the list tells of a request beside its digests, where the service tells it. */
export function statedOf(item: unknown): Stated {
  const fields = isRecord(item) ? item : {}
  const text = (name: string): string | null => (typeof fields[name] === 'string' ? (fields[name] as string) : null)
  return { question: text('question'), agent: text('agent'), tool: text('tool') ?? text('tool_sha256') }
}
