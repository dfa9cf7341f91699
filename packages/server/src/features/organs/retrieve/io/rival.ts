/** A ranking by the operator's own embeddings server. It stands beside the result and never in it. */
import Type from 'typebox'
import type { JsonExchange } from '../../../../adapters/outbound/contract.ts'
import { read } from '../../../../platform/shape.ts'
import type { Attachment } from '../../organ.ts'
import { cosine } from '../../search/vectors.ts'
import type { RivalRanking } from '../organ.ts'

/** Within the deadline of the op. */
const LIMITS = { status: 200, deadlineMs: 600, maxBytes: 4 * 1024 * 1024 }
const Vector = Type.Array(Type.Number(), { minItems: 1, maxItems: 8192 })
const Reply = Type.Object({ data: Type.Array(Type.Object({ index: Type.Integer(), embedding: Vector })) })

/** `url` is the whole address of an OpenAI-compatible embeddings endpoint; its query may name the model. */
export const rivalRanking =
  (url: string, exchange: JsonExchange): RivalRanking =>
  async (query, texts, { signal, now }) => {
    const address = new URL(url)
    const model = address.searchParams.get('model') ?? 'default'
    address.searchParams.delete('model')
    const body = JSON.stringify({ model, input: [query, ...texts.map(({ text }) => text)] })
    const answer = await exchange({ url: address.href, body, ...LIMITS }, signal)
    // The rest of the address may hold a token.
    const about = { kind: 'ranking', source: address.origin, read_at: new Date(now()).toISOString() }
    const missing = (reason: string): Attachment => ({
      ...about,
      ...{ label: 'UNAVAILABLE', mode: 'unreachable', value: null, reason },
    })
    if (!answer.ok) return missing(answer.code)
    const shaped = read(Reply, answer.value)
    if (!shaped.ok) return missing('INVALID_SOURCE_SCHEMA')
    const vectors = new Map(shaped.value.data.map(({ index, embedding }) => [index, embedding]))
    const asked = vectors.get(0)
    const found = texts.map(({ id }, at) => ({ id, vector: vectors.get(at + 1) }))
    if (asked === undefined || found.some(({ vector }) => vector?.length !== asked.length))
      return missing('INCONSISTENT_SOURCE')
    const ranking = found.map(({ id, vector }) => ({ id, cosine: Number(cosine(asked, vector!).toFixed(6)) }))
    ranking.sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
    return { ...about, label: 'MODELED', mode: 'live', value: { model, ranking }, reason: null }
  }
