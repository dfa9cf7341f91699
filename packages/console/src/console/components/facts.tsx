/** Names and values, one under the other. */
import type { ReactNode } from 'react'

export const FactList = ({ children }: { children: ReactNode }) => <dl className="kv kv-ruled">{children}</dl>

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
