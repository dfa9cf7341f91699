/** The files of a policy set, read once: what is digested is what is parsed. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PolicyRequest } from '../../domain/policy/authorization.ts'

export const SCHEMA_FILE = 'schema.cedarschema'
/** Registers the operator's tools. Part of the set: a receipt's policy digest covers it. */
export const TOOLS_FILE = 'tools.json'
const NAMED_TOOLS = `${TOOLS_FILE} (the file that ORCH_TOOLS or --tools names)`
const POLICY_SUFFIX = '.cedar'
const MAX_BYTES = 1_048_576

export interface PolicyFile {
  name: string
  sha256: string
  text: string
}

/** A policy set that must not be used. The message is one sentence for the operator; readiness shows it to everybody, so
 *  it says nothing of where the files lie. */
export class PolicySetError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PolicySetError'
  }
}

/** Where a set lies: its folder, and the tools file where that lies elsewhere. */
export interface PolicyPlace {
  folder: string
  tools?: string | null
  /** Names of the service's own tools, which nobody else registers. */
  builtInTools?: readonly string[]
  /** Requests that the set has to be able to answer, one of each kind that is asked. */
  asked?: readonly PolicyRequest[]
}

/** For the operator alone. */
export const placeText = ({ folder, tools = null }: PolicyPlace): string =>
  tools === null ? `in ${folder}` : `in ${folder}, tools in ${tools}`

/**
 * Every name that ends in `.cedar` is read, whatever it is: a link is followed, and a folder or an unreadable file
 * fails the whole set. Passing over one file could pass over the forbid in it.
 */
export function readPolicyFiles({ folder, tools = null }: PolicyPlace): PolicyFile[] {
  const names = reading('the policy folder', () => readdirSync(folder))
    .filter((name) => name === SCHEMA_FILE || name.endsWith(POLICY_SUFFIX))
    .sort()
  const toolsPath = tools ?? join(folder, TOOLS_FILE)
  if (!names.includes(SCHEMA_FILE)) throw new PolicySetError(`the policy folder holds no ${SCHEMA_FILE}`)
  if (names.length < 2) throw new PolicySetError(`the policy folder holds no ${POLICY_SUFFIX} file`)
  let left = MAX_BYTES
  // A file the operator named has to be there; the one of the folder may be left out.
  const paths = names.map((name) => [name, join(folder, name)] as const)
  const withTools = tools !== null || existsSync(toolsPath) ? [...paths, [TOOLS_FILE, toolsPath] as const] : paths
  return withTools.map(([name, path]) => {
    const what = name === TOOLS_FILE && tools !== null ? NAMED_TOOLS : name
    const bytes = reading(what, () => readFileSync(path))
    left -= bytes.length
    if (left < 0) throw new PolicySetError(`the policy files exceed ${MAX_BYTES} bytes`)
    return { name, sha256: sha256(bytes), text: textOf(name, bytes) }
  })
}

/** One word for what lies there: the digest of the set, or why there is none. */
export const policySetState = (place: PolicyPlace): string => orRefusal(() => policyDigest(readPolicyFiles(place)))

/** The sentence of a refused set. Anything else is our own fault and not the set's. */
export function orRefusal<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    if (error instanceof PolicySetError) return error.message
    throw error
  }
}

function reading<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new PolicySetError(`${what} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown cause'})`)
  }
}

/** Bytes that are no text would be repaired by a lenient decoder into a policy that nobody wrote. */
function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PolicySetError(`${name} is not UTF-8`)
  }
}

/** SHA-256 of `name NUL sha256 LF` over the files in the order of their names. */
export const policyDigest = (files: readonly Pick<PolicyFile, 'name' | 'sha256'>[]): string =>
  sha256(
    [...files]
      .sort(byName)
      .map(({ name, sha256 }) => `${name}\0${sha256}\n`)
      .join(''),
  )

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name)

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')
