// The settings file: `key: value` lines and comments, a strict subset of YAML. Anything else is an error with its line,
// so that nothing is silently read as something it does not say.
import { existsSync, readFileSync } from 'node:fs'
import { usage } from './exit.ts'

const LINE = /^([a-z][a-z0-9_]*):[ \t]+(.*)$/
const PLAIN = /^[^\s"'#&*!|>%@`{}[\],?:-][^#]*$/
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/

export function readConfigFile(path: string, known: readonly string[]): Map<string, string> {
  const values = new Map<string, string>()
  if (!existsSync(path)) return values
  readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .forEach((line, at) => {
      const text = line.replace(/(^|\s)#.*$/, '').trimEnd()
      if (text !== '') readLine(text, `${path}:${at + 1}`, known, values)
    })
  return values
}

function readLine(text: string, where: string, known: readonly string[], values: Map<string, string>): void {
  const [, key, raw] = LINE.exec(text) ?? []
  if (key === undefined || raw === undefined) throw usage(`${where}: not a "key: value" line`)
  if (!known.includes(key)) throw usage(`${where}: unknown setting ${key}; known: ${known.join(', ')}`)
  if (values.has(key)) throw usage(`${where}: ${key} is set twice`)
  const quoted = QUOTED.exec(raw)
  const value = quoted ? (quoted[1] ?? quoted[2]) : PLAIN.test(raw) ? raw : undefined
  if (value === undefined) throw usage(`${where}: put the value of ${key} in quotes`)
  values.set(key, value)
}
