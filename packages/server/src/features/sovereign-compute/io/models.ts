/** Asks the model endpoints that the operator configured whether they answer. */
import Type from 'typebox'
import type { JsonExchange, Outbound } from '../../../adapters/outbound/contract.ts'
import { OutboundFault } from '../../../adapters/outbound/contract.ts'
import { read } from '../../../platform/shape.ts'
import type { Answer, Endpoint } from '../models.ts'

const LIMITS = { deadlineMs: 1_500, maxBytes: 1024 * 1024 }
const ModelList = Type.Object({ data: Type.Array(Type.Object({ id: Type.String() })) })
const Vectors = Type.Object({
  data: Type.Array(Type.Object({ embedding: Type.Array(Type.Number(), { minItems: 1 }) })),
})

/** A target by its provider: the one way out holds its key. */
export interface ModelEndpoint extends Endpoint {
  provider: string
  /** Of the OpenAI interface, without a slash at its end. */
  baseUrl: string
  model: string | null
}

/** The list of its models; whether the configured one is in it is a fact beside the answer. */
export async function askModels(outbound: Pick<Outbound, 'get'>, endpoint: ModelEndpoint): Promise<Answer> {
  const outcome = await outbound.get(
    endpoint.provider,
    `${endpoint.baseUrl}/models`,
    {},
    { ...LIMITS, normalise: modelIds },
  )
  if (!outcome.ok) return { ok: false, code: outcome.state === 'STALE' ? outcome.failure.code : outcome.code }
  const [ids, { model }] = [outcome.value, endpoint]
  return { ok: true, facts: { model, model_listed: model === null ? null : ids.includes(model), models: ids.length } }
}

function modelIds(reply: unknown): string[] {
  const shaped = read(ModelList, reply)
  if (!shaped.ok) throw new OutboundFault('INVALID_SOURCE_SCHEMA')
  return shaped.value.data.map(({ id }) => id)
}

/** One word is embedded: an endpoint that answers can do what it is there for. */
export async function askEmbeddings(exchange: JsonExchange, url: string): Promise<Answer> {
  const address = new URL(url)
  const model = address.searchParams.get('model') ?? 'default'
  address.searchParams.delete('model')
  const body = JSON.stringify({ model, input: ['probe'] })
  const answer = await exchange({ url: address.href, body, status: 200, ...LIMITS })
  if (!answer.ok) return answer
  const shaped = read(Vectors, answer.value)
  const [first] = shaped.ok ? shaped.value.data : []
  if (first === undefined) return { ok: false, code: 'INVALID_SOURCE_SCHEMA' }
  return { ok: true, facts: { dimensions: first.embedding.length } }
}
