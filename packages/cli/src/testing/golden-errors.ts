// The golden file of errors: requests and command lines that are mistaken or hostile, and what is answered to each. The
// file holds both; this module makes them anew against a real service and in real processes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runOrch } from './run-orch.ts'

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url))

export const GOLDEN_FILE = fileURLToPath(new URL('./golden-errors.json', import.meta.url))

type HttpCase = {
  /** `METHOD /path`, or the bytes of a whole request where no client would send it. */
  request?: string
  raw?: string
  headers?: Record<string, string>
  body?: unknown
  /** Repeated so many times, for what is too long. */
  text?: string
  /** At the service that has a credential registry. */
  registry?: true
  /** Sent first; its answer is not looked at. */
  before?: unknown
}
type CliCase = { command: string[]; input?: string; env?: Record<string, string>; files?: Record<string, string> }

type Answer = { status: number; place: string; message: string }
type GoldenHttp = HttpCase & { answer: Answer }
type GoldenCli = CliCase & { answer: { exit: number | null; message: string } }
type Golden = { schema: 'orch.golden-errors/v1'; http: GoldenHttp[]; cli: GoldenCli[] }

export const readGolden = (): Golden => JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')) as Golden

const START_MS = 150_000

type Running = { url: string; close(): Promise<void> }
type Start = (options: { startMs: number; env?: Record<string, string> }) => Promise<Running>

/** Two services: one open on this machine, one with the credentials that the command line made. */
export async function startBoth(
  home: string,
  start: Start,
): Promise<{ open: Running; closed: Running; close(): Promise<void> }> {
  const file = join(home, 'credentials.json')
  const make = async (...args: string[]) => {
    const { code, stdout, stderr } = await runOrch(['credentials', ...args, '--file', file], { home })
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const reader = await make('add', 'reader', '--scope', 'receipts:read')
  const gone = await make('add', 'gone', '--role', 'admin')
  await make('revoke', 'gone')
  // One after the other: on a busy machine two starts at once take longer than each may.
  const open = await start({ startMs: START_MS })
  const closed = await start({ startMs: START_MS, env: { ORCH_CREDENTIALS: file } })
  writeFileSync(join(home, 'token.txt'), `${reader}\n`)
  writeFileSync(join(home, 'gone.txt'), `${gone}\n`)
  const close = async () => void (await Promise.all([open.close(), closed.close()]))
  return { open, closed, close }
}

type Places = { open: string; closed: string; home: string }

const tokenIn = (home: string, name: string): string => readFileSync(join(home, name), 'utf8').trim()

export async function askHttp(one: HttpCase, { open, closed, home }: Places): Promise<Answer> {
  const url = one.registry ? closed : open
  if (one.raw !== undefined) return rawAnswer(one.raw, url)
  const [method = 'GET', path = '/'] = one.request!.split(' ')
  const send = async (body: unknown): Promise<Answer> => {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const headers = Object.entries({
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...one.headers,
    })
    const filled = headers.map(([name, value]) => [
      name,
      value.replace('$READER', () => tokenIn(home, 'token.txt')).replace('$GONE', () => tokenIn(home, 'gone.txt')),
    ])
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: Object.fromEntries(filled),
      ...(text === undefined ? {} : { body: text.replace('$LONG', 'x'.repeat(Number(one.text ?? 0))) }),
    })
    return readAnswer(reply.status, await reply.text())
  }
  if (one.before !== undefined) await send(one.before)
  return send(one.body)
}

function readAnswer(status: number, text: string): Answer {
  const reply = JSON.parse(text) as {
    detail?: { loc: (string | number)[]; msg: string }[]
    error?: { message: string }
  }
  const [fault] = reply.detail ?? []
  if (fault) return { status, place: fault.loc.join('.'), message: masked(fault.msg) }
  const message = masked(reply.error?.message ?? '')
  return { status, place: placeIn(message), message }
}

/** What differs from one run to the next. */
const masked = (text: string): string =>
  text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT').replace(/log of \d+ entries/, 'log of N entries')

