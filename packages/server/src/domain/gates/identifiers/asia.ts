/** Asia, Australia and Africa. */
import { digitAt, isBirth, isDay, isUniform, luhn, verhoeff, weighted } from './arithmetic.ts'

type Validator = (value: string) => boolean

const PROVINCE = /^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])/
const RESIDENT = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
const isResident: Validator = (value) =>
  PROVINCE.test(value) &&
  /^(?:18|19|20)/.test(value.slice(6)) &&
  isBirth(value, 8) &&
  '10X98765432'.charAt(weighted(value, RESIDENT) % 11) === value.charAt(17)

function isMyNumber(value: string): boolean {
  const rest = weighted(value, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return !isUniform(value) && (rest <= 1 ? 0 : 11 - rest) === digitAt(value, 11)
}

/** Those born since October 2020 have random digits where the others have a place and a check. */
function isRrn(value: string): boolean {
  const century = value.charAt(6)
  if (!isBirth(value, 0) || century === '0' || century === '9') return false
  if (/[3478]/.test(century) && value.slice(0, 4) >= '2010' && value.slice(0, 2) < '50') return true
  const rest = weighted(value, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11
  return (11 - rest) % 10 === digitAt(value, 12)
}
const isBrn: Validator = (value) =>
  value.slice(0, 3) > '100' &&
  (weighted(value, [1, 3, 7, 1, 3, 7, 1, 3, 5, 1]) + Math.floor((digitAt(value, 8) * 5) / 10)) % 10 === 0

const isAadhaar: Validator = (value) => /^[2-9]/.test(value) && !isUniform(value) && verhoeff(value)
const PAN = /^[A-Z]{3}[ABCFGHJKLPT][A-Z][0-9]{4}[A-Z]$/
const isPan: Validator = (value) => PAN.test(value) && value.slice(5, 9) !== '0000'

/** The day of birth of a woman counts from 41 on. */
const isNik: Validator = (value) =>
  /^(?:1[1-9]|21|3[1-6]|5[1-3]|6[1-5]|7[1-6]|8[12]|9[1-7])/.test(value) &&
  isDay(Number(value.slice(8, 10)), Number(value.slice(6, 8)) % 40) &&
  value.slice(12) !== '0000'

const isTfn: Validator = (value) => !isUniform(value) && weighted(value, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0
const isMedicare: Validator = (value) =>
  /^[2-6]/.test(value) &&
  !isUniform(value.slice(0, 8)) &&
  weighted(value, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(value, 8) &&
  value.charAt(9) !== '0'
const isAbn: Validator = (value) =>
  value.charAt(0) !== '0' && (weighted(value, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0

const isSouthAfrican: Validator = (value) => isBirth(value, 0) && /[012]/.test(value.charAt(10)) && luhn(value)
const isSaudi: Validator = (value) => /^[12]/.test(value) && !isUniform(value.slice(1)) && luhn(value)

export const ASIA: Readonly<Record<string, Validator>> = {
  'cn-resident-id': isResident,
  'jp-my-number': isMyNumber,
  'kr-rrn': isRrn,
  'kr-brn': isBrn,
  'in-aadhaar': isAadhaar,
  'in-pan': isPan,
  'id-nik': isNik,
  'au-tfn': isTfn,
  'au-medicare': isMedicare,
  'au-abn': isAbn,
  'za-id': isSouthAfrican,
  'sa-national-id': isSaudi,
}
