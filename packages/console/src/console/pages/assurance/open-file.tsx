/** Takes a pack or an export from the reader's own disk. It is read in this page and sent nowhere. */
import { type DragEvent, useId, useState } from 'react'
import type { Evidence } from '../../../verify/evidence.ts'
import { Icon } from '../../components/icon.tsx'

export function OpenFile({ onOpen }: { onOpen(evidence: Evidence): void }) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const take = (file: File | undefined): void => {
    if (file !== undefined) onOpen({ name: file.name, content: file })
  }
  const over = (isHere: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(isHere)
  }
  return (
    <section className="card" aria-labelledby="open-title">
      <div className="card-head">
        <h2 id="open-title">Open a pack or export</h2>
      </div>
      <div className="card-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard */}
        <div
          className={isOver ? 'drop over' : 'drop'}
          onDragOver={over(true)}
          onDragLeave={over(false)}
          onDrop={(event) => {
            over(false)(event)
            take(event.dataTransfer.files[0])
          }}
        >
          <Icon name="file" large />
          <span>Drop a file here, or</span>
          <input
            id={id}
            className="unseen"
            type="file"
            onChange={(event) => {
              take(event.target.files?.[0])
              event.target.value = ''
            }}
          />
          <label className="btn" htmlFor={id}>
            Choose a file
          </label>
          <span className="small">Read in this page, marked “imported file”; the service is not asked.</span>
        </div>
      </div>
    </section>
  )
}
