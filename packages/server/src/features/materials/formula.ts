/** Chemical formulas: symbols, counts, decimals and nested parentheses. */
type Parsed = { ok: true; composition: Record<string, number> } | { ok: false; at: number; fault: string }

const MAX_COUNT = 1000
const MAX_ELEMENTS = 8

const SYMBOLS = new Set(
  (
    'H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo ' +
    'Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl ' +
    'Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og'
  ).split(' '),
)
export const isElement = (symbol: string): boolean => SYMBOLS.has(symbol)

const TOKEN = /\(|\)|[A-Z][a-z]?|\d+(?:\.\d+)?|\.\d+/y

export function parseFormula(text: string): Parsed {
  const groups: Record<string, number>[] = [{}]
  let newest: Record<string, number> | null = null
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[0]
    if (token === undefined) return { ok: false, at, fault: `${JSON.stringify(text[at])} is no part of a formula` }
    if (token === '(') {
      groups.push({})
      newest = null
    } else if (token === ')') {
      const closed = groups.pop()!
      if (groups.length === 0) return { ok: false, at, fault: 'a parenthesis is closed that was not opened' }
      if (Object.keys(closed).length === 0) return { ok: false, at, fault: 'a pair of parentheses is empty' }
      addAll(groups.at(-1)!, closed)
      newest = closed
    } else if (/[A-Z]/.test(token)) {
      if (!isElement(token)) return { ok: false, at, fault: `${token} is no element` }
      newest = { [token]: 1 }
      addAll(groups.at(-1)!, newest)
    } else {
      const count = Number(token)
      if (newest === null) return { ok: false, at, fault: 'a count stands before what it counts' }
      if (!(count > 0)) return { ok: false, at, fault: 'a count must be above 0' }
      addAll(groups.at(-1)!, newest, count - 1)
      newest = null
    }
    at += token.length
  }
  if (groups.length > 1) return { ok: false, at: text.length, fault: 'a parenthesis is not closed' }
  return checked(groups[0]!, text.length)
}

function checked(composition: Record<string, number>, end: number): Parsed {
  const entries = Object.entries(composition)
  if (entries.length === 0) return { ok: false, at: 0, fault: 'the formula is empty' }
  if (entries.length > MAX_ELEMENTS) return { ok: false, at: end, fault: `more than ${MAX_ELEMENTS} elements` }
  const over = entries.find(([, count]) => !(count > 0 && count <= MAX_COUNT))
  if (over !== undefined) {
    const fault = over[1] > 0 ? `is above ${MAX_COUNT}` : 'is too small beside 1 to be told from 0'
    return { ok: false, at: end, fault: `the count of ${over[0]} ${fault}` }
  }
  return { ok: true, composition }
}

function addAll(target: Record<string, number>, group: Readonly<Record<string, number>>, times = 1): void {
  for (const [symbol, count] of Object.entries(group)) target[symbol] = (target[symbol] ?? 0) + times * count
}
