/** The attribute names of spans that this organ reads, in one place: the semantic conventions for generative AI change. */
export const ATTRIBUTES = {
  operation: ['gen_ai.operation.name'],
  model: ['gen_ai.request.model', 'gen_ai.response.model'],
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  inputTokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
  outputTokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
  cost: ['gen_ai.usage.cost', 'orch.cost'],
  receipt: ['orch.receipt'],
  note: ['orch.note'],
} as const satisfies Record<string, readonly string[]>

export const GEN_AI = 'gen_ai.'

/** What a span about a model says, if it says anything of a model. */
export const EXPECTED = ['operation', 'model', 'provider', 'inputTokens', 'outputTokens'] as const

export type AttributeValue = string | number | boolean | (string | number | boolean)[]
type Attributes = Readonly<Record<string, AttributeValue>>

export function readAttribute(attributes: Attributes, name: keyof typeof ATTRIBUTES): AttributeValue | undefined {
  const found = ATTRIBUTES[name].find((one) => Object.hasOwn(attributes, one))
  return found === undefined ? undefined : attributes[found]
}
