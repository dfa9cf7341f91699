/** The part of the configuration that the ledger's threads get. */
import { resolve } from 'node:path'
import { isWitness } from '../adapters/guard/guard.ts'
import type { GuardSettings, LedgerSettings } from '../ledger/protocol.ts'
import type { Config } from './config.ts'

export const ledgerSettings = (config: Config, data: string): LedgerSettings => ({
  data,
  store: config.store,
  postgresUrl: config.postgresUrl,
  signer: config.signer,
  signerUrl: config.signerUrl,
  signerPublicKey: config.signerPublicKey,
  lostKey: config.lostKey,
  allowUnsigned: config.allowUnsigned,
  logOrigin: config.logOrigin,
  defaultOrigin: new URL(
    config.baseUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`,
  ).host,
  guard: guardSettings(config),
})

function guardSettings({ guard, guardKey, guardGraceSeconds }: Config): GuardSettings | null {
  if (guard === null) return null
  return { at: isWitness(guard) ? guard : resolve(guard), key: guardKey, graceMs: guardGraceSeconds * 1000 }
}
