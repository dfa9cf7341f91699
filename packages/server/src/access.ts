/** Who may do what: the rules, without HTTP and without files. */
import { timingSafeEqual } from 'node:crypto'
import { ServiceError } from './errors.ts'

export const SCOPES = [
  'receipts:write',
  'receipts:read',
  'receipts:audit',
  'metrics:read',
  'keys:rotate',
  'log:entries',
  'log:anchor',
  'decisions:write',
  'inference:write',
  'agent:run',
  'review:read',
  'review:decide',
  'sample:write',
  'anatomy:write',
  'claims:write',
  'step:write',
  'session:read',
  'integrity:read',
  'integrity:global',
  'bench:read',
  'effects:drain',
  'effects:recover',
  'organs:read',
  'organs:run',
  'organs:state',
  'analysis:run',
] as const
export type Scope = (typeof SCOPES)[number]

const USER: readonly Scope[] = [
  'receipts:write',
  'receipts:read',
  'decisions:write',
  'inference:write',
  'agent:run',
  'review:read',
  'anatomy:write',
  'claims:write',
  'step:write',
  'session:read',
  'integrity:read',
  'organs:read',
  'organs:run',
  'organs:state',
  'analysis:run',
]

/** Shorthand a registry entry may use instead of listing scopes. */
export const ROLES: Readonly<Record<string, readonly Scope[]>> = {
  user: USER,
  operator: [
    ...USER,
    'receipts:audit',
    'metrics:read',
    'log:anchor',
    'review:decide',
    'bench:read',
    'integrity:global',
    'effects:drain',
  ],
  admin: SCOPES,
}

export type AuthMode = 'open' | 'token' | 'registry'

/** Data is partitioned by (namespace, owner): every operation gets this pair and nothing else decides what it sees. */
export interface Caller {
  namespace: string
  owner: string
  keyId: string | null
  authMode: AuthMode
  scopes: ReadonlySet<Scope>
}

export interface Credential {
  keyId: string
  namespace: string
  owner: string
  tokenSha256: Uint8Array
  scopes: ReadonlySet<Scope>
  revoked: boolean
}

/** What the process knows of credentials at this moment. A registry that cannot be read admits no one. */
export type Credentials =
  | { mode: 'open' }
  | { mode: 'token'; tokenSha256: Uint8Array }
  | { mode: 'registry'; entries: readonly Credential[] }
  | { mode: 'registry'; fault: string }

const EVERY_SCOPE: ReadonlySet<Scope> = new Set(SCOPES)
const NO_SCOPE: ReadonlySet<Scope> = new Set()
export const DEFAULT_NAMESPACE = 'public'
export const LOCAL_OWNER = 'local'

const local = (authMode: AuthMode, keyId: string | null, scopes: ReadonlySet<Scope>): Caller => ({
  namespace: DEFAULT_NAMESPACE,
  owner: LOCAL_OWNER,
  keyId,
  authMode,
  scopes,
})
const OPEN_CALLER = local('open', null, EVERY_SCOPE)
const TOKEN_READER = local('token', null, NO_SCOPE)
const TOKEN_HOLDER = local('token', 'generated', EVERY_SCOPE)
const ANONYMOUS = local('registry', null, NO_SCOPE)

const CHALLENGE = { 'www-authenticate': 'Bearer' }
const refuse = (code: 'missing_authorization' | 'invalid_authorization' | 'invalid_bearer_token', message: string) =>
  new ServiceError(code, message, { headers: CHALLENGE })

// The scheme is case-insensitive, the token is 1 to 4096 visible characters; two values are never joined into one.
const BEARER = /^bearer ([\x21-\x7e]{1,4096})$/i

function bearerToken(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const token = typeof header === 'string' ? BEARER.exec(header)?.[1] : undefined
  if (token === undefined)
    throw refuse(
      'invalid_authorization',
      'the header Authorization is not one Bearer token; send Authorization: Bearer <token> once',
    )
  return token
}

export interface Need {
  /** All of them; none is open to everyone. */
  scopes: readonly Scope[]
  writes: boolean
}
type Hash = (token: string) => Uint8Array

/** The caller of a request, or the refusal. `hash` is SHA-256; tokens are known here by their digests only. */
export function admit(credentials: Credentials, header: string | string[] | undefined, need: Need, hash: Hash): Caller {
  if (credentials.mode === 'open') return OPEN_CALLER
  if (need.scopes.length === 0) return recognise(credentials, header, need, hash)
  const token = bearerToken(header)
  if (credentials.mode === 'token') return admitToken(credentials.tokenSha256, token, need.writes, hash)
  if ('fault' in credentials)
    throw new ServiceError(
      'credential_registry_unavailable',
      'the credential registry cannot be read; the operator repairs the file that ORCH_CREDENTIALS names',
    )
  return admitRegistered(credentials.entries, token, need.scopes, hash)
}

/** What needs no scope is open to everyone, also to whoever brings a credential that is no good: a health probe must
 *  not fail over a stale header. A good one still says whose data is meant. */
