/** Which keys count for an opened file. One that came with it is offered and never used unasked. */
import type { PublicKey } from '@orch/core'
import { useId, useState } from 'react'
import type { KeyRing } from '../../../verify/key-ring.ts'
import type { OfferedKey } from '../../../verify/recognise.ts'
import { KEY_KIND_NAMES } from '../../../verify/words.ts'
import { Digest } from '../../components/digest.tsx'
import { Icon } from '../../components/icon.tsx'
import { useKeys } from '../../frame/keys.ts'

interface KeysProps {
  ring: KeyRing
  offered: readonly OfferedKey[]
  onUse(key: PublicKey): void
  onAdded(): void
}

export function Keys({ ring, offered, onUse, onAdded }: KeysProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const add = (): void => {
    const { fault: found } = ring.add(text)
    setFault(found)
    if (found !== null) return
    setText('')
    onAdded()
  }
  const waiting = offered.filter(({ key }) => !ring.keys.has(key.keyid))
  useKeys({ u: () => waiting[0] && onUse(waiting[0].key) })
  return (
    <section className="card" aria-labelledby="keys-title">
      <div className="card-head">
        <h2 id="keys-title">Keys that count</h2>
      </div>
      <div className="card-body">
        {ring.keys.size === 0 ? <p className="quiet">None yet, so no signature is judged.</p> : null}
        {[...ring.keys.values()].map(({ key, kind, fromFile }) => (
          <p key={key.keyid} data-key={key.keyid}>
            <Digest value={key.keyid} />{' '}
            <span className="quiet small">{fromFile ? 'came with the file' : KEY_KIND_NAMES[kind]}</span>
          </p>
        ))}
        {waiting.map(({ key, calledDemo }) => (
          <div key={key.keyid} className="stack">
            <p>
              A key came with the file: <Digest value={key.keyid} />
              {calledDemo ? ', called a demo key there' : ''}. It shows that the file agrees with itself, not who signed
              it.
            </p>
            <button type="button" className="btn" onClick={() => onUse(key)}>
              <Icon name="key" />
              Use the key of the file <kbd>U</kbd>
            </button>
          </div>
        ))}
        <div className={fault === null ? 'field' : 'field field-bad'}>
          <label htmlFor={id}>
            A key that you have <span className="hint">public key in PEM form, or the verifier key of a log</span>
          </label>
          <textarea id={id} className="mono" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
          {fault === null ? null : (
            <span className="field-fault" role="alert">
              <Icon name="cross" />
              {fault}
            </span>
          )}
        </div>
        <button type="button" className="btn" onClick={add}>
          Add the key
        </button>
      </div>
    </section>
  )
}
