/** N11 Tune: whether a model could be fine-tuned here. It never could: the organ probes, says what it found and what is
 *  missing, and never gives a number. */
import Type, { type Static } from 'typebox'
import { exactly } from '../../../domain/wire.ts'
import { type Attachment, type Organ, op } from '../organ.ts'

const MAX_ROW_CHARACTERS = 8192

const Preflight = Type.Object(
  {
    base_model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    dataset: Type.Optional(Type.String({ minLength: 1, maxLength: 8192 })),
    lora_r: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
    lora_alpha: Type.Optional(Type.Number({ minimum: 0, maximum: 4096 })),
    lora_dropout: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    learning_rate: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    epochs: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    sample: Type.Optional(
      Type.Array(Type.Object({ prompt: Type.String(), completion: Type.String() }, exactly), { maxItems: 50 }),
    ),
  },
  exactly,
)

/** What one look at the machine found. */
export interface Probe {
  probe: string
  found: boolean
  at: string
}

const REASON = 'this build has no training code: it can check a configuration and nothing more'
const TO_ENABLE = [
  'run the training on a machine with an accelerator and a trainer of your own',
  'serve the tuned weights from an OpenAI-compatible server and list it in ORCH_UPSTREAMS',
]

export const tune = (probes: (signal: AbortSignal) => Promise<Probe[]>, hasTrainer = false): Organ => ({
  id: 'N11',
  version: '1.0.0',
  ops: {
    preflight: op({
      summary: 'Checks a fine-tuning configuration, probes the machine and refuses',
      request: Preflight,
      result: Type.Null(),
      isolation: 'inline',
      deadlineMs: 1000,
      maxWork: 50,
      estimate: ({ sample }) => sample?.length ?? 0,
      async run(request, { now, signal }) {
        const checked = await probes(signal)
        const lint = lintAttachment(request, new Date(now()).toISOString())
        return { status: 'UNAVAILABLE', result: null, evidence: { checked }, attachments: [lint] }
      },
    }),
  },
  fromPrompt: (prompt) => ({ op: 'preflight', dataset: prompt }),
  example: { request: { op: 'preflight' }, prompt: 'support-tickets' },
  evidence: { reason: REASON, to_enable: TO_ENABLE },
  backends: [{ env: 'ORCH_ORGAN_N11_URL', configured: hasTrainer, adds: 'whether a trainer answers there' }],
})

/** What can be said of a configuration by looking at it. */
function lintAttachment(request: Static<typeof Preflight>, readAt: string): Attachment {
  const rows = request.sample ?? []
  const seen = new Set<string>()
  const problems: string[] = request.base_model === undefined ? ['base_model is missing'] : []
  for (const [at, { prompt, completion }] of rows.entries()) {
    const text = `${prompt}\u0000${completion}`
    if (prompt.trim() === '' || completion.trim() === '') problems.push(`sample row ${at} has an empty side`)
    if (text.length > MAX_ROW_CHARACTERS) problems.push(`sample row ${at} is too long`)
    if (seen.has(text)) problems.push(`sample row ${at} repeats an earlier one`)
    seen.add(text)
  }
  const about = { kind: 'lint', label: 'STRUCTURAL-ONLY', mode: 'local', source: 'request', read_at: readAt }
  return { ...about, value: { problems }, reason: null }
}
