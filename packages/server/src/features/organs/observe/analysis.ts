/** What the spans of one trace say: their tree, the critical path, what is wrong with them and what they add up to. */
import Big from 'big.js'
import { ATTRIBUTES, type AttributeValue, EXPECTED, GEN_AI, readAttribute } from './conventions.ts'
import type { Span } from './otlp.ts'

const MAX_FINDINGS = 100
/** Of one span: no sum of them is beyond what a double holds exactly. */
const MAX_TOKENS = 1e12
/** Characters of JSON that the tree may have, because the answer has a limit: beyond the first, rows have no attributes. */
const MAX_ATTRIBUTES = 64 * 1024
const MAX_TREE = 120 * 1024

type FindingCode = 'orphan' | 'cycle' | 'several_roots' | 'end_before_start' | 'outside_parent' | 'missing_gen_ai'

/** A span with its times as numbers and its place in the tree. */
interface Node {
  span: Span
  start: bigint
  end: bigint
  children: Node[]
}

const toMs = (nanos: bigint): number => Number(nanos) / 1e6

export function analyzeSpans(spans: readonly Span[]) {
  const findings: { code: FindingCode; span: string; detail: string }[] = []
  const find = (code: FindingCode, span: Span, detail: string) => findings.push({ code, span: span.span_id, detail })
  const nodes = new Map(spans.map((span) => [span.span_id, toNode(span)]))
  const roots: Node[] = []
  for (const node of nodes.values()) {
    const { span } = node
    const parent = span.parent_id === null ? undefined : nodes.get(span.parent_id)
    if (BigInt(span.end) < BigInt(span.start))
      find('end_before_start', span, 'ends before it starts; it counts as empty')
    if (span.parent_id !== null && parent === undefined)
      find('orphan', span, `its parent ${span.parent_id} is not in the trace`)
    if (parent === undefined) roots.push(node)
    else {
      parent.children.push(node)
      if (node.start < parent.start || node.end > parent.end)
        find('outside_parent', span, 'lies partly outside its parent: clocks differ, or it outlived it')
    }
    const lacking = missingGenAi(span)
    if (lacking.length > 0) find('missing_gen_ai', span, `lacks ${lacking.join(', ')}`)
  }
  // A root of its own comes before one whose parent is missing.
  roots.sort((a, b) => Number(a.span.parent_id !== null) - Number(b.span.parent_id !== null) || compareTimes(a, b))
  for (const { span } of roots.slice(1).filter((one) => one.span.parent_id === null))
    find('several_roots', span, 'is a root beside the first')
  const rows = roots.flatMap((root) => preorder(root))
  const reached = new Set(rows.map(({ node }) => node))
  for (const node of nodes.values())
    if (!reached.has(node)) find('cycle', node.span, 'is its own ancestor, or below one that is')
  const [root] = roots
  const tree = toRows(rows, root?.start ?? 0n)
  return {
    spans: spans.length,
    root: root?.span.span_id ?? null,
    start_unix_nano: root?.span.start ?? null,
    tree,
    ...(rows.length > tree.length ? { truncated_from: rows.length } : {}),
    critical_path: root === undefined ? [] : criticalPath(root),
    findings: findings.slice(0, MAX_FINDINGS),
    ...(findings.length > MAX_FINDINGS ? { findings_truncated_from: findings.length } : {}),
    aggregates: aggregate(spans, root),
  }
}

function toNode(span: Span): Node {
  const [start, end] = [BigInt(span.start), BigInt(span.end)]
  return { span, start, end: end < start ? start : end, children: [] }
}

const compareTimes = (a: Node, b: Node): number =>
  a.start < b.start ? -1 : a.start > b.start ? 1 : a.span.span_id < b.span.span_id ? -1 : 1

