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

/** A tie, or no word at all, is the core. */
export function verticalOf(text: string): VerticalReading {
  const words = new Set(text.toLowerCase().match(/[a-z]+/g) ?? [])
  const scored = Object.entries(WORDS)
    .map(([id, listed]) => ({ id: id as Vertical, hits: listed.filter((word) => words.has(word)) }))
    .sort((a, b) => b.hits.length - a.hits.length)
  const [best, second] = [scored[0]!, scored[1]!]
  const lead = best.hits.length - second.hits.length
  const confidence = Math.round((lead / (best.hits.length + 1)) * 1e6) / 1e6
  return { id: lead === 0 ? 'core' : best.id, confidence, hits: best.hits, label: 'MODELED' }
}
