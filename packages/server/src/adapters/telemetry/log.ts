import { createRequire } from 'node:module'
import pino from 'pino'
import type { Log } from '../../ports.ts'
import { LogOutput } from './log-output.ts'

/** What must never reach a log line, wherever a caller put it. The layer logs neither bodies nor queries nor headers;
 *  this list is the second fence. */
const SECRETS = ['authorization', 'token', 'password', 'secret', 'cookie', 'body', 'prompt', 'private_key'].flatMap(
  (name) => [name, `*.${name}`],
)

/** One, however many logs a process has. */
const STDERR = new LogOutput(2)

const require = createRequire(import.meta.url)
/** Loaded only for a person: most processes write JSON. */
const pretty = (): typeof import('pino-pretty') => require('pino-pretty')

/** One JSON object per line on stderr; readable lines where a person sits in front of it. */
export function createLog({ format, level }: { format: 'auto' | 'json' | 'pretty'; level: string }): Log {
  const human = format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true)
  const options: pino.LoggerOptions = {
    level,
    base: null,
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRETS, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.err },
  }
  if (!human) return pino(options, STDERR)
  const readable = pretty().prettyFactory({ timestampKey: 'ts', ignore: 'pid,hostname' })
  return pino(options, { write: (line) => STDERR.write(readable(line)) })
}
