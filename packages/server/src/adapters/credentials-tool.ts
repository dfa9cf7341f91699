/** Edits the credential file: `add`, `revoke` and `ls`. Run by the command line; the result is one JSON object on stdout, a
 *  refusal one JSON line on stderr. The file holds digests of tokens, and none of them is printed. */
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseStrictJson } from '@orch/core'
import { DEFAULT_NAMESPACE, parseRegistry } from '../access.ts'
import { tokenDigest } from './credentials.ts'

/** Exit code of the command line for a misuse. */
const REFUSED = 2

interface StoredEntry {
  key_id: string
  namespace: string
  owner_id: string
  token_sha256: string
  role?: string
  scopes?: string[]
  revoked?: boolean
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string' },
    role: { type: 'string' },
    scope: { type: 'string', multiple: true },
    owner: { type: 'string' },
    namespace: { type: 'string' },
  },
})
const file = values.file ?? ''

function readEntries(): StoredEntry[] {
  if (!existsSync(file)) return []
  const document: unknown = parseStrictJson(readFileSync(file))
  parseRegistry(document)
  return (document as { credentials: StoredEntry[] }).credentials
}

/** The new file takes the place of the old one when it is whole; while it is being written nobody else can begin. */
function writeEntries(credentials: readonly StoredEntry[]): void {
  parseRegistry({ credentials })
  const partial = `${file}.partial`
  const fd = openSync(partial, 'wx', 0o600)
  try {
    writeSync(fd, `${JSON.stringify({ credentials }, null, 2)}\n`)
    fsyncSync(fd)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

const JOBS: Record<string, (name: string) => object> = {
  add(name) {
    const entries = readEntries()
    const known = entries.find(({ key_id }) => key_id === name)
    if (known !== undefined)
      throw new Error(
        `NAME ${name} is taken${known.revoked ? ' by a revoked credential' : ''}: choose another, such as ${name}-2`,
      )
    const token = randomBytes(32).toString('base64url')
    const entry: StoredEntry = {
      key_id: name,
      namespace: values.namespace ?? DEFAULT_NAMESPACE,
      owner_id: values.owner ?? name,
      token_sha256: Buffer.from(tokenDigest(token)).toString('hex'),
      ...(values.scope === undefined ? { role: values.role ?? 'user' } : { scopes: values.scope }),
    }
    writeEntries([...entries, entry])
    return { ...shown(entry), token, file }
  },

  revoke(name) {
    const entries = readEntries()
    const found = entries.find(({ key_id }) => key_id === name)
    if (found === undefined)
      throw new Error(
        entries.length === 0
          ? `NAME ${name} is not in ${file}, which has none: orch credentials add ${name} makes one`
          : `NAME ${name} is not in ${file}: use one of ${entries.map(({ key_id }) => key_id).join(', ')}`,
      )
    const closed = { ...found, revoked: true }
    writeEntries(entries.map((entry) => (entry === found ? closed : entry)))
    return { ...shown(closed), file }
  },

  ls: () => ({ file, credentials: readEntries().map(shown) }),
}

const shown = ({ key_id, owner_id, namespace, role, scopes = [], revoked }: StoredEntry) => ({
  key_id,
  owner_id,
  namespace,
  may: role ?? scopes.join(','),
  state: revoked ? 'revoked' : 'active',
})

function sentenceOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST')
    return `${file}.partial exists: another edit is under way, or was cut short and left it; remove it then`
  if (code !== undefined && /^E[A-Z]+$/.test(code))
    return `--file ${file} cannot be read or written (${code}); name another with ORCH_CREDENTIALS`
  return /^NAME /.test(message) ? message : `--file ${file}: ${message}; orch credentials add --help shows an example`
}

try {
  const [job = '', name = ''] = positionals
  process.stdout.write(`${JSON.stringify({ ok: true, ...JOBS[job]!(name) })}\n`)
} catch (error) {
  process.stderr.write(`${JSON.stringify({ error: sentenceOf(error) })}\n`)
  process.exitCode = REFUSED
}
