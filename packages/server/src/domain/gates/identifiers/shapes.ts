/** Written forms as data. In a shape `9` is a digit, `A` a letter, `X` either, a blank one blank, `-` a dash of any kind, and
 *  `. / :` themselves; `X{26,35}` stands for every length from 26 to 35. All shapes together are one automaton, so a text
 *  is read once however many there are, and no shape can cost more than its length. */
import { unitAt } from '../../text/code-points.ts'
import { isAlnumCode, isDigitCode, isLetterCode } from '../detectors/scanner.ts'

const KINDS = '9AX -./:'

interface ShapeNode {
  number: number
  next: Map<string, ShapeNode>
  finals: ShapeEnd[]
}

interface ShapeEnd {
  row: number
  /** Nothing else is written so: no word beside it is needed. */
  plain: boolean
}

/** The nodes that a stretch of text may have reached, and what follows each kind of character from there. */
interface ShapeState {
  nodes: readonly ShapeNode[]
  finals: readonly ShapeEnd[]
  /** Null where nothing follows, missing where nobody came by yet. */
  next: (ShapeState | null | undefined)[]
}

export interface Candidate extends ShapeEnd {
  from: number
  to: number
}

const SHAPE = /^(?:[9AX \-./:](?:\{[0-9]{1,3},[0-9]{1,3}\})?){1,64}$/
const MAX_LENGTH = 120

export const isShape = (shape: string): boolean => SHAPE.test(shape)

export class ShapeAutomaton {
  private readonly root: ShapeNode = { number: 0, next: new Map(), finals: [] }
  private readonly states = new Map<string, ShapeState>()
  private readonly start: ShapeState = { nodes: [this.root], finals: [], next: [] }
  private size = 1

  add(shape: string, end: ShapeEnd): void {
    for (const node of this.grown(shape)) node.finals.push(end)
  }

  /** The nodes at which a shape ends, made where they are missing. */
  private grown(shape: string): ShapeNode[] {
    let nodes = [this.root]
    for (const [, kind, least, most] of shape.matchAll(/([9AX \-./:])(?:\{([0-9]{1,3}),([0-9]{1,3})\})?/g)) {
      const [from, to] = [Number(least ?? 1), Math.min(Number(most ?? 1), MAX_LENGTH)]
      const reached: ShapeNode[] = []
      for (let count = 1; count <= to; count++) {
        nodes = nodes.map((node) => this.child(node, kind as string))
        if (count >= from) reached.push(...nodes)
      }
      nodes = reached
    }
    return nodes
  }

  private child(node: ShapeNode, kind: string): ShapeNode {
    const known = node.next.get(kind) ?? { number: this.size++, next: new Map(), finals: [] }
    node.next.set(kind, known)
    return known
  }

  /** Every stretch of the text that has one of the shapes and is no part of a longer number or word; of the shapes that need
   *  a word beside them those of the rows alone that are asked for. */
  candidates(text: string, isAsked: (row: number) => boolean): Candidate[] {
    const found: Candidate[] = []
    let before = -1
    for (let from = 0; from < text.length; from++) {
      const kind = kindOf(text.charCodeAt(from))
      const glued = before === DIGIT || before === LETTER
      if ((kind === DIGIT && before !== DIGIT) || (kind === LETTER && !glued))
        this.walk(text, from, glued, isAsked, found)
      before = kind
    }
    return found
  }

  private walk(
    text: string,
    from: number,
    glued: boolean,
    isAsked: (row: number) => boolean,
    found: Candidate[],
  ): void {
    let state: ShapeState | null = glued ? this.digitState() : this.start
    for (let at = glued ? from + 1 : from; state !== null; at++) {
      const code = unitAt(text, at)
      if (state.finals.length > 0 && isWhole(text, from, at, code))
        for (const { row, plain } of state.finals) if (plain || isAsked(row)) found.push({ row, plain, from, to: at })
      const kind = kindOf(code)
      state = kind < 0 ? null : this.following(state, kind)
    }
  }

  /** A word may be written onto a number, never onto what may itself begin with a letter. */
  private digitState(): ShapeState | null {
    const digit = this.root.next.get('9')
    return digit ? this.stateOf([digit]) : null
  }

  private following(state: ShapeState, kind: number): ShapeState | null {
    const known = state.next[kind]
    if (known !== undefined) return known
    const nodes = state.nodes.flatMap(({ next }) => [
      ...present(next.get(KINDS.charAt(kind))),
      ...(kind <= LETTER ? present(next.get('X')) : []),
    ])
    const made = nodes.length === 0 ? null : this.stateOf(nodes)
    state.next[kind] = made
    return made
  }

  private stateOf(nodes: readonly ShapeNode[]): ShapeState {
    const key = nodes.map(({ number }) => number).join()
    const known = this.states.get(key) ?? { nodes, finals: nodes.flatMap(({ finals }) => finals), next: [] }
    this.states.set(key, known)
    return known
  }
}

const present = (node: ShapeNode | undefined): ShapeNode[] => (node ? [node] : [])

/** The place in KINDS; below nought for what stands in no shape. */
const kindOf = (code: number): number => (code >= 0 && code < 128 ? (ASCII_KINDS[code] as number) : readKind(code))

function readKind(code: number): number {
  if (isDigitCode(code)) return DIGIT
  if (isLetterCode(code)) return LETTER
  if (code === 32 || code === 0xa0) return 3
  if (isDash(code)) return 4
  if (code === 46) return 5
  if (code === 47) return 6
  return code === COLON ? 7 : -1
}

const DIGIT = 0
const LETTER = 1
const COLON = 58
const isDash = (code: number): boolean => code === 45 || code === 0x2010 || code === 0x2011 || code === 0x2013
const ASCII_KINDS = Int8Array.from({ length: 128 }, (_, code) => readKind(code))
/** Marks that join digits to one number: a dash, a dot, a slash, a comma, a colon. */
const isJoining = (code: number): boolean => isDash(code) || (code >= 44 && code <= 47) || code === COLON

/** Not inside a word, and no mark leads to further digits. */
function isWhole(text: string, from: number, to: number, behind: number): boolean {
  if (isAlnumCode(behind) || behind === 95) return false
  if (isJoining(behind) && isDigitCode(unitAt(text, to + 1))) return false
  if (behind === COLON && isAlnumCode(unitAt(text, to + 1))) return false
  const before = unitAt(text, from - 1)
  if (before === COLON && unitAt(text, from - 4) === COLON) return false
  return !(isJoining(before) && isDigitCode(unitAt(text, from - 2)))
}
