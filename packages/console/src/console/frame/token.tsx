/** The reader's token: typed once, kept in memory, sent as Authorization and in no other way. */
import { createContext, type FormEvent, type ReactNode, use, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { useService } from '../data/service.tsx'

const TokenContext = createContext<() => void>(() => undefined)

/** Opens the dialog. */
export const useTokenDialog = (): (() => void) => use(TokenContext)

export function TokenDialog({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const { hasToken, setToken } = useService()
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const token = String(given.get('token')).trim()
    if (token !== '') setToken(token, given.get('keep') === 'on')
    setOpen(false)
  }
  const forget = (): void => {
    setToken(null, false)
    setOpen(false)
  }
  return (
    <TokenContext value={() => setOpen(true)}>
      {children}
      {isOpen ? (
        <Dialog title="Token" onClose={() => setOpen(false)}>
          <form className="stack" onSubmit={submit}>
            <label>
              Token of your credential
              <input
                type="password"
                name="token"
                autoComplete="off"
                spellCheck={false}
                required
                pattern="\s*[!-~]+\s*"
                title="printable ASCII without spaces"
              />
            </label>
            <p className="hint">
              It stays in the memory of this page, goes to this service alone and is in no link or curl line. A reload,
              and every link that leaves the console, such as those at the foot of the page, forgets it.
            </p>
            <label className="check">
              <input type="checkbox" name="keep" />
              Keep it for this tab, until the tab is closed
            </label>
            <div className="btn-row">
              <button type="submit" className="btn btn-first">
                Use this token
              </button>
              {hasToken ? (
                <button type="button" className="btn" onClick={forget}>
                  Forget the one in use
                </button>
              ) : null}
            </div>
          </form>
        </Dialog>
      ) : null}
    </TokenContext>
  )
}
