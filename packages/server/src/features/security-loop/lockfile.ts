/** What is installed, by the lockfile of npm (version 2 or 3): every entry of `packages` but the workspaces themselves. */
import Type from 'typebox'
import { read } from '../../platform/shape.ts'

export interface Component {
  name: string
  /** Null where the entry states none. */
  version: string | null
  /** Where it lies, such as `node_modules/a/node_modules/b`. */
  path: string
  dev: boolean
  optional: boolean
  /** A digest of the package's archive is pinned. */
  pinned: boolean
}

const Flag = Type.Optional(Type.Boolean())
const Entry = Type.Object({
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  integrity: Type.Optional(Type.String()),
  link: Flag,
  dev: Flag,
  optional: Flag,
  devOptional: Flag,
})
const Lockfile = Type.Object({
  lockfileVersion: Type.Union([Type.Literal(2), Type.Literal(3)]),
  packages: Type.Record(Type.String(), Entry),
})

const FOLDER = 'node_modules/'
const DIGEST = /(?:^| )sha(?:256|384|512)-[A-Za-z0-9+/]{40,}={0,2}(?: |$)/

/** Null for a text that is no lockfile of these versions. */
export function readLockfile(text: string): Component[] | null {
  const shaped = read(Lockfile, parsed(text))
  if (!shaped.ok) return null
  return Object.entries(shaped.value.packages)
    .filter(([path, { link }]) => path.includes(FOLDER) && link !== true)
    .map(([path, entry]) => ({
      // An alias is installed under one name and is the package of another.
      name: entry.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version: entry.version ?? null,
      path,
      dev: entry.dev === true || entry.devOptional === true,
      optional: entry.optional === true || entry.devOptional === true,
      pinned: DIGEST.test(entry.integrity ?? ''),
    }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
