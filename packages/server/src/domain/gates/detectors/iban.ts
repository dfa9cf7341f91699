import { mod97 } from './checksums.ts'
import { gluedWord, isAlnumCode, isDigitCode, isGluedBehind, isLetterCode, type Match } from './scanner.ts'
import { isSpecimenIban } from './specimens.ts'

/** Country and length of the registered formats. */
const LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
)

export function ibans(text: string): Match[] {
  const found: Match[] = []
  for (let at = 0; at + 15 <= text.length; ) {
    const match = isLetterCode(text.charCodeAt(at)) ? ibanAt(text, at) : null
    if (match) found.push(match)
    at = match ? match.to : at + 1
  }
  return found
}

function ibanAt(text: string, from: number): Match | null {
  const checked = isDigitCode(text.charCodeAt(from + 2)) && isDigitCode(text.charCodeAt(from + 3))
  const length = checked ? LENGTHS.get(text.slice(from, from + 2).toUpperCase()) : undefined
  // The check digits vouch for it behind a word, as in IBANDE89; inside an encoded value they would do so by chance.
  if (length === undefined || gluedWord(text, from) === null) return null
  let value = ''
  let at = from
  while (value.length < length && at < text.length) {
    if (isAlnumCode(text.charCodeAt(at))) value += text.charAt(at++)
    else if (isParting(text, at)) at++
    else return null
  }
  if (value.length < length || isGluedBehind(text, at)) return null
  const iban = value.toUpperCase()
  if (!mod97(iban)) return null
  return { from, to: at, value: iban, ...(isSpecimenIban(iban) ? { severity: 'note' as const } : {}) }
}

function isParting(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code === 32 || code === 45 || code === 0xa0) && isAlnumCode(text.charCodeAt(at + 1))
}
