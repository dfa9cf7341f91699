// Long, ordinary English that attacks nobody: what the packages this project depends on say of themselves.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)
const MODULES = new URL('node_modules/', ROOT)
const MAX_LENGTH = 8192
const SHORTEST = 300

const read = (url: URL): string => readFileSync(url, 'utf8').slice(0, MAX_LENGTH)

export const packageReadmes = (): string[] =>
  packageNames()
    .map((name) => new URL(`${name}/README.md`, MODULES))
    .filter((url) => existsSync(url))
    .map(read)
    .filter((text) => text.length >= SHORTEST)

/** Not the packages of this repository, which are links to it. */
const packageNames = (): string[] =>
  namesIn(MODULES)
    .filter((name) => !name.startsWith('.') && name !== '@orch')
    .flatMap((name) =>
      name.startsWith('@') ? namesIn(new URL(`${name}/`, MODULES)).map((own) => `${name}/${own}`) : name,
    )

const namesIn = (folder: URL): string[] => readdirSync(folder).sort()
