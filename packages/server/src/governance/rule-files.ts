/** The rules on the disk. What is digested is what is loaded, and what the threads get is what was digested. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RuleDocuments, RulesError } from '../domain/gates/rules.ts'

const MOST_BYTES = 4 * 1024 * 1024

export async function readRuleDocuments(folder: string): Promise<RuleDocuments> {
  const [gates, confusables, scorer] = await Promise.all([
    readDocument(folder, 'gates.json'),
    readDocument(folder, 'confusables.json'),
    readDocument(folder, 'threat-scorer.json'),
  ])
  return { gates, confusables, scorer }
}

/** Every refusal names the file and never where it lies: the sentence is shown by readiness. */
async function readDocument(folder: string, name: string): Promise<unknown> {
  const bytes = await readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    throw new RulesError(`${name} cannot be read (${error.code ?? 'unknown cause'})`)
  })
  if (bytes.length > MOST_BYTES) throw new RulesError(`${name} exceeds ${MOST_BYTES} bytes`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new RulesError(`${name} is not JSON in UTF-8`)
  }
}