function recognise(credentials: Credentials, header: string | string[] | undefined, need: Need, hash: Hash): Caller {
  const anonymous = credentials.mode === 'token' ? TOKEN_READER : ANONYMOUS
  if (header === undefined || 'fault' in credentials) return anonymous
  try {
    const token = bearerToken(header)
    if (credentials.mode === 'token') return admitToken(credentials.tokenSha256, token, need.writes, hash)
    return credentials.mode === 'registry' ? admitRegistered(credentials.entries, token, [], hash) : anonymous
  } catch (error) {
    if (error instanceof ServiceError) return anonymous
    throw error
  }
}

function admitToken(expected: Uint8Array, token: string | null, writes: boolean, hash: Hash): Caller {
  if (token === null) {
    if (!writes) return TOKEN_READER
    throw refuse(
      'missing_authorization',
      'the header Authorization is missing and this operation writes; send Authorization: Bearer <token> with the token printed at the start',
    )
  }
  if (!timingSafeEqual(hash(token), expected))
    throw refuse(
      'invalid_bearer_token',
      'the token in the header Authorization was not issued here; orch credentials add NAME makes one',
    )
  return TOKEN_HOLDER
}

function admitRegistered(
  entries: readonly Credential[],
  token: string | null,
  needed: readonly Scope[],
  hash: Hash,
): Caller {
  if (token === null)
    throw refuse(
      'missing_authorization',
      `the header Authorization is missing; send Authorization: Bearer <token> of a credential with the scope ${needed.join(' and ')}`,
    )
  const digest = hash(token)
  let found: Credential | undefined
  // Every entry is compared, so the time taken does not tell which one matched.
  for (const entry of entries) if (timingSafeEqual(entry.tokenSha256, digest)) found = entry
  if (!found)
    throw refuse(
      'invalid_bearer_token',
      'the token in the header Authorization was not issued here; orch credentials add NAME makes one',
    )
  if (found.revoked)
    throw new ServiceError(
      'credential_revoked',
      'the credential in the header Authorization was revoked; orch credentials add NAME makes a new one',
    )
  const lacking = needed.filter((scope) => !found.scopes.has(scope))
  if (lacking.length > 0)
    throw new ServiceError(
      'missing_scopes',
      `this credential lacks the scope ${lacking.join(' and ')}; orch credentials add NAME --role operator or --scope SCOPE makes one that has it`,
    )
  const { namespace, owner, keyId, scopes } = found
  return { namespace, owner, keyId, authMode: 'registry', scopes }
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/
const NAMESPACE = /^[a-z0-9][a-z0-9._-]{0,63}$/
const HEX64 = /^[0-9a-f]{64}$/
const ENTRY_KEYS = new Set(['key_id', 'namespace', 'owner_id', 'token_sha256', 'scopes', 'role', 'revoked'])

/** A registry document: `{"credentials": [{key_id, namespace, owner_id, token_sha256, scopes[] | role, revoked?}]}`.
 *  Throws a sentence that names the entry and the rule; one bad entry spoils the whole, so a typo never half-works. */
export function parseRegistry(document: unknown): Credential[] {
  const list = (document as { credentials?: unknown } | null)?.credentials
  if (!Array.isArray(list)) throw new Error('the registry must be an object with a list "credentials"')
  const entries = list.map(parseEntry)
  const ids = new Set(entries.map((entry) => entry.keyId))
  if (ids.size !== entries.length) throw new Error('two registry entries share a key_id')
  const digests = new Set(entries.map((entry) => Buffer.from(entry.tokenSha256).toString('hex')))
  if (digests.size !== entries.length) throw new Error('two registry entries share a token')
  return entries
}

function parseEntry(value: unknown, index: number): Credential {
  const fault = (rule: string) => new Error(`registry entry ${index}: ${rule}`)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fault('must be an object')
  const entry = value as Record<string, unknown>
  const unknown = Object.keys(entry).find((key) => !ENTRY_KEYS.has(key))
  if (unknown !== undefined) throw fault(`unknown property ${JSON.stringify(unknown)}`)
  const { key_id: keyId, namespace, owner_id: owner, token_sha256: digest, revoked = false } = entry
  if (typeof keyId !== 'string' || !NAME.test(keyId)) throw fault('key_id must be a name of 1 to 128 characters')
  if (typeof namespace !== 'string' || !NAMESPACE.test(namespace))
    throw fault('namespace must be a short lower-case name')
  if (typeof owner !== 'string' || !NAME.test(owner)) throw fault('owner_id must be a name of 1 to 128 characters')
  if (typeof digest !== 'string' || !HEX64.test(digest))
    throw fault('token_sha256 must be 64 lower-case hex characters')
  if (typeof revoked !== 'boolean') throw fault('revoked must be true or false')
  const scopes = entryScopes(entry, fault)
  return { keyId, namespace, owner, tokenSha256: Buffer.from(digest, 'hex'), scopes, revoked }
}

function entryScopes(entry: Record<string, unknown>, fault: (rule: string) => Error): ReadonlySet<Scope> {
  if ((entry.scopes === undefined) === (entry.role === undefined)) throw fault('needs either scopes or role')
  const listed = entry.role === undefined ? entry.scopes : ROLES[String(entry.role)]
  if (!Array.isArray(listed)) throw fault('role must be user, operator or admin; scopes must be a list')
  const wrong = listed.find((scope) => !SCOPES.includes(scope as Scope))
  if (wrong !== undefined) throw fault(`unknown scope ${JSON.stringify(wrong)}; allowed: ${SCOPES.join(', ')}`)
  return new Set(listed as Scope[])
}
