/** The part of the configuration that the ledger's threads get. */
import { resolve } from 'node:path'
import { isWitness } from '../adapters/guard/guard.ts'
import type { GuardSettings, LedgerSettings } from '../ledger/protocol.ts'
import type { Config } from './config.ts'

export function ledgerSettings(config: Config, data: string): LedgerSettings {
  const { store, postgresUrl, signer, signerUrl, signerPublicKey, lostKey, allowUnsigned, logOrigin } = config
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const defaultOrigin = new URL(config.baseUrl ?? `http://${host}:${config.port}`).host
  const signing = { signer, signerUrl, signerPublicKey, lostKey, allowUnsigned }
  return { data, store, postgresUrl, ...signing, logOrigin, defaultOrigin, guard: guardSettings(config) }
}

function guardSettings({ guard, guardKey, guardGraceSeconds }: Config): GuardSettings | null {
  if (guard === null) return null
  return { at: isWitness(guard) ? guard : resolve(guard), key: guardKey, graceMs: guardGraceSeconds * 1000 }
}
