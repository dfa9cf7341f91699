/** The committed tables: enthalpies of formation and properties of elements, every row with its source. */
import Type, { type Static } from 'typebox'
import { closed } from '../../platform/shape.ts'
import { parseFormula } from './formula.ts'

export const FORMATION_SCHEMA = 'orch.materials-formation/v1'
export const ELEMENTS_SCHEMA = 'orch.materials-elements/v1'

const Line = Type.String({ minLength: 1, maxLength: 400 })
const Sources = Type.Record(Type.String(), closed({ title: Line, read_from: Line }))
const Enthalpy = Type.Number({ minimum: -20_000, maximum: 20_000 })

export const FormationTable = closed({
  as_of: Type.String(),
  sources: Sources,
  selection: Line,
  disagreements_over_5_kj_mol: Type.Array(
    closed({
      formula: Line,
      difference_kj_mol: Type.Number(),
      sources: Type.Array(Line, { minItems: 2, maxItems: 2 }),
    }),
  ),
  rows: Type.Array(
    closed({
      formula: Line,
      name: Line,
      dHf_kj_mol: Enthalpy,
      phase: Type.Enum(['cr', 'l', 'g']),
      temperature_k: Type.Literal(298.15),
      source: Line,
      source_ref: Line,
      check: Type.Union([
        Type.Null(),
        closed({ source: Line, dHf_kj_mol: Enthalpy, difference_kj_mol: Type.Number() }),
      ]),
    }),
    { minItems: 150 },
  ),
})
export type FormationTable = Static<typeof FormationTable>

const Properties = {
  electronegativity: Type.Number({ exclusiveMinimum: 0 }),
  covalent_radius_pm: Type.Number({ exclusiveMinimum: 0 }),
  group: Type.Integer({ minimum: 1, maximum: 18 }),
  period: Type.Integer({ minimum: 1, maximum: 7 }),
  valence_electrons: Type.Integer({ minimum: 1, maximum: 18 }),
  first_ionization_ev: Type.Number({ exclusiveMinimum: 0 }),
  melting_point_k: Type.Number({ exclusiveMinimum: 0 }),
}
export const PROPERTY_NAMES = Object.keys(Properties) as (keyof typeof Properties)[]

export const ElementTable = closed({
  as_of: Type.String(),
  sources: Sources,
  elements: Type.Array(
    closed({
      symbol: Type.String({ pattern: '^[A-Z][a-z]?$' }),
      atomic_number: Type.Integer({ minimum: 1, maximum: 118 }),
      ...Properties,
      oxidation_states: Type.Array(Type.Integer(), { minItems: 1 }),
      sources: Type.Record(Type.String(), Line),
    }),
    { minItems: 1 },
  ),
})
export type ElementTable = Static<typeof ElementTable>
export type Element = ElementTable['elements'][number]

/** J/mol of particles in eV, by the constants of the SI. */
const KJ_PER_EV = 96.48533212

/** A phase by itself: its composition by fractions of atoms and its enthalpy in eV per atom. */
export interface Phase {
  formula: string
  key: string
  fractions: Readonly<Record<string, number>>
  counts: Readonly<Record<string, number>>
  energy: number
  phase: 'cr' | 'l' | 'g'
  source: string
  sourceRef: string
}

export function toPhases({ rows, sources }: FormationTable): Phase[] {
  return rows.map(({ formula, dHf_kj_mol, phase, source, source_ref }) => {
    const counts = parseFormula(formula)
    if (!counts.ok) throw new Error(`the formula ${formula} of the table cannot be read`)
    const atoms = Object.values(counts.composition).reduce((sum, count) => sum + count, 0)
    return {
      formula,
      key: compositionKey(counts.composition),
      fractions: fractionsOf(counts.composition),
      counts: counts.composition,
      energy: dHf_kj_mol / (KJ_PER_EV * atoms),
      phase,
      source: sources[source]!.title,
      sourceRef: source_ref,
    }
  })
}

