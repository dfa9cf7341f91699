/** What the compiler must do before it is asked anything: cut three texts as they have always been cut. */
import type { ClaimCompiler } from './compiler.ts'

type Span = [start: number, end: number]

const EXPECTED: readonly (readonly [text: string, spans: Span[]])[] = [
  [
    'Dr. Smith paid $3.50. It rose!  Then; fell?\n- one\n* two\n\n1. three',
    [
      [0, 21],
      [22, 30],
      [32, 37],
      [38, 43],
      [46, 49],
      [52, 55],
      [60, 65],
    ],
  ],
  ['Hello world.', [[0, 12]]],
  ['-5 degrees is cold.', [[0, 19]]],
  ['- 5 degrees', [[2, 11]]],
  ['  \ufeff+3% growth', [[3, 13]]],
]
const KNOWN_ID = 'candidate-0001-3e6a9a6ef939'
const KNOWN_DIGEST = 'aa3ec16e6acc'

/** The first thing that is not as it must be, or null. */
export function selfTestFault({ atomize }: Pick<ClaimCompiler, 'atomize'>): string | null {
  for (const [index, [text, spans]] of EXPECTED.entries()) {
    const found = atomize(text, '').atoms.map(({ span }): Span => [span.start, span.end])
    if (JSON.stringify(found) !== JSON.stringify(spans)) return `text ${index + 1} of the self-test was cut differently`
  }
  const known = atomize('Hello world.', '')
  if (known.atoms[0]?.claim_id !== KNOWN_ID) return 'a candidate of the self-test has another id'
  return known.text_sha256.startsWith(KNOWN_DIGEST) ? null : 'a text of the self-test has another digest'
}
