import { createRoot } from 'react-dom/client'
import { showTheme, theme } from '../theme.ts'
import { App } from './app.tsx'
import { PAGES } from './pages.ts'
import { hrefOf } from './routing.ts'

showTheme(theme.read())
if (location.pathname === '/console') history.replaceState(null, '', hrefOf({ page: PAGES[0]!.name }))
createRoot(document.querySelector('#root') as HTMLElement).render(<App />)
