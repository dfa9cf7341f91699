/** A shape of the sprite in index.html. Always beside a word that says the same, or inside a control that has a name. */
export const Icon = ({ name, large = false }: { name: string; large?: boolean }) => (
  <svg className={large ? 'i i-lg' : 'i'} aria-hidden="true" focusable="false">
    <use href={`#i-${name}`} />
  </svg>
)
