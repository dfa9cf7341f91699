/** One call of an operation as a line for a shell, in TypeScript and in Python. No token is ever in it. */
import { addressOf, type OperationRow } from '@orch/client'

export interface CallInput {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body?: unknown
}

export function typescriptOf(id: string, input: CallInput, origin: string, hasToken: boolean): string {
  const parts = Object.entries(input).filter(([, part]) => part !== undefined && !isEmpty(part))
  const args = parts.length === 0 ? '' : `, ${literal(Object.fromEntries(parts), TYPESCRIPT, '')}`
  const token = hasToken ? ', token: process.env.ORCH_TOKEN' : ''
  return [
    "import { createClient } from '@orch/client'",
    '',
    `const client = createClient({ baseUrl: '${origin}'${token} })`,
    `const reply = await client.call('${id}'${args})`,
    'console.log(reply)',
  ].join('\n')
}

/** The client for Python reads JSON; what is something else is read with the standard library. */
export function pythonOf(
  row: OperationRow,
  input: CallInput,
  origin: string,
  hasToken: boolean,
  isJson: boolean,
): string {
  const path = addressOf('', row, input)
  if (!isJson)
    return [
      'from urllib.request import Request, urlopen',
      '',
      `request = Request("${origin}${path}", method="${row.method}")`,
      ...(hasToken ? ['request.add_header("authorization", f"Bearer {os.environ[\'ORCH_TOKEN\']}")'] : []),
      'print(urlopen(request).read())',
    ]
      .join('\n')
      .replace(/^(?=from urllib)/, hasToken ? 'import os\n' : '')
  const body = input.body === undefined ? '' : `, ${literal(input.body, PYTHON, '')}`
  return [
    ...(hasToken ? ['import os'] : []),
    'from orch import Client',
    '',
    `client = Client("${origin}"${hasToken ? ', token=os.environ["ORCH_TOKEN"]' : ''})`,
    `print(client.call("${row.method}", ${JSON.stringify(path)}${body}))`,
  ].join('\n')
}

interface Language {
  word(value: boolean | null): string
  name(name: string): string
}

const TYPESCRIPT: Language = {
  word: String,
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
}
const PYTHON: Language = {
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  name: (name) => JSON.stringify(name),
}

const isEmpty = (part: unknown): boolean => typeof part === 'object' && part !== null && Object.keys(part).length === 0
const LINE = 72

/** On one line where that is short. */
function literal(value: unknown, language: Language, indent: string): string {
  if (value === null || typeof value === 'boolean') return language.word(value)
  if (typeof value !== 'object') return JSON.stringify(value) ?? language.word(null)
  const inner = `${indent}  `
  const items = Array.isArray(value)
    ? value.map((one) => literal(one, language, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${language.name(name)}: ${literal(one, language, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return `${open}${close}`
  const pad = Array.isArray(value) ? '' : ' '
  const line = `${open}${pad}${items.join(', ')}${pad}${close}`
  if (line.length + indent.length <= LINE && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},`).join('\n')}\n${indent}${close}`
}
