// Which words may stand where: reading the environment, the clock and chance, the host, and tests left out.
import { isTest, type Violation } from './architecture-tree.ts'
import { lineAt, type SourceText } from './source-text.ts'

interface WordRule {
  rule: string
  pattern: RegExp
  in: (room: string, file: string) => boolean
  /** A line this matches is the documented exception. */
  except?: (file: string, line: string) => boolean
  /** Where the word counts: code alone, or code and strings (an object key may be quoted). */
  text?: 'code' | 'code and strings'
}

const ENVIRONMENT_READERS = ['packages/server/src/config/config.ts', 'packages/cli/src/settings.ts']
// Faster native digests and signatures where the host has them, asked for so that a browser answers undefined.
const HOST_LOOKUPS = ['packages/core/src/digest.ts', 'packages/core/src/p256.ts']
const CLOCK = 'packages/server/src/platform/clock.ts'
const CLOCK_ROOMS = ['free', 'build', 'adapters', 'cli', 'console']
const RULE_SOURCES = /^scripts\/architecture[-a-z]*(?:\.test)?\.ts$/

const NO_TEST_LEFT_OUT = 'no test is left out or singled out for good'

// Words that say nothing of what is behind them. Declared names alone: members of replies and stored records are data.
const VAGUE =
  '(?:crowd|desk|matter|held|told|kept|standing|beside|twins|losers|chores|ends|rounds|spoiled|neighbours|nobody|stranger|(?:most|fewest|least)_\\w+)'
const VAGUE_DECLARATION = [
  String.raw`\b(?:const|let|var|class|type|interface|enum|function\s*\*?)\s+${VAGUE}(?![\w$])`,
  // Taken out of an object or a list, under its own name or another one.
  String.raw`\b(?:const|let|var)\s*[{[](?:(?!\b(?:of|in)\b(?!\s*:)|[}\]]\s*[=:])[^;])*?(?<![.\w$])${VAGUE}\s*(?=[,=}\]])`,
  String.raw`\bas\s+${VAGUE}\s*(?=[,}]|\bfrom\b)`,
].join('|')

const WORDS: readonly WordRule[] = [
  {
    rule: 'core runs in a browser: no process, no Buffer',
    pattern:
      /(?<![.\w$])(?:process|Buffer|__dirname|__filename)\b(?!\s*:)|\bglobalThis\b(?:\s+as\b[^)]*\))?\s*\??\.\s*(?:process|Buffer)\b/g,
    in: (room) => room === 'core',
    except: (file, line) => HOST_LOOKUPS.includes(file) && line.includes('getBuiltinModule'),
  },
  {
    rule: 'Node modules are imported, not looked up',
    pattern: /\bgetBuiltinModule\b/g,
    in: (room, file) => room !== 'free' && !HOST_LOOKUPS.includes(file),
  },
  {
    rule: 'process.env is read by the settings file alone',
    pattern: /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*(?:\?\.)?\s*\[|\}\s*=\s*process\b/g,
    in: (room, file) => room !== 'free' && room !== 'build' && !ENVIRONMENT_READERS.includes(file),
  },
  {
    rule: 'time and chance come in through a port',
    pattern: /\bDate\s*(?:\?\.|\.)\s*now\b|\bDate\s*\(\s*\)|\bnew\s+Date\b(?!\s*\()|\bMath\s*(?:\?\.|\.)\s*random\b/g,
    in: (room, file) => !CLOCK_ROOMS.includes(room) && file !== CLOCK,
  },
  {
    rule: 'the content security policy stays on in browser tests',
    pattern: /bypassCSP/g,
    in: (_room, file) => !RULE_SOURCES.test(file),
    text: 'code and strings',
  },
  {
    rule: 'a declared name is a word to search for',
    pattern: new RegExp(VAGUE_DECLARATION, 'gi'),
    in: () => true,
  },
  {
    rule: NO_TEST_LEFT_OUT,
    pattern: /\b(?:test|it|describe|suite)\s*\.\s*(?:skip|only|todo)\s*\(|\b(?:skip|only|todo)\s*:\s*true\b/g,
    in: (_room, file) => isTest(file),
  },
]

export function wordViolations(file: string, room: string, source: string, { code, strings }: SourceText): Violation[] {
  const lines = source.split('\n')
  return WORDS.filter((word) => word.in(room, file)).flatMap((word) => {
    const inCode = [...code.matchAll(word.pattern)].map((match) => [match.index, match[0]] as const)
    const quoted = strings
      .filter(({ value }) => value.search(word.pattern) !== -1)
      .map(({ start, value }) => [start, value] as const)
    const found = word.text === 'code and strings' ? [...inCode, ...quoted] : inCode
    return found
      .map(([offset, detail]) => ({ rule: word.rule, file, line: lineAt(source, offset), detail: detail.trim() }))
      .filter(({ line }) => !word.except?.(file, lines[line - 1] ?? ''))
  })
}

// `t.skip(reason)` is how a test says what the machine lacks; that depends on something, so a condition stands before.
export function skipViolations(file: string, { code }: SourceText): Violation[] {
  if (!isTest(file)) return []
  const lines = code.split('\n')
  return lines.flatMap((text, index) => {
    const call = /\bt(?!est\b)\w*\s*\.\s*(?:skip|todo)\s*\(/.exec(text)
    const before = [lines[index - 2], lines[index - 1], call ? text.slice(0, call.index) : ''].join('\n')
    if (!call || /\bif\b|\belse\b|\bcatch\b|\?|&&|\|\|/.test(before)) return []
    return [{ rule: NO_TEST_LEFT_OUT, file, line: index + 1, detail: `unconditional ${call[0].trim()}` }]
  })
}
