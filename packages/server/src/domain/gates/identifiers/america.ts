import { digitAt, isBirth, isUniform, luhn, weighted } from './arithmetic.ts'

type Validator = (value: string) => boolean

/** The campuses of the revenue service that give out employer numbers. */
const EIN_PREFIX = /^(?:0[1-6]|1[0-6]|2[0-7]|3[0-9]|4[0-8]|5[0-9]|6[0-8]|7[1-7]|8[0-8]|9[0-58-9])/
const ITIN = /^9[0-9]{2}(?:5[0-9]|6[0-5]|7[0-9]|8[0-8]|9[0-24-9])[0-9]{4}$/
/** Letters that pass for digits are left out of a Medicare number. */
const MBI =
  /^[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9][AC-HJKMNP-RT-Y]{2}[0-9]{2}$/
const DEA = /^[A-HJ-MPRSTUX][A-Z9][0-9]{7}$/

const isDea: Validator = (value) =>
  DEA.test(value) &&
  !isUniform(value.slice(2)) &&
  weighted(value.slice(2), [1, 2, 1, 2, 1, 2]) % 10 === digitAt(value, 8)

const sizes: Readonly<Record<string, RegExp>> = {
  letterFirst: /^[A-Z][0-9]{4,18}$/,
  digits: /^[0-9]{6,14}$/,
  other: /^(?:[A-Z]{2}[0-9]{6}[A-Z]?|[A-Z]{3}[0-9]{6}|[0-9]{2}[A-Z]{3}[0-9]{5,6}|[A-Z]{2}[0-9]{2,6})$/,
}
/** The states have their forms and no checksum; the word beside it has to say what it is. */
const isDriver: Validator = (value) => !isUniform(value) && Object.values(sizes).some((form) => form.test(value))

const isSin: Validator = (value) => value.charAt(0) !== '0' && value.charAt(0) !== '8' && luhn(value)

/** Eleven digits, or letters among the first twelve of a company since 2026: each counts as its code less 48. */
function modEleven(value: string, weights: readonly number[]): number {
  const rest = weighted(value, weights) % 11
  return rest < 2 ? 0 : 11 - rest
}
const CPF = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]
const CPF_FIRST = CPF.slice(1)
const isCpf: Validator = (value) =>
  !isUniform(value) && modEleven(value, CPF_FIRST) === digitAt(value, 9) && modEleven(value, CPF) === digitAt(value, 10)
const CNPJ = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
const isCnpj: Validator = (value) =>
  !isUniform(value.slice(0, 12)) &&
  modEleven(value, CNPJ.slice(1)) === digitAt(value, 12) &&
  modEleven(value, CNPJ) === digitAt(value, 13)

const CURP_LETTERS = '0123456789ABCDEFGHIJKLMN\u00d1OPQRSTUVWXYZ'
const STATES = 'AS BC BS CC CL CM CS CH DF DG GT GR HG JC MC MN MS NT NL OC PL QT QR SP SL SR TC TS TL VZ YN ZS NE'
const KNOWN_STATES = new Set(STATES.split(' '))
function isCurp(value: string): boolean {
  if (!/^[A-Z][AEIOUX][A-Z]{2}[0-9]{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z][0-9]$/.test(value)) return false
  if (!isBirth(value, 4) || !KNOWN_STATES.has(value.slice(11, 13))) return false
  let sum = 0
  for (let at = 0; at < 17; at++) sum += CURP_LETTERS.indexOf(value.charAt(at)) * (18 - at)
  return (10 - (sum % 10)) % 10 === digitAt(value, 17)
}

const RFC_LETTERS = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ \u00d1'
function isRfc(value: string): boolean {
  const full = value.padStart(13, ' ')
  if (!isBirth(full, 4)) return false
  let sum = 0
  for (let at = 0; at < 12; at++) sum += RFC_LETTERS.indexOf(full.charAt(at)) * (13 - at)
  return '0A987654321'.charAt(sum % 11) === full.charAt(12)
}

function isClabe(value: string): boolean {
  let sum = 0
  for (let at = 0; at < 17; at++) sum += (digitAt(value, at) * ([3, 7, 1][at % 3] as number)) % 10
  return !isUniform(value) && (10 - (sum % 10)) % 10 === digitAt(value, 17)
}

const CUIT_PREFIX = /^(?:20|23|24|27|30|33|34|50|51|55)/
const isCuit: Validator = (value) =>
  CUIT_PREFIX.test(value) &&
  digitAt('012345678990', 11 - (weighted(value, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) === digitAt(value, 10)

const CBU = [7, 1, 3, 9, 7, 1, 3]
const tens = (sum: number): number => (10 - (sum % 10)) % 10
const isCbu: Validator = (value) =>
  !isUniform(value) &&
  tens(weighted(value, CBU)) === digitAt(value, 7) &&
  tens(weighted(value.slice(8), [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3])) === digitAt(value, 21)

export const AMERICA: Readonly<Record<string, Validator>> = {
  'us-itin': (value) => ITIN.test(value),
  'us-ein': (value) => EIN_PREFIX.test(value),
  'us-npi': (value) => /^[12]/.test(value) && luhn(`80840${value}`),
  'us-mbi': (value) => MBI.test(value),
  'us-dea': isDea,
  'us-driver': isDriver,
  'ca-sin': isSin,
  'br-cpf': isCpf,
  'br-cnpj': isCnpj,
  'mx-curp': isCurp,
  'mx-rfc': isRfc,
  'mx-clabe': isClabe,
  'ar-cuit': isCuit,
  'ar-cbu': isCbu,
}
