import { useLayoutEffect, useRef, useState } from 'react'
import { showTheme, theme } from '../../theme.ts'
import { Icon } from '../components/icon.tsx'
import { Link } from '../components/link.tsx'
import { useTimes } from '../components/time.tsx'
import { useFacts } from '../data/facts.tsx'
import { useService } from '../data/service.tsx'
import { PAGES } from '../pages.ts'
import { hrefOf } from '../routing.ts'
import { useTokenDialog } from './token.tsx'

const TIME_WORDS = { relative: 'relative', utc: 'UTC', local: 'local' }

export const Header = ({ page, onHelp }: { page: string; onHelp(): void }) => (
  <header className="top">
    <Link className="brand" href={hrefOf({ page: PAGES[0]!.name })}>
      <span className="mark" aria-hidden="true" />
      orch
    </Link>
    <Nav page={page} />
    <Tools onHelp={onHelp} />
  </header>
)

function Nav({ page }: { page: string }) {
  const nav = useRef<HTMLElement>(null)
  // The page that is shown must not lie outside of a narrow window. `scrollIntoView` would also begin the tab order there.
  useLayoutEffect(() => {
    const shown = page === '' ? null : nav.current?.querySelector('[aria-current]')
    if (nav.current && shown)
      nav.current.scrollLeft += shown.getBoundingClientRect().right - nav.current.getBoundingClientRect().right
  }, [page])
  return (
    <nav className="nav" aria-label="Console" ref={nav}>
      {PAGES.map((entry) => (
        <Link
          key={entry.name}
          href={hrefOf({ page: entry.name })}
          {...(entry.name === page ? { 'aria-current': 'page' as const } : {})}
        >
          {entry.title}
          <Count entry={entry} />
        </Link>
      ))}
    </nav>
  )
}

function Count({ entry }: { entry: (typeof PAGES)[number] }) {
  const facts = useFacts()
  const { isReachable } = useService()
  const count = entry.count?.(facts) ?? null
  if (count === null || count === 0) return null
  return (
    <span className={isReachable ? 'count' : 'count count-old'} title={isReachable ? undefined : 'cached'}>
      <span className="unseen">{isReachable ? 'waiting: ' : 'waiting, cached: '}</span>
      {count}
    </span>
  )
}

function Tools({ onHelp }: { onHelp(): void }) {
  const { chosen, change } = useTimes()
  const [look, setLook] = useState(theme.read)
  const { health } = useFacts()
  const { hasToken } = useService()
  const openToken = useTokenDialog()
  const changeTheme = (): void => {
    const next = theme.next(look)
    theme.store(next)
    showTheme(next)
    setLook(next)
  }
  const isOpen = health.value?.auth_mode === 'open'
  return (
    <div className="tools">
      {isOpen && !hasToken ? null : (
        <button
          type="button"
          className="btn btn-icon"
          aria-label={hasToken ? 'Token: set. Change' : 'Token: none. Enter one'}
          title="Token"
          onClick={openToken}
        >
          <Icon name="key" />
        </button>
      )}
      <button
        type="button"
        className="btn btn-icon"
        aria-label={`Times: ${TIME_WORDS[chosen]}. Change`}
        title={`Times: ${TIME_WORDS[chosen]}`}
        onClick={change}
      >
        <Icon name="clock" />
      </button>
      <button
        type="button"
        className="btn btn-icon"
        aria-label={`Theme: ${look}. Change`}
        title={`Theme: ${look}`}
        onClick={changeTheme}
      >
        <Icon name="theme" />
      </button>
      <button
        type="button"
        className="btn btn-icon"
        aria-label="Keyboard help"
        title="Keyboard help (?)"
        onClick={onHelp}
      >
        <Icon name="help" />
      </button>
    </div>
  )
}
