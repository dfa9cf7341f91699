/** Which line of business a text speaks about, by whole words. It is told and stored, and decides nothing. */
export const VERTICALS = [
  'core',
  'general',
  'defense',
  'finance',
  'legal',
  'enterprise',
  'realestate',
  'insurance',
] as const
export type Vertical = (typeof VERTICALS)[number]

const WORDS: Readonly<Record<string, readonly string[]>> = {
  defense: [
    'troop',
    'troops',
    'missile',
    'reconnaissance',
    'targeting',
    'munitions',
    'battalion',
    'warfighter',
    'drone',
  ],
  finance: [
    'invoice',
    'loan',
    'credit',
    'trading',
    'portfolio',
    'payment',
    'payments',
    'bank',
    'securities',
    'dividend',
  ],
  legal: ['contract', 'lawsuit', 'attorney', 'plaintiff', 'defendant', 'clause', 'litigation', 'statute', 'court'],
  enterprise: ['payroll', 'procurement', 'helpdesk', 'onboarding', 'crm', 'erp', 'employee', 'employees', 'vendor'],
  realestate: ['mortgage', 'deed', 'escrow', 'tenant', 'lease', 'zoning', 'landlord', 'parcel', 'appraisal'],
  insurance: [
    'premium',
    'policyholder',
    'underwriting',
    'claimant',
    'deductible',
    'insurer',
    'actuarial',
    'subrogation',
  ],
}

export interface VerticalReading {
  id: Vertical
  confidence: number
  hits: string[]
  label: 'MODELED'
}

const VERTICAL_OF = new Map(Object.entries(WORDS).flatMap(([id, listed]) => listed.map((word) => [word, id] as const)))
/** Whole words, found in one walk over the text. */
const LISTED = new RegExp(`\\b(?:${[...VERTICAL_OF.keys()].join('|')})\\b`, 'g')

/** A tie, or no word at all, is the core. */
export function verticalOf(text: string): VerticalReading {
  const found = new Map<string, string[]>()
  for (const word of new Set(text.toLowerCase().match(LISTED))) {
    const id = VERTICAL_OF.get(word) as string
    found.set(id, [...(found.get(id) ?? []), word])
  }
  const [best, second] = [...found].sort(([, a], [, b]) => b.length - a.length)
  if (best === undefined) return { id: 'core', confidence: 0, hits: [], label: 'MODELED' }
  const lead = best[1].length - (second?.[1].length ?? 0)
  const confidence = Math.round((lead / (best[1].length + 1)) * 1e6) / 1e6
  return { id: lead === 0 ? 'core' : (best[0] as Vertical), confidence, hits: best[1], label: 'MODELED' }
}
