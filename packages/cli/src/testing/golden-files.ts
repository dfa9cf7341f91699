// The committed examples as files of a folder, for commands that read files.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')

type Golden = { record: Record<string, unknown>; export: Record<string, unknown>; pack: Record<string, unknown> }
type Keys = {
  p256: Record<'production' | 'demo' | 'stranger', { pem: string; keyid: string }>
  ed25519: { log: { vkey: string } }
}

export const golden = JSON.parse(read('golden.json')) as Golden
export const keys = JSON.parse(read('keys.json')) as Keys

/** The file of one of the committed cases. */
export function caseText(name: string): string {
  const cases = JSON.parse(read('cases.json')) as { name: string; input?: unknown; text?: string }[]
  const { input, text } = cases.find((one) => one.name === name)!
  return text ?? JSON.stringify(input)
}

/** `receipt.json`, `pack.json`, `ledger.jsonl`, `cosign.pub`, `stranger.pub`, `log.vkey`. */
export function writeGoldenFiles(folder: string): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('receipt.json', JSON.stringify(golden.export))
  write('pack.json', JSON.stringify(golden.pack))
  write('ledger.jsonl', read('ledger.jsonl'))
  write('cosign.pub', keys.p256.production.pem)
  write('stranger.pub', keys.p256.stranger.pem)
  write('log.vkey', `${keys.ed25519.log.vkey}\n`)
}
