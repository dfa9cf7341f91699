// Secrets put where an operator or a caller puts them, and the search for them in everything that came out.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Planted {
  /** Settings of the service that carry secrets. */
  env: Record<string, string>
  /** What must never come out, by where it was planted. */
  secrets: Map<string, string>
  /** Of the registry, with every scope. */
  token: string
}

const fresh = (name: string): string => `planted-${name}-${randomBytes(12).toString('hex')}`

/** Every setting the service takes as a secret without another service behind it, and a registry with one token. */
export function plantSecrets(folder: string): Planted {
  const token = fresh('token')
  const registry = join(folder, 'registry.json')
  const token_sha256 = createHash('sha256').update(token).digest('hex')
  const entry = { key_id: 'planted', namespace: 'team', owner_id: 'owner', token_sha256, role: 'admin' }
  writeFileSync(registry, JSON.stringify({ credentials: [entry] }), { mode: 0o600 })
  const env = Object.fromEntries(
    ['UPSTREAM_KEY', 'REPO_TOKEN', 'SPEND_TOKEN', 'FRED_API_KEY', 'ALPACA_SECRET'].map((name) => [
      `ORCH_${name}`,
      fresh(name.toLowerCase()),
    ]),
  )
  const header = fresh('otlp-header')
  return {
    env: { ...env, ORCH_OTLP_HEADERS: `authorization=${header}`, ORCH_CREDENTIALS: registry },
    secrets: new Map([...Object.entries(env), ['ORCH_OTLP_HEADERS', header], ['bearer token', token]]),
    token,
  }
}

/** Private keys the service made for itself: what stands between the lines of each file that holds one. */
export function privateKeys(data: string): Map<string, string> {
  const files = readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name, readFileSync(join(data, name), 'latin1')] as const)
    .filter(([, text]) => text.includes('PRIVATE KEY-----'))
  return new Map(
    files.map(([name, text]) => [name, /PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)\s+-----END/.exec(text)![1]!]),
  )
}

/** Each place a secret was found in, as it is or in another dress: without line ends, base64, hex, in a URL. */
export function leaksIn(texts: ReadonlyMap<string, string>, secrets: ReadonlyMap<string, string>): string[] {
  return [...texts].flatMap(([place, text]) =>
    [...secrets]
      .filter(([, secret]) => dressesOf(secret).some((dress) => text.includes(dress)))
      .map(([name]) => `${name} in ${place}`),
  )
}

function dressesOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const lines = secret.split(/\s+/).filter((line) => line.length >= 16)
  // Base64 of a text in the middle of another has one of three forms; the ends depend on the neighbours.
  const inner = [0, 1, 2].map((skip) => bytes.subarray(skip).toString('base64').replace(/=+$/, '').slice(0, -2))
  return [secret, ...lines, lines.join(''), ...inner, bytes.toString('hex'), encodeURIComponent(secret)].filter(
    (dress) => dress.length >= 16,
  )
}
