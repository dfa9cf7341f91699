/** Light, dark, or as the system has it, the same choice on every page. */
import { remembered } from './remembered.ts'

export const theme = remembered('orch.theme', ['system', 'light', 'dark'])
export type Theme = ReturnType<typeof theme.read>

export function showTheme(chosen: Theme): void {
  document.documentElement.dataset.theme = chosen
}