function rawAnswer(raw: string, url: string): Promise<Answer> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(raw))
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    socket.on('error', reject).on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      resolve(readAnswer(Number(head.split(' ')[1]), body))
    })
  })
}

export async function runCli(
  one: CliCase,
  { open, closed, home }: Places,
  number: number,
): Promise<{ exit: number | null; message: string; stdout: string }> {
  const folder = join(home, `case-${number}`)
  mkdirSync(folder)
  for (const [name, text] of Object.entries(one.files ?? {})) writeFileSync(join(folder, name), text)
  const fill = (text: string) => text.replace('$CLOSED', closed).replace('$HOME', home)
  const env = { ORCH_BASE_URL: open, ...one.env }
  const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]))
  const { code, stdout, stderr } = await runOrch(one.command.map(fill), {
    home: folder,
    env: filled,
    input: one.input ?? '',
  })
  const message = masked(
    stderr
      .trimEnd()
      .replaceAll(folder, '$FOLDER')
      .replaceAll(home, '$HOME')
      .replaceAll(REPOSITORY, '$REPOSITORY/')
      .replace(/ \(request [0-9a-f]{32}\)/g, ''),
  )
  return { exit: code, message, stdout }
}

// The rule. A message says where the fault is, what is wrong, and one thing that helps.
const CAUSE =
  /\b(?:is|are|was|has|have|had|must|no|not|cannot|missing|needs|does|holds|lacks|names|came|says|unknown|several|taken|lost|refused|answers?)\b/i

const HELPS: Readonly<Record<string, RegExp>> = {
  allowed:
    /\bone of\b|\ballowed:|\bknown:|\bthe roles are\b|\bfrom -?\d+ to \d+|\bof \d+ to \d+|\b\d+ to \d+ visible|\bat (?:most|least) -?\d+|\btrue or false\b|\bN1 to N25\b|\buse (?:GET|HEAD|POST)|characters that the service reads|has 0 to \d+/,
  example:
    /\bsuch as\b|\bfor example\b|\bdid you mean\b|\bsend (?:Authorization|Content-Type|Content-Encoding|Host)\b|looks like/,
  command: /\borch [a-z]+|\bcurl\b|\bnpm \w+|\b(?:GET|POST) \/|\biconv\b/,
  variable: /\bORCH_[A-Z_]+/,
}

const helpsOf = (message: string): string[] =>
  Object.entries(HELPS).flatMap(([kind, pattern]) => (pattern.test(message) ? [kind] : []))

/** Where no field is at fault the message itself names the place: every kind of error has one. */
const HTTP_PLACE =
  /\b(?:(?:path|body|query)\.[\w.-]*\w|path(?: "?\/[^\s";?]+)?|setting ORCH_[A-Z_]+|method|header [A-Z][A-Za-z-]+|body|query|request line|credential|connection|receipt [0-9a-f]{64}|chain \S+|[a-z]+_id|keyid|the log)\b/
const placeIn = (message: string): string => HTTP_PLACE.exec(message)?.[0] ?? ''
/** A flag, an argument as the usage line spells it, a setting, or the place that the service named. */
const CLI_PLACE =
  /(?:^|[\s'(])--?[a-z][a-z-]*|\b(?:COMMAND|TOPIC|FILE|FOLDER|TEXT|ID|NAME|INDEX|PREFIX|KEYID|SHELL|CASES|RECEIPT|REVIEW_ID|OPERATION_ID)\b|\bORCH_[A-Z_]+:|\b(?:query|body|path|header)\.[\w.-]+|\w+\.(?:yaml|json|jsonl|pub|note|cedar)\b|127\.0\.0\.1:PORT|"[^"]*" names no receipt/

/** What a message lacks of place, cause and help. */
export function lackingParts(message: string, place: 'cli' | string): string[] {
  const isNamed = place === 'cli' ? HTTP_PLACE.test(message) || CLI_PLACE.test(message) : place !== ''
  return [
    ...(isNamed ? [] : ['place']),
    ...(CAUSE.test(message) ? [] : ['cause']),
    ...(helpsOf(message).length > 0 ? [] : ['help']),
  ]
}
