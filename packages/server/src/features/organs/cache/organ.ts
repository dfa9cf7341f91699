/** N19 Cache: how much prompt work a cache saves, and how often it would give the answer to another question. */
import { setImmediate as turn } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import { exactly, Nullable, words } from '../../../domain/wire.ts'
import type { Ledger } from '../../../ports.ts'
import { type Organ, type Outcome, op, type RunContext } from '../organ.ts'
import { refusal, type ScreenSecrets, SecretFinding } from '../screening.ts'
import { blockNames } from './blocks.ts'
import { EMPTY_SHA256, entryKey, KnownCaches, MAX_ENTRIES, readEntry, readSummary, writeEntry } from './entries.ts'
import { type HitKind, Replay } from './replay.ts'

const BLOCK = 16
const MAX_PROMPT = 8192
const PROMPTS_A_TURN = 25
const KINDS = ['exact', 'prefix', 'semantic', 'miss'] as const

const PromptText = Type.String({ minLength: 1, maxLength: MAX_PROMPT })
const Salt = Type.Optional(
  Type.String({ maxLength: 64, default: '', description: 'entries of another salt are never met' }),
)
const Threshold = Type.Optional(Type.Number({ minimum: 0.5, maximum: 1, default: 0.92 }))
const Capacity = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, default: MAX_ENTRIES }))

const Lookup = Type.Object({ prompt_text: PromptText, sim_threshold: Threshold, salt: Salt }, exactly)
const Looked = Type.Object(
  {
    kind: words(KINDS),
    value: Type.Optional(Type.String()),
    blocks_reused: Type.Integer(),
    tokens: Type.Integer(),
    tokens_saved: Type.Integer(),
    similarity: Nullable(Type.Number()),
    /** The blocks of the prompt are kept from now on. */
    stored: Type.Boolean(),
  },
  exactly,
)
const Put = Type.Object(
  {
    prompt_text: PromptText,
    value: Type.String({ minLength: 1, maxLength: 8192 }),
    ttl_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
    capacity: Capacity,
    salt: Salt,
  },
  exactly,
)
const ReplayRequest = Type.Object(
  {
    prompts: Type.Array(
      Type.Object({ text: PromptText, expected: Type.Optional(Type.String({ maxLength: 8192 })) }, exactly),
      { minItems: 1, maxItems: 500 },
    ),
    block: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, default: BLOCK })),
    capacity: Capacity,
    sim_threshold: Threshold,
    salt: Salt,
  },
  exactly,
)

const EXAMPLE =
  'You are a careful assistant. Answer in the language of the question and name your sources. Summarise the attached contract for a manager who has five minutes.'

interface CacheNeeds {
  ledger: Pick<Ledger, 'reader'>
  screen: ScreenSecrets
  toTokens: (text: string) => Promise<number[]>
}

const shared = { isolation: 'inline', deadlineMs: 1000, maxWork: 5_000_000 } as const

