/** Text into unreviewed candidates. Nothing here says that a piece is one claim, or that it is true. */
import { canonicalize, sha256Hex } from '@orch/core'
import { LIMITS } from '../../../domain/claim-limits.ts'
import type { Atom } from '../replies.ts'
import { slice } from './code-points.ts'
import { TooManyCandidates } from './problems.ts'
import { RESPONSE_HEADER } from './rubric.ts'
import { type Piece, type Split, split } from './split.ts'
import { COMPOUND_WORDS, METHOD, SPLITTER_VERSION } from './splitter-tables.ts'

export type Atomization = ReturnType<typeof atomize>

/** The count is exact: the splitter goes to the end of the text before anything is refused. */
export function splitWithinLimit(text: string): Split {
  const found = split(text)
  if (found.pieces.length > LIMITS.candidates) throw new TooManyCandidates(found.pieces.length)
  return found
}

export function atomize(text: string, input: string, found: Split = splitWithinLimit(text)) {
  const atoms = found.pieces.map((piece, at) => atomOf(found, piece, at + 1))
  const template = evaluateTemplate(atoms)
  return {
    ready: true as const,
    accepted: true as const,
    ...RESPONSE_HEADER,
    method: METHOD,
    splitter_version: SPLITTER_VERSION,
    semantic_atomization_computed: false as const,
    text_sha256: sha256Hex(text),
    input_sha256: input,
    text_code_points: found.source.points.length,
    candidate_count: atoms.length,
    candidate_limit: LIMITS.candidates,
    empty_reason: atoms.length === 0 ? ('NO_WORDS' as const) : null,
    atoms,
    ...template,
  }
}

function atomOf({ source }: Split, { start, end, guarded }: Piece, position: number): Atom {
  const statement = slice(source, start, end)
  const markers = compoundMarkers(statement)
  return {
    claim_id: candidateId(position, statement),
    statement,
    atomic: false,
    atomization_state: 'STRUCTURAL-SPLIT-ONLY',
    human_review_required: true,
    evidence_refs: [],
    consequence_owner: null,
    span: { start, end, start_utf16: source.units[start]!, end_utf16: source.units[end]! },
    guarded_stops: guarded,
    exceeds_statement_limit: end - start > LIMITS.statement,
    compound_suspected: markers.length > 0,
    compound_markers: markers,
  }
}

const candidateId = (position: number, statement: string): string =>
  `candidate-${String(position).padStart(4, '0')}-${sha256Hex(canonicalize(statement)).slice(0, 12)}`

const encoder = new TextEncoder()

/** A body that `evaluate` takes as it stands: what is over its limits, alone or together, is left out by name. */
function evaluateTemplate(atoms: readonly Atom[]) {
  const claims = []
  const left: string[] = []
  let bytes = encoder.encode('{"claims":[]}').length
  for (const { claim_id, statement, atomic, evidence_refs, consequence_owner, exceeds_statement_limit } of atoms) {
    const claim = { claim_id, statement, atomic, evidence_refs, consequence_owner }
    const size = encoder.encode(JSON.stringify(claim)).length + 1
    if (exceeds_statement_limit || bytes + size > LIMITS.body_bytes) {
      left.push(claim_id)
      continue
    }
    bytes += size
    claims.push(claim)
  }
  return { evaluate_template: { claims }, not_evaluable: left }
}

const WORDS = new Set(COMPOUND_WORDS)

/** A hint that a candidate may say two things. It looks at words outside double quotes and changes nothing else. */
export function compoundMarkers(statement: string): string[] {
  const open = unquoted(statement)
  const found = new Set<string>()
  for (const [word] of open.matchAll(/\p{L}+/gu)) if (WORDS.has(word.toLowerCase())) found.add(word.toLowerCase())
  if (open.slice(0, -1).includes(';')) found.add(';')
  return [...found].sort()
}

/** The same length with every quotation blanked out. A quote that is never closed quotes nothing. */
function unquoted(statement: string): string {
  const last = { '"': statement.lastIndexOf('"'), '”': statement.lastIndexOf('”') }
  let closer: '"' | '”' | null = null
  let open = ''
  for (let at = 0; at < statement.length; at += 1) {
    const mark = statement[at]!
    const inside: boolean = closer !== null
    if (mark === closer) closer = null
    else if (closer === null && mark === '"' && at < last['"']) closer = '"'
    else if (closer === null && mark === '“' && at < last['”']) closer = '”'
    open += inside || closer !== null ? ' ' : mark
  }
  return open
}
