/** What is on the screen as a line for a shell. The token is never in it: the shell has its own. */
import { addressOf, type Input, type OperationId, rowOf } from '@orch/client'

export function curlOf<Id extends OperationId>(operation: Id, input: Input<Id>, hasToken: boolean): string {
  const row = rowOf(operation)
  const { body } = input as { body?: unknown }
  const parts = [
    `curl -sS '${quoted(addressOf(location.origin, row, input as Parameters<typeof addressOf>[2]))}'`,
    row.method === 'GET' ? null : `-X ${row.method}`,
    hasToken ? '-H "Authorization: Bearer $ORCH_TOKEN"' : null,
    body === undefined ? null : `-H 'content-type: application/json' -d '${quoted(JSON.stringify(body))}'`,
  ]
  return parts.filter((part) => part !== null).join(' \\\n  ')
}

/** Inside single quotes only the quote itself ends them. */
const quoted = (text: string): string => text.replaceAll("'", "'\\''")
