// Pictures in the documents: made by a browser test from what it shows, with the outline of what was shown inside the
// file. A test compares that outline with the page of today; pixels may differ, what is drawn may not.
import { readFileSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Locator } from 'playwright-core'

const KEYWORD = 'orch-outline'
const SIGNATURE_BYTES = 8

/** Which elements stand in which: each kind once, however often it is drawn. */
export async function outlineOf(shown: Locator): Promise<string[]> {
  const found = await shown.evaluateAll((roots) => {
    const nameOf = (element: Element) => `${element.localName}.${element.classList[0] ?? ''}`
    return roots.flatMap((root) =>
      [...root.querySelectorAll('*')].map((one) => `${nameOf(one.parentElement as Element)} > ${nameOf(one)}`),
    )
  })
  return [...new Set(found)].sort()
}

export function writePicture(path: string, png: Buffer, outline: readonly string[]): void {
  const content = Buffer.from(`${KEYWORD}\0${outline.join('\n')}`, 'latin1')
  const typed = Buffer.concat([Buffer.from('tEXt', 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(typed))
  const { end } = chunksOf(png)[0] as Chunk
  writeFileSync(path, Buffer.concat([png.subarray(0, end), length, typed, sum, png.subarray(end)]))
}

export function readPicture(path: string): { bytes: number; width: number; outline: string[] } {
  const png = readFileSync(path)
  const [header, ...rest] = chunksOf(png)
  const text = rest.map(({ content }) => content.toString('latin1')).find((one) => one.startsWith(`${KEYWORD}\0`))
  return {
    bytes: png.length,
    width: (header as Chunk).content.readUInt32BE(0),
    outline: text?.slice(KEYWORD.length + 1).split('\n') ?? [],
  }
}

interface Chunk {
  content: Buffer
  /** Where the next one begins. */
  end: number
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const end = at + length + 12
    chunks.push({ content: png.subarray(at + 8, at + 8 + length), end })
    at = end
  }
  return chunks
}
