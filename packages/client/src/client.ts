// The typed client. It never decides what a refusal means: it hands over the reply or throws the error.
import { type EventOptions, followEvents, type LedgerEvent } from './events.ts'
import { OPERATIONS } from './generated/operations.ts'
import type { CallArguments, Grouped, OperationId, Reply } from './operations.ts'
import { type AnyInput, rowOf } from './request.ts'
import { type ClientOptions, createTransport } from './transport.ts'

export type Client = Grouped & {
  readonly baseUrl: string
  call<Id extends OperationId>(operationId: Id, ...args: CallArguments<Id>): Promise<Reply<Id>>
  events(options?: EventOptions): AsyncGenerator<LedgerEvent>
}

/** Throws on a base address or a token that is none. GET is retried; POST only with the Idempotency-Key made here. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  const call = (id: OperationId, input: AnyInput = {}, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> =>
    transport.send(rowOf(id), input, signal)
  const own = { baseUrl: transport.baseUrl, call, events: (of: EventOptions = {}) => followEvents(transport, of) }
  return { ...grouped(call), ...own } as unknown as Client
}

type Call = (id: OperationId, input?: AnyInput, options?: { signal?: AbortSignal }) => Promise<unknown>

function grouped(call: Call): Record<string, Record<string, unknown>> {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const [group, verb] = id.split(/\.(.*)/s) as [string, string]
    groups[group] ??= {}
    groups[group][verb] = (input?: AnyInput, options?: { signal?: AbortSignal }) => call(id, input, options)
  }
  return groups
}
