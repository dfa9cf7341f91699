/** Addresses and keys of cryptocurrencies, and of network cards. Their checksums leave nothing to chance. */

import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { bech32, bech32m, createBase58check } from '@scure/base'

/** Whether it is one; plain where no word beside it says so. */
type Validator = (value: string, plain: boolean) => boolean

const base58check = createBase58check(sha256)
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{26,112}$/

function payloadOf(value: string): Uint8Array | null {
  if (!BASE58.test(value)) return null
  try {
    return base58check.decode(value)
  } catch {
    return null
  }
}

/** A public key hash or a script hash of the main network. */
function isLegacyAddress(value: string): boolean {
  if (!/^[13]/.test(value)) return false
  const payload = payloadOf(value)
  return payload?.length === 21 && (payload[0] === 0 || payload[0] === 5)
}

/** Version 0 has the first checksum, every later one the second. */
function isSegwitAddress(value: string): boolean {
  const lower = value.toLowerCase()
  if (!/^bc1[02-9ac-hj-np-z]{11,71}$/.test(lower) || (value !== lower && value !== value.toUpperCase())) return false
  try {
    return (lower.charAt(3) === 'q' ? bech32 : bech32m).decode(lower as `bc1${string}`).words.length > 1
  } catch {
    return false
  }
}

/** In mixed case the capitals are the checksum (EIP-55); in one case there is none, and a word has to stand beside it. */
function isEthereum(value: string, plain: boolean): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) return false
  const [address, lower] = [value.slice(2), value.slice(2).toLowerCase()]
  if (address === lower || address === address.toUpperCase()) return !plain
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  for (let at = 0; at < 40; at++) {
    const letter = lower.charAt(at)
    const capital = Number.parseInt(hash.charAt(at), 16) >= 8
    if (address.charAt(at) !== (capital ? letter.toUpperCase() : letter)) return false
  }
  return true
}

/** The order of the curve: a private key lies below. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const MIN_DISTINCT = 8

/** Bare, as Ethereum has it: any number below the order is one, so a word beside it says so; one that is written out of few
 *  digits is an example. */
function isBareKey(value: string): boolean {
  const digits = value.replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(digits) || new Set(digits.toLowerCase()).size < MIN_DISTINCT) return false
  const key = BigInt(`0x${digits}`)
  return key > 0n && key < ORDER
}

/** A private key as wallets export it, or the extended one of a whole wallet. */
function isWalletKey(value: string): boolean {
  if (!/^(?:[5KL]|xprv)/.test(value)) return false
  const payload = payloadOf(value)
  if (value.startsWith('xprv')) return payload?.length === 78
  return payload?.[0] === 0x80 && (payload.length === 33 || (payload.length === 34 && payload[33] === 1))
}

const isHardware: Validator = (value) => /^[0-9a-fA-F]{12}$/.test(value) && !/^(?:0{12}|[fF]{12})$/.test(value)

/** These are read in the case they were written in. */
export const CASED_VALIDATORS: Readonly<Record<string, Validator>> = {
  'btc-address': (value) => isLegacyAddress(value) || isSegwitAddress(value),
  'eth-address': isEthereum,
  'wallet-key': isWalletKey,
  'eth-private-key': isBareKey,
  'mac-address': isHardware,
}
