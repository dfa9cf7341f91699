/** The button of the pages that the server makes. Without a script they go by the system, and it is not shown. */
import { showTheme, type Theme, theme } from '../theme.ts'

function show(chosen: Theme, button: HTMLButtonElement): void {
  showTheme(chosen)
  button.title = `Theme: ${chosen}`
  button.setAttribute('aria-label', `Theme: ${chosen}. Change`)
}

const button = document.querySelector<HTMLButtonElement>('#theme')
if (button !== null) {
  let chosen = theme.read()
  show(chosen, button)
  button.hidden = false
  button.addEventListener('click', () => {
    chosen = theme.next(chosen)
    theme.store(chosen)
    show(chosen, button)
  })
}
