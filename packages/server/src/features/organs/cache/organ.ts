/** N19 Cache: how much prompt work a cache saves, and how often it would give the answer to another question. */
import { setImmediate as turn } from 'node:timers/promises'
import Type from 'typebox'
import { closed, integers, Nullable, words } from '../../../domain/wire.ts'
import { nearestRank } from '../../../platform/ring.ts'
import type { Ledger } from '../../../ports.ts'
import { fitting, type Organ, op, type RunContext } from '../organ.ts'
import { refusal, type ScreenSecrets, SecretFinding } from '../screening.ts'
import { registerIndexes } from '../search/thread.ts'
import { blockNames } from './blocks.ts'
import { entryKey, MAX_ENTRIES, readEntry, readSummary, sourceOf, writeEntry } from './entries.ts'
import type { EntryQuery, KnownAnswer } from './known-entries.ts'
import { type HitKind, KINDS, Replay } from './replay.ts'
import { differenceOf } from './same-question.ts'

const openIndexes = registerIndexes<EntryQuery, KnownAnswer>('cache', new URL('./entries-job.ts', import.meta.url))

const BLOCK = 16
const MAX_PROMPT = 8192

const PromptText = Type.String({ minLength: 1, maxLength: MAX_PROMPT })
const Salt = Type.Optional(
  Type.String({ maxLength: 64, default: '', description: 'entries of another salt are never met' }),
)
const Threshold = Type.Optional(Type.Number({ minimum: 0.5, maximum: 1, default: 0.92 }))
const Capacity = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, default: MAX_ENTRIES }))

const Lookup = closed({ prompt_text: PromptText, sim_threshold: Threshold, salt: Salt })
const Looked = closed({
  kind: words(KINDS),
  value: Type.Optional(Type.String()),
  ...integers('blocks_reused', 'tokens', 'tokens_saved'),
  similarity: Nullable(Type.Number()),
  /** The blocks of the prompt are kept from now on. */
  stored: Type.Boolean(),
})
const Put = closed({
  prompt_text: PromptText,
  value: Type.String({ minLength: 1, maxLength: 8192 }),
  ttl_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  capacity: Capacity,
  salt: Salt,
})
const ReplayRequest = closed({
  prompts: Type.Array(closed({ text: PromptText, expected: Type.Optional(Type.String({ maxLength: 8192 })) }), {
    minItems: 1,
    maxItems: 500,
  }),
  block: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, default: BLOCK })),
  capacity: Capacity,
  sim_threshold: Threshold,
  salt: Salt,
})

const EXAMPLE =
  'You are a careful assistant. Answer in the language of the question and name your sources. Summarise the attached contract for a manager who has five minutes.'

const LIKE = {
  code: 'SIMILAR_NOT_EQUAL',
  detail:
    'a semantic hit shares words, their order, numbers, negations and names with the prompt it answers; a word of the opposite sense is not noticed',
}
const otherQuestion = (difference: string) => ({
  code: 'OTHER_QUESTION',
  detail: `the closest prompt is similar enough and differs in ${difference}, so its answer is not given`,
})

interface CacheNeeds {
  ledger: Pick<Ledger, 'reader'>
  screen: ScreenSecrets
  toTokens: (texts: readonly string[]) => Promise<number[][]>
}

