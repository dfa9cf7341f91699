/** The named table of a profile, and a sentence such as `70 layers 1.2 GB on 24,24,48 profile lan`. */
import { NeedsInput, type Structured } from '../organ.ts'
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

const WHOLE = /^\d{1,6}$/
const DECIMAL = /^\d{1,6}(?:\.\d{1,6})?$/

/** The number before each of these words, which may also be written onto it: `1.2 GB`, `1.2GB`. */
function numbersBefore(words: readonly string[], unit: RegExp, form: RegExp): number[] {
  return words.flatMap((word, at) => {
    const joined = word.match(/^([\d.]+)([a-z]+)$/)
    const [number, name] = joined === null ? [words[at - 1] ?? '', word] : [joined[1]!, joined[2]!]
    return unit.test(name) ? [form.test(number) ? Number(number) : Number.NaN] : []
  })
}

/** The list behind `on`, of however many words, and the words without it: `24, 24, 48 GB` are memories and no layer. */
function readMemories(words: readonly string[]) {
  const from = words.indexOf('on') + 1
  if (from === 0) return { memories: [], others: words }
  const stop = words.findIndex((word, at) => at >= from && !/^(?:[\d.,]|gb)+$/.test(word))
  const end = stop === -1 ? words.length : stop
  const list = words.slice(from, end).join('').replaceAll('gb', '').replace(/,$/, '').split(',')
  const memories = list.map((part) => (DECIMAL.test(part) ? Number(part) : Number.NaN))
  return { memories, others: words.toSpliced(from - 1, end - from + 1) }
}

interface Needed {
  field: string
  type: string
  example: unknown
  value: unknown
}

export function meshPrompt(prompt: string): Structured | NeedsInput {
  const said = prompt.toLowerCase().split(/\s+/)
  const { memories, others } = readMemories(said.map((word) => word.replace(/[;:.]$/, '')))
  const words = others.map((word) => word.replace(/,$/, ''))
  const within = (value: number | undefined, low: number, high: number) =>
    value !== undefined && value >= low && value <= high ? value : undefined
  /** What is said twice is not understood. */
  const once = (values: number[], low: number, high: number) =>
    values.length === 1 ? within(values[0], low, high) : undefined
  const layers = once(numbersBefore(words, /^layers?$/, WHOLE), 1, 200)
  const gb_per_layer = once(numbersBefore(words, /^gb$/, DECIMAL), 1e-6, 1e4)
  const isList = memories.length > 0 && memories.length <= 32 && memories.every((gb) => within(gb, 1e-6, 1e6))
  const profile = PROFILES.find((name) => words.includes('profile') && words[words.indexOf('profile') + 1] === name)
  const counts = numbersBefore(words, /^tokens?$/, WHOLE)
  const tokens = once(counts, 1, 2048)
  const needed: Needed[] = [
    { field: 'model.layers', type: 'whole number', example: 70, value: layers },
    { field: 'model.gb_per_layer', type: 'number', example: 1.2, value: gb_per_layer },
    { field: 'nodes', type: 'list of GB', example: [24, 24, 48], value: isList ? memories : undefined },
    { field: 'profile', type: PROFILES.join(' | '), example: 'lan', value: profile },
  ]
  if (counts.length > 0) needed.push({ field: 'tokens', type: 'whole number', example: 256, value: tokens })
  const missing = needed.filter(({ value }) => value === undefined)
  if (missing.length > 0) {
    const understood = needed.filter(({ value }) => value !== undefined)
    return new NeedsInput(
      Object.fromEntries(understood.map(({ field, value }) => [field, value])),
      missing.map(({ field, type, example }) => ({ field, type, example })),
    )
  }
  return {
    op: 'plan',
    nodes: memories.map((mem_gb, at) => ({ id: `n${at + 1}`, mem_gb })),
    model: { layers, gb_per_layer },
    profile,
    ...(tokens === undefined ? {} : { tokens }),
    ...(words.includes('throughput') ? { objective: 'throughput' } : {}),
  }
}
