/** What a request to verify holds. Everything in it is the sender's. */
import { base64urlDecode, JsonError, parseStrictJson, utf8Decode } from '@orch/core'
import { InputError } from '../../errors.ts'

export interface VerifyBody {
  envelope?: unknown
  receipt?: unknown
  export?: unknown
}

const FORMS = ['envelope', 'receipt', 'export'] as const

/** The one thing to verify, or undefined when none was sent. */
export function presentedIn(body: VerifyBody): unknown {
  const given = FORMS.filter((name) => Object.hasOwn(body, name))
  const [name, second] = given
  if (second !== undefined)
    throw new InputError([
      { loc: ['body', second], msg: `send either ${name} or ${second}, not both`, type: 'conflict' },
    ])
  if (name === undefined) return undefined
  const value = body[name]
  return typeof value === 'string' ? opened(value) : value
}

/** A JSON text, or one in base64url as it travels in links. What cannot be read is handed on as it is: the report then
 *  says that it is no receipt. */
function opened(text: string): unknown {
  const json = text.trimStart().startsWith('{') ? text : decoded(text)
  if (json === null) return text
  try {
    return parseStrictJson(json)
  } catch (error) {
    if (error instanceof JsonError) return text
    throw error
  }
}

function decoded(text: string): string | null {
  const bytes = base64urlDecode(text)
  return bytes === null ? null : utf8Decode(bytes)
}