/** Parents before children, earlier before later. */
function preorder(root: Node): { node: Node; depth: number }[] {
  const rows: { node: Node; depth: number }[] = []
  const waiting = [{ node: root, depth: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    rows.push(next)
    const below = next.depth + 1
    for (const node of next.node.children.toSorted(compareTimes).reverse()) waiting.push({ node, depth: below })
  }
  return rows
}

function toRows(rows: readonly { node: Node; depth: number }[], origin: bigint) {
  let shown = 0
  return rows.flatMap(({ node: { span, start, end }, depth }) => {
    const { span_id, parent_id, name, service, status, attributes } = span
    const row = {
      ...{ span_id, parent_id, depth, name, service, status },
      start_ms: toMs(start - origin),
      duration_ms: toMs(end - start),
    }
    const size = JSON.stringify(attributes).length
    const isShort = shown + size <= MAX_ATTRIBUTES
    shown += JSON.stringify(row).length + 20 + (isShort ? size : 0)
    return shown > MAX_TREE ? [] : [{ ...row, attributes: isShort ? attributes : null }]
  })
}

/** From the end of a span back: each time into the child that ends last at or before the cursor; what lies between is the
 *  span's own. What is counted always adds up to the root. */
function criticalPath(root: Node): { span: string; self_ms: number }[] {
  const own = new Map<Node, bigint>()
  const add = (node: Node, time: bigint) => own.set(node, (own.get(node) ?? 0n) + time)
  const waiting: { node: Node; low: bigint; high: bigint }[] = [{ node: root, low: root.start, high: root.end }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, low, high } = next
    let cursor = high
    add(node, 0n)
    for (const child of node.children.toSorted((a, b) =>
      a.end > b.end ? -1 : a.end < b.end ? 1 : compareTimes(a, b),
    )) {
      if (child.end > cursor || child.end <= low || child.start === child.end) continue
      add(node, cursor - child.end)
      cursor = child.start > low ? child.start : low
      waiting.push({ node: child, low: cursor, high: child.end })
    }
    add(node, cursor - low)
  }
  return [...own]
    .sort(([a], [b]) => compareTimes(a, b))
    .map(([{ span }, time]) => ({ span: span.span_id, self_ms: toMs(time) }))
}

const missingGenAi = ({ attributes }: Span): string[] =>
  Object.keys(attributes).some((name) => name.startsWith(GEN_AI))
    ? EXPECTED.filter((name) => readAttribute(attributes, name) === undefined).map((name) => ATTRIBUTES[name][0])
    : []

/** What is no whole number that a sum of them holds exactly is no count. */
const counted = (value: AttributeValue | undefined): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : 0

function aggregate(spans: readonly Span[], root: Node | undefined) {
  const durations = spans.map(toNode).map(({ start, end }) => toMs(end - start))
  durations.sort((a, b) => a - b)
  const at = (percent: number): number => durations[Math.ceil((percent / 100) * durations.length) - 1]!
  const total = (name: 'inputTokens' | 'outputTokens') =>
    spans.reduce((sum, { attributes }) => sum + counted(readAttribute(attributes, name)), 0)
  const errors = spans.filter(({ status }) => status === 'error').length
  const costs = spans.flatMap(({ attributes }) => toMoney(readAttribute(attributes, 'cost')))
  return {
    source: 'CALLER_SPANS' as const,
    latency_ms: {
      root: root === undefined ? null : toMs(root.end - root.start),
      ...{ p50: at(50), p95: at(95), p99: at(99) },
    },
    tokens: { input: total('inputTokens'), output: total('outputTokens') },
    cost: costs.length === 0 ? null : costs.reduce((sum, one) => sum.plus(one)).toFixed(),
    errors: { count: errors, ratio: errors / spans.length },
  }
}

/** A number that is written in plain digits; what is no amount of money is none. */
function toMoney(value: AttributeValue | undefined): Big[] {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return text.length <= 40 && /^\d+(\.\d+)?(e-\d{1,2})?$/u.test(text) ? [new Big(text)] : []
}

/** Digests that spans say are receipts of theirs. */
export const receiptsNamed = (spans: readonly Span[]): string[] => [
  ...new Set(
    spans.flatMap(({ attributes }) => {
      const digest = readAttribute(attributes, 'receipt')
      return typeof digest === 'string' && /^[0-9a-f]{64}$/u.test(digest) ? [digest] : []
    }),
  ),
]
