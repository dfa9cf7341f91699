/** The published check digits of the numbers the guard looks for. Digits come in as a string of 0-9. */
const valueAt = (digits: string, at: number): number => digits.charCodeAt(at) - 48

export function luhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const value = valueAt(digits, digits.length - 1 - i)
    const twice = 2 * value
    sum += i % 2 === 0 ? value : twice > 9 ? twice - 9 : twice
  }
  return sum % 10 === 0
}

/** ISO 7064 mod 97-10 of an IBAN in capitals, four characters moved to the end, letters as two digits. */
export function mod97(iban: string): boolean {
  let rest = 0
  for (const letter of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(letter, 36)
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
  }
  return rest === 1
}

export function aba(digits: string): boolean {
  const weights = [3, 7, 1]
  let sum = 0
  for (let i = 0; i < 9; i++) sum += valueAt(digits, i) * (weights[i % 3] as number)
  return sum > 0 && sum % 10 === 0
}

export function nhs(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < 9; i++) sum += valueAt(digits, i) * (10 - i)
  const check = (11 - (sum % 11)) % 11
  return check !== 10 && check === valueAt(digits, 9)
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  return rest >>> 0
})

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The last six characters of a code host's token are the CRC-32 of the thirty before, in base 62. */
export function tokenChecksum(body: string): boolean {
  let crc = 0xffffffff
  for (let i = 0; i < body.length - 6; i++) crc = (crc >>> 8) ^ (CRC[(crc ^ body.charCodeAt(i)) & 0xff] as number)
  let value = (crc ^ 0xffffffff) >>> 0
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = BASE62.charAt(value % 62) + text
    value = Math.floor(value / 62)
  }
  return body.endsWith(text)
}
