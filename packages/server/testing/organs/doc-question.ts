/** The question of an organ's section in docs/organs.md: the request, and what its result must show. */
import { readFileSync } from 'node:fs'

const PAGE = new URL('../../../../docs/organs.md', import.meta.url)

interface DocQuestion {
  request: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: a test compares what the page says
  shows: any
}

export function docQuestion(anchor: string): DocQuestion {
  const section = readFileSync(PAGE, 'utf8').split(`<a id="${anchor}"></a>`)[1]!.split('\n## ')[0]!
  const [request, shows] = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block]) => JSON.parse(block!))
  return { request, shows }
}
