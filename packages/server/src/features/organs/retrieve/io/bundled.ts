/** The documentation that comes with the service, as a collection to search. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SearchedText } from '../../search/io/text-index.ts'
import { cutPassages } from '../passages.ts'

const FOLDER = fileURLToPath(new URL('../../../../../../../docs', import.meta.url))

/** In the order of their names; none where the folder was not shipped. */
export async function readBundled(at: string | null = null): Promise<SearchedText[]> {
  const folder = at ?? FOLDER
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const pages = names.filter((name) => name.endsWith('.md')).sort()
  const texts = await Promise.all(pages.map((name) => readFile(join(folder, name), 'utf8')))
  return pages.flatMap((name, at) => cutPassages(`docs/${name}`, texts[at]!))
}
