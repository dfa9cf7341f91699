/** Light, dark, or as the system has it. Without a script the page goes by the system, and the button is not shown. */
const KEY = 'orch.theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const isTheme = (word: string | null): word is Theme => (THEMES as readonly (string | null)[]).includes(word)

/** A reader may forbid pages to keep anything: the choice then lasts as long as the page. */
function readTheme(): Theme {
  try {
    const word = localStorage.getItem(KEY)
    return isTheme(word) ? word : 'system'
  } catch (error) {
    if (error instanceof DOMException) return 'system'
    throw error
  }
}

function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

function show(theme: Theme, button: HTMLButtonElement): void {
  document.documentElement.dataset.theme = theme
  button.textContent = `Theme: ${theme}`
}

const button = document.querySelector<HTMLButtonElement>('#theme')
if (button !== null) {
  let theme = readTheme()
  show(theme, button)
  button.hidden = false
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
    storeTheme(theme)
    show(theme, button)
  })
}