export function cache({ ledger: { reader }, screen, toTokens }: CacheNeeds): Organ {
  const indexes = openIndexes()
  const tokenize = async (text: string, { timed }: RunContext) => (await timed('tokenize', () => toTokens([text])))[0]!
  const shared = { isolation: 'inline', deadlineMs: 1000, maxWork: 5_000_000, load: () => toTokens([]) } as const

  return {
    id: 'N19',
    version: '1.1.0',
    dependsOn: ['N3', 'N9'],
    ops: {
      lookup: op({
        ...shared,
        isolation: 'worker',
        summary: 'Looks a prompt up: the same text, a text like it, or blocks that are known already',
        request: Lookup,
        result: Looked,
        writesState: true,
        estimate: ({ prompt_text: text }) => text.length * Math.log2(MAX_ENTRIES),
        async load(_request, { partition, now, timed }) {
          const read = await readSummary(reader, partition)
          const index = () => indexes.ready(reader, sourceOf(partition, read, now()))
          await Promise.all([timed('index', index), toTokens([])])
        },
        async run({ prompt_text: text, sim_threshold: threshold = 0.92, salt = '' }, context) {
          const { partition, timed, reading } = context
          const now = context.now()
          const tokens = await tokenize(text, context)
          const read = await readSummary(reader, partition)
          const key = entryKey(partition, salt, text)
          const own = await readEntry(reader, key)
          const isFresh = own !== null && (own.value.expires === null || own.value.expires > now)
          const blocks = blockNames(tokens, BLOCK, partition, salt)
          const { reused, close } = await timed('lookup', () =>
            indexes.ask(reader, sourceOf(partition, read, now), { text, salt, blocks, now }),
          )
          const isExact = isFresh && own.value.value !== null
          const isClose = !isExact && close !== null && close.similarity >= threshold
          const like = isClose ? await readEntry(reader, close.key) : null
          const difference = like === null ? null : differenceOf(text, like.value.text ?? '')
          const hit = isExact ? own : difference === null ? like : null
          const limits = like === null ? [] : [difference === null ? LIKE : otherQuestion(difference)]
          const kind: HitKind = hit === null ? (reused > 0 ? 'prefix' : 'miss') : isExact ? 'exact' : 'semantic'
          reading('entries', read.entries, 'entries', 'entries of the caller')
          const isNew = hit === null && reused < blocks.length
          const result = {
            kind,
            ...(hit === null ? {} : { value: hit.value.value! }),
            blocks_reused: reused,
            tokens: tokens.length,
            tokens_saved: hit === null ? reused * BLOCK : tokens.length,
            similarity: isExact ? 1 : (close?.similarity ?? null),
            stored: isNew && !context.dryRun,
          }
          if (hit === null && !isNew)
            return { result, limits, state: { before_sha256: read.sha256, after_sha256: read.sha256 } }
          const entry = hit?.value ?? { salt, blocks, tokens: tokens.length, text: null, value: null, expires: null }
          const used = hit === null ? key : hit.row.key
          const { documents, state, evicted } = await writeEntry(reader, partition, read, used, entry, MAX_ENTRIES, now)
          reading('evicted', context.dryRun ? 0 : evicted, 'entries', 'entries that made room')
          return { result, limits, documents, state }
        },
      }),
      put: op({
        ...shared,
        summary: 'Keeps the answer to a prompt',
        request: Put,
        result: closed({
          stored: Type.Boolean(),
          ...integers('entries', 'evicted', 'tokens'),
          findings: Type.Optional(Type.Array(SecretFinding)),
        }),
        writesState: true,
        estimate: ({ prompt_text: text, value }) => (text.length + value.length) * Math.log2(MAX_ENTRIES),
        async run({ prompt_text: text, value, ttl_s: ttl, capacity = MAX_ENTRIES, salt = '' }, context) {
          const { partition, timed, reading } = context
          const now = context.now()
          const read = await readSummary(reader, partition)
          const refused =
            (await timed('screen', () => refusal(screen, value))) ??
            (await timed('screen', () => refusal(screen, text)))
          const nothing = { stored: false, entries: read.entries, evicted: 0, tokens: 0 }
          if (refused !== null) return { ...refused.said, result: { ...nothing, findings: refused.findings } }
          const tokens = await tokenize(text, context)
          const blocks = blockNames(tokens, BLOCK, partition, salt)
          const expires = ttl === undefined ? null : now + ttl * 1000
          const entry = { salt, blocks, tokens: tokens.length, text, value, expires }
          const { documents, state, entries, evicted } = await timed('put', () =>
            writeEntry(reader, partition, read, entryKey(partition, salt, text), entry, capacity, now),
          )
          reading('evicted', context.dryRun ? 0 : evicted, 'entries', 'entries that made room')
          return { documents, state, result: { stored: !context.dryRun, entries, evicted, tokens: tokens.length } }
        },
      }),
      replay: op({
        ...shared,
        summary: 'Plays prompts through an empty cache of its own and counts hits, savings and false answers',
        request: ReplayRequest,
        result: closed({
          ...integers(...KINDS, 'tokens', 'tokens_saved', 'evictions'),
          /** Null where no prompt says what it expects. */
          false_hits: Nullable(Type.Integer()),
          hit_ratio: Type.Number(),
        }),
        estimate: ({ prompts, capacity = MAX_ENTRIES }) =>
          prompts.reduce((sum, { text }) => sum + text.length, 0) * Math.max(1, Math.log2(capacity)),
        async run(request, { partition, micros, reading }) {
          const { prompts, block = BLOCK, capacity = MAX_ENTRIES, sim_threshold: threshold = 0.92, salt = '' } = request
          const replay = new Replay({ block, capacity, threshold, tenant: partition, salt })
          const took: number[] = []
          const cut = await toTokens(prompts.map(({ text }) => text))
          for (const [at, prompt] of prompts.entries()) {
            await turn()
            const before = micros()
            replay.play(prompt, cut[at]!)
            took.push(micros() - before)
          }
          took.sort((a, b) => a - b)
          for (const percent of [50, 99])
            reading(`lookup_p${percent}`, nearestRank(took, percent)!, 'us', 'process.hrtime.bigint around each lookup')
          const { counts } = replay
          const isJudged = prompts.some(({ expected }) => expected !== undefined)
          return {
            result: {
              ...counts,
              false_hits: isJudged ? counts.false_hits : null,
              hit_ratio: (prompts.length - counts.miss) / prompts.length,
            },
            limits: counts.semantic > 0 ? [LIKE] : [],
          }
        },
      }),
    },
    fromPrompt: (prompt) =>
      fitting(prompt, { field: 'prompt_text', max: MAX_PROMPT, example: EXAMPLE }, (text) => ({
        op: 'lookup',
        prompt_text: text,
      })),
    example: { request: { op: 'lookup', prompt_text: EXAMPLE }, prompt: 'Translate this sentence into French.' },
    evidence: {},
  }
}
