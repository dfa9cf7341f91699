// Writes this project's own part of the corpus: its documents, and transcripts of its service answering the examples of
// its description. Digests, times and random identifiers are masked, because nobody can learn to predict them.
//   node packages/server/models/m1/transcripts.ts FOLDER
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describedOperations } from '../../testing/every-operation.ts'
import { send } from '../../testing/raw-http.ts'
import { startService } from '../../testing/service.ts'

const ROOT = new URL('../../../../', import.meta.url).pathname
const LONGEST = 12_000

const masked = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{16,}\b/g, '<digest>')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, '<id>')
    .replace(/\b[A-Za-z0-9+/_-]{40,}={0,2}/g, '<bytes>')
    .replace(/(\d\.\d{3})\d+/g, '$1')

const [folder = ''] = process.argv.slice(2)
if (folder === '') throw new Error('name the folder to write to')
mkdirSync(folder, { recursive: true })

for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])
  cpSync(join(ROOT, name), join(folder, name))
for (const under of ['docs', 'docs/decisions', 'docs/formats'])
  for (const name of readdirSync(join(ROOT, under)).filter((each) => each.endsWith('.md')))
    cpSync(join(ROOT, under, name), join(folder, under, name))

const WHO = ['The agent', 'A reviewer', 'The operator', 'An auditor', 'The build', 'A scheduled job']
const DOES = ['reads', 'summarises', 'sends', 'deletes', 'signs', 'exports', 'checks', 'copies', 'approves', 'forwards']
const WHAT = [
  'the release notes',
  'a customer record',
  'the quarterly report',
  'an access token',
  'the production database',
  'a signed receipt',
  'the ledger of last week',
  'an invoice of 120 euros',
]

const service = await startService()
try {
  const transcripts: string[] = []
  const write = (asked: string, answer: { status: number; text: string }) =>
    transcripts.push(masked(`Request: ${asked}\nStatus: ${answer.status}\nReply: ${answer.text}`).slice(0, LONGEST))
  for (const { id, call } of await describedOperations(service.url)) {
    const answer = await call({})
    if (answer.text.startsWith('{')) write(id, answer)
  }
  for (let at = 0; at < 160; at++) {
    const action = `${WHO[at % 6]} ${DOES[(at * 7) % 10]} ${WHAT[(at * 3 + Math.floor(at / 24)) % 8]}.`
    const path = '/api/orch/v1/wow/govern'
    const body = JSON.stringify({ text: action })
    write(`POST ${path} ${body}`, await send(service.url + path, { method: 'POST', body }))
  }
  // One document: replies of one service share their shape, so no two of them may stand on two sides of the split.
  writeFileSync(join(folder, 'transcripts.txt'), transcripts.join('\n\n'))
} finally {
  await service.close()
}
