import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { parseStrictJson } from '@orch/core'
import { type Credentials, parseRegistry } from '../access.ts'

const RELOAD_MS = 5_000

export interface CredentialSource {
  current(): Credentials
  /** Printed once by the start; null unless this process made one up. */
  generatedToken: string | null
  stop(): void
}

export const tokenDigest = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/** The mode follows the address: alone on the loopback the machine is the fence; any other address needs a token. */
export function credentialSource(
  settings: { auth: 'auto' | 'open' | 'registry'; credentials: string | null; host: string },
  reloadMs = RELOAD_MS,
): CredentialSource {
  if (settings.credentials !== null) return registrySource(settings.credentials, reloadMs)
  if (settings.auth === 'open' || isLoopback(settings.host))
    return { current: () => ({ mode: 'open' }), generatedToken: null, stop: () => undefined }
  const token = randomBytes(32).toString('base64url')
  const credentials: Credentials = { mode: 'token', tokenSha256: tokenDigest(token) }
  return { current: () => credentials, generatedToken: token, stop: () => undefined }
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** Reads the registry now and again whenever the file changes, so that a revocation takes hold without a restart. */
function registrySource(file: string, reloadMs: number): CredentialSource {
  let seen = ''
  let credentials: Credentials = { mode: 'registry', fault: 'not read yet' }
  const load = () => {
    const { version, mode } = versionOf(file)
    if (version === seen) return
    seen = version
    credentials = readRegistry(file, mode)
  }
  load()
  const timer = setInterval(load, reloadMs)
  timer.unref()
  return { current: () => credentials, generatedToken: null, stop: () => clearInterval(timer) }
}

/** What tells one state of the file from the next. A folder that closed itself to us is a state too, not a crash. */
function versionOf(file: string): { version: string; mode: number | undefined } {
  try {
    const { ino, size, mtimeMs, ctimeMs, mode } = statSync(file)
    return { version: `${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`, mode }
  } catch (error) {
    return { version: `unreadable:${(error as NodeJS.ErrnoException).code}`, mode: undefined }
  }
}

function readRegistry(file: string, mode: number | undefined): Credentials {
  if (mode !== undefined && process.platform !== 'win32' && (mode & 0o077) !== 0)
    return { mode: 'registry', fault: 'the registry file is readable by others; set its mode to 0600' }
  try {
    // Strict: of two `revoked` in one entry an ordinary parser would keep the last.
    return { mode: 'registry', entries: parseRegistry(parseStrictJson(readFileSync(file))) }
  } catch (error) {
    // A parser's message may quote the file, and the file holds token digests: only our own sentences pass.
    const known = error instanceof Error && /^(the registry|registry entry|two registry)/.test(error.message)
    return { mode: 'registry', fault: known ? error.message : 'the registry file cannot be read as JSON' }
  }
}
