import { parseJsonText } from '@orch/core'
import type { ToolOutput } from '../../domain/tools/basic.ts'
import { AnyObject } from '../../domain/wire.ts'
import { APPENDING, InputError, ServiceError } from '../../errors.ts'
import { type Call, operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { readRequest } from './request.ts'
import { type OrganPorts, runOrgan } from './run.ts'
import type { McpPorts, ToolHost, ToolReply } from './tool/tools.ts'

type Deps = Pick<Ports, 'recorder'> & OrganPorts & McpPorts

/** The tools of N14 for clients of the Model Context Protocol: each call is a run of the organ, with its receipt. */
export const mcp = (deps: Deps) => [
  operation({
    id: 'organs.mcp',
    group: 'Organs',
    method: 'POST',
    path: '/mcp',
    scope: 'organs:run',
    summary: 'The tools of the organ N14 for clients of the Model Context Protocol',
    description:
      'One JSON-RPC message of revision 2026-07-28 or 2025-11-25 (streamable HTTP without sessions and streams). An `Accept` that names types must name both, as the protocol demands (`Accept: application/json, text/event-stream`), or the answer is 406; `*/*` and no such header take both. A call of a tool is a run of N14 and leaves its receipt, named in `_meta` of the result.',
    body: AnyObject,
    bodyRule: {
      required: ['jsonrpc'],
      anyOf: [{ required: ['method'] }, { required: ['result'] }, { required: ['error'] }],
    },
    reply: AnyObject,
    ownStatuses: {
      202: 'The message was a notification or a reply, which has no answer',
      400: 'A JSON-RPC error: the message is not one of the protocol, or of a revision that is not spoken',
      406: 'A JSON-RPC error: `Accept` names types and not both that the protocol demands',
    },
    labels: ['MEASURED'],
    errors: ['organ_failed', ...APPENDING],
    example: {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'example', version: '1.0.0' } },
      },
    },
    async run(call) {
      const { tools, serve } = deps.mcp
      const host: ToolHost = { tools, call: (name, args) => recordedCall(deps, call, name, args) }
      const response = await serve(call.body, call.headers, host)
      const text = await response.text()
      return new Reply(text === '' ? null : (parseJsonText(text) as object), { status: response.status })
    },
  }),
]

async function recordedCall(
  { recorder, organs: { all, gauges } }: Pick<Deps, 'recorder' | 'organs'>,
  call: Call,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolReply> {
  const registered = all.get('N14')!
  try {
    const request = await readRequest(registered.organ, { op: 'call', name, arguments: args })
    const { body } = await recorder.record(call, 'organs.run', {
      decide: () => runOrgan(registered, request, call, gauges),
    })
    return toReply(body as RecordedRun)
  } catch (error) {
    if (error instanceof InputError)
      return {
        kind: 'invalid',
        message: error.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; '),
      }
    if (error instanceof ServiceError) return { kind: 'error', message: `${error.code}: ${error.message}` }
    throw error
  }
}

interface RecordedRun {
  status: string
  receipt: { receipt_id: string; verify_url: string }
  result: null | {
    reasons: string[]
    allow_list: string[]
    output_text: string | null
    error: string | null
    review_ref: string | null
  }
}

function toReply({ status, result, receipt: { receipt_id, verify_url } }: RecordedRun): ToolReply {
  const meta = { 'orch/receipt': receipt_id, 'orch/verify': verify_url, 'orch/status': status }
  if (result === null) return { kind: 'error', message: status, meta }
  // The text has every digit; the result is rounded.
  if (result.output_text !== null)
    return { kind: 'output', output: parseJsonText(result.output_text) as ToolOutput, meta }
  const { error, reasons, allow_list, review_ref } = result
  const allowed = allow_list.length > 0 ? `; the tools are ${allow_list.join(', ')}` : ''
  const review = review_ref === null ? '' : `; not made and not queued, present ${review_ref} to a person`
  return { kind: 'error', message: error ?? `${status}: ${reasons.join(', ')}${allowed}${review}`, meta }
}