export function fractionsOf(composition: Readonly<Record<string, number>>): Record<string, number> {
  const atoms = Object.values(composition).reduce((sum, count) => sum + count, 0)
  return Object.fromEntries(Object.entries(composition).map(([symbol, count]) => [symbol, count / atoms]))
}

/** The same for every multiple of a composition: fractions to the six places of a reply. */
export const compositionKey = (composition: Readonly<Record<string, number>>): string =>
  Object.entries(fractionsOf(composition))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([symbol, fraction]) => `${symbol}${fraction.toFixed(6)}`)
    .join(' ')

const NONMETALS = new Set(['H', 'C', 'N', 'O', 'F', 'P', 'S', 'Cl', 'Se', 'Br', 'I'])

const METALLOIDS = new Set(['B', 'Si', 'Ge', 'As', 'Sb', 'Te'])

/** Metalloids that form anions. */
const SOFT_ANIONS = new Set(['As', 'Sb', 'Te'])

/** Of how many elements and of how many metals: a chemistry that no row shows cannot be learned from them. */
export function chemistryOf(counts: Readonly<Record<string, number>>): { elements: number; metals: number } {
  const symbols = Object.keys(counts)
  const metals = symbols.filter((symbol) => !NONMETALS.has(symbol) && !METALLOIDS.has(symbol))
  return { elements: symbols.length, metals: metals.length }
}

/** Why a composition is of no kind that the model is trained on, or null where it is of one. */
export function kindFault(counts: Readonly<Record<string, number>>): string | null {
  const symbols = Object.keys(counts)
  const anions = symbols.filter((symbol) => symbol !== 'C' && (NONMETALS.has(symbol) || SOFT_ANIONS.has(symbol)))
  if (counts.C !== undefined && !((counts.O ?? 0) > 2.99 * counts.C))
    return 'carbon is learned in carbonates alone: carbides, cyanides and organic matter are not'
  if (anions.length === 0) return 'no element of it forms anions: alloys, borides and silicides are not learned'
  if (counts.N !== undefined && counts.H !== undefined)
    return 'nitrogen with hydrogen: ammonium salts and amides are not learned'
  if (symbols.every((symbol) => NONMETALS.has(symbol)) || symbols.every((symbol) => METALLOIDS.has(symbol)))
    return 'no cation: compounds of non-metals alone, or of metalloids alone, are not learned'
  return null
}

/** Inorganic crystals: what the model is trained on. */
export const isTrained = ({ phase, counts }: Phase): boolean =>
  phase === 'cr' && Object.keys(counts).length > 1 && kindFault(counts) === null

/** What the shapes alone do not say: every row names a source there is, and every disagreement is listed. */
export function tableFault(formation: FormationTable, { elements, sources }: ElementTable): string | null {
  const known = new Set(elements.map(({ symbol }) => symbol))
  const keys = new Set<string>()
  for (const { formula, source, check, dHf_kj_mol } of formation.rows) {
    const parsed = parseFormula(formula)
    if (!parsed.ok) return `the formula ${formula} cannot be read`
    const key = compositionKey(parsed.composition)
    if (keys.has(key)) return `${formula} is listed twice`
    keys.add(key)
    if (!Object.keys(parsed.composition).every((symbol) => known.has(symbol)))
      return `${formula} has an unlisted element`
    if (formation.sources[source] === undefined) return `${formula} has no source`
    if (check === null) continue
    if (formation.sources[check.source] === undefined) return `the check of ${formula} has no source`
    const difference = dHf_kj_mol - check.dHf_kj_mol
    if (Math.abs(difference - check.difference_kj_mol) > 1e-6) return `the difference of ${formula} is another`
    const isListed = formation.disagreements_over_5_kj_mol.some((one) => one.formula === formula)
    if (Math.abs(difference) > 5 !== isListed) return `the disagreement of ${formula} is not listed, or is none`
  }
  const properties = [...PROPERTY_NAMES, 'oxidation_states']
  const bare = elements.find((one) => properties.some((name) => sources[one.sources[name] ?? ''] === undefined))
  return bare === undefined ? null : `${bare.symbol} has a property without a source`
}
