// One search for the path of an operation finds one source line over all features. A path served by two methods has one
// line for each of them.
import { isTest, type Tree, type Violation } from './architecture-tree.ts'
import { lineAt, readSource } from './source-text.ts'

interface PathLiteral {
  file: string
  line: number
  value: string
  /** Of the operation that declares this path; empty where the text is merely repeated. */
  method: string
}

/** What asks the paths of another service is no second home of ours. */
const FEATURE_CODE = /^packages\/server\/src\/features\/[^/]+\/(?!io\/)/

export function pathViolations(tree: Tree): Violation[] {
  const features = [...tree].filter(([file]) => FEATURE_CODE.test(file) && !isTest(file))
  const literals = features.flatMap(([file, source]) => literalsOf(file, source))
  const declared = new Set(literals.filter(({ method }) => method !== '').map(({ value }) => value))
  return [...declared].flatMap((path) => repetitions(literals.filter(({ value }) => value === path)))
}

function repetitions(sightings: PathLiteral[]): Violation[] {
  const owner = new Map<string, PathLiteral>()
  for (const sighting of sightings)
    if (sighting.method && !owner.has(sighting.method)) owner.set(sighting.method, sighting)
  return sightings
    .filter((sighting) => owner.get(sighting.method) !== sighting)
    .map(({ file, line, value }) => ({
      rule: 'an operation path stands on one source line',
      file,
      line,
      detail: value,
    }))
}

function literalsOf(file: string, source: string): PathLiteral[] {
  const { code, strings } = readSource(source)
  const declares = /\/(?:[a-z]+-)?operations\.ts$/.test(file)
  return strings
    .filter(({ value }) => declares || value !== '/')
    .map(({ start, value }) => {
      const isPath = declares && /\bpath\s*:\s*['"`]$/.test(code.slice(Math.max(0, start - 40), start))
      return { file, line: lineAt(source, start), value, method: isPath ? methodNear(source, start) : '' }
    })
}

// In an operation the method stands just before or just after the path.
function methodNear(source: string, offset: number): string {
  const before = [...source.slice(Math.max(0, offset - 60), offset).matchAll(/\bmethod\s*:\s*['"](\w+)/g)].at(-1)
  const after = /\bmethod\s*:\s*['"](\w+)/.exec(source.slice(offset, offset + 200))
  return before?.[1] ?? after?.[1] ?? 'unknown'
}

// What an operation does is read at a glance: its `run` is short, and the work stands in functions with names.
const MAX_LINES = 15
const OPERATIONS = /^packages\/server\/src\/features\/[^/]+\/(?:[a-z]+-)?operations\.ts$/

export const runViolations = (tree: Tree): Violation[] =>
  [...tree].filter(([file]) => OPERATIONS.test(file)).flatMap(([file, source]) => longRuns(file, source.split('\n')))

/** By the formatter's indentation, which the check enforces: what begins at a column ends at it. */
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
