/** Keys of the simulated issuer and of simulated agents. They derive from a public seed, so that everybody can make them:
 *  they are worth nothing outside the simulation. */
import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'

const SALT = 'orch.organ.N22'
/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

interface SimulatedKey {
  key: KeyObject
  /** Public members alone, as RFC 8037 has them. */
  jwk: JWK & { kty: 'OKP'; crv: 'Ed25519'; x: string }
  /** RFC 7638. */
  thumbprint: string
}

export async function keyFromBytes(bytes: Uint8Array): Promise<SimulatedKey> {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' })
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.export({ format: 'jwk' }).x! } as const
  return { key, jwk, thumbprint: await calculateJwkThumbprint(jwk) }
}

const derived = (seed: number, info: string): Promise<SimulatedKey> =>
  keyFromBytes(new Uint8Array(hkdfSync('sha256', String(seed), SALT, info, 32)))

export const issuerKey = (seed: number): Promise<SimulatedKey> => derived(seed, 'issuer')
export const agentKey = (seed: number, agent: string): Promise<SimulatedKey> => derived(seed, `agent/${agent}`)
