import { characterClass } from './character-class.ts'

/** What a decoded run must be to be read as text at all: strict UTF-8 of which at least 85 in 100 characters print. */
const MIN_PRINTABLE = 0.85
const isPrinting = characterClass(/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t\n\r\p{Cf}]/u)
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function textOf(bytes: Uint8Array): string | null {
  try {
    return printableOrNull(strict.decode(bytes))
  } catch (refused) {
    if (refused instanceof TypeError) return null
    throw refused
  }
}

export function printableOrNull(text: string): string | null {
  let printable = 0
  let size = 0
  for (let unit = 0; unit < text.length; size++) {
    const value = text.codePointAt(unit) as number
    if (prints(value)) printable++
    unit += value > 0xffff ? 2 : 1
  }
  return size > 0 && printable >= MIN_PRINTABLE * size ? text : null
}

function prints(value: number): boolean {
  if (value < 127) return value >= 32 || value === 9 || value === 10 || value === 13
  return value !== 0xfffd && isPrinting(value)
}
