/** A password inside an address: it ends up in logs, histories and referrers wherever the address goes. */
import { isPlaceholder } from './placeholder.ts'
import { isAlnumCode, type Match, places, runStart } from './scanner.ts'

const MAX_AUTHORITY = 256
const MAX_SCHEME = 24
const MIN_PASSWORD = 6

export function credentialUrls(text: string): Match[] {
  return places(text, '://').flatMap((at): Match[] => {
    const authority = authorityAt(text, at + 3)
    const sign = authority.lastIndexOf('@')
    const colon = authority.indexOf(':')
    if (sign < 0 || colon < 0 || colon > sign) return []
    const [user, password, host] = [
      authority.slice(0, colon),
      authority.slice(colon + 1, sign),
      authority.slice(sign + 1),
    ]
    if (!isPassword(user, password)) return []
    return [
      {
        from: runStart(text, at, isScheme, MAX_SCHEME),
        to: at + 3 + sign,
        value: password,
        ...(isOwnMachine(host) ? { severity: 'note' as const } : {}),
      },
    ]
  })
}

function authorityAt(text: string, from: number): string {
  const window = text.slice(from, from + MAX_AUTHORITY)
  const end = window.search(/[/?#\s"'`<>\\]/)
  return end < 0 ? window : window.slice(0, end)
}

const isScheme = (code: number): boolean => isAlnumCode(code) || '+.-'.includes(String.fromCharCode(code))

/** No variable, no mask and no word that stands for one. */
function isPassword(user: string, password: string): boolean {
  if (password.length < MIN_PASSWORD || /[$<>{}*[\]]|^%[a-z]|x{4}|\.{3}/i.test(password)) return false
  return password.toLowerCase() !== user.toLowerCase() && !isPlaceholder(password)
}

const isOwnMachine = (host: string): boolean => /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::|$)/.test(host)
