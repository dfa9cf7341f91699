/** The frame around every page: who the service is, where one can go, and the page of the address. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { shortDigest } from './components/digest.tsx'
import { Link } from './components/link.tsx'
import { Loading, NotFound } from './components/states.tsx'
import { TimesProvider } from './components/time.tsx'
import { FactsProvider } from './data/facts.tsx'
import { LiveProvider } from './data/live.tsx'
import { ServiceProvider } from './data/service.tsx'
import { FactsBar } from './frame/facts-bar.tsx'
import { Footer } from './frame/footer.tsx'
import { Header } from './frame/header.tsx'
import { HelpSheet } from './frame/help.tsx'
import { focusContent, isFocusFree, useKeys } from './frame/keys.ts'
import { TokenDialog } from './frame/token.tsx'
import { PAGES } from './pages.ts'
import { hrefOf, navigate, useAddress } from './routing.ts'

const LOADED = new Map(
  PAGES.map(({ name, load }) => [name, lazy(async () => ({ default: (await load()).Page }))] as const),
)
const JUMPS = Object.fromEntries(
  PAGES.map(({ name, jump }) => [`g ${jump}`, () => navigate(hrefOf({ page: name }))] as const),
)

export const App = () => (
  <ServiceProvider>
    <TimesProvider>
      <LiveProvider>
        <FactsProvider>
          <TokenDialog>
            <Frame />
          </TokenDialog>
        </FactsProvider>
      </LiveProvider>
    </TimesProvider>
  </ServiceProvider>
)

/** A digest by its beginning, an operation by its id, anything else by its name. */
const itemWords = (id: string): string => (/^[0-9a-f]{64}$/.test(id) ? shortDigest(id) : id.replace(/^api\//, ''))

function Frame() {
  const address = useAddress()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const title = PAGES.find(({ name }) => name === address.page)?.title
  useKeys({ ...JUMPS, '?': () => setHelpOpen(true) })
  useEffect(() => {
    const item = address.id === null ? null : itemWords(address.id)
    document.title = [item, title, 'orch'].filter((part) => part != null).join(' - ')
  }, [address.id, title])
  const place = `${address.page}/${address.id}`
  const before = useRef(place)
  useEffect(() => {
    if (before.current !== place && isFocusFree()) focusContent()
    before.current = place
  }, [place])
  const Page = LOADED.get(address.page)
  return (
    <>
      {/* The part of an address after `#` is a tab, so the jump leaves it alone. */}
      <button type="button" className="skip btn" onClick={focusContent}>
        Skip to the content
      </button>
      <Header page={address.page} onHelp={() => setHelpOpen(true)} />
      <FactsBar />
      <main id="main" tabIndex={-1}>
        {Page === undefined ? (
          <NotFound title={`The console has no page ${address.page}`}>
            <Link href={hrefOf({ page: PAGES[0]!.name })}>{PAGES[0]!.title}</Link>
          </NotFound>
        ) : (
          <Suspense fallback={<Loading what={title ?? ''} />}>
            <Page address={address} />
          </Suspense>
        )}
      </main>
      <Footer />
      {isHelpOpen ? <HelpSheet onClose={() => setHelpOpen(false)} /> : null}
    </>
  )
}
