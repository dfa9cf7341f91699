import { type CallArguments, isOperationId, OPERATIONS, type OperationId, rowOf } from '@orch/client'
import type { JsonValue } from '@orch/core'
import { nearest } from '@orch/core'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { jsonOf, readJson } from '../json-input.ts'
import { connect } from '../service.ts'

export default command({
  name: 'call',
  summary: 'Call any operation of the service by its id',
  usage: 'OPERATION_ID [--param NAME=VALUE] [--query NAME=VALUE] [--body JSON | --in FILE|-]',
  flags: {
    param: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'a parameter of the path' },
    query: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'a parameter of the query' },
    body: { type: 'string', value: 'JSON', help: 'the body' },
    in: { type: 'string', value: 'FILE|-', help: 'file with the body' },
    ...SERVICE_FLAGS,
  },
  example: 'orch call runtime.health',
  async run({ args, flags, settings, terminal, signal }) {
    const [id, ...more] = args
    if (id === undefined || more.length > 0) throw usage('name one operation')
    if (!isOperationId(id)) throw unknownOperation(id)
    const input = { params: pairs(flags.param), query: pairs(flags.query), body: bodyOf(flags.body, flags.in) }
    const missing = [...rowOf(id).path.matchAll(/\{([^}]+)\}/g)].find(([, name]) => !input.params[name!])
    if (missing) throw usage(`${id} needs --param ${missing[1]}=VALUE`)
    const reply: unknown = await connect(settings).call(
      id,
      ...([input, { signal }] as unknown as CallArguments<typeof id>),
    )
    await terminal.out(shown(reply, flags.json === true))
    return EXIT.done
  },
})

function unknownOperation(id: string): Error {
  const meant = nearest(id, Object.keys(OPERATIONS) as OperationId[])
  return usage(`no operation ${id}${meant ? `; did you mean ${meant}?` : '; see /openapi.json'}`)
}

function pairs(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usage(`${pair} is not NAME=VALUE`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function bodyOf(text: string | undefined, file: string | undefined): JsonValue | undefined {
  if (text !== undefined && file !== undefined) throw usage('give --body or --in, not both')
  if (text !== undefined) return jsonOf(text, 'the body')
  return file === undefined ? undefined : readJson(file, 'the body')
}

/** Text as it came; for --json everything is one object. */
function shown(reply: unknown, asJson: boolean): string {
  if (reply instanceof Uint8Array) return `${JSON.stringify({ base64: Buffer.from(reply).toString('base64') })}\n`
  if (typeof reply === 'string') return asJson ? `${JSON.stringify({ text: reply })}\n` : reply
  return `${JSON.stringify(reply, null, asJson ? 0 : 2)}\n`
}
