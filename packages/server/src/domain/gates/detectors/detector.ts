import type { Scorer } from '../scorer/scorer.ts'
import type { KeyShape } from './access-key.ts'
import type { Command } from './command-line.ts'
import type { Group } from './digits.ts'
import type { Match } from './scanner.ts'

export interface DetectorInput {
  text: string
  /** The text in lower case, worked out once for all rules that read it so. */
  lower: () => string
  /** The numbers of the text, worked out once for all rules that look at them. */
  series: () => Group[][]
  /** The commands of the text, read once for all rules about them. */
  commands: () => Command[]
  /** Words that must or may stand near, from the rule. */
  context: readonly string[]
  /** The key of the context under which the text was found; empty for the text itself. */
  label: string
  keys: readonly KeyShape[]
  allowedHosts: readonly string[]
  /** Null where no rule asks for it. */
  scorer: Scorer | null
}

export type Detector = (input: DetectorInput) => Match[]
