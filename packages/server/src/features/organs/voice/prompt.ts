/** `vad 200 asr 150 llm 300 tts 100 rtt 80` as a call with fixed stages; other text is what the agent says. */
import { NeedsInput, type Structured } from '../organ.ts'
import { unread } from '../unread.ts'
import { STAGES } from './call.ts'

const WORDS_PER_SECOND = 2.5
const EXAMPLE = 'vad 200 asr 150 llm 300 tts 100 rtt 80'

/** Where each number goes, the most it may be and an example. */
const FIELDS = {
  vad: ['stages.vad', 60_000, 200],
  asr: ['stages.asr', 60_000, 150],
  llm: ['stages.llm', 60_000, 300],
  tts: ['stages.tts', 60_000, 100],
  rtt: ['net.rtt_ms', 10_000, 80],
  jitter: ['net.jitter_ms', 1000, 5],
  loss: ['net.loss', 0.5, 0.01],
  budget: ['budget_ms', 60_000, 800],
} as const
type Name = keyof typeof FIELDS
const NEEDED = [...STAGES, 'rtt'] as const

const NUMBER = new RegExp(
  `(?<![\\w-])(${Object.keys(FIELDS).join('|')})\\s*[:=]?\\s*(\\d{1,6}(?:\\.\\d{1,6})?)(?:\\s*(ms|s|%))?(?![\\w%-]|[.,]\\d)`,
  'gi',
)
const IS_CALL = new RegExp(`\\b(?:${NEEDED.join('|')})\\b`, 'i')

/** In milliseconds, or a share of frames; undefined with a unit that the field does not have. */
function readValue(name: Name, number: string, unit: string): number | undefined {
  const factors: Record<string, number> = name === 'loss' ? { '': 1, '%': 0.01 } : { '': 1, ms: 1, s: 1000 }
  const factor = factors[unit.toLowerCase()]
  const value = factor === undefined ? Number.NaN : Number((Number(number) * factor).toFixed(6))
  return value <= FIELDS[name][1] && !(name === 'budget' && value < 1) ? value : undefined
}

export function voicePrompt(prompt: string): Structured | NeedsInput {
  const read = [...prompt.matchAll(NUMBER)]
  if (read.length === 0 && !(IS_CALL.test(prompt) && /\d/.test(prompt))) {
    const spoken = prompt.trim().split(/\s+/).length
    return { op: 'call', turns: [{ speaker: 'agent', start_ms: 0, dur_ms: (spoken / WORDS_PER_SECOND) * 1000 }] }
  }
  const said = (name: Name) => read.filter(([, label]) => label!.toLowerCase() === name)
  /** What is said twice is not understood. */
  const found = Object.fromEntries(
    (Object.keys(FIELDS) as Name[]).flatMap((name) => {
      const [first, ...more] = said(name)
      const value = first === undefined || more.length > 0 ? undefined : readValue(name, first[2]!, first[3] ?? '')
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Partial<Record<Name, number>>
  const lacking = (Object.keys(FIELDS) as Name[]).filter(
    (name) => found[name] === undefined && ((NEEDED as readonly Name[]).includes(name) || said(name).length > 0),
  )
  const rest = unread(prompt, read, EXAMPLE)
  if (lacking.length > 0 || rest.length > 0) {
    const missing = lacking.map((name) => {
      const [field, max, example] = FIELDS[name]
      return { field, type: `${name === 'loss' ? 'share of frames' : 'milliseconds'}, at most ${max}`, example }
    })
    return new NeedsInput(
      Object.fromEntries(Object.entries(found).map(([name, value]) => [FIELDS[name as Name][0], value])),
      [...missing, ...rest],
    )
  }
  const { rtt, jitter = 0, loss = 0, budget } = found
  return {
    op: 'call',
    turns: [
      { speaker: 'user', start_ms: 0, dur_ms: 2000 },
      { speaker: 'agent', start_ms: 2000, dur_ms: 3000 },
    ],
    stages: Object.fromEntries(STAGES.map((stage) => [stage, { p50: found[stage], p95: found[stage] }])),
    net: { rtt_ms: rtt, jitter_ms: jitter, loss },
    ...(budget === undefined ? {} : { budget_ms: budget }),
  }
}
