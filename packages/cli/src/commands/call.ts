import { fstatSync } from 'node:fs'
import { type CallArguments, isOperationId, OPERATIONS, type OperationId, rowOf } from '@orch/client'
import type { JsonValue } from '@orch/core'
import { nearest, sha256Hex } from '@orch/core'
import { command, SERVICE_FLAGS } from '../command.ts'
import { CliError, EXIT, type ExitCode, usage } from '../exit.ts'
import { jsonOf, readJson } from '../json-input.ts'
import { connect } from '../service.ts'

export default command({
  name: 'call',
  summary:
    'Call any operation of the service by its id; a decision that it makes is the exit code: 6 for deny, 7 for review',
  usage: 'OPERATION_ID [--param NAME=VALUE] [--query NAME=VALUE] [--body JSON | --in FILE|-]',
  maxArguments: 1,
  flags: {
    param: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'a parameter of the path' },
    query: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'a parameter of the query' },
    body: { type: 'string', value: 'JSON', help: 'the body' },
    in: { type: 'string', value: 'FILE|-', help: 'file with the body; - for stdin, which is not read without it' },
    ...SERVICE_FLAGS,
  },
  example: 'orch call runtime.health',
  async run({ args, flags, settings, terminal, signal }) {
    const [id] = args
    if (id === undefined) throw usage('name one OPERATION_ID: orch call runtime.health')
    if (!isOperationId(id)) throw unknownOperation(id)
    const input = {
      params: pairs('--param', flags.param),
      query: pairs('--query', flags.query),
      body: bodyOf(flags.body, flags.in),
    }
    const missing = [...rowOf(id).path.matchAll(/\{([^}]+)\}/g)].find(([, name]) => !input.params[name!])
    if (missing) throw usage(`--param ${missing[1]} is missing: orch call ${id} --param ${missing[1]}=VALUE`)
    if (input.body === undefined && rowOf(id).method === 'POST') refuseUnreadStdin(id)
    const reply: unknown = await connect(settings).call(
      id,
      ...([input, { signal }] as unknown as CallArguments<typeof id>),
    )
    const isExample = fieldsOf(reply).input_source === 'DEFAULT_EXAMPLE'
    if (!isAbout(reply, id, input.body, isExample))
      throw new CliError(EXIT.error, 'the answer is not about this body; a part of it is missing, or it was lost')
    await terminal.out(shown(reply, flags.json === true))
    if (isExample)
      terminal.say('this was the documented example: give --body JSON or --in FILE for a request of your own')
    return rowOf(id).method === 'POST' ? exitOfDecision(fieldsOf(reply).decision) : EXIT.done
  },
})

const fieldsOf = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}

/** The documented example answers nobody but a caller who sent nothing. */
function isAbout(reply: unknown, id: OperationId, body: JsonValue | undefined, isExample: boolean): boolean {
  const { text, ...rest } = fieldsOf(body)
  if (isExample) return body === undefined || (text === undefined && Object.keys(rest).length === 0)
  if (!id.startsWith('governance.govern') || typeof text !== 'string') return true
  return fieldsOf(reply).input_sha256 === sha256Hex(text)
}

/** A body that somebody pipes in and nobody reads would be lost without a word. */
function refuseUnreadStdin(id: OperationId): void {
  const stdin = stdinStats()
  if (stdin?.isFIFO() || (stdin?.isFile() && stdin.size > 0))
    throw usage(
      `stdin is a pipe or a file, and --in does not say what to do with it: orch call ${id} --in - sends it as the body, < /dev/null sends none`,
    )
}

function stdinStats() {
  try {
    return fstatSync(0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EBADF') return null
    throw error
  }
}

const exitOfDecision = (decision: unknown): ExitCode =>
  decision === 'deny' ? EXIT.denied : decision === 'review' ? EXIT.review : EXIT.done

function unknownOperation(id: string): Error {
  const meant = nearest(id, Object.keys(OPERATIONS) as OperationId[])
  return usage(
    `OPERATION_ID ${id}: there is no such operation; ${meant ? `did you mean ${meant}?` : 'orch call runtime.openapi lists them'}`,
  )
}

function pairs(flag: string, given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usage(`${flag} ${pair}: not NAME=VALUE, such as ${flag} limit=5`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function bodyOf(text: string | undefined, file: string | undefined): JsonValue | undefined {
  if (text !== undefined && file !== undefined)
    throw usage('give --body or --in, not both: orch call khipu.sign --body \'{"note":"hello"}\'')
  if (text !== undefined) return jsonOf(text, '--body')
  return file === undefined ? undefined : readJson(file, `--in ${file}`)
}

/** Text as it came; for --json everything is one object. */
function shown(reply: unknown, asJson: boolean): string {
  if (reply instanceof Uint8Array) return `${JSON.stringify({ base64: Buffer.from(reply).toString('base64') })}\n`
  if (typeof reply === 'string') return asJson ? `${JSON.stringify({ text: reply })}\n` : reply
  return `${JSON.stringify(reply, null, asJson ? 0 : 2)}\n`
}
