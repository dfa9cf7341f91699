/** The rules on the disk. What is digested is what is loaded, and what the threads get is what was digested. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RuleDocuments, RulesError } from '../domain/gates/rules.ts'

const MAX_BYTES = 4 * 1024 * 1024
const NAMES = { gates: 'gates.json', confusables: 'confusables.json', scorer: 'threat-scorer.json' } as const

/** A file as it was found: its bytes, or why there are none. */
type FoundFile = { name: string; sha256: string; bytes: Uint8Array } | { name: string; fault: string }

export interface RuleFiles {
  files: Record<keyof typeof NAMES, FoundFile>
  /** Another one when a byte of a file is another, or a file came or went. */
  fingerprint: string
}

/** Never rejects: a file that cannot be read is a finding, and its return is a change like any other. */
export async function readRuleFiles(folder: string): Promise<RuleFiles> {
  const [gates, confusables, scorer] = await Promise.all([
    found(folder, NAMES.gates),
    found(folder, NAMES.confusables),
    found(folder, NAMES.scorer),
  ])
  const lines = [gates, confusables, scorer].map(
    (file) => `${file.name}\0${'fault' in file ? file.fault : file.sha256}\n`,
  )
  return { files: { gates, confusables, scorer }, fingerprint: sha256(lines.join('')) }
}

/** Throws a RulesError. Every refusal names the file and never where it lies: the sentence is shown by readiness. */
export const ruleDocuments = ({ files: { gates, confusables, scorer } }: RuleFiles): RuleDocuments => ({
  gates: documentOf(gates),
  confusables: documentOf(confusables),
  scorer: documentOf(scorer),
})

async function found(folder: string, name: string): Promise<FoundFile> {
  try {
    const bytes = await readFile(join(folder, name))
    return { name, sha256: sha256(bytes), bytes }
  } catch (error) {
    return { name, fault: (error as NodeJS.ErrnoException).code ?? 'unknown cause' }
  }
}

function documentOf(file: FoundFile): unknown {
  if ('fault' in file) throw new RulesError(`${file.name} cannot be read (${file.fault})`)
  if (file.bytes.length > MAX_BYTES) throw new RulesError(`${file.name} exceeds ${MAX_BYTES} bytes`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file.bytes))
  } catch {
    throw new RulesError(`${file.name} is not JSON in UTF-8`)
  }
}

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')
