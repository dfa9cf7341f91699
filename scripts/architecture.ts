// Who may import whom: the house rules as data, and the function that holds a tree of sources to them and to the rules
// about words, operation paths and runs beside this file. Pure: reading the tree is the caller's.
import { posix } from 'node:path'
import { pathViolations, runViolations } from './architecture-operations.ts'
import type { Tree, Violation } from './architecture-tree.ts'
import { skipViolations, wordViolations } from './architecture-words.ts'
import { type Import, importsOf, readSource } from './source-text.ts'

/** The first pattern that matches a path names its room. A source file without a room is a violation. */
const ROOMS: readonly (readonly [room: string, path: RegExp])[] = [
  ['rules', /^packages\/server\/rules\/[^/]+\.json$/],
  ['free', /\.test\.tsx?$|^(?:clients|scripts|bench|examples|docs|packages\/server\/(?:testing|models))\//],
  ['build', /^packages\/[^/]+\/[^/]+\.(?:m?[jt]s)$/],
  ['core', /^packages\/core\/src\//],
  ['client', /^packages\/client\/src\//],
  ['cli-verify', /^packages\/cli\/src\/verify\.ts$/],
  ['cli', /^packages\/cli\/src\//],
  ['console', /^packages\/console\/src\//],
  ['ports', /^packages\/server\/src\/(?:ports|(?:ledger|governance|features\/[^/]+|adapters\/[^/]+)\/contract)\.ts$/],
  ['operations', /^packages\/server\/src\/features\/[^/]+\/(?:[a-z]+-)?operations\.ts$/],
  [
    'feature-edge',
    /^packages\/server\/src\/features\/[^/]+\/(?:open(?:-[a-z]+)*\.ts$|(?:[^/]+\/)?io\/|[^/]+\/organ\.ts$)/,
  ],
  ['feature', /^packages\/server\/src\/features\/[^/]+\//],
  ['platform', /^packages\/server\/src\/platform\//],
  ['domain', /^packages\/server\/src\/domain\//],
  ['ledger-edge', /^packages\/server\/src\/ledger\/(?:threads|tools)\//],
  ['ledger', /^packages\/server\/src\/ledger\//],
  ['adapters', /^packages\/server\/src\/adapters\//],
  ['http', /^packages\/server\/src\/http\//],
  ['governance-edge', /^packages\/server\/src\/governance\/(?:open|policy\/tool)\.ts$/],
  ['governance', /^packages\/server\/src\/governance\//],
  ['config', /^packages\/server\/src\/config\//],
  ['errors', /^packages\/server\/src\/errors\.ts$/],
  ['access', /^packages\/server\/src\/access\.ts$/],
  ['operation', /^packages\/server\/src\/operation\.ts$/],
  // One by one: the root of the server has these files and the rooms above, and nothing else comes to stand there.
  ['edge', /^packages\/server\/src\/(?:features\/index|main|serve|app|replay-organ)\.ts$/],
]

const PACKAGE_ROOMS: Record<string, string> = {
  '@orch/core': 'core',
  '@orch/client': 'client',
  '@orch/cli': 'cli',
  '@orch/console': 'console',
  '@orch/server': 'edge',
}

interface Allowance {
  /** Rooms besides its own. */
  rooms: readonly string[] | 'any'
  /** Rooms of which only types may be imported: nothing of them runs here. */
  types?: readonly string[]
  /** Of the features only the importer's own. */
  ownFolderOnly?: boolean
  node: boolean | readonly string[]
  /** `any` never means fastify: http alone may import it. */
  npm: readonly string[] | 'any'
}

/** Libraries that compute and neither read nor write anything outside. */
const PURE_LIBRARIES = [
  ...['pure-rand', 're2js', 'jose', 'ajv', 'fast-json-patch', 'fastest-levenshtein', 'gpt-tokenizer'],
  'semver',
  // The page of N24: a DOM that runs and loads nothing, the parsers of HTML and of
  // selectors, and accessible names.
  ...['linkedom', 'parse5', 'css-what', 'dom-accessibility-api'],
]

const MAY_IMPORT: Record<string, Allowance> = {
  core: { rooms: [], node: false, npm: ['@noble/hashes', '@noble/curves', 'typebox'] },
  platform: { rooms: ['core'], node: true, npm: 'any' },
  domain: {
    rooms: ['core', 'errors'],
    types: ['ports'],
    node: false,
    // Numbering plans, and the checksums of wallets.
    npm: ['typebox', 'libphonenumber-js', '@noble/hashes', '@scure/base'],
  },
  feature: {
    rooms: ['core', 'domain', 'platform', 'errors', 'access', 'rules'],
    types: ['ports', 'operation', 'feature-edge'],
    ownFolderOnly: true,
    node: ['node:crypto', 'node:timers/promises'],
    npm: ['typebox', 'big.js', 'lru-cache', ...PURE_LIBRARIES],
  },
  operations: {
    rooms: ['core', 'domain', 'platform', 'errors', 'feature', 'operation'],
    types: ['ports'],
    ownFolderOnly: true,
    node: false,
    npm: ['typebox'],
  },
  'feature-edge': {
    rooms: ['core', 'domain', 'platform', 'errors', 'access', 'ports', 'feature', 'operation', 'adapters'],
    types: ['config'],
    ownFolderOnly: true,
    node: true,
    npm: 'any',
  },
  ledger: { rooms: ['core', 'domain', 'platform', 'ports', 'errors', 'operation'], node: true, npm: 'any' },
  'ledger-edge': {
    rooms: ['core', 'domain', 'platform', 'ports', 'errors', 'ledger', 'governance', 'adapters', 'config'],
    node: true,
    npm: 'any',
  },
  adapters: { rooms: ['core', 'domain', 'platform', 'ports', 'errors', 'access'], node: true, npm: 'any' },
  http: {
    rooms: ['operation', 'errors', 'core', 'access', 'platform'],
    types: ['ports'],
    node: true,
    npm: ['fastify', 'typebox'],
  },
  governance: {
    rooms: ['core', 'domain', 'platform', 'ports', 'errors', 'access'],
    types: ['adapters'],
    node: true,
    npm: ['lru-cache', 'typebox', '@cedar-policy/cedar-wasm'],
  },
  'governance-edge': {
    rooms: ['core', 'domain', 'platform', 'ports', 'errors', 'access', 'governance', 'adapters', 'config'],
    node: true,
    npm: 'any',
  },
  config: { rooms: ['core', 'errors', 'platform', 'adapters'], types: ['ledger'], node: true, npm: [] },
  errors: { rooms: ['core'], node: false, npm: [] },
  access: { rooms: ['core', 'errors'], node: ['node:crypto'], npm: [] },
  ports: {
    rooms: ['core', 'errors'],
    types: ['access', 'domain', 'operation', 'platform', 'feature'],
    node: false,
    npm: [],
  },
  operation: { rooms: ['core', 'errors', 'access'], types: ['ports'], node: false, npm: ['typebox'] },
  edge: { rooms: 'any', node: true, npm: 'any' },
  client: { rooms: ['core'], node: false, npm: ['eventsource-parser'] },
  console: { rooms: ['core', 'client'], node: false, npm: 'any' },
  cli: { rooms: ['core', 'client', 'cli-verify'], node: true, npm: 'any' },
  'cli-verify': { rooms: ['core'], node: ['node:fs'], npm: [] },
  build: { rooms: ['core', 'client', 'console', 'cli', 'feature-edge'], node: true, npm: 'any' },
}

export function findViolations(tree: Tree): Violation[] {
  const found = [...tree].flatMap(([file, source]) => {
    const room = roomOf(file)
    if (room === undefined)
      return [{ rule: 'every source file has a room', file, line: 1, detail: 'no room for this path' }]
    const text = readSource(source)
    return [
      ...importViolations(file, room, source),
      ...wordViolations(file, room, source, text),
      ...skipViolations(file, text),
    ]
  })
  return [...found, ...pathViolations(tree), ...runViolations(tree)].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line,
  )
}

export const describeViolation = ({ rule, file, line, detail }: Violation): string =>
  `${file}:${line} ${rule}: ${detail}`

const roomOf = (file: string): string | undefined => ROOMS.find(([, path]) => path.test(file))?.[0]

function importViolations(file: string, room: string, source: string): Violation[] {
  const allowance = MAY_IMPORT[room]
  if (!allowance) return []
  return importsOf(source)
    .filter((imported) => !mayImport(file, room, allowance, imported))
    .map(({ specifier, line }) => ({
      rule: 'who may import whom',
      file,
      line,
      detail: `${room} may not import ${specifier || 'a computed path'}`,
    }))
}

function mayImport(file: string, room: string, allowance: Allowance, { specifier, typeOnly }: Import): boolean {
  const packageName = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    return mayEnter(room, allowance, roomOf(target), typeOnly, sameFolder(file, target))
  }
  if (PACKAGE_ROOMS[packageName]) return mayEnter(room, allowance, PACKAGE_ROOMS[packageName], typeOnly, false)
  if (isBuiltin(specifier)) return mayUseNode(allowance, specifier)
  if (allowance.npm === 'any') return packageName !== 'fastify'
  return allowance.npm.includes(packageName)
}

function mayEnter(
  room: string,
  allowance: Allowance,
  target: string | undefined,
  typeOnly: boolean,
  near: boolean,
): boolean {
  if (target === undefined || target === 'free') return false
  if (allowance.rooms === 'any') return true
  const isFeature = target === 'feature' || target === 'operations' || target === 'feature-edge'
  if (allowance.ownFolderOnly && isFeature && !near) return false
  if (target === room || allowance.rooms.includes(target)) return true
  return typeOnly && (allowance.types?.includes(target) ?? false)
}

const featureOf = (file: string): string => file.split('/').slice(0, 5).join('/')
const sameFolder = (file: string, target: string): boolean => featureOf(file) === featureOf(target)

// Built-ins are importable without their prefix as well.
const BARE_BUILTINS =
  /^(?:assert|async_hooks|buffer|child_process|cluster|console|crypto|dgram|dns|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|querystring|readline|repl|stream|string_decoder|timers|tls|tty|url|util|v8|vm|wasi|worker_threads|zlib)(?:\/|$)/
const isBuiltin = (specifier: string): boolean => specifier.startsWith('node:') || BARE_BUILTINS.test(specifier)

function mayUseNode({ node }: Allowance, specifier: string): boolean {
  const full = specifier.startsWith('node:') ? specifier : `node:${specifier}`
  // The global is there for everybody; an import would only hide a reading of the environment under another name.
  if (full === 'node:process') return false
  return Array.isArray(node) ? node.includes(full) : node === true
}
