import { LABEL_MEANINGS } from '@orch/core'
import { Badge } from '../components/badge.tsx'
import { Dialog } from '../components/dialog.tsx'
import { PAGES } from '../pages.ts'

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['J', 'K'], 'next, previous row or receipt'],
  [['Enter'], 'open'],
  [['Esc'], 'close, focus returns to the row'],
  [['/'], 'search'],
  [['V'], 'verify here what is open'],
  [['A', 'X'], 'in the reviews: approve, deny'],
  [['E', 'U'], 'in assurance: export a pack, use the key of the file'],
  [['?'], 'this sheet'],
]

const LABEL_WORDS: readonly (readonly [label: string, means: string])[] = [
  ...Object.entries(LABEL_MEANINGS),
  ['cached', 'last good reading, with its age'],
  ['unreachable', 'asked now, no answer'],
]

/** The keys and what the badges mean. */
export const HelpSheet = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Keys and labels" onClose={onClose}>
    <dl className="sheet">
      {[...KEYS, ...PAGES.map(({ title, jump }) => [['G', jump.toUpperCase()], title.toLowerCase()] as const)].map(
        ([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ),
      )}
    </dl>
    <LabelLegend />
  </Dialog>
)

export const LabelLegend = () => (
  <dl className="sheet labels">
    {LABEL_WORDS.map(([label, means]) => (
      <div key={label}>
        <dt>
          <Badge label={label} source={means} />
        </dt>
        <dd>{means}</dd>
      </div>
    ))}
  </dl>
)
