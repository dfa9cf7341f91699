import {
  digitAt,
  isBirth,
  isDay,
  isUniform,
  luhn,
  mod11And10,
  remainder,
  weighted,
  weightedDigits,
} from './arithmetic.ts'

type Validator = (value: string) => boolean

const NINO = /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]$/
const UNUSED_NINO = /^(?:BG|GB|NK|KN|TN|NT|ZZ)/
const isUtr: Validator = (value) =>
  !isUniform(value) &&
  '21987654321'.charAt(weighted(value.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11) === value.charAt(0)
const GB_DRIVER = /^[A-Z]{1,5}9{0,4}[0-9][0156][0-9](?:0[1-9]|[12][0-9]|3[01])[0-9][A-Z9]{2}[0-9A-Z][A-Z]{2}$/

/** Sex, year, month, department, place, order and a key mod 97; Corsica counts as 19 and 18. */
function isNir(value: string): boolean {
  const digits = value.replace('2A', '19').replace('2B', '18')
  if (!/^[1-478][0-9]{2}(?:0[1-9]|1[0-2]|[2-46-9][0-9])[0-9]{10}$/.test(digits)) return false
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13))
}

/** Of the first ten digits one stands twice or three times, the others at most once. */
function isSteuerId(value: string): boolean {
  const counts = Array.from({ length: 10 }, (_, digit) => value.slice(0, 10).split(String(digit)).length - 1)
  const repeated = counts.filter((count) => count > 1)
  return value.charAt(0) !== '0' && repeated.length === 1 && (repeated[0] as number) <= 3 && mod11And10(value)
}

const letterAsDigits = (letter: string): string => String(letter.charCodeAt(0) - 64).padStart(2, '0')
const RVNR_AREA = /^(?:0[2-4]|0[89]|1[0-9]|2[013-689]|3[89]|4[02-9]|[56][0-9]|7[0-9]|8[0-29])/
const isRvnr: Validator = (value) =>
  RVNR_AREA.test(value) &&
  isDay(Number(value.slice(4, 6)), Number(value.slice(2, 4))) &&
  weightedDigits(
    value.slice(0, 8) + letterAsDigits(value.charAt(8)) + value.slice(9, 11),
    [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1],
  ) %
    10 ===
    digitAt(value, 11)
const isKvnr: Validator = (value) =>
  weightedDigits(letterAsDigits(value.charAt(0)) + value.slice(1, 9), [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 ===
  digitAt(value, 9)

const CODICE = /^[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPR-T][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]$/
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
function isCodiceFiscale(value: string): boolean {
  if (!CODICE.test(value)) return false
  let sum = 0
  for (let at = 0; at < 15; at++) {
    const code = value.charCodeAt(at)
    const number = code < 65 ? code - 48 : code - 65
    sum += at % 2 === 0 ? (ODD[number] as number) : number
  }
  return sum % 26 === value.charCodeAt(15) - 65
}
const isPartitaIva: Validator = (value) => {
  const office = Number(value.slice(7, 10))
  return (
    ((office >= 1 && office <= 100) || [120, 121, 888, 999].includes(office)) && luhn(value) && !/^0{7}/.test(value)
  )
}

const isSpanish: Validator = (value) => {
  const digits = value.slice(0, 8).replace('X', '0').replace('Y', '1').replace('Z', '2')
  if (!/^[0-9]{8}$/.test(digits)) return false
  return !isUniform(digits) && 'TRWAGMYFPDXBNJZSQVHLCKE'.charAt(Number(digits) % 23) === value.charAt(8)
}

function isTckn(value: string): boolean {
  const odd = weighted(value, [1, 0, 1, 0, 1, 0, 1, 0, 1])
  const even = weighted(value, [0, 1, 0, 1, 0, 1, 0, 1])
  if (value.charAt(0) === '0' || (((7 * odd - even) % 10) + 10) % 10 !== digitAt(value, 9)) return false
  return (odd + even + digitAt(value, 9)) % 10 === digitAt(value, 10)
}

const INN = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]
const innDigit = (value: string, size: number): number => (weighted(value, INN.slice(-size)) % 11) % 10
const isInn: Validator = (value) => {
  if (isUniform(value) || value.startsWith('00')) return false
  if (value.length === 10) return innDigit(value, 9) === digitAt(value, 9)
  return innDigit(value, 10) === digitAt(value, 10) && innDigit(value, 11) === digitAt(value, 11)
}
/** Numbers up to 001-001-998 were given without a check. */
const isSnils: Validator = (value) =>
  value.slice(0, 9) > '001001998' &&
  (weighted(value, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(value.slice(9))

const isBsn: Validator = (value) => !isUniform(value) && weighted(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0
const isBelgian: Validator = (value) => {
  const [birth, check] = [value.slice(0, 9), Number(value.slice(9))]
  return isBirth(value, 0) && (97 - remainder(birth, 97) === check || 97 - remainder(`2${birth}`, 97) === check)
}
/** The century stands in the month: 80 is added for the nineteenth, 20 for the twenty-first. */
const isPesel: Validator = (value) =>
  /^[0-389]/.test(value.slice(2)) &&
  isDay(Number(value.slice(2, 4)) % 20, Number(value.slice(4, 6))) &&
  weighted(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0
/** The day of a coordination number counts from 61 on. */
const isPersonnummer: Validator = (value) => {
  const ten = value.slice(-10)
  return isDay(Number(ten.slice(2, 4)), Number(ten.slice(4, 6)) % 60) && luhn(ten)
}
const isAhv: Validator = (value) =>
  value.startsWith('756') && weighted(value, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0

export const EUROPE: Readonly<Record<string, Validator>> = {
  'gb-nino': (value) => NINO.test(value) && !UNUSED_NINO.test(value),
  'gb-utr': isUtr,
  'gb-driver': (value) => GB_DRIVER.test(value),
  'fr-nir': isNir,
  'fr-siren': (value) => !isUniform(value) && luhn(value.slice(0, 9)) && luhn(value),
  'de-steuer-id': isSteuerId,
  'de-rvnr': isRvnr,
  'de-kvnr': isKvnr,
  'it-codice-fiscale': isCodiceFiscale,
  'it-partita-iva': isPartitaIva,
  'es-dni-nie': isSpanish,
  'tr-tckn': isTckn,
  'ru-inn': isInn,
  'ru-snils': isSnils,
  'nl-bsn': isBsn,
  'be-rijksregister': isBelgian,
  'pl-pesel': isPesel,
  'se-personnummer': isPersonnummer,
  'ch-ahv': isAhv,
}