export function cache({ ledger: { reader }, screen, toTokens }: CacheNeeds): Organ {
  const caches = new KnownCaches(reader)

  const lookUp = async (
    { prompt_text: text, sim_threshold: threshold = 0.92, salt = '' }: Static<typeof Lookup>,
    { partition, now: clock, timed, reading }: RunContext,
  ): Promise<Outcome<Static<typeof Looked>>> => {
    const now = clock()
    const tokens = await timed('tokenize', () => toTokens(text))
    const read = await readSummary(reader, partition)
    const known = await caches.current(partition, read)
    const key = entryKey(partition, salt, text)
    const own = await readEntry(reader, key)
    const isFresh = own !== null && (own.value.expires === null || own.value.expires > now)
    const { blocks, reused, close } = timed('lookup', () => {
      const names = blockNames(tokens, BLOCK, partition, salt)
      return { blocks: names, reused: known.knownBlocks(names), close: known.closest(text, salt, now) }
    })
    const isExact = isFresh && own.value.value !== null
    const isClose = close !== null && close.similarity >= threshold
    const hit = isExact ? own : isClose ? await readEntry(reader, close.key) : null
    const kind: HitKind = hit === null ? (reused > 0 ? 'prefix' : 'miss') : isExact ? 'exact' : 'semantic'
    reading('entries', read.value?.entries ?? 0, 'entries', 'entries of the caller')
    const isNew = hit === null && reused < blocks.length
    const result = {
      kind,
      ...(hit === null ? {} : { value: hit.value.value! }),
      blocks_reused: reused,
      tokens: tokens.length,
      tokens_saved: hit === null ? reused * BLOCK : tokens.length,
      similarity: isExact ? 1 : (close?.similarity ?? null),
      stored: isNew,
    }
    const unchanged = read.value?.sha256 ?? EMPTY_SHA256
    if (hit === null && !isNew) return { result, state: { before_sha256: unchanged, after_sha256: unchanged } }
    const entry = hit?.value ?? { salt, blocks, tokens: tokens.length, text: null, value: null, expires: null }
    const used = hit === null ? key : hit.row.key
    const { documents, state, evicted } = await writeEntry(reader, partition, read, used, entry, MAX_ENTRIES, now)
    reading('evicted', evicted, 'entries', 'entries that made room')
    return { result, documents, state }
  }

  return {
    id: 'N19',
    version: '1.0.0',
    dependsOn: ['N3', 'N9'],
    ops: {
      lookup: op({
        ...shared,
        summary: 'Looks a prompt up: the same text, a text like it, or blocks that are known already',
        request: Lookup,
        result: Looked,
        writesState: true,
        estimate: ({ prompt_text: text }) => text.length * Math.log2(MAX_ENTRIES),
        run: lookUp,
      }),
      put: op({
        ...shared,
        summary: 'Keeps the answer to a prompt',
        request: Put,
        result: Type.Object(
          {
            stored: Type.Boolean(),
            entries: Type.Integer(),
            evicted: Type.Integer(),
            tokens: Type.Integer(),
            findings: Type.Optional(Type.Array(SecretFinding)),
          },
          exactly,
        ),
        writesState: true,
        estimate: ({ prompt_text: text, value }) => (text.length + value.length) * Math.log2(MAX_ENTRIES),
        async run({ prompt_text: text, value, ttl_s: ttl, capacity = MAX_ENTRIES, salt = '' }, context) {
          const { partition, timed, reading } = context
          const now = context.now()
          const read = await readSummary(reader, partition)
          const refused =
            (await timed('screen', () => refusal(screen, value))) ??
            (await timed('screen', () => refusal(screen, text)))
          if (refused !== null) {
            const { findings, said } = refused
            const result = { stored: false, entries: read.value?.entries ?? 0, evicted: 0, tokens: 0, findings }
            return { ...said, result }
          }
          const tokens = await timed('tokenize', () => toTokens(text))
          const blocks = blockNames(tokens, BLOCK, partition, salt)
          const expires = ttl === undefined ? null : now + ttl * 1000
          const entry = { salt, blocks, tokens: tokens.length, text, value, expires }
          const { documents, state, entries, evicted } = await timed('put', () =>
            writeEntry(reader, partition, read, entryKey(partition, salt, text), entry, capacity, now),
          )
          reading('evicted', evicted, 'entries', 'entries that made room')
          return { documents, state, result: { stored: true, entries, evicted, tokens: tokens.length } }
        },
      }),
      replay: op({
        ...shared,
        summary: 'Plays prompts through an empty cache of its own and counts hits, savings and false answers',
        request: ReplayRequest,
        result: Type.Object(
          {
            exact: Type.Integer(),
            prefix: Type.Integer(),
            semantic: Type.Integer(),
            miss: Type.Integer(),
            hit_ratio: Type.Number(),
            tokens: Type.Integer(),
            tokens_saved: Type.Integer(),
            evictions: Type.Integer(),
            false_hits: Type.Integer(),
          },
          exactly,
        ),
        estimate: ({ prompts, capacity = MAX_ENTRIES }) =>
          prompts.reduce((sum, { text }) => sum + text.length, 0) * Math.max(1, Math.log2(capacity)),
        async run(request, { partition, micros, reading }) {
          const { prompts, block = BLOCK, capacity = MAX_ENTRIES, sim_threshold: threshold = 0.92, salt = '' } = request
          const replay = new Replay({ block, capacity, threshold, tenant: partition, salt })
          const took: number[] = []
          for (const [at, prompt] of prompts.entries()) {
            if (at % PROMPTS_A_TURN === 0) await turn()
            const tokens = await toTokens(prompt.text)
            const before = micros()
            replay.play(prompt, tokens)
            took.push(micros() - before)
          }
          took.sort((a, b) => a - b)
          for (const percent of [50, 99]) {
            const at = Math.ceil((percent / 100) * took.length) - 1
            reading(`lookup_p${percent}`, took[at]!, 'us', 'process.hrtime.bigint around each lookup')
          }
          const { counts, tokens, tokensSaved, evictions, falseHits } = replay
          return {
            result: {
              ...counts,
              hit_ratio: (prompts.length - counts.miss) / prompts.length,
              ...{ tokens, tokens_saved: tokensSaved, evictions, false_hits: falseHits },
            },
          }
        },
      }),
    },
    fromPrompt(prompt) {
      const text = prompt.slice(0, MAX_PROMPT)
      return { op: 'lookup', prompt_text: text.isWellFormed() || !prompt.isWellFormed() ? text : text.slice(0, -1) }
    },
    example: {
      request: { op: 'lookup', prompt_text: EXAMPLE },
      prompt: 'Translate this sentence into French.',
    },
    evidence: {},
  }
}
