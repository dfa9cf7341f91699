// The bill of materials in CycloneDX, from the lockfile alone: what would be installed, by the digests it is held to.
// The same lockfile gives the same bytes, so nothing in it is a time or a random number.
import { createHash } from 'node:crypto'

interface Locked {
  name?: string
  version?: string
  integrity?: string
  license?: string
  dev?: boolean
  optional?: boolean
  link?: boolean
}

export interface Lockfile {
  name: string
  version: string
  packages: Readonly<Record<string, Locked>>
}

const MODULES = 'node_modules/'

export function billOfMaterials(lock: Lockfile) {
  const components = installedOf(lock).map(componentOf)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(components))}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `pkg:npm/${lock.name}@${lock.version}`,
        name: lock.name,
        version: lock.version,
      },
    },
    components,
  }
}

/** Packages of others, each place they are installed in: two places may hold two versions. Links are our own folders. */
export const installedOf = ({ packages }: Lockfile): [place: string, entry: Locked][] =>
  Object.entries(packages)
    .filter(([place, { link }]) => place.includes(MODULES) && link !== true)
    .sort(([a], [b]) => (a < b ? -1 : 1))

function componentOf([place, entry]: [string, Locked]) {
  const path = entry.name ?? place.slice(place.lastIndexOf(MODULES) + MODULES.length)
  const { version = '' } = entry
  if (version === '' || entry.integrity === undefined)
    throw new Error(`package-lock.json: ${place} is held to no digest`)
  const [group, name] = path.startsWith('@') ? path.split('/') : [undefined, path]
  return {
    type: 'library',
    'bom-ref': place,
    ...(group === undefined ? {} : { group }),
    name,
    version,
    // Development only is installed by nobody who runs the service.
    scope: entry.dev === true ? 'excluded' : entry.optional === true ? 'optional' : 'required',
    purl: `pkg:npm/${path.replace(/^@/, '%40')}@${version}`,
    hashes: hashesOf(entry.integrity),
    ...(entry.license === undefined ? {} : { licenses: [{ expression: entry.license }] }),
  }
}

const ALGORITHMS: Readonly<Record<string, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
}

const hashesOf = (integrity: string) =>
  integrity.split(/\s+/).map((digest) => {
    const [name, base64] = digest.split(/-(.*)/s) as [string, string]
    const alg = ALGORITHMS[name]
    if (alg === undefined) throw new Error(`package-lock.json: no algorithm is called ${name}`)
    return { alg, content: Buffer.from(base64, 'base64').toString('hex') }
  })

/** A UUID of version 8, whose bits are the writer's own: here those of a digest. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 32).split('')
  hex[12] = '8'
  hex[16] = '89ab'[Number.parseInt(hex[16] as string, 16) % 4] as string
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
