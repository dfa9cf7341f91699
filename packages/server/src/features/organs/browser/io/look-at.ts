/** Runs inside the page that is replayed, where no script of the page runs. Its markup may give a name of ours to an element
 *  of its own, so methods are taken from where they are defined. */

/** Whether an element is drawn with nothing on top of it, and its middle. Where it is, what needs no key and no pointer is
 *  done to it. Null where there is another element. */
export function lookAt(at: number, name: string, doing: string, value: string) {
  const element = Document.prototype.querySelectorAll.call(document, '*')[at] as HTMLElement | undefined
  if (element?.localName !== name) return null
  Element.prototype.scrollIntoView.call(element, { block: 'center', inline: 'center', behavior: 'instant' })
  const box = Element.prototype.getClientRects.call(element)[0]
  const [x, y] = [(box?.x ?? -1) + (box?.width ?? 0) / 2, (box?.y ?? -1) + (box?.height ?? 0) / 2]
  const top = Document.prototype.elementFromPoint.call(document, x, y)
  const seen =
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }) &&
    Node.prototype.contains.call(element, top) &&
    top !== null
  if (seen && doing === 'type') {
    HTMLElement.prototype.focus.call(element)
    ;(element as HTMLInputElement).value = ''
  }
  if (seen && element instanceof HTMLSelectElement && doing === 'select') {
    const options = [...element.options]
    const chosen =
      options.find((option) => option.value === value) ?? options.find((option) => option.label.trim() === value)
    if (chosen) chosen.selected = true
  }
  const control = element instanceof HTMLLabelElement ? element.control : element
  return { seen, x, y, checked: control instanceof HTMLInputElement && control.checked }
}
