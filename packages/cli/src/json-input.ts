// JSON that a person hands over, read as strictly as the service reads it: nobody is surprised by what was sent.
import { readFileSync } from 'node:fs'
import { JsonError, type JsonValue, parseStrictJson, placeOf } from '@orch/core'
import { usage } from './exit.ts'

export const STDIN = '-'

/** A file, or stdin. */
export const readInput = (path: string): Uint8Array => new Uint8Array(bytesOf(path, path === STDIN ? 0 : path))

export const readText = (path: string): string => bytesOf(path, path).toString('utf8')

function bytesOf(path: string, source: string | number): Buffer {
  try {
    return readFileSync(source)
  } catch (error) {
    throw usage(
      `FILE ${path} cannot be read (${(error as NodeJS.ErrnoException).code}): name one that can, or - for stdin`,
    )
  }
}

export const readJson = (path: string, what: string): JsonValue => jsonOf(readInput(path), what)

export function jsonOf(text: string | Uint8Array, what: string): JsonValue {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (error instanceof JsonError)
      throw usage(`${what}: ${error.message}${placeOf(error, text)}; JSON looks like {"name":"value"}`)
    throw error
  }
}
