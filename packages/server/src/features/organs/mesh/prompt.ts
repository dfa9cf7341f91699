/** The named table of a profile, and a sentence such as `70 layers 1.2 GB on 24,24,48 profile lan`. */
import { NeedsInput, type Structured } from '../organ.ts'
import { unread } from '../unread.ts'
import type { MeshModel, MeshNode } from './plan.ts'

export const PROFILES = ['lan', 'wan'] as const
type Profile = (typeof PROFILES)[number]

const LINKS: Record<Profile, { net_mbps: number; rtt_ms: number }> = {
  lan: { net_mbps: 1000, rtt_ms: 0.5 },
  wan: { net_mbps: 100, rtt_ms: 40 },
}
/** NVIDIA GeForce RTX 3090: 936 GB/s, and 71 TFLOPS of 16-bit numbers with 32-bit sums, as its data sheet has it. */
const MACHINE = { mem_bw_gbs: 936, tflops: 71 }

/** What the request states goes before what the profile says. */
export function withProfile(nodes: readonly Partial<MeshNode>[], model: Partial<MeshModel>, profile?: Profile) {
  if (profile === undefined) return { nodes: nodes as MeshNode[], model: model as MeshModel }
  const { gb_per_layer = 0 } = model
  const dense = { gflop_per_layer: gb_per_layer, hidden: Math.max(1, Math.round(Math.sqrt((gb_per_layer * 1e9) / 24))) }
  return {
    nodes: nodes.map((node) => ({ ...MACHINE, ...LINKS[profile], ...node })) as MeshNode[],
    model: { ...dense, ...model } as MeshModel,
  }
}

export const profileAssumption = (profile: Profile): string =>
  `profile ${profile}, where the request states no figure: ${LINKS[profile].net_mbps} Mbit/s and ${LINKS[profile].rtt_ms} ms round trip, ${MACHINE.mem_bw_gbs} GB/s and ${MACHINE.tflops} TFLOPS (RTX 3090), 16-bit weights of a dense transformer (1 GFLOP per GB and token, 12*hidden^2 weights a layer)`

const DECIMAL = '\\d{1,6}(?:\\.\\d{1,6})?'
/** Not the end of another word or number, nor a negative one. */
const ALONE = '(?<![\\w.,+-])'
const END = '(?![\\w-]|[.,]\\d)'
/** Numbers with what they are of: `1.2 GB`, `1.2GB`, `70-layer`. */
const LAYERS = new RegExp(`${ALONE}(\\d{1,6})[ -]?layers?${END}`, 'gi')
const SIZE = new RegExp(`${ALONE}(${DECIMAL}) ?gb${END}`, 'gi')
const TOKENS = new RegExp(`${ALONE}(\\d{1,6}) ?tokens?${END}`, 'gi')
/** The list behind `on`: `24, 24 and 48 GB` are memories and no layer. What has another noun behind it is a count. */
const AFTER = '(?=[ ,;:.]*(?:$|\\d|(?:profile|throughput|latency|with|over|for|at|in|using|via|and|each)\\b))'
const MEMORY = `${DECIMAL}(?: ?gb)?`
const MEMORIES = new RegExp(`\\bon ${MEMORY}(?:(?: ?[,+&] ?(?:and )?| and )${MEMORY})*${END}${AFTER}`, 'gi')

interface Needed {
  field: string
  type: string
  example: unknown
  value: unknown
}

export function meshPrompt(prompt: string): Structured | NeedsInput {
  const text = prompt.replace(/\s+/g, ' ')
  const lists = [...text.matchAll(MEMORIES)]
  const others = text.replace(MEMORIES, (list) => ' '.repeat(list.length))
  const [layer, size, token] = [LAYERS, SIZE, TOKENS].map((pattern) => [...others.matchAll(pattern)])
  const within = (value: number, low: number, high: number) => (value >= low && value <= high ? value : undefined)
  /** What is said twice is not understood. */
  const once = (found: RegExpMatchArray[], low: number, high: number) =>
    found.length === 1 ? within(Number(found[0]![1]), low, high) : undefined
  const layers = once(layer!, 1, 200)
  const gb_per_layer = once(size!, 1e-6, 1e4)
  const memories = lists.flatMap(([list]) => list.match(new RegExp(DECIMAL, 'g'))!.map(Number))
  const isList = lists.length === 1 && memories.length <= 32 && memories.every((gb) => within(gb, 1e-6, 1e6))
  const profiles = [...text.matchAll(/\bprofile (\w+)/gi)].map(([, name]) => name!.toLowerCase())
  const profile = PROFILES.find((name) => profiles.length === 1 && profiles[0] === name)
  const tokens = once(token!, 1, 2048)
  const needed: Needed[] = [
    { field: 'model.layers', type: 'whole number', example: 70, value: layers },
    { field: 'model.gb_per_layer', type: 'number', example: 1.2, value: gb_per_layer },
    { field: 'nodes', type: 'list of GB', example: [24, 24, 48], value: isList ? memories : undefined },
    { field: 'profile', type: PROFILES.join(' | '), example: 'lan', value: profile },
  ]
  if (token!.length > 0) needed.push({ field: 'tokens', type: 'whole number', example: 256, value: tokens })
  const missing = needed.filter(({ value }) => value === undefined)
  const rest = unread(text, [...lists, ...layer!, ...size!, ...token!], '70 layers 1.2 GB on 24,24,48 profile lan')
  if (missing.length > 0 || rest.length > 0) {
    const understood = needed.filter(({ value }) => value !== undefined)
    return new NeedsInput(Object.fromEntries(understood.map(({ field, value }) => [field, value])), [
      ...missing.map(({ field, type, example }) => ({ field, type, example })),
      ...rest,
    ])
  }
  return {
    op: 'plan',
    nodes: memories.map((mem_gb, at) => ({ id: `n${at + 1}`, mem_gb })),
    model: { layers, gb_per_layer },
    profile,
    ...(tokens === undefined ? {} : { tokens }),
    ...(/\bthroughput\b/i.test(text) ? { objective: 'throughput' } : {}),
  }
}
