// What an operation does is read at a glance: its `run` is short, and the work stands in functions with names.
import type { Tree, Violation } from './architecture-tree.ts'

const MAX_LINES = 15
const OPERATIONS = /^packages\/server\/src\/features\/[^/]+\/(?:[a-z]+-)?operations\.ts$/

export const runViolations = (tree: Tree): Violation[] =>
  [...tree].filter(([file]) => OPERATIONS.test(file)).flatMap(([file, source]) => longRuns(file, source.split('\n')))

/** By the formatter’s indentation, which the check enforces: what begins at a column ends at it. */
function longRuns(file: string, lines: readonly string[]): Violation[] {
  return lines.flatMap((line, at) => {
    const indent = /^( +)(?:async )?run\b.*[{([]$/.exec(line)?.[1]
    if (indent === undefined) return []
    const length = lines
      .slice(at + 1)
      .findIndex((later) => later.startsWith(indent) && /^[)}\]]/.test(later.slice(indent.length)))
    const detail = `${length} lines`
    return length > MAX_LINES ? [{ rule: `run is at most ${MAX_LINES} lines`, file, line: at + 1, detail }] : []
  })
}
